package casework

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/roster"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/intake"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Listing is a list of people who need passes, as somebody pastes it.
type Listing struct {
	Site   string // empty: the first
	Text   string
	Form   string // that it was sent by: its passes are made once
	SHA256 string // of the preview that they have seen
}

// A Listed is what a list asks for, and what was made of it.
type Listed struct {
	intake.Preview
	Entries []roster.Entry // that could become passes
	Alike   map[int]bool   // by entry: the watchlist has a name like it, at whom whoever approves looks
	Site    store.Site
	Made    []store.Kept
}

// PreviewList says what a list would make, and changes nothing.
func (d *Desk) PreviewList(ctx context.Context, who identity.Actor, l Listing) (out Listed, err error) {
	if err := d.store.May(who, store.ActMake); err != nil {
		return out, err
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		out, err = d.readList(ctx, tx, who.Org, l)
		return err
	})
	return out, err
}

// MakeList makes the passes of a list that was previewed: all of them or none. The same form again is told what it made.
func (d *Desk) MakeList(ctx context.Context, who identity.Actor, l Listing) (out Listed, err error) {
	if err := d.store.May(who, store.ActMake); err != nil {
		return out, err
	}
	if l.Form == "" || l.SHA256 == "" {
		return out, fault.New(fault.Unconfirmed, "nobody has looked at this list yet").WithNext("check it first")
	}
	for range 5 {
		err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
			if out, err = d.readList(ctx, tx, who.Org, l); err != nil {
				return err
			}
			if err := out.Confirm(intake.Word{SHA256: l.SHA256}); err != nil {
				return err
			}
			return d.makeAll(ctx, tx, who, l, &out)
		})
		if !postgres.Violates(err, "pass_code") && !postgres.Violates(err, "pass_form_once") {
			break
		}
	}
	return out, err
}

func (d *Desk) makeAll(ctx context.Context, tx pgx.Tx, who identity.Actor, l Listing, out *Listed) error {
	for i, e := range out.Entries {
		form := fmt.Sprintf("%s/%d", l.Form, i+1)
		k, there, err := store.ByForm(ctx, tx, who.ID, form)
		if err == nil && !there {
			k, err = d.makeIn(ctx, tx, who, e.Draft(out.Site.ID), form)
		}
		if err != nil {
			return err
		}
		out.Made = append(out.Made, k)
	}
	return nil
}

// readList reads a list and looks for its names on the watchlist. The digest is over the text and the site alone: a list is
// compared with nothing on record.
func (d *Desk) readList(ctx context.Context, tx pgx.Tx, org identity.Org, l Listing) (out Listed, err error) {
	setup, err := store.SetupIn(ctx, tx, org)
	if err != nil {
		return out, err
	}
	site, known := setup.Site(l.Site)
	if !known {
		return out, fault.New(fault.Invalid, "there is no site %.40q", l.Site).On("site", "unknown", "")
	}
	now := d.store.Now()
	file, err := roster.Read(l.Text, now, site.Location())
	if err != nil {
		return out, err
	}
	out.Site, out.Alike = site, map[int]bool{}
	var failed error
	terms := intake.Terms[roster.Entry]{Known: func(e *roster.Entry) error {
		seen, err := store.Screen(ctx, tx, e.Name, now)
		failed = errors.Join(failed, err)
		switch {
		case seen.Verdict == watchlist.Refuse:
			return fault.New(fault.Invalid, "the watchlist has this name, and refuses it")
		case seen.Verdict == watchlist.Look:
			out.Alike[len(out.Entries)] = true
		}
		out.Entries = append(out.Entries, *e)
		return nil
	}}
	table, text := roster.Table(now, site.Location()), roster.CSV(l.Text)
	diff := intake.Compare(table, nil, file, terms)
	out.Preview = intake.PreviewOf(table, nil, append([]byte(site.ID+"\n"), text...), file, false, diff)
	return out, failed
}
