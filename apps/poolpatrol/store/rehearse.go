package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Rehearsal is what an audit of every van would find now.
type Rehearsal struct {
	At        time.Time
	RecordsAt time.Time // how old the records are
	Policy    string    // digest of the thresholds
	Terms     int64     // their version
	Verified  int
	Failed    []audit.Run // vans with which something is wrong, in order of id
	Errored   []audit.Run // vans of which there is nothing to judge
}

// Planned is how many vans were looked at.
func (r Rehearsal) Planned() int { return r.Verified + len(r.Failed) + len(r.Errored) }

// Rehearse reads the records as a pass does and judges every van by the rules of
// today. It writes nothing, opens nothing and asks no router: ways are those that
// were measured before, and where one is missing the check goes by its estimate. A
// simulation is something else: that compares two sets of rules, on what the last
// pass has read.
func (s *Store) Rehearse(ctx context.Context, actor identity.Actor) (Rehearsal, error) {
	if err := s.rules.May(actor, programme.ActTry); err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{At: s.clock.Now().UTC()}
	var g Grounds
	var by audit.Policies
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := record.Share(ctx, tx); err != nil {
			return err
		}
		_, version, err := term.InForce(ctx, tx, actor.Org)
		if err != nil {
			return err
		}
		if by, err = term.Policies(ctx, tx, actor.Org, version); err != nil {
			return err
		}
		r.Policy, r.Terms = PolicyDigest(by.Now), version
		records, err := record.Read(ctx, tx)
		if err != nil {
			return err
		}
		if r.RecordsAt = records.Taken; audit.Fresh(r.RecordsAt, r.At) != nil {
			return audit.Fresh(r.RecordsAt, r.At)
		}
		if g.Book, err = fleet.NewBook(records); err != nil {
			return err
		}
		return g.readBeside(ctx, tx, record.Area{})
	})
	if err != nil {
		return Rehearsal{}, err
	}
	known, err := s.Distances(ctx, actor.Org, r.At, audit.Ways(g.Book, r.At, by.Limits()...))
	if err != nil {
		return Rehearsal{}, err
	}
	g.Inputs.Roads = known
	every := func(fleet.VanpoolID) bool { return true }
	runs, err := audit.Among(g.Book, "", r.At, by.Specialists(g.Book, g.Inputs), g.Granted, every)
	if err != nil {
		return Rehearsal{}, err
	}
	for run := range runs {
		r.add(run)
	}
	return r, nil
}

// NotPassing are the first so many of the vans that fail or could not be judged, in
// order of id.
func (r Rehearsal) NotPassing(most int) []audit.Run {
	all := slices.Concat(r.Failed, r.Errored)
	slices.SortFunc(all, func(a, b audit.Run) int { return cmp.Compare(a.Vanpool, b.Vanpool) })
	return all[:min(len(all), most)]
}

func (r *Rehearsal) add(run audit.Run) {
	switch run.Outcome {
	case audit.Verified:
		r.Verified++
	case audit.Failed:
		r.Failed = append(r.Failed, run)
	case audit.Errored:
		r.Errored = append(r.Errored, run)
	}
}
