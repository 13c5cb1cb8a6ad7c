package post

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Mail is what code knows of a reply before any model reads it.
type Mail struct {
	Text     string // its own words, without what it quotes
	Verified bool   // it comes from the person it is said to come from, and is about their case
}

// A Why says why a reply counts as what it does.
type Why string

// The reasons, in the order they are looked for.
const (
	LegalWords    Why = "legal_words"    // it speaks of law
	MedicalWords  Why = "medical_words"  // it speaks of health
	TooMuch       Why = "too_much"       // more than is read by a model
	NoWords       Why = "no_words"       // it has none of its own
	Unproven      Why = "unproven"       // nobody can say that the sender wrote it
	UnknownLabel  Why = "unknown_label"  // the model answered in words of its own
	UnknownBucket Why = "unknown_bucket" // or named no bucket, or one there is not
	NotSure       Why = "not_sure"       // or said it was not sure
	Mixed         Why = "mixed"          // it is several things, and the weightiest counts
	Agreed        Why = "agreed"         // it is what the model said
)

// Heed takes what a model made of a reply, as far as it may count. What code can
// tell by itself goes first: a sender nobody vouches for, a mail without words
// and one that speaks of law or health go to a person whatever the model said,
// and the last two without a draft. It never makes less of a reply than the
// model did.
func Heed(m Mail, said Reading) (Classification, Why) {
	c := Classify(said)
	why := whySaid(said)
	words := foldWords(m.Text)
	switch {
	case spokenOf(words, legalWords()):
		c, why = Classification{SubLabel: Legal, NoDraft: true}, LegalWords
	case spokenOf(words, medicalWords()):
		c, why = Classification{SubLabel: Medical, NoDraft: true}, MedicalWords
	case len(m.Text) > MaxReply:
		c, why = Classification{SubLabel: Unclear, NoDraft: c.NoDraft}, TooMuch
	case !strings.ContainsFunc(m.Text, speaks):
		c, why = Classification{SubLabel: Unclear, NoDraft: c.NoDraft}, NoWords
	case !m.Verified:
		why = Unproven
	default:
		return c, why
	}
	c.Bucket, c.Person = Escalation, true
	return c, why
}

// speaks reports whether a sign says something: a letter, a digit, or a picture
// like a thumb that points up.
func speaks(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
}

// whySaid is why Classify settles a reading as it does.
func whySaid(r Reading) Why {
	unknown := func(b Bucket) bool { return !slices.Contains(Buckets(), b) }
	switch {
	case r.SubLabel == Legal:
		return LegalWords
	case r.SubLabel == Medical:
		return MedicalWords
	case r.SubLabel != "" && !slices.Contains(subLabels(), r.SubLabel):
		return UnknownLabel
	case len(r.Buckets) == 0 || slices.ContainsFunc(r.Buckets, unknown):
		return UnknownBucket
	case !(r.Confidence >= Sure && r.Confidence <= 1):
		return NotSure
	case slices.ContainsFunc(r.Buckets, func(b Bucket) bool { return b != r.Buckets[0] }):
		return Mixed
	}
	return Agreed
}

// legalWords are those on which a reply is answered by a person from an empty
// page. They are words that hardly stand in a mail about something else: "court"
// alone is a street. A word they miss is still the model's to notice, and
// whoever asks for a person gets one.
func legalWords() []string {
	return []string{
		"lawyer*", "attorney*", "lawsuit*", "legal action", "legal counsel", "legal representation", "law firm", "solicitor*", "litigat*",
		"sue you", "suing", "i will sue", "i'll sue", "going to sue", "see you in court", "take you to court", "small claims",
		"cease and desist", "subpoena*", "eeoc", "labor board", "labour board", "discriminat*", "retaliat*", "harassment",
		"data protection", "gdpr", "abogad*", "demanda judicial", "acciones legales", "tribunal*", "discriminación", "avocat*", "anwalt*",
		"rechtsanwalt*", "advogad*", "वकील*", "अदालत*", "मुकदमा*", "मुक़दमा*", "कानूनी*", "क़ानूनी*", "भेदभाव*", "律师*", "律師*", "起诉*", "起訴*",
		"法院*", "歧视*", "歧視*", "luật sư", "korte", "kaso laban", "diskriminasyon",
	}
}

// medicalWords are those that say something about somebody's health.
func medicalWords() []string {
	return []string{
		"disabilit*", "disabled", "wheelchair*", "reasonable accommodation*", "medical*", "diagnos*", "surger*", "chemotherapy", "dialysis",
		"pregnan*", "maternity", "my doctor", "doctor's note", "doctor’s note", "my therapist", "physical therapy", "fmla",
		"ada accommodation", "cancer", "seizure*", "epilep*", "illness", "discapacidad*", "médic*", "embaraz*", "cirugía*", "enfermedad*",
		"médecin*", "handicap*", "schwanger*", "behindert*", "deficiência*", "डॉक्टर*", "बीमार*", "विकलांग*", "दिव्यांग*", "गर्भवती*",
		"इलाज*", "ऑपरेशन*", "医生*", "醫生*", "残疾*", "殘疾*", "怀孕*", "懷孕*", "手术*", "手術*", "khuyết tật", "doktor*", "kapansanan", "buntis",
		"operasyon",
	}
}

// foldWords is a text as words with one blank around each: lower case, without
// signs that cannot be seen, in one form of Unicode.
func foldWords(text string) string {
	text = norm.NFKC.String(strings.ToLower(text[:min(len(text), MaxReply)]))
	words := strings.FieldsFunc(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '\'' && r != '’'
	})
	return " " + strings.Join(words, " ") + " "
}

// spokenOf reports whether one of the phrases stands in folded words. One with a
// star may go on; in scripts without blanks it may also begin anywhere.
func spokenOf(words string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool {
		stem, open := strings.CutSuffix(phrase, "*")
		stem = norm.NFKC.String(stem)
		first := []rune(stem)[0]
		switch {
		case unicode.Is(unicode.Han, first):
			return strings.Contains(words, stem)
		case open:
			return strings.Contains(words, " "+stem)
		}
		return strings.Contains(words, " "+stem+" ")
	})
}
