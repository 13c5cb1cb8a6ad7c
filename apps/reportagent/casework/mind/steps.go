package mind

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Steps are the activities of the case.
type Steps struct{ mind *Mind }

// A CaseStanding is what the workflow of a case does next.
type CaseStanding struct {
	Ended bool     `json:"ended,omitempty"`
	Ask   []string `json:"ask,omitempty"` // tasks for writers
}

// parallel is how many sections are worded side by side.
const parallel = 4

// AdvanceReport takes a case up, closes it where a person wants it closed, and sees which sections are to be worded next.
func (s *Steps) AdvanceReport(ctx context.Context, in casefile.Input, at time.Time) (now CaseStanding, err error) {
	st := s.mind.store
	var file casefile.Case
	err = st.In(ctx, in.Org, func(tx pgx.Tx) error {
		if file, err = casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		switch {
		case file.State == casefile.Closed:
			now.Ended = true
			return nil
		case file.Status == casefile.StatusClosing:
			now.Ended = true
			return casefile.Finish(ctx, tx, in, casefile.StatusDone, at)
		}
		g := identity.Gavel(in.Org)
		_, _, err = casefile.Apply(ctx, tx, in.Case, casefile.Change{Key: "taken_up", State: casefile.Waiting,
			Status:     casefile.StatusTakenUp,
			WaitingFor: "an analyst",
			Entry:      casefile.Entry{Kind: "taken_up", At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name}})
		return err
	})
	if err != nil || now.Ended {
		return now, err
	}
	err = st.In(ctx, in.Org, func(tx pgx.Tx) error {
		now.Ask, err = s.mind.next(ctx, tx, in)
		return err
	})
	return now, err
}

// next are the tasks that writers are at, new ones among them as far as there is room. A section is worded once those below it
// are. Where the drafting was called off, or no model is there any more, what has not begun never does.
func (m *Mind) next(ctx context.Context, tx pgx.Tx, in casefile.Input) (ask []string, err error) {
	r, err := store.ReportOfCase(ctx, tx, in.Case)
	if err != nil {
		return nil, err
	}
	if r, err = store.LockReport(ctx, tx, r.ID); err != nil {
		return nil, err
	}
	all, err := store.Wordings(ctx, tx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.State == store.WordingAt {
			ask = append(ask, w.Task)
		}
	}
	newest, err := store.Newest(ctx, tx, r.ID, store.NoFacts)
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if w.State != store.WordingWaits {
			continue
		}
		j, err := job.Find(ctx, tx, store.DraftJob, w.Job)
		if err != nil {
			return nil, err
		}
		if _, off := j.CalledOff(); off || j.State != job.Running || !m.desk.Thinks() {
			became := store.BecameCalled
			if !off && j.State == job.Running {
				became = store.BecameNothing
			}
			if err := m.ended(ctx, tx, in.Org, w, in.Case, became); err != nil {
				return nil, err
			}
			continue
		}
		above := slices.ContainsFunc(all, func(o store.Wording) bool {
			return slices.Contains(w.Below, o.Section) &&
				o.State != store.WordingDone
		})
		if above || len(ask) >= parallel {
			continue
		}
		basis := map[string]int{w.Section: newest[w.Section].N}
		for _, id := range w.Below {
			basis[id] = newest[id].N
		}
		if err := store.BeginWording(ctx, tx, w.Task, basis); err != nil {
			return nil, err
		}
		ask = append(ask, w.Task)
	}
	return ask, nil
}

// Said is a writer whose run has ended.
type Said struct {
	Task string `json:"task"`
	Run  string `json:"run"`
}

// HeedWriter sees to a section whose writer has ended, however it did: what it handed in last is taken in as far as it holds.
func (s *Steps) HeedWriter(ctx context.Context, in casefile.Input, said Said) error {
	m := s.mind
	return m.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		w, err := store.WordingBy(ctx, tx, said.Task)
		if err != nil || w.State == store.WordingDone {
			return err
		}
		tried, err := store.Attempts(ctx, tx, said.Task)
		if err != nil {
			return err
		}
		if len(tried) == 0 {
			if _, err := store.LockReport(ctx, tx, w.Report); err != nil {
				return err
			}
			return m.ended(ctx, tx, in.Org, w, in.Case, store.BecameNothing)
		}
		g, err := m.groundOf(ctx, tx, in.Org, in.Case, said.Task)
		if err != nil {
			return err
		}
		_, err = m.finish(ctx, tx, in.Org, g, g.bench.Judge(tried[len(tried)-1].Body), said.Run)
		return err
	})
}
