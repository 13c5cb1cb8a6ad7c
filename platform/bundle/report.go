package bundle

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/audit"
)

// An Outcome is what a check came to.
type Outcome string

// The outcomes of a check.
const (
	Holds Outcome = "holds"
	Fails Outcome = "fails" // something is not as it was
	Open  Outcome = "open"  // it could not be decided from what was given
)

// A Verdict is what all checks together came to.
type Verdict string

// The verdicts.
const (
	Genuine  Verdict = "genuine"  // everything holds, and the signer is one whose key was given
	Unproven Verdict = "unproven" // nothing contradicts, but a question stayed open
	Altered  Verdict = "altered"  // something fails
)

// A Report says what was checked in a bundle, what each check proves and does
// not, and what was found.
type Report struct {
	SHA256  string         `json:"sha256"` // of the whole file
	Size    int64          `json:"size"`
	Format  string         `json:"format,omitempty"`
	Case    string         `json:"case,omitempty"`
	Org     string         `json:"org,omitempty"`
	MadeAt  *time.Time     `json:"made_at,omitempty"`
	Origin  string         `json:"origin,omitempty"` // of the log
	Signer  audit.Verifier `json:"signer,omitempty"`
	Checks  []*Check       `json:"checks"`
	section string         // whose checks are being added
	foreign bool           // it is no bundle at all
}

// A Check is one thing that was looked at.
type Check struct {
	Section  string    `json:"section"`
	Name     string    `json:"name"` // a claim: "every file is the one that was signed for"
	Outcome  Outcome   `json:"outcome"`
	Seen     string    `json:"seen,omitempty"` // what was looked at: "14 files, 2.1 MB"
	Proves   string    `json:"proves"`
	DoesNot  string    `json:"does_not_prove"`
	Findings []Finding `json:"findings,omitempty"`
	More     int       `json:"more,omitempty"` // findings that are not listed

	// Erased are parts whose words are gone, as the log says they would be. They
	// are no findings: nothing contradicts them, and nothing can prove them either.
	Erased []Finding `json:"erased,omitempty"`
}

// A Finding is one thing that is not as it should be.
type Finding struct {
	What string `json:"what"` // the file, record or fact
	Text string `json:"text"` // a sentence that names it
}

// maxFindings bounds a check's list: after so many, more tell nothing new.
const maxFindings = 100

// Check begins a check that holds unless something is found. The claim is what
// it is called; proves and doesNot are read by people who decide on it.
func (r *Report) Check(claim, proves, doesNot string) *Check {
	c := &Check{Section: r.section, Name: claim, Outcome: Holds, Proves: proves, DoesNot: doesNot}
	r.Checks = append(r.Checks, c)
	return c
}

// Found adds something that is wrong: the check fails. what is the name of the
// thing, and the sentence names it again for who reads only that.
func (c *Check) Found(what, format string, args ...any) {
	c.Outcome = Fails
	c.add(what, format, args...)
}

// Leave adds something that could not be decided.
func (c *Check) Leave(what, format string, args ...any) {
	if c.Outcome == Holds {
		c.Outcome = Open
	}
	c.add(what, format, args...)
}

// Gone adds a part whose words were erased on record. The check goes on holding.
func (c *Check) Gone(what, format string, args ...any) {
	if len(c.Erased) < maxFindings {
		c.Erased = append(c.Erased, Finding{What: tame(what), Text: tame(fmt.Sprintf(format, args...))})
	}
}

func (c *Check) add(what, format string, args ...any) {
	if len(c.Findings) >= maxFindings {
		c.More++
		return
	}
	c.Findings = append(c.Findings, Finding{What: tame(what), Text: tame(fmt.Sprintf(format, args...))})
}

// Saw says what was looked at.
func (c *Check) Saw(format string, args ...any) { c.Seen = tame(fmt.Sprintf(format, args...)) }

// maxWords bounds a sentence: what is longer quotes the bundle at length.
const maxWords = 1000

// tame makes text that may quote a bundle safe to show: no character that moves
// a terminal's cursor or turns the direction of writing, and not without end.
func tame(s string) string {
	if len(s) > maxWords {
		s = strings.ToValidUTF8(s[:maxWords], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s)
}

// NoBundle reports whether the file does not even claim to be a bundle: it is no zip,
// only part of one, or a zip of something else. Nothing is known of it then, not even
// that anybody altered anything; its verdict is Altered all the same, so that nobody
// who asks only for that takes it for more.
func (r *Report) NoBundle() bool { return r.foreign }

// Verdict is what the checks came to. A report without checks proves nothing.
func (r *Report) Verdict() Verdict {
	v := Genuine
	if len(r.Checks) == 0 {
		v = Unproven
	}
	for _, c := range r.Checks {
		switch c.Outcome {
		case Holds:
		case Open:
			v = Unproven
		default:
			return Altered
		}
	}
	return v
}

// Findings lists everything that was found, in the order of the checks.
func (r *Report) Findings() []Finding {
	var all []Finding
	for _, c := range r.Checks {
		all = append(all, c.Findings...)
	}
	return all
}

// count writes a number of things: "1 record", "3 records".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// bytesOf writes a size the way people say it.
func bytesOf(n int64) string {
	switch {
	case n < 1_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// OnlySignerOpen reports whether nothing is left to ask but whose key it is.
func (r *Report) OnlySignerOpen() bool {
	for _, c := range r.Checks {
		if c.Outcome != Holds && (c.Outcome != Open || c.Name != signerClaim) {
			return false
		}
	}
	return len(r.Checks) > 0
}

// OnlySignerFails reports whether nothing is wrong but whose key it is.
func (r *Report) OnlySignerFails() bool {
	for _, c := range r.Checks {
		if c.Outcome == Fails && c.Name != signerClaim {
			return false
		}
	}
	return r.Verdict() == Altered
}

// signerClaim is the name of the check that needs a key.
const signerClaim = "the signer is the institution"
