package lawbook

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Book is the provisions that are known, and the seasons of what they are about.
type Book struct {
	Version   string             `json:"version"`
	Seasons   map[Subject]Season `json:"seasons"`
	Citations []Citation         `json:"citations"`
}

// Bounds of a book's file.
const (
	maxFile      = 1 << 20
	maxCitations = 1_000
	maxText      = 1_000
	maxList      = 50
)

//go:embed citations.json
var citationsFile []byte

// Known is the book this version of the program was made with.
func Known() (Book, error) { return Read(citationsFile) }

// Read reads a book and refuses one with a gap: a provision without a date, a
// source or a purpose cannot be defended.
func Read(file []byte) (Book, error) {
	var b Book
	if len(file) > maxFile {
		return b, fault.New(fault.TooLarge, "the book of law has more than %d kB", maxFile>>10)
	}
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return Book{}, fault.From(fault.Invalid, err, "the book of law cannot be read")
	}
	if d.More() {
		return Book{}, fault.New(fault.Invalid, "something follows the book of law")
	}
	if err := b.check(); err != nil {
		return Book{}, err
	}
	return b, nil
}

func (b Book) check() error {
	if b.Version == "" || len(b.Version) > maxText || len(b.Citations) > maxCitations || len(b.Seasons) > maxList {
		return fault.New(fault.Invalid, "the book of law has no version, or is too long")
	}
	for subject, s := range b.Seasons {
		if !isSeasonDay(s.From) || !isSeasonDay(s.Until) {
			return fault.New(fault.Invalid, "season of %.40q: use days as 09-15", subject)
		}
	}
	for i, c := range b.Citations {
		if err := c.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(b.Citations[:i], func(o Citation) bool { return o.ID == c.ID }) {
			return fault.New(fault.Invalid, "provision %.60q is there twice", c.ID)
		}
		if _, ok := b.find(c.RenewedBy); c.RenewedBy != "" && (!ok || c.RenewedBy == c.ID) {
			return fault.New(fault.Invalid, "provision %.60q is renewed by %.60q, which is not there", c.ID, c.RenewedBy)
		}
		if c.Seasonal && !slices.ContainsFunc(c.Subjects, func(s Subject) bool { _, ok := b.Seasons[s]; return ok }) {
			return fault.New(fault.Invalid, "provision %.60q is seasonal, and its subject has no season", c.ID)
		}
	}
	return nil
}

func (c Citation) check() error {
	for _, s := range []string{string(c.ID), c.Title, c.Says, c.Source, c.Kind} {
		if s == "" || len(s) > maxText {
			return fault.New(fault.Invalid, "provision %.60q: id, kind, title, says and source are needed, of at most %d bytes", c.ID,
				maxText)
		}
	}
	for _, n := range []int{len(c.Subjects), len(c.Supports), len(c.Addressees)} {
		if n == 0 || n > maxList {
			return fault.New(fault.Invalid, "provision %.60q: subjects, supports and addressees are needed, at most %d of each", c.ID,
				maxList)
		}
	}
	switch {
	case len(c.Number) > maxText || len(c.Caution) > maxText || len(c.States) > maxList || len(c.Against) > maxList ||
		len(c.Excludes) > maxList:
		return fault.New(fault.Invalid, "provision %.60q is too long", c.ID)
	case !isDate(c.Date) || c.From != "" && !isDay(c.From) || c.Until != "" && !isDay(c.Until) || !isDay(c.VerifiedOn):
		return fault.New(fault.Invalid, "provision %.60q: date, from, until or verified_on is no day as 2025-10-01", c.ID)
	case !slices.Contains([]string{"text", "reported", "one_report"}, c.Certainty):
		return fault.New(fault.Invalid, "provision %.60q: certainty %.40q is none of text, reported and one_report", c.ID, c.Certainty)
	}
	return nil
}

// isDate reports whether s is a day or a month.
func isDate(s string) bool {
	_, err := time.Parse(monthForm, s)
	return err == nil || isDay(s)
}

func isSeasonDay(s string) bool {
	_, err := time.Parse(seasonForm, s)
	return err == nil
}

func (b Book) find(id ID) (Citation, bool) {
	i := slices.IndexFunc(b.Citations, func(c Citation) bool { return c.ID == id })
	if i < 0 || id == "" {
		return Citation{}, false
	}
	return b.Citations[i], true
}
