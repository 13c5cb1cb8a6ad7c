package casework

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/timetable"
)

// batch is how many vans are written down at once: what a crash can cost, and
// seldom enough that a pass is not made of commits.
const batch = 500

// Steps are what the workflows of Pool Patrol do in the world. Each may be
// repeated.
type Steps struct{ work *Work }

// Pin reads the records and keeps them as the pass reads them, or refuses the
// pass where they are too old. more is false where there is nothing to look at.
func (s *Steps) Pin(ctx context.Context, in store.PassInput) (more bool, err error) {
	read, err := s.work.store.PinPass(ctx, in)
	if err != nil || read.Snapshot.ID == "" {
		return read.More, err
	}
	if book, bad := fleet.NewBook(read.Records); bad == nil { // what is bad Look says
		s.work.shelf.put(in.Org, read.Snapshot.ID, book)
	}
	return read.More, nil
}

// Look audits vans for a while, from where the pass stands. done says that it has
// come to its end.
func (s *Steps) Look(ctx context.Context, in store.PassInput) (done bool, err error) {
	p, judged, err := s.judge(ctx, in)
	if err != nil || p.State != job.Running {
		return true, err
	}
	next, stop := iter.Pull(judged)
	defer stop()
	for range stretch {
		runs := take(next, batch)
		if len(runs) == 0 {
			return true, s.work.store.EndPass(ctx, in, job.End{State: job.Done})
		}
		if p, err = s.work.store.WriteRuns(ctx, in.Org, p, runs); err != nil || p.State != job.Running {
			return err == nil, err
		}
	}
	return false, nil
}

// GiveUpPass ends a pass of which a step failed for good.
func (s *Steps) GiveUpPass(ctx context.Context, in store.PassInput, why string) error {
	return s.work.store.EndPass(ctx, in, job.End{State: job.Refused, Reason: why})
}

// stretch is how many batches one step writes before the engine hears of it: some
// seconds' work, well within the time of a step.
const stretch = 20

// judge is the pass as it stands, and the audits of the vans that are left, each
// made when it is asked for.
func (s *Steps) judge(ctx context.Context, in store.PassInput) (p store.Pass, left iter.Seq[audit.Run], err error) {
	var g store.Grounds
	var among map[fleet.VanpoolID]bool
	var by audit.Policies
	err = s.work.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if p, err = store.LockPass(ctx, tx, in.Pass); err != nil || p.State != job.Running {
			return err
		}
		if err := s.work.store.Report(ctx, tx, in.Org, &p); err != nil || p.State != job.Running {
			return err
		}
		if among, err = store.VansOf(ctx, tx, p.Kind, p.BeganAt); err != nil {
			return err
		}
		if by, err = term.Policies(ctx, tx, in.Org, p.Terms); err != nil {
			return err
		}
		g, err = s.work.grounds(ctx, tx, in.Org, p.Snapshot)
		return err
	})
	if err != nil || p.State != job.Running {
		return p, nil, err
	}
	if g.Inputs.Roads, err = s.work.roadsFor(ctx, in.Org, audit.Ways(g.Book, p.BeganAt, by.Limits()...), p.BeganAt); err != nil {
		return p, nil, err
	}
	wanted := func(id fleet.VanpoolID) bool { return store.LooksAt(among, id) }
	left, err = audit.Among(g.Book, p.After, p.BeganAt, by.Specialists(g.Book, g.Inputs), g.Granted, wanted)
	return p, left, err
}

// take pulls at most n runs.
func take(next func() (audit.Run, bool), n int) []audit.Run {
	var runs []audit.Run
	for len(runs) < n {
		r, ok := next()
		if !ok {
			break
		}
		runs = append(runs, r)
	}
	return runs
}

// Due begins the passes for which it is time and says when to look again; a zero
// time is when somebody changes the schedule.
func (s *Steps) Due(ctx context.Context, in timetable.Input, at time.Time) (next time.Time, err error) {
	return s.work.store.Due(ctx, in, at)
}

// A shelf keeps the book of the newest pass that was pinned or read here, so that the
// steps which follow need not read and prove its snapshot again. Steps may run
// anywhere: what is not on the shelf is read. It is dropped when the pass has been
// settled, and where another worker did that, when the next pass comes. The zero
// shelf is empty.
type shelf struct {
	mu       sync.Mutex
	org      identity.Org
	snapshot string
	book     *fleet.Book
}

// put keeps a book instead of the one that was there.
func (s *shelf) put(org identity.Org, snapshot string, book *fleet.Book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.org, s.snapshot, s.book = org, snapshot, book
}

// drop lets go of the book of a pass that is over: it says where people live.
func (s *shelf) drop() { s.put("", "", nil) }

// get finds the book of a snapshot; nil where it is not here.
func (s *shelf) get(org identity.Org, snapshot string) *fleet.Book {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book == nil || s.org != org || s.snapshot != snapshot {
		return nil
	}
	return s.book
}

// grounds are what an audit of a snapshot rests on: the book from the shelf if it is
// there and nobody has been erased from the snapshot, and what stands beside it.
func (a *Work) grounds(ctx context.Context, tx pgx.Tx, org identity.Org, snapshot string) (store.Grounds, error) {
	g, keep, err := store.GroundsOf(ctx, tx, snapshot, a.shelf.get(org, snapshot))
	if keep {
		a.shelf.put(org, snapshot, g.Book)
	}
	return g, err
}
