package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/setting"
)

// A Simulation is what other thresholds would have found where the last audit
// looked.
type Simulation struct {
	Snapshot string    // what it read
	At       time.Time // the moment it was judged at: when that snapshot was taken
	Changes  []string  // name=value, as they were asked for
	Report   simulate.Report
}

// Simulate audits the newest snapshot twice, by the rules of today and with some
// thresholds moved, and tells the difference. It changes nothing. Roads are those
// that were measured before: a trial asks no router, so that it is the same as
// often as it is made.
func (s *Store) Simulate(ctx context.Context, actor identity.Actor, changes []string) (Simulation, error) {
	if err := s.rules.May(actor, programme.ActTry); err != nil {
		return Simulation{}, err
	}
	out := Simulation{Changes: slices.Clone(changes)}
	var g Grounds
	var today, moved audit.Policy
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, version, err := term.InForce(ctx, tx, actor.Org)
		if err != nil {
			return err
		}
		today = t.Policy(version)
		if moved, err = move(today, changes); err != nil {
			return err
		}
		newest, err := newestSnapshot(ctx, tx)
		if err != nil {
			return err
		}
		if out.Snapshot, out.At = newest.ID, newest.TakenAt; out.Snapshot == "" {
			return fault.New(fault.Conflict, "nothing has been audited yet: there is nothing to try other rules on").
				WithNext("have every van audited once").Because("nothing_audited")
		}
		g, err = readGrounds(ctx, tx, out.Snapshot, everywhere)
		return err
	})
	if err != nil {
		return Simulation{}, err
	}
	trials, err := s.compare(ctx, actor.Org, g, out.At, simulate.Trial{Before: audit.Policies{Now: today},
		After: audit.Policies{Now: moved}})
	if err != nil {
		return Simulation{}, err
	}
	out.Report = trials[0]
	return out, nil
}

// compare makes trials on what an audit read, with the roads that were measured before.
func (s *Store) compare(ctx context.Context, org identity.Org, g Grounds, at time.Time, trials ...simulate.Trial) (
	all []simulate.Report, err error,
) {
	for _, t := range trials {
		t.Book, t.At, t.Inputs, t.Granted = g.Book, at, g.Inputs, g.Granted
		ways := audit.Ways(g.Book, at, append(t.Before.Limits(), t.After.Limits()...)...)
		if t.Inputs.Roads, err = s.Distances(ctx, org, s.clock.Now(), ways); err != nil {
			return nil, err
		}
		report, err := simulate.Compare(t)
		if err != nil {
			return nil, err
		}
		all = append(all, report)
	}
	return all, nil
}

// TermsKind are the thresholds and terms of the programme.
func (s *Store) TermsKind() setting.Kind { return term.Kind(s.previewTerms) }

// Terms are the terms in force, for who may read how the programme is set up or try others.
func (s *Store) Terms(ctx context.Context, actor identity.Actor) (t terms.Terms, version int64, err error) {
	if err := s.rules.May(actor, programme.ActTry); err != nil && s.rules.May(actor, programme.ActRead) != nil {
		return t, 0, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, version, err = term.InForce(ctx, tx, actor.Org)
		return err
	})
	return t, version, err
}

// previewTerms tells what other terms would find where the last audit looked: in the next
// audit, in which vans with an open case are judged by the terms that it began with, and
// once none of those cases is open any more. Before the first audit there is nothing to tell.
func (s *Store) previewTerms(ctx context.Context, tx pgx.Tx, org identity.Org, was, now terms.Terms) ([]setting.Effect, error) {
	newest, err := newestSnapshot(ctx, tx)
	if err != nil || newest.ID == "" {
		return nil, err
	}
	g, err := readGrounds(ctx, tx, newest.ID, everywhere)
	if err != nil {
		return nil, err
	}
	_, version, err := term.InForce(ctx, tx, org)
	if err != nil {
		return nil, err
	}
	kept, err := term.Kept(ctx, tx, org, term.NoVersion)
	if err != nil {
		return nil, err
	}
	before, after := was.Policy(version), now.Policy(version+1)
	all, err := s.compare(ctx, org, g, newest.TakenAt,
		simulate.Trial{Before: audit.Policies{Now: before, Kept: kept}, After: audit.Policies{Now: after, Kept: kept}},
		simulate.Trial{Before: audit.Policies{Now: before}, After: audit.Policies{Now: after}})
	if err != nil {
		return nil, err
	}
	return effects(all[0], all[1]), nil
}

// Effects are the names of what a preview tells.
func Effects() []string {
	return []string{"next_vans", "next_riders", "later_vans", "later_riders", "hours", "fair_sites", "fair_shifts"}
}

// effects are what people read of two trials: of the next audit, and of later ones.
func effects(next, later simulate.Report) []setting.Effect {
	count := func(name string, r simulate.Row) setting.Effect {
		return setting.Effect{Name: name, Was: strconv.Itoa(r.Before), Now: strconv.Itoa(r.After)}
	}
	all := []setting.Effect{count("next_vans", next.Cases), count("next_riders", next.Flagged), count("later_vans", later.Cases),
		count("later_riders", later.Flagged)}
	was, will := later.Hours()
	all = append(all, setting.Effect{Name: "hours", Was: number(was, -1), Now: number(will, -1)})
	for i, groups := range [][]simulate.Row{later.Sites, later.Shifts} {
		if was, will, compared := simulate.Impact(groups, LeastGroup); compared {
			all = append(all, setting.Effect{Name: []string{"fair_sites", "fair_shifts"}[i], Was: number(was, 2), Now: number(will, 2)})
		}
	}
	return all
}

// LeastGroup is how many riders a group needs to be compared with others: a smaller one says
// too little about fairness.
const LeastGroup = 20

func number(f float64, digits int) string { return strconv.FormatFloat(f, 'f', digits, 64) }

// move is the rules of today with thresholds moved, each at most once.
func move(p audit.Policy, changes []string) (audit.Policy, error) {
	if len(changes) < 1 || len(changes) > simulate.MaxChanges {
		return audit.Policy{}, fault.New(fault.Invalid, "a trial moves 1 to %d thresholds, not %d", simulate.MaxChanges, len(changes)).
			WithNext("write name=value, for example location.threshold_miles=40").
			Because("trial_moves", "n", strconv.Itoa(simulate.MaxChanges))
	}
	seen := map[string]bool{}
	for _, c := range changes {
		var err error
		if p, err = simulate.Move(p, c); err != nil {
			return p, err
		}
		name, _, _ := strings.Cut(c, "=")
		if name = strings.TrimSpace(name); seen[name] {
			return p, fault.New(fault.Invalid, "%s is moved twice", name).WithNext("give each threshold once").
				Because("trial_twice", "id", name)
		}
		seen[name] = true
	}
	return p, nil
}
