package experiment_test

import (
	"flag"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/job"
)

var examples = flag.Int("examples", 100, "how many cases the bench of experiments has answered")

// TestExamplesInASecond prints how many cases an experiment has answered in a second by a
// model that takes no time, beside a loop that asks the same of the same model and keeps
// nothing; the ratio is the last line. It promises that both answered all of them.
func TestExamplesInASecond(t *testing.T) {
	l := newLab(t, *examples)
	l.engine()
	l.work()
	l.whole(experiment.Plan{Name: "warm"})
	began := time.Now()
	st := l.whole(experiment.Plan{Name: "bench", Fresh: true})
	kept := time.Since(began)
	if st.Job.State != job.Done || st.States["passed"] != *examples || st.Calls != int64(*examples) {
		t.Fatalf("got %+v", st)
	}
	_, cases, err := eval.Load(dataset(*examples))
	if err != nil {
		t.Fatal(err)
	}
	route := l.store.Routes["plain"]
	began = time.Now()
	for _, c := range cases {
		out, err := l.answer(t.Context(), c, eval.Models{Real: &route})
		if err != nil || len(out.Marks) != 3 {
			t.Fatalf("%s: got %+v, %v", c.ID, out, err)
		}
	}
	bare := time.Since(began)
	n := float64(*examples)
	t.Logf("an experiment: %d cases in %.2f s, %.0f in a second", *examples, kept.Seconds(), n/kept.Seconds())
	t.Logf("a bare loop: %d cases in %.2f s, %.0f in a second", *examples, bare.Seconds(), n/bare.Seconds())
	t.Logf("ratio %.2f", kept.Seconds()/bare.Seconds())
}
