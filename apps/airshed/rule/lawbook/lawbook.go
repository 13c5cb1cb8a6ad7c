// Package lawbook knows which law may be cited for what, against whom and when,
// so that no report names a direction that says something else.
//
// Read Citation first, then Book.Cite, which refuses. The list is data with dates
// and sources of its own: law changes, and a list that does not say when it was
// looked at is worth nothing. Band says in which band of the response plan an
// index lies, which is all that can be said; Certificate is the form that makes
// an electronic record evidence, filled in as far as a machine may.
package lawbook

import (
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// An ID names a citation for ever, as caqm-direction-95.
type ID string

// A Subject is what a law is about.
type Subject string

// The subjects. Any is for laws that are about all of them; nobody asks for it.
const (
	Any          Subject = "any"
	PaddyStubble Subject = "paddy_stubble"
	WheatStubble Subject = "wheat_stubble"
	OpenWaste    Subject = "open_waste"
	KilnFuel     Subject = "brick_kiln_fuel"
)

// A Purpose is what a law is cited for.
type Purpose string

// The purposes.
const (
	Complaint         Purpose = "complaint"          // to bring a complaint before the Commission
	Coordination      Purpose = "coordination"       // to ask it to bring states together
	Penalty           Purpose = "penalty"            //
	Compensation      Purpose = "compensation"       //
	Appeal            Purpose = "appeal"             //
	ProsecuteOfficial Purpose = "prosecute_official" // a district's head may take an official to court
	Prevention        Purpose = "prevention"         // measures that were ordered
	Monitoring        Purpose = "monitoring"         // how fires are counted
	InBand            Purpose = "band"               // in which band an index lies
	Certify           Purpose = "certificate"        // of an electronic record
)

// A Party is against whom a law is cited.
type Party string

// The parties.
const (
	Official Party = "official"
	Farmer   Party = "farmer"
	Unit     Party = "unit" // a kiln, a works
	State    Party = "state"
)

// A Citation is one provision, in our own words, with what it may be cited for.
type Citation struct {
	ID         ID        `json:"id"`
	Kind       string    `json:"kind"` // section, direction, schedule
	Number     string    `json:"number,omitempty"`
	Date       string    `json:"date"`            // 2025-10-01, or 2025-05 where only the month is known
	From       string    `json:"from,omitempty"`  // in force from, where that is another day
	Until      string    `json:"until,omitempty"` // its last day, where it has one
	Title      string    `json:"title"`
	Subjects   []Subject `json:"subjects"`
	Seasonal   bool      `json:"seasonal,omitempty"` // only in the season of its subject
	Says       string    `json:"says"`
	Addressees []string  `json:"addressees"`
	Supports   []Purpose `json:"supports"`
	Against    []Party   `json:"against,omitempty"` // these only
	Excludes   []Party   `json:"excludes,omitempty"`
	States     []string  `json:"states,omitempty"` // these only
	RenewedBy  ID        `json:"renewed_by,omitempty"`
	Caution    string    `json:"caution,omitempty"`
	Source     string    `json:"source"`
	Certainty  string    `json:"certainty"` // text: the law itself was read; reported; one_report
	VerifiedOn string    `json:"verified_on"`
}

// begins is the first day on which the provision was certainly in force.
func (c Citation) begins() string {
	day := c.Date
	if c.From != "" {
		day = c.From
	}
	if month, err := time.Parse(monthForm, day); err == nil {
		return month.AddDate(0, 1, -1).Format(time.DateOnly)
	}
	return day
}

const (
	monthForm  = "2006-01"
	seasonForm = "01-02"
)

// A Season is days of the year from one to another, both included.
type Season struct {
	From  string `json:"from"` // as 09-15
	Until string `json:"until"`
}

// holds reports whether a day, as 2026-11-13, is in the season, which may run
// over the turn of the year.
func (s Season) holds(day string) bool {
	at := day[len("2026-"):]
	if s.From <= s.Until {
		return at >= s.From && at <= s.Until
	}
	return at >= s.From || at <= s.Until
}

// A Use is what somebody wants to cite a provision for. Every field but the last
// three must be said; a party or state that is left out is not looked at.
type Use struct {
	On      string // the day the matter is about, as 2026-11-13
	Subject Subject
	Purpose Purpose
	Against Party
	State   string
	Since   string // where the matter goes back to an earlier day, that; the provision must fit it too
}

// A Cited is a provision that may be cited, and what must be said with it.
type Cited struct {
	Citation

	Cautions []string `json:"cautions"`
}

// aged is how old a look at the source may be before that is said.
const aged = 180 * 24 * time.Hour

// Cite finds a provision for a use, or says why it must not be cited for it. today
// is the day on which it is cited, as 2026-11-15.
func (b Book) Cite(id ID, u Use, today string) (Cited, error) {
	c, ok := b.find(id)
	if !ok {
		return Cited{}, fault.New(fault.NotFound, "no provision %.60q", id)
	}
	now, err := time.Parse(time.DateOnly, today)
	if err != nil || !isDay(u.On) || u.Since != "" && !isDay(u.Since) {
		return Cited{}, fault.New(fault.Invalid, "a citation needs the day of the matter and today's, as 2026-11-13")
	}
	if err := b.allows(c, u); err != nil {
		return Cited{}, err
	}
	if u.Since != "" {
		u.On = u.Since
		if err := b.allows(c, u); err != nil {
			return Cited{}, err
		}
	}
	out := Cited{Citation: c, Cautions: []string{}}
	if c.Caution != "" {
		out.Cautions = append(out.Cautions, c.Caution)
	}
	if c.Certainty != "text" {
		out.Cautions = append(out.Cautions, "The text itself was not read; this is as reported.")
	}
	if looked, err := time.Parse(time.DateOnly, c.VerifiedOn); err != nil || now.Sub(looked) > aged {
		out.Cautions = append(out.Cautions, "The source was last looked at on "+c.VerifiedOn+"; later law may have changed it.")
	}
	return out, nil
}

// allows refuses a use the provision is not for.
func (b Book) allows(c Citation, u Use) error {
	no := func(format string, args ...any) *fault.Error {
		return fault.New(fault.Refused, "%s: "+format, append([]any{c.Title}, args...)...)
	}
	season, seasonal := b.Seasons[u.Subject]
	renewed, again := b.find(c.RenewedBy)
	switch {
	case u.Subject == Any || !slices.Contains(c.Subjects, Any) && !slices.Contains(c.Subjects, u.Subject):
		return no("it is about %s, not %.40q", words(c.Subjects), u.Subject)
	case !slices.Contains(c.Supports, u.Purpose):
		return no("it supports %s, not %.40q", words(c.Supports), u.Purpose)
	case u.On < c.begins():
		return no("it was not yet in force on %s", u.On)
	case c.Until != "" && u.On > c.Until:
		return no("it ended on %s", c.Until)
	case again && u.On >= renewed.begins():
		return no("it was renewed").WithNext("cite %s", renewed.Title)
	case c.Seasonal && seasonal && !season.holds(u.On):
		return no("%s is outside its season, %s to %s", u.On, season.From, season.Until)
	case u.Against != "" && slices.Contains(c.Excludes, u.Against):
		return no("it exempts a %s", u.Against)
	case u.Against != "" && len(c.Against) > 0 && !slices.Contains(c.Against, u.Against):
		return no("it is against %s, not a %.40q", words(c.Against), u.Against)
	case u.State != "" && len(c.States) > 0 && !slices.Contains(c.States, u.State):
		return no("it does not reach %.60q", u.State)
	}
	return nil
}

// For lists what may be cited for a use, in the order of the book.
func (b Book) For(u Use, today string) []Cited {
	var out []Cited
	for _, c := range b.Citations {
		if cited, err := b.Cite(c.ID, u, today); err == nil {
			out = append(out, cited)
		}
	}
	return out
}

func words[T ~string](all []T) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// sakshya is the day from which proceedings begin under the new law of evidence.
const sakshya = "2024-07-01"

// EvidenceLaw is the provision under which an electronic record is certified in
// proceedings that began on a day: those that were pending when the new law came
// stay under the old one.
func EvidenceLaw(begun string) (string, error) {
	if !isDay(begun) {
		return "", fault.New(fault.Invalid, "the day proceedings began is no day as 2026-11-13: %.20q", begun)
	}
	if begun < sakshya {
		return "section 65B of the Indian Evidence Act, 1872", nil
	}
	return "section 63 of the Bharatiya Sakshya Adhiniyam, 2023", nil
}
