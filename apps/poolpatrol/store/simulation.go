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
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
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
	moved, err := move(changes)
	if err != nil {
		return Simulation{}, err
	}
	out := Simulation{Changes: slices.Clone(changes)}
	var g Grounds
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
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
	t := simulate.Trial{Book: g.Book, At: out.At, Before: audit.Standard(), After: moved, Inputs: g.Inputs, Granted: g.Granted}
	known, err := s.Distances(ctx, actor.Org, s.clock.Now(), audit.Ways(g.Book, out.At, t.Before.Location, t.After.Location))
	if err != nil {
		return Simulation{}, err
	}
	t.Inputs.Roads = known
	out.Report, err = simulate.Compare(t)
	return out, err
}

// move is the rules of today with thresholds moved, each at most once.
func move(changes []string) (audit.Policy, error) {
	if len(changes) < 1 || len(changes) > simulate.MaxChanges {
		return audit.Policy{}, fault.New(fault.Invalid, "a trial moves 1 to %d thresholds, not %d", simulate.MaxChanges, len(changes)).
			WithNext("write name=value, for example location.threshold_miles=40").
			Because("trial_moves", "n", strconv.Itoa(simulate.MaxChanges))
	}
	p, seen := audit.Standard(), map[string]bool{}
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
