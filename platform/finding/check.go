package finding

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// The bounds, in characters, and how many points stand on each side.
const (
	maxName   = 160
	maxLink   = 300
	maxBrief  = 160
	maxSays   = 500
	maxText   = 300
	maxPoints = 12

	shortName = 4 // bytes: one shorter is part of other words
)

var (
	kindForm = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)
	linkForm = regexp.MustCompile(`^(/[A-Za-z0-9._~%?&=#-][A-Za-z0-9._~%/?&=#:@+-]*)?$`)
	refForm  = regexp.MustCompile(`^([EF][1-9][0-9]{0,8})?$`)
	factForm = regexp.MustCompile(`^F[1-9][0-9]{0,8}$`)
)

// Check refuses a finding that is half filled in, in one language only, or too long to
// be read before a decision. It says all that is wrong.
func (f Finding) Check() error {
	var c checker
	f.Subject.check(&c)
	c.both("brief", f.Brief, maxBrief, true)
	c.both("says", f.Says, maxSays, true)
	for name, m := range map[string]Measure{"value": f.Value, "limit": f.Limit, "sure": f.Sure} {
		c.both(name, m.Words, maxText, m.None)
	}
	for name, side := range map[string][]Point{"for": f.For, "against": f.Against, "unknown": f.Unknown} {
		c.refuse(len(side) > maxPoints, "%s has %d points, and %d is the most", name, len(side), maxPoints)
		for _, p := range side {
			c.both(name, p.Text, maxText, true)
			c.refuse(!refForm.MatchString(p.Ref), "%s rests on %.20q, which is no evidence and no fact", name, p.Ref)
		}
	}
	for _, cited := range f.Facts {
		c.refuse(!factForm.MatchString(cited.Fact), "%.20q is no fact", cited.Fact)
		c.refuse(cited.Text == "" || !strings.Contains(f.Says.En, cited.Text), "the sentence does not say %.60q", cited.Text)
	}
	c.both("change", f.Change, maxText, true)
	c.both("plain", f.Plain, maxText, true)
	c.refuse(f.Subject.Kind == Person && len(f.Subject.Name) >= shortName && strings.Contains(f.Plain.En+"\n"+f.Plain.Hi, f.Subject.Name),
		"plain names the person; it is for mails to staff")
	if len(c.wrong) > 0 {
		return fault.New(fault.Invalid, "the finding is not complete: %s", strings.Join(c.wrong, "; "))
	}
	return nil
}

func (s Subject) check(c *checker) {
	c.refuse(!kindForm.MatchString(s.Kind), "the subject is of no kind")
	c.line("subject", s.Name, maxName)
	if s.Of != "" {
		c.line("what the subject belongs to", s.Of, maxName)
	}
	c.refuse(!linkForm.MatchString(s.Link) || len(s.Link) > maxLink, "the subject's link is no path: %.60q", s.Link)
}

// A checker gathers what is wrong.
type checker struct{ wrong []string }

func (c *checker) refuse(bad bool, format string, args ...any) {
	if bad {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

// line refuses a text that is empty, too long, or more than a line.
func (c *checker) line(what, text string, most int) {
	c.refuse(strings.TrimSpace(text) == "", "%s is empty", what)
	c.refuse(utf8.RuneCountInString(text) > most, "%s has over %d characters", what, most)
	c.refuse(!utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl), "%s holds a character that no line has", what)
}

// both refuses a text that is not there in both languages; what is written, and not a
// number or a name alone, is Hindi where it says so.
func (c *checker) both(what string, w Words, most int, written bool) {
	c.line(what+" in English", w.En, most)
	c.line(what+" in Hindi", w.Hi, most)
	c.refuse(written && w.Hi != "" && !strings.ContainsFunc(w.Hi, devanagari), "%s in Hindi is not in Hindi", what)
}

func devanagari(r rune) bool { return unicode.Is(unicode.Devanagari, r) }

// Short is a name from outside in a length that a finding takes: on one line, cut with an
// ellipsis.
func Short(name string) string { return cut(name, maxName/2) }

// Brief is a text from outside in a length that a part of a sentence takes.
func Brief(text string) string { return cut(text, maxText/2) }

// Line is a longer text in a length that a point takes.
func Line(text string) string { return cut(text, maxText) }

func cut(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) ||
			unicode.IsControl(r)
	}), " ")
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}
