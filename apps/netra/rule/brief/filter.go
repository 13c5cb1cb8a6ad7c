// Package brief is for words about a district that leave the house: what a briefing says by code, what of a model's sentences may stand in
// it, and what names a person or a community and does not leave, by the same rules as the door that signals come in by.
//
// Read Basis, which is all that may be said, then Lay and Say: the facts, and code's own sentences over them. Judge is for a model's.
// filter.go is the door out.
package brief

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/pii"
)

// A Reason is why words do not leave.
type Reason string

// The reasons. What was found is not repeated.
const (
	Fine      Reason = ""
	Personal  Reason = "personal"  // they name a person, or hold their data
	Community Reason = "community" // they name a community, a faith or a caste
	Typed     Reason = "typed"     // they hold a number that no fact carries
)

// Refuse says why a text does not leave as it would be read; Fine where it does. places are names that may stand in it although they
// hold the name of a community, as Karbi Anglong does.
func Refuse(text string, places ...string) Reason {
	if len(pii.Find(text)) > 0 {
		return Personal
	}
	for _, p := range places {
		if p != "" {
			text = strings.ReplaceAll(text, p, " ")
		}
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	}) {
		if slices.Contains(communities, plain(w)) {
			return Community
		}
	}
	return Fine
}

// RefuseWorded is Refuse for words in which every number is a fact's token, as {{F17}}: a digit that was typed does not leave, in any
// script.
func RefuseWorded(text string, places ...string) Reason {
	rest := text
	for {
		before, after, found := strings.Cut(rest, "{{")
		if strings.ContainsFunc(before, unicode.IsDigit) {
			return Typed
		}
		if !found {
			break
		}
		if _, rest, found = strings.Cut(after, "}}"); !found {
			return Typed
		}
	}
	return Refuse(text, places...)
}

// nukta is the dot below a letter, which some write and some do not.
const nukta = "\u093c"

// plain is a word without the ending of a plural, and without what a writer may put below a letter.
func plain(w string) string {
	w = strings.ReplaceAll(w, nukta, "")
	if slices.Contains(communities, w) {
		return w
	}
	for _, ending := range []string{"s", "ों", "ो", "ियों"} {
		if short, ok := strings.CutSuffix(w, ending); ok {
			return short
		}
	}
	return w
}

// communities are names of peoples, faiths and castes, in lower case and in both scripts. The list is for what a machine may not say
// of a district; it is not complete, and says nothing of anybody.
var communities = strings.Fields(strings.ReplaceAll(`
	meitei meitei meetei pangal kuki zomi zou hmar paite vaiphei gangte thadou naga tangkhul angami ao sema lotha konyak mao poumai
	mizo lusei chakma bru reang mara lai tripuri jamatia bodo karbi dimasa mising rabha tiwa ahom deori sonowal koch rajbongshi
	khasi garo jaintia pnar nyishi adi apatani monpa galo mishmi wancho nocte bhutia lepcha limbu gorkha nepali bengali assamese
	manipuri bihari marwari rohingya hindu muslim islamic christian sikh buddhist jain parsi jew tribal tribals adivasi dalit brahmin
	rajput jat yadav maratha patel gujjar meena caste
	मैतेई पंगल कुकी जोमी हमार नागा नगा मिजो चकमा ब्रू रियांग बोडो कार्बी दिमासा मिसिंग राभा अहोम कोच खासी गारो जयंतिया गोरखा नेपाली
	बंगाली असमिया मणिपुरी बिहारी मारवाड़ी रोहिंग्या हिंदू हिन्दू मुस्लिम मुसलमान इस्लामी ईसाई सिख बौद्ध जैन पारसी यहूदी आदिवासी
	जनजाति दलित ब्राह्मण राजपूत जाट यादव मराठा पटेल गुर्जर मीणा जाति`, nukta, ""))
