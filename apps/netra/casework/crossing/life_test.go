package crossing_test

import (
	"flag"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework/crossing"
	"github.com/gavelhq/gavel/apps/netra/casework/watch"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

var record = flag.Bool("record", false, "write histories that are replayed")

// histories is where they are kept. One that is there is never changed.
const histories = "../../testdata/history"

func workflows() []durable.Workflow {
	return []durable.Workflow{{Name: store.CaseName, Func: crossing.Workflow}, {Name: store.WatchName, Func: watch.Workflow}}
}

// TestADistrictIsWatchedDecidedAboutAndLetGo promises the whole way by itself: the watch finds a district that crossed, its case asks an
// officer, what they decide is kept with reason and dissent under their name, the watch finds it calm, and the case ends; scores are
// written down once a day.
func TestADistrictIsWatchedDecidedAboutAndLetGo(t *testing.T) {
	r := newRig(t, 2)
	now := r.Store.Now()
	r.hear(t, 1, 8, 5, now.Truncate(time.Hour).Add(-2*time.Hour))
	engine := r.Work(t, durable.Work{Activities: []any{r.watcher.Steps(), r.clerk.Steps()}, Workflows: workflows()})
	r.due(t)
	wait.Until(t, "an officer is asked", func() bool {
		return r.Number(t, `select count(*) from gavel.proposal where app = 'netra' and state = 'open'`) == 1
	})
	a := r.one(t)
	if n := r.Number(t, `select count(*) from netra.score where frozen_by <> 'asha'`); n != 6 {
		t.Errorf("%d scores were written down, want three of two districts", n)
	}
	if err := r.decide(t, a, "act", "Two markets are closed.", "The desk is one source."); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the case knows", func() bool {
		return r.Texts(t, `select status from gavel.case where id = $1`, a.Case)[0] == "reviewed"
	})
	if got := r.Texts(t, `select outcome || ': ' || reason || ' ' || dissent || ' ' || by_id from netra.review`); len(got) != 1 ||
		got[0] != "act: Two markets are closed. The desk is one source. asha" {
		t.Errorf("got %q", got)
	}
	r.Set(t, `update netra.standing set at = at - interval '30 hours', band = 'BASELINE', below = now() - interval '30 hours' where lgd = 1`)
	r.Set(t, `delete from netra.day`)
	r.Set(t, `delete from netra.hour`)
	r.Set(t, `delete from netra.signal`)
	r.hear(t, 1, 1, 1, r.Store.Now().Truncate(time.Hour).Add(-time.Minute))
	r.due(t)
	wait.Until(t, "the case ends", func() bool {
		return r.Texts(t, `select status from gavel.case where id = $1`, a.Case)[0] == "calm"
	})
	r.Set(t, `delete from netra.district`)
	r.due(t)
	wait.Until(t, "nothing is watched any more", func() bool {
		d, err := engine.DescribeWorkflowExecution(t.Context(), "netra/north/watch", "")
		return err == nil && d.GetWorkflowExecutionInfo().GetCloseTime() != nil
	})
	if *record {
		file, err := r.Deps.Cases.Lookup(t.Context(), officer.Org, string(a.Case))
		if err != nil {
			t.Fatal(err)
		}
		id, _, err := r.Deps.Cases.Wake(file)
		if err != nil {
			t.Fatal(err)
		}
		durabletest.Record(t, engine, id, histories+"/crossing-1.json")
		durabletest.Record(t, engine, "netra/north/watch", histories+"/watch-1.json")
	}
}

// due has the watch find that it is time, for a look and for writing down.
func (r rig) due(t *testing.T) {
	t.Helper()
	wait.Until(t, "the watch has its timetable", func() bool {
		return r.Number(t, `select count(*) from gavel.timetable_slot where kind = 'netra/watch' and next_at > now()`) == 2
	})
	r.Set(t, `update gavel.timetable_slot set next_at = now() - interval '1 minute' where kind = 'netra/watch'`)
	if _, err := r.Store.SetPaused(t.Context(), officer, false, store.AnyVersion); err != nil {
		t.Fatal(err)
	}
}

// TestRecordedCasesAndWatchesStillGetThrough promises that what is running goes on under this build.
func TestRecordedCasesAndWatchesStillGetThrough(t *testing.T) {
	durabletest.Replay(t, histories, workflows()...)
}
