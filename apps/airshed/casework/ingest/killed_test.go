package ingest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// process is what a worker has that was just started.
func (r rig) process(t *testing.T, settings map[string]string) durable.Work {
	t.Helper()
	anew := rigOn(r.Rig).onWorld(t, settings)
	return durable.Work{App: store.Name, Activities: []any{anew.Steps(), anew.surveyor.Steps()},
		Workflows: []durable.Workflow{{Name: store.IngestName, Func: Workflow}, {Name: store.ScanName, Func: survey.ScanWorkflow}}}
}

// ended is how an ingest and the scan of what it wrote have ended; false before they have.
func (r rig) ended(t *testing.T, id string) (i store.Ingest, scan store.Scan, over bool) {
	t.Helper()
	who := airshedtest.Person(identity.Analyst)
	i, _, err := r.store.Ingest(t.Context(), who, id)
	if err != nil {
		t.Fatal(err)
	}
	if i.Scan == "" {
		return i, scan, i.State != job.Running
	}
	if scan, err = r.store.Scan(t.Context(), who, i.Scan); err != nil {
		t.Fatal(err)
	}
	return i, scan, scan.State != job.Running
}

// TestAnIngestAndItsScanKilledAtEveryStepGoOn promises that both kinds of long work are done
// by the workers that come after, whichever of their steps a worker dies in, before it and
// behind it; that no service is asked everything anew, but for what was on its way when a
// worker died; and that what is found and recorded is there once.
func TestAnIngestAndItsScanKilledAtEveryStepGoOn(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute to die so often")
	}
	w := feedtest.New(t)
	settings := settingsOf(t, w)
	r := newRig(t).onWorld(t, settings)
	i := r.beginIngest(t, "k")
	var scan store.Scan
	moments := new(durabletest.Reaper).Work(t, r.Engine(t), func() durable.Work { return r.process(t, settings) }, func() (over bool) {
		i, scan, over = r.ended(t, i.ID)
		return over
	})
	if i.State != job.Done || scan.State != job.Done {
		t.Errorf("the ingest is %s (%s), its scan %s (%s)", i.State, i.Reason, scan.State, scan.Reason)
	}
	for _, step := range []string{"AskSource", "WriteObject", "Read", "Look", "Answer", "Conclude"} {
		for _, side := range []string{" before", " after"} {
			if !slices.ContainsFunc(moments, func(m string) bool {
				return strings.Contains(m, " "+step+" ") &&
					strings.HasSuffix(m, side)
			}) {
				t.Errorf("no worker died %s %s: %v", side, step, moments)
			}
		}
	}
	for _, id := range []string{i.ID, scan.ID} {
		if got := r.Texts(t, `select json::json -> 'body' ->> 'did' from gavel.record where subject = $1 order by id`,
			id); !slices.Equal(got, []string{"started", "done"}) {
			t.Errorf("the log says of %s: %v", id, got)
		}
	}
	asking := len(slices.DeleteFunc(slices.Clone(moments), func(m string) bool { return !strings.Contains(m, " AskSource ") }))
	for source, want := range map[string]int{origin.DataGov: 1, origin.OpenAQ: 9, origin.Firms: 6, origin.Meteo: 2} {
		got := r.Number(t, `select answers::int from airshed.ingest_source where source = $1`, source)
		if most := want + asking; got != want || w.Asked(source) > most { // a death loses one request of each source at most
			t.Errorf("%s was asked %d times for %d answers, want %d in at most %d", source, w.Asked(source), got, want, most)
		}
	}
	if scans, found := r.Number(t, `select count(*)::int from airshed.scan`), r.Number(t, `select count(*)::int
		from airshed.answer`); scans != 1 || found != 1 {
		t.Errorf("%d scans followed, with %d answers", scans, found)
	}
	fmt.Printf("an ingest and its scan went on over %d deaths of workers, at each step's beginning and end\n", len(moments))
}

// TestAnIngestThatCannotGoOnSaysWhy promises that whichever step of an ingest or a scan fails
// for good, it ends, says the words of that step, and keeps nobody else waiting.
func TestAnIngestThatCannotGoOnSaysWhy(t *testing.T) {
	for _, broken := range []string{"AskSource", "WriteObject", "Read", "Look", "Answer", "Conclude"} {
		t.Run(broken, func(t *testing.T) {
			settings := settingsOf(t, feedtest.New(t))
			r := newRig(t).onWorld(t, settings)
			i := r.beginIngest(t, "k")
			var failed atomic.Bool
			reaper := &durabletest.Reaper{Fails: func(step string) error {
				if step != broken {
					return nil
				}
				failed.Store(true)
				return fault.New(fault.Invalid, "the disk is broken")
			}}
			var scan store.Scan
			reaper.Spare().Work(t, r.Engine(t), func() durable.Work { return r.process(t, settings) }, func() (over bool) {
				i, scan, over = r.ended(t, i.ID)
				return over
			})
			state, reason := i.State, i.Reason
			if i.State == job.Done {
				state, reason = scan.State, scan.Reason
			}
			if !failed.Load() || (state != job.Refused || reason != "the disk is broken") {
				t.Errorf("it is %s: %q; %s was tried: %t", state, reason, broken, failed.Load())
			}
		})
	}
}
