package analyst

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/casework/crossing"
	"github.com/gavelhq/gavel/apps/netra/rule/brief"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// everyDay is how long the case of a briefing sleeps at most. Whatever happens to it wakes it.
const everyDay = 24 * time.Hour

// The statuses of a case of a briefing.
const (
	statusWording = "wording"  // the agent is at it
	statusWorded  = "worded"   // ended: some of its sentences hold
	statusOurs    = "unworded" // ended: code's words stand alone
)

// Advance does what comes next in the case of a briefing. Every step may have been done before and is done once.
func (a *Analyst) Advance(ctx context.Context, in casefile.Input, at time.Time) (crossing.Standing, error) {
	var file casefile.Case
	var g *ground
	err := a.store.In(ctx, in.Org, func(tx pgx.Tx) (err error) {
		if file, err = casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		if g, err = groundOf(ctx, tx, in.Case); err != nil {
			return err
		}
		if file.Status == casefile.StatusClosing && g.briefing.State == store.WordingAsked { // closed by hand: code's words stand
			err = store.EndBriefing(ctx, tx, g.briefing.ID, nil, "", at)
			g.briefing.State = store.WordsRefused
		}
		return err
	})
	switch {
	case err != nil:
		return crossing.Standing{}, fmt.Errorf("read the briefing of %s: %w", in.Case, err)
	case file.State == casefile.Closed:
		return crossing.Standing{Ended: true}, nil
	case g.briefing.State == store.WordingAsked:
		if err := a.keep(ctx, in, g); err != nil {
			return crossing.Standing{}, err
		}
		return crossing.Standing{Ask: g.briefing.ID, Wake: at.Add(everyDay)}, a.note(ctx, in, at, "asked", "netra_wording",
			"An agent words the briefing. Code's words are there already.",
			casefile.Change{State: casefile.Waiting, Status: statusWording, WaitingFor: "an agent"})
	}
	status, text := statusOurs, "No sentence of the agent's holds. Code's words stand alone."
	if g.briefing.State == store.ByModel {
		status, text = statusWorded, fmt.Sprintf("%d sentences of the agent's hold.", len(g.briefing.Worded))
	}
	return crossing.Standing{Ended: true}, a.note(ctx, in, at, "ended", "netra_ended", text,
		casefile.Change{State: casefile.Closed, Status: status})
}

// Heed sees to a briefing whose agent has ended, however it did: what it handed in last is taken in as far as it holds.
func (a *Analyst) Heed(ctx context.Context, in casefile.Input, said crossing.Said) error {
	return a.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		g, err := groundOf(ctx, tx, in.Case)
		if err != nil || g.briefing.State != store.WordingAsked {
			return err
		}
		all, err := store.Drafts(ctx, tx, g.briefing.ID)
		if err != nil {
			return err
		}
		var held []string
		if len(all) > 0 {
			var sentences []string
			if err := json.Unmarshal([]byte(all[len(all)-1].Body), &sentences); err != nil {
				return err
			}
			held = g.bench.Judge(g.briefing.Lang, sentences).Held
		}
		return store.EndBriefing(ctx, tx, g.briefing.ID, held, said.Run, a.store.Now())
	})
}

// keep puts what a briefing rests on on its case, as evidence, and its numbers as facts. Done again it changes nothing.
func (a *Analyst) keep(ctx context.Context, in casefile.Input, g *ground) error {
	kept, gavel := a.store.Kept(), identity.Gavel(in.Org)
	taken, err := kept.Take(ctx, gavel, evidence.Receipt{Source: store.ScoreSource, ContentType: "application/json", Once: string(in.Case),
		Place: "basis.json"}, bytes.NewReader(g.bench.Body))
	if err != nil {
		return fmt.Errorf("keep what briefing %s rests on: %w", g.briefing.ID, err)
	}
	if _, _, err := kept.Put(ctx, gavel, in.Case, evidence.Putting{SHA256: taken.SHA256, Side: evidence.For,
		Title: "Facts of briefing " + g.briefing.ID}); err != nil {
		return fmt.Errorf("put it on the case: %w", err)
	}
	drafts, err := brief.Drafts(g.bench)
	if err != nil {
		return err
	}
	recorded, err := kept.Record(ctx, gavel, in.Case, drafts...)
	if err != nil {
		return fmt.Errorf("facts of briefing %s: %w", g.briefing.ID, err)
	}
	for i, f := range recorded {
		if f.ID != g.bench.Facts[i].ID {
			return fault.New(fault.Internal, "fact %s of briefing %s is %s on its case", g.bench.Facts[i].ID, g.briefing.ID, f.ID)
		}
	}
	return nil
}

// note adds an entry to the case, once by its key, and says how it stands after it.
func (a *Analyst) note(ctx context.Context, in casefile.Input, at time.Time, key, kind, text string, ch casefile.Change) error {
	return a.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		g := identity.Gavel(in.Org)
		ch.Key, ch.Entry = key, casefile.Entry{Kind: kind, At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}
		_, _, err := casefile.Apply(ctx, tx, in.Case, ch)
		return err
	})
}
