package filing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Again is how the report of a case can be put before officers again.
type Again struct {
	AsIs, Anew bool
	// Why is what has happened, or why it cannot be, in a word: open, under, back, notice or
	// maybe; empty where nobody is waited for.
	Why string
}

// Again says what may be done about a report that came back, was undone or was not
// submitted; nothing where nobody is waited for.
func (c *Clerk) Again(ctx context.Context, one casefile.Case) (v Again, err error) {
	m, err := c.seen(ctx, one)
	if err != nil {
		return v, err
	}
	switch {
	case m.asked() == docket.Open:
		v.Why = "open"
	case m.asked() == docket.Under:
		v.Why = "under"
	case m.awaits():
		v.AsIs, v.Anew = m.mayAskAgain(false) == nil, m.mayAskAgain(true) == nil
		switch v.Why = "back"; {
		case m.filed():
			v.Why = "notice"
		case m.maybe != 0:
			v.Why = "maybe"
		}
	}
	return v, nil
}

// seen is a case as its page shows it: read, and kept from nobody.
func (c *Clerk) seen(ctx context.Context, one casefile.Case) (*matter, error) {
	m := &matter{clerk: c, in: casefile.Input{Org: one.Org, Case: one.ID}, at: c.store.Now(), file: one}
	err := c.store.In(ctx, one.Org, func(tx pgx.Tx) error { return m.readRest(ctx, tx) })
	if err == nil && m.filed() {
		m.told, err = m.tellings(ctx)
	}
	return m, err
}

// awaits reports whether the case waits for somebody to say how it goes on.
func (m *matter) awaits() bool {
	next, _ := docket.Next(m.standing())
	return next == docket.WaitOne
}

// Awaited refuses to ask about a report that waits for nobody.
func (c *Clerk) Awaited(ctx context.Context, actor identity.Actor, name string) error {
	one, err := c.cases.Lookup(ctx, actor.Org, name)
	if err != nil {
		return err
	}
	m, err := c.seen(ctx, one)
	if err == nil && one.State != casefile.Closed && !m.awaits() {
		err = fault.New(fault.Conflict, "the report of case %s waits for nobody to put it before officers", one.Ref).
			WithNext("see on the page of the case how it stands").Because("air_waits_nobody", "ref", one.Ref)
	}
	return err
}

// AskAgain has the report of a case put before people once more: as it is, or drafted
// anew. It is for somebody who sees to what was sent back, undone or not submitted.
func (c *Clerk) AskAgain(ctx context.Context, actor identity.Actor, name string, renew bool) (file casefile.Case, err error) {
	if err := c.store.May(actor, store.ActAsk); err != nil {
		return file, err
	}
	if file, err = c.cases.Lookup(ctx, actor.Org, name); err != nil {
		return file, err
	}
	err = c.store.In(ctx, actor.Org, func(tx pgx.Tx) error {
		m := &matter{in: casefile.Input{Org: actor.Org, Case: file.ID}}
		if err := m.read(ctx, tx); err != nil {
			return err
		}
		file = m.file
		if err := m.mayAskAgain(renew); err != nil {
			return err
		}
		asked, err := store.AnotherAttempt(ctx, tx, file.ID, renew, mostAttempts)
		if err != nil {
			return err
		}
		if !asked {
			return fault.New(fault.Conflict, "people cannot be asked about case %s any more", file.Ref).
				WithNext("close the case, and say why").Because("air_not_asked", "ref", file.Ref)
		}
		text := "The report is to be put before people again."
		if renew {
			text = "The report is to be drafted anew and put before people."
		}
		_, _, err = casefile.Apply(ctx, tx, file.ID, casefile.Change{Key: fmt.Sprintf("ask:%d", file.Version), WaitingFor: file.WaitingFor,
			Entry: casefile.Entry{Kind: "air_asked_again", At: c.store.Now(), ActorKind: actor.Kind, ActorID: actor.ID,
				ActorName: actor.Name, Text: text}})
		if err != nil {
			return err
		}
		return c.cases.Rouse(ctx, tx, file)
	})
	return file, err
}

// mayAskAgain says why people are not asked again about a case, and nothing where they
// may be.
func (m *matter) mayAskAgain(renew bool) error {
	ref := m.file.Ref
	nothing := func(r request) bool { return r.tool == toolNotice && r.became().CameToNothing() }
	switch {
	case m.file.State == casefile.Closed:
		return fault.New(fault.Conflict, "case %s has ended: %s", ref, strings.ReplaceAll(m.file.Status, "_", " ")).
			Because("case_closed_already", "ref", ref)
	case m.file.Status == casefile.StatusClosing:
		return fault.New(fault.Conflict, "case %s is being closed", ref).Because("case_closing", "ref", ref)
	case m.asked() == docket.Under:
		return fault.New(fault.Conflict, "the report of case %s was approved, and is being filed", ref).
			WithNext("undo that first, while it can be: gavel undo").
			Because("air_being_filed", "ref", ref)
	case m.filed() && (renew || !slices.ContainsFunc(m.requests, nothing)):
		return fault.New(fault.Conflict, "the report of case %s was already filed", ref).Because("air_filed", "ref", ref)
	case renew && m.maybe != 0:
		return fault.New(fault.Conflict, "the commission may have draft %d of the report of case %s", m.maybe, ref).
			WithNext("propose that again, as it is").Because("air_maybe_filed", "n", strconv.Itoa(m.maybe), "ref", ref)
	}
	return nil
}
