package casework

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/contradiction"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A View is a report as it reads now.
type View struct {
	store.Standing
	Document *outline.Document
	Ledger   *report.Ledger
}

// View reads a report with every fact it cites, for who may read reports.
func (d *Desk) View(ctx context.Context, actor identity.Actor, id string) (View, error) {
	return d.view(ctx, actor, id, store.AllFacts)
}

// Overview reads a report without facts: what its sections say, and how they stand.
func (d *Desk) Overview(ctx context.Context, actor identity.Actor, id string) (View, error) {
	return d.view(ctx, actor, id, store.NoFacts)
}

// Section reads a report with the facts of one section, which a person may name by its bare slug.
func (d *Desk) Section(ctx context.Context, actor identity.Actor, id, name string) (v View, s outline.Section, err error) {
	if v, err = d.view(ctx, actor, id, store.FactsOf(name)); err != nil {
		return v, s, err
	}
	if s, err = v.Document.Find(name); err != nil || s.ID == name {
		return v, s, err
	}
	v, err = d.view(ctx, actor, id, store.FactsOf(s.ID))
	return v, s, err
}

func (d *Desk) view(ctx context.Context, actor identity.Actor, id string, facts store.FactsOf) (v View, err error) {
	if !store.IsID(id) {
		return v, fault.New(fault.Invalid, "report %.40q: use RPT- and eight of 0-9 and A-F", id).WithNext("see the list of reports")
	}
	if v.Standing, err = d.store.Standing(ctx, actor, id, facts); err != nil {
		return v, err
	}
	return d.ViewOf(v.Standing)
}

// ViewOf is a report that was read as it reads now.
func (d *Desk) ViewOf(st store.Standing) (v View, err error) {
	v.Standing = st
	v.Document, v.Ledger, err = report.Assemble([]byte(v.Outline), metaOf(v.Standing), held(v.Newest))
	return v, err
}

// Write puts a person's words into a section, in the place of the text they saw: was is its hash. They stay, whatever is drafted
// later, until a person takes them out.
func (d *Desk) Write(ctx context.Context, actor identity.Actor, id, section, was, text string) (v store.Version, err error) {
	if err := d.store.May(actor, store.ActWrite); err != nil {
		return v, err
	}
	seen, s, err := d.Section(ctx, actor, id, section)
	if err != nil {
		return v, err
	}
	if s.Hash() != was {
		return v, fault.New(fault.Stale, "section %.80q changed since it was read", s.ID).
			WithNext("read it again, and put your words into what it says now").Because("report_section_changed", "section", s.ID)
	}
	after, err := seen.Document.Put(s.ID, was, text)
	if err != nil {
		return v, err
	}
	if len(after.Sections) != len(seen.Document.Sections) {
		return v, fault.New(fault.Invalid, "a section holds no headings of its own here").WithNext("make it a section of the outline")
	}
	now, err := after.Find(s.ID)
	if err != nil {
		return v, err
	}
	e := seen.Newest[s.ID].Entry
	e.ID, e.Title, e.Level, e.Status, e.Hash, e.Why = s.ID, s.Title, s.Level, report.Kept, "", "it holds a person's words"
	v = store.Version{Section: s.ID, How: store.Person, Dataset: max(seen.Newest[s.ID].Dataset, 1), Hash: now.Hash(), Text: now.Prose,
		Entry: e,
		At:    d.store.Now()}
	err = d.store.In(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := store.LockReport(ctx, tx, id); err != nil {
			return err
		}
		if v, err = store.AddVersion(ctx, tx, actor, id, v, seen.Newest[s.ID].N); err != nil {
			return err
		}
		return store.DropUnsent(ctx, tx, id, s.ID, actor.ID)
	})
	return v, err
}

// Check judges what a section says now: what in it no fact carries.
func (d *Desk) Check(ctx context.Context, actor identity.Actor, v View, section string) ([]report.Finding, error) {
	return d.CheckIn(ctx, actor.Org, v, section)
}

// CheckIn is Check for code, within an organisation.
func (d *Desk) CheckIn(ctx context.Context, org identity.Org, v View, section string) ([]report.Finding, error) {
	cat, err := d.library.open(ctx, org, v.Data.Pack)
	if err != nil {
		return nil, err
	}
	e := v.Ledger.Find(section)
	if e == nil {
		e = &report.Entry{ID: section}
	}
	found, err := report.CheckSection(v.Document, section, *e, cat)
	if err != nil {
		return nil, err
	}
	s, err := v.Document.Find(section)
	return append(found, report.Unmentioned(section, s.Prose, v.MustMention(s.ID))...), err
}

// Changes says what the newest run changes about a report as it stands. It is computed once for what stands there: every fact is read and
// computed again, and a page that shows it is asked for many times.
func (d *Desk) Changes(ctx context.Context, actor identity.Actor, v View) (report.Changes, error) {
	return d.changes.of(standsFor(actor.Org, v.Standing), func() (report.Changes, error) {
		cat, err := d.library.open(ctx, actor.Org, v.Data.Pack)
		if err != nil {
			return report.Changes{}, err
		}
		if v, err = d.View(ctx, actor, v.ID); err != nil {
			return report.Changes{}, err
		}
		return report.Compare(v.Ledger, cat)
	})
}

// Contradictions lists what contradicts what in a report, in its charts, and between it and another report, whose id may be empty. Like
// Changes, it is computed once for what stands there.
func (d *Desk) Contradictions(ctx context.Context, actor identity.Actor, v View, other string) ([]contradiction.Item, error) {
	key := standsFor(actor.Org, v.Standing)
	if other != "" {
		o, err := d.Overview(ctx, actor, other)
		if err != nil {
			return nil, err
		}
		key += " " + standsFor(actor.Org, o.Standing)
	}
	return d.contradict.of(key, func() ([]contradiction.Item, error) {
		cat, err := d.library.open(ctx, actor.Org, v.Data.Pack)
		if err != nil {
			return nil, err
		}
		if v, err = d.View(ctx, actor, v.ID); err != nil {
			return nil, err
		}
		var before *report.Ledger
		if other != "" {
			o, err := d.View(ctx, actor, other)
			if err != nil {
				return nil, err
			}
			before = o.Ledger
		}
		return contradiction.Find(v.Ledger, cat, before), nil
	})
}

// Covered is what a report tells and leaves out, and what it rests on.
type Covered struct {
	report.Coverage
	report.Assumptions
}

// Coverage says what a report tells, and what it leaves out of what its charts show. Like Changes, it is computed once for what stands
// there.
func (d *Desk) Coverage(ctx context.Context, actor identity.Actor, v View) (Covered, error) {
	return d.covered.of(standsFor(actor.Org, v.Standing), func() (out Covered, err error) {
		cat, err := d.library.open(ctx, actor.Org, v.Data.Pack)
		if err != nil {
			return out, err
		}
		if v, err = d.View(ctx, actor, v.ID); err != nil {
			return out, err
		}
		out.Assumptions = report.Assume(v.Ledger, cat)
		out.Coverage, err = report.Cover(v.Ledger, cat)
		return out, err
	})
}
