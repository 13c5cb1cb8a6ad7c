package web

import (
	"strings"
	"unicode"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/fault"
)

// reasonPlaces are the places of a reason's words whose values are codes, with the keys under
// which messages have words for them.
var reasonPlaces = map[string]string{"roles": "role.", "proposal_state": "story.proposal.", "act_state": "story.act.", "field": "field."}

// told is what a person or a program is told about an error, and whether that is in the
// language asked for: the words of its reason where it has a code, else its own.
func (s *Site) told(lang Lang, err error) (text, next string, translated bool) {
	text, next = fault.Words(err)
	why, ok := fault.ReasonOf(err)
	key := "reason." + why.Code
	if !ok || !s.catalogue.Has(key) {
		return text, next, false
	}
	places := make([]string, len(why.Places))
	copy(places, why.Places)
	for i := 0; i+1 < len(places); i += 2 {
		if prefix, coded := reasonPlaces[places[i]]; coded {
			places[i+1] = s.codedWords(lang, prefix, places[i+1])
		} else {
			places[i+1] = clipped(places[i+1])
		}
	}
	next = ""
	if s.catalogue.Has(key + ".next") {
		next = s.catalogue.Text(lang, key+".next", places...)
	}
	return s.catalogue.Text(lang, key, places...), next, true
}

// longestPlace bounds what is put into a place of a reason's words, in characters. What
// somebody typed may stand there.
const longestPlace = 500

// clipped is a value as it is put into words: on one line, and cut where it is long.
func clipped(value string) string {
	value = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(value, "�"))
	if all := []rune(value); len(all) > longestPlace {
		return string(all[:longestPlace]) + "…"
	}
	return value
}

// codedWords are codes, divided by commas, in a language.
func (s *Site) codedWords(lang Lang, prefix, codes string) string {
	words := strings.Split(codes, ",")
	for i, code := range words {
		if s.catalogue.Has(prefix + code) {
			words[i] = s.catalogue.Text(lang, prefix+code)
		} else {
			words[i] = strings.ReplaceAll(code, "_", " ")
		}
	}
	return strings.Join(words, ", ")
}

// Told is what the page tells about an error that it shows itself, and what to do about it.
func (p *Page) Told(err error) (text, next string) {
	text, next, _ = p.site.told(p.Lang, err)
	return text, next
}

// Said is Told in sentences.
func (p *Page) Said(err error) string {
	text, next := p.Told(err)
	if next == "" {
		return Sentence(text)
	}
	return Sentence(text) + " " + Sentence(next)
}

// Tongue marks what Said says as English where it has no words in the page's language.
func (p *Page) Tongue(err error) templ.Attributes {
	if _, _, translated := p.site.told(p.Lang, err); translated || p.Lang == English {
		return nil
	}
	return templ.Attributes{"lang": "en"}
}
