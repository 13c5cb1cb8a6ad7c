package casework

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Rate keeps what somebody thinks of the newest version of a section, which must be the one that they saw.
func (d *Desk) Rate(ctx context.Context, actor identity.Actor, report string, r store.Rating) error {
	scores := []int{r.Accuracy, r.Completeness, r.Clarity, r.DataUse}
	if slices.Min(scores) < 1 || slices.Max(scores) > 5 {
		return fault.New(fault.Invalid, "a score is from 1 to 5, and there are four").Because("report_four_scores")
	}
	id, err := d.newest(ctx, actor, report, r.Section, r.Version)
	if err != nil {
		return err
	}
	r.Section = id
	return d.store.Rate(ctx, actor, report, r)
}

// mostNote is how long a note may be, in characters.
const mostNote = 4000

// Note keeps what a section lacks, for whoever writes it.
func (d *Desk) Note(ctx context.Context, actor identity.Actor, report string, n store.Note) (store.Note, error) {
	if strings.TrimSpace(n.Text) == "" {
		return n, fault.New(fault.Invalid, "the note is empty").Because("report_note_empty")
	}
	if utf8.RuneCountInString(n.Text) > mostNote {
		return n, fault.New(fault.TooLarge, "the note has more than %d characters", mostNote).Because("report_note_long")
	}
	id, err := d.newest(ctx, actor, report, n.Section, n.Version)
	if err != nil {
		return n, err
	}
	n.Section = id
	return d.store.AddNote(ctx, actor, report, n)
}

// newest is the section's id, if the version that somebody saw is still the newest.
func (d *Desk) newest(ctx context.Context, actor identity.Actor, report, section string, version int) (string, error) {
	v, err := d.Overview(ctx, actor, report)
	if err != nil {
		return "", err
	}
	one, err := v.Document.Find(section)
	if err == nil && v.Newest[one.ID].N != version {
		err = fault.New(fault.Stale, "version %d is not the newest of section %.80q", version, one.ID).WithNext("read the section again").
			Because("report_section_changed", "section", one.ID)
	}
	return one.ID, err
}
