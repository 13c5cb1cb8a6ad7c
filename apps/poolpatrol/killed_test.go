package poolpatrol

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// process is what a worker has that was just started.
func (r *rig) process() durable.Work {
	r.t.Helper()
	anew := newRooms()
	if err := anew.open(r.Deps); err != nil {
		r.t.Fatal(err)
	}
	return durable.Work{App: Name, Activities: []any{anew.work.Steps()},
		Workflows: []durable.Workflow{{Name: store.PassName, Func: casework.PassWorkflow}}}
}

// isOver reports whether a pass has ended and nothing is left that follows from it.
func (r *rig) isOver(id string) bool {
	const left = `select (state = 'running')::int + (select count(*)::int from poolpatrol.audit_run r where r.pass = p.id
		and outcome = 'failed' and not settled)
		from poolpatrol.pass p where id = $1`
	return r.Number(r.t, left, id) == 0
}

// underWay is a rig with a pass over a made-up town, at which nobody works yet.
func underWay(t *testing.T) (r *rig, id string) {
	t.Helper()
	r = newRig(t)
	r.Keep(t)
	r.fill("manager", apiTown())
	id, _ = r.want(201, "manager", "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`).JSON["id"].(string)
	return r, id
}

// TestAPassKilledAtEveryStepGoesOn promises that a pass is done by the workers that come
// after, whichever of its steps a worker dies in, before it and behind it; and that every
// van is audited once, a case of it opened once, and the log told once.
func TestAPassKilledAtEveryStepGoesOn(t *testing.T) {
	r, id := underWay(t)
	moments := new(durabletest.Reaper).Work(t, r.Engine(t), r.process, func() bool { return r.isOver(id) })
	for _, step := range []string{"Pin", "Look", "Settle"} {
		for _, side := range []string{" before", " after"} {
			if !slices.ContainsFunc(moments, func(m string) bool {
				return strings.Contains(m, " "+step+" ") &&
					strings.HasSuffix(m, side)
			}) {
				t.Errorf("no worker died%s %s: %v", side, step, moments)
			}
		}
	}
	p := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+id, nil).JSON
	if p["state"] != string(job.Done) || p["looked"] != p["planned"] || p["failed"] == 0.0 {
		t.Errorf("got %v", p)
	}
	if n := r.Number(t, `select count(*)::int from (select vanpool_id from poolpatrol.audit_run where pass = $1 group by 1
		having count(*) > 1) twice`, id); n != 0 {
		t.Errorf("%d vans were audited twice", n)
	}
	if n := r.Number(t, `select count(*)::int from (select vanpool_id from poolpatrol.case group by 1 having count(*) > 1) twice`); n != 0 {
		t.Errorf("%d vans have two cases", n)
	}
	if got := r.Texts(t, `select json::json -> 'body' ->> 'did' from gavel.record where subject = $1 order by id`, id); !slices.Equal(got,
		[]string{"started", "done"}) {
		t.Errorf("the log says %v", got)
	}
	fmt.Printf("a pass went on over %d deaths of workers, at each step's beginning and end\n", len(moments))
}

// TestAPassThatCannotGoOnSaysWhy promises that whichever step of a pass fails for good, the
// pass has ended and said so, or had before.
func TestAPassThatCannotGoOnSaysWhy(t *testing.T) {
	for _, broken := range []string{"Pin", "Look"} {
		t.Run(broken, func(t *testing.T) {
			r, id := underWay(t)
			reaper := &durabletest.Reaper{Fails: func(step string) error {
				if step == broken {
					return fault.New(fault.Invalid, "the disk is broken")
				}
				return nil
			}}
			reaper.Spare().Work(t, r.Engine(t), r.process, func() bool { return r.isOver(id) })
			p := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+id, nil).JSON
			if p["state"] != string(job.Refused) || p["reason"] != "the disk is broken" {
				t.Errorf("got %v", p)
			}
			if next := r.want(201, "manager", "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`).JSON; next["id"] == id {
				t.Errorf("another cannot be begun: %v", next)
			}
		})
	}
}
