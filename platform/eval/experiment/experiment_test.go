package experiment_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/model"
)

// TestAnExperimentKilledTwicePaysForNoAnswerTwice promises that 300 cases cost 300 calls,
// counted at the model, when one worker is stopped in the middle and another dies between an
// answer that it paid for and the item that it was for.
func TestAnExperimentKilledTwicePaysForNoAnswerTwice(t *testing.T) {
	const cases = 300
	l := newLab(t, cases)
	l.engine()
	e := l.start(experiment.Plan{Name: "killed"})
	l.dies.Store(2 * cases / 3)
	stop := l.work()
	wait.Until(t, "a part of it is answered", func() bool { return l.model.Requests() >= cases/4 })
	stop()
	first := l.model.Requests()
	if st := l.of(e.ID); first >= cases || st.Job.State != job.Running || st.Job.Total != cases {
		t.Fatalf("it was stopped too late: %d calls, %+v", first, st.Job)
	}
	l.work()
	st := l.ended(e.ID)
	if l.dies.Load() != 0 {
		t.Fatal("nobody died the second time")
	}
	if n := l.model.Requests(); n != cases {
		t.Errorf("the model was asked %d times, %d of them before the first kill; want %d", n, first, cases)
	}
	if st.Job.State != job.Done || st.States["passed"] != cases || st.Calls+st.Kept != cases || st.Kept < 1 {
		t.Errorf("got %+v", st)
	}
	again := l.whole(experiment.Plan{Name: "the same, later"})
	if n := l.model.Requests(); n != cases || again.Kept != cases || again.Calls != 0 || again.Micros != 0 ||
		again.States["passed"] != cases {
		t.Errorf("once more, the model was asked %d times, and %d answers were there", n, again.Kept)
	}
	if fresh := l.whole(experiment.Plan{Name: "anew", Fresh: true}); fresh.Calls != cases || l.model.Requests() != 2*cases {
		t.Errorf("anew, the model was asked %d times", l.model.Requests()-cases)
	}
}

// TestAPlantedRegressionStopsARelease promises that a model which is worse by four points in
// a slice of 300 is found, named and not let through, and that one which is not, is.
func TestAPlantedRegressionStopsARelease(t *testing.T) {
	const cases = 600
	l := newLab(t, cases)
	l.engine()
	l.work()
	by := func(name, brief string, wrong func(string) bool) experiment.Standing {
		set := l.sets["yard/asked"]
		set.Subject = brief
		l.sets["yard/asked"], l.wrong = set, wrong
		return l.whole(experiment.Plan{Name: name, Fresh: true})
	}
	twelve := func(task string) bool {
		return strings.HasPrefix(task, "hi ") && strings.HasSuffix(task, "7") && task < "hi 420"
	}
	one, two, three := strings.Repeat("1", 64), strings.Repeat("2", 64), strings.Repeat("3", 64)
	was := by("v11", one, func(string) bool { return false })
	same := by("v12", two, func(string) bool { return false })
	worse := by("v13", three, twelve)
	if err := l.store.Pin(t.Context(), admin, was.ID, "what is installed"); err != nil {
		t.Fatal(err)
	}
	base, ok, err := l.store.Baseline(t.Context(), admin, "yard/asked")
	if err != nil || !ok || base != was.ID {
		t.Fatalf("got %q, %v, %v", base, ok, err)
	}
	c, err := l.store.Compare(t.Context(), admin, base, same.ID)
	if err != nil || len(c.Not) > 0 || !c.Scripted || c.Open || len(c.Results) != 2 || len(c.Results[0].Gate()) > 0 {
		t.Fatalf("with none planted: got %+v, %v", c, err)
	}
	if got := c.Sentence("right"); !strings.HasPrefix(got, "No difference between v11 and v12 is shown in right: 0.0 points") {
		t.Errorf("got %q", got)
	}
	if c, err = l.store.Compare(t.Context(), admin, base, worse.ID); err != nil {
		t.Fatal(err)
	}
	gate := c.Results[0].Gate()
	if len(gate) != 2 || gate[1].Tag != "language" || gate[1].Value != "hi" || gate[1].Items != 300 || gate[1].Worse != 12 {
		t.Fatalf("a planted regression: got %+v", gate)
	}
	if got := c.Sentence("right"); !strings.Contains(got, "v13 is worse than v11 in right: −2.0 points") ||
		!strings.Contains(got, "Worse where language is hi: −4.0 points") {
		t.Errorf("got %q", got)
	}
	if swap, ok := c.Swap("right"); !ok || swap.May || swap.Why != "it is not cheaper" || c.CostIs < c.CostWas {
		t.Errorf("got %+v, costs %v and %v", swap, c.CostWas, c.CostIs)
	}
	if len(c.Results[0].Regressions) != 12 || c.Results[0].Regressions[0].Case != "case-307" {
		t.Errorf("got %+v", c.Results[0].Regressions)
	}
}

// TestUnlikeExperimentsAreNotCompared promises that other cases, other scoring and other
// repeats are said, and that nothing is compared then.
func TestUnlikeExperimentsAreNotCompared(t *testing.T) {
	l := newLab(t, 4)
	l.engine()
	l.work()
	was := l.whole(experiment.Plan{Name: "a"})
	twice, four := l.whole(experiment.Plan{Name: "b", Repeats: 2}), l.whole(experiment.Plan{Name: "e", Repeats: 4})
	set := l.sets["yard/asked"]
	set.Scoring = "2"
	l.sets["yard/asked"] = set
	otherwise := l.whole(experiment.Plan{Name: "c"})
	set.Files = dataset(6)
	l.sets["yard/asked"] = set
	if _, _, err := l.store.Start(t.Context(), admin, experiment.Plan{Name: "d", Set: "yard/asked"}, "d"); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same version with other cases: %v", err)
	}
	for id, why := range map[string]compare.Why{twice.ID: compare.OtherRepeats, otherwise.ID: compare.OtherEvaluator} {
		c, err := l.store.Compare(t.Context(), admin, was.ID, id)
		if err != nil || len(c.Not) != 1 || c.Not[0] != why || len(c.Results) > 0 ||
			!strings.HasPrefix(c.Sentence("right"), "Not comparable because ") {
			t.Errorf("got %+v, %v, want %s", c, err, why)
		}
	}
	if four.Pass4 == nil || *four.Pass4 != 1 || twice.Pass4 != nil {
		t.Errorf("four tries: got %v, two: %v", four.Pass4, twice.Pass4)
	}
	if twice.States["passed"] != 8 || twice.Calls != 4 || twice.Kept != 4 {
		t.Errorf("each repeat is asked for itself, and the first is there: got %+v", twice)
	}
}

// TestABudgetEndsAnExperiment promises that what is spent is bounded, that the reason says
// how far it came, and that what was paid for is not lost.
func TestABudgetEndsAnExperiment(t *testing.T) {
	l := newLab(t, 40)
	l.engine()
	l.work()
	st := l.whole(experiment.Plan{Name: "poor", Budget: experiment.Budget{Calls: 10}})
	if st.Job.State != job.Refused || !strings.HasPrefix(st.Job.Reason, "the budget is spent: ") || st.Calls < 10 || st.Calls > 13 {
		t.Errorf("got %+v", st)
	}
	if c, err := l.store.Compare(t.Context(), admin, st.ID, st.ID); err != nil || !c.Open {
		t.Errorf("one that ended badly: %+v, %v", c, err)
	}
	if err := l.store.Pin(t.Context(), admin, st.ID, "why not"); !fault.Is(err, fault.Conflict) {
		t.Errorf("it was pinned: %v", err)
	}
	if st = l.whole(experiment.Plan{Name: "rich"}); st.Job.State != job.Done || l.model.Requests() != 40 || st.Micros == 0 {
		t.Errorf("got %+v after %d calls", st, l.model.Requests())
	}
	if f := st.Metrics; len(f) != 3 || f[0].Metric != "right" || f[0].Hits != 40 || f[0].Interval.Low < .91 || f[0].Interval.High != 1 {
		t.Errorf("got %+v", st.Metrics)
	}
}

// TestWhoMayMeasureAndWhoMaySee promises that policy is asked, that nobody sees into another
// organisation, and that who asks for the same at once is given one experiment.
func TestWhoMayMeasureAndWhoMaySee(t *testing.T) {
	l := newLab(t, 4)
	e := l.start(experiment.Plan{Name: "a"})
	again, _, err := l.store.Start(t.Context(), admin, experiment.Plan{Name: "b", Set: "yard/asked"}, "b")
	if err != nil || again.ID != e.ID || again.Name != "a" {
		t.Errorf("got %+v, %v", again, err)
	}
	auditor := admin
	auditor.Roles = []identity.Role{identity.Auditor}
	yes, ctx := true, t.Context()
	score := func(who identity.Actor, j experiment.Judgement) error {
		j.Experiment = e.ID
		return l.store.Score(ctx, who, j)
	}
	begin := func(who identity.Actor, p experiment.Plan) error {
		_, _, err := l.store.Start(ctx, who, p, "x")
		return err
	}
	for what, tt := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"a guard looks":          {failure(l.store.Of(ctx, guard, e.ID)), fault.Refused},
		"a guard lists":          {failure(l.store.List(ctx, guard, "")), fault.Refused},
		"a guard compares":       {failure(l.store.Compare(ctx, guard, e.ID, e.ID)), fault.Refused},
		"a guard scores":         {score(guard, experiment.Judgement{Hit: &yes}), fault.Refused},
		"an auditor measures":    {begin(auditor, experiment.Plan{Name: "x", Set: "yard/asked"}), fault.Refused},
		"an auditor pins":        {l.store.Pin(ctx, auditor, e.ID, "x"), fault.Refused},
		"another organisation":   {failure(l.store.Of(ctx, other, e.ID)), fault.NotFound},
		"no such set":            {begin(admin, experiment.Plan{Name: "x", Set: "yard/no"}), fault.NotFound},
		"no name":                {begin(admin, experiment.Plan{Set: "yard/asked"}), fault.Invalid},
		"no reason":              {l.store.Pin(ctx, admin, e.ID, ""), fault.Invalid},
		"pinned before its end":  {l.store.Pin(ctx, admin, e.ID, "x"), fault.Conflict},
		"a score of two kinds":   {score(admin, experiment.Judgement{Hit: &yes, Label: "x"}), fault.Invalid},
		"a score of no kind":     {score(admin, experiment.Judgement{}), fault.Invalid},
		"a model judges its own": {score(admin, experiment.Judgement{Judge: "plain", Hit: &yes}), fault.Refused},
	} {
		if !fault.Is(tt.err, tt.want) {
			t.Errorf("%s: %v, want %s", what, tt.err, tt.want)
		}
	}
	if all, err := l.store.List(t.Context(), auditor, "yard/asked"); err != nil || len(all) != 1 || all[0].ID != e.ID {
		t.Errorf("got %v, %v", all, err)
	}
	if all, err := l.store.List(t.Context(), other, ""); err != nil || len(all) != 0 {
		t.Errorf("another organisation: got %v, %v", all, err)
	}
}

func failure[T any](_ T, err error) error { return err }

// TestAPersonsScoreStandsBesideTheCodes promises that scores are added and never changed,
// that the newest of a person counts, and that they are told apart by who gave them.
func TestAPersonsScoreStandsBesideTheCodes(t *testing.T) {
	l := newLab(t, 2)
	l.engine()
	l.work()
	st := l.whole(experiment.Plan{Name: "a"})
	no, yes, four := false, true, 4.0
	for _, j := range []experiment.Judgement{
		{Metric: "right", Hit: &yes}, {Metric: "right", Hit: &no, Note: "on second thoughts"}, {Metric: "tone", Value: &four},
		{Metric: "bucket", Label: "question"}, {Metric: "right", Hit: &yes, Judge: "large"},
	} {
		j.Experiment, j.Rep = st.ID, 1
		if err := l.store.Score(t.Context(), admin, j); err != nil {
			t.Fatalf("%+v: %v", j, err)
		}
	}
	got := map[string]int{}
	for _, f := range l.of(st.ID).Metrics {
		got[f.Metric+" "+f.Source+" "+f.Who] = f.Hits*10 + f.Of
	}
	want := map[string]int{"right code ": 22, "right person asha": 1, "right judge large": 11, "words code ": 22, "wrong code ": 2}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: got %d, want %d", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	nowhere := experiment.Judgement{Experiment: st.ID, Seq: 7, Rep: 1, Metric: "x", Hit: &yes}
	if err := l.store.Score(t.Context(), admin, nowhere); err == nil {
		t.Error("an item that there is not was scored")
	}
}

// TestAJudgeIsComparedWithPeopleBeforeItIsShown promises that the marks of both are set
// beside each other item by item, and that 30 alike are what it takes.
func TestAJudgeIsComparedWithPeopleBeforeItIsShown(t *testing.T) {
	l := newLab(t, 30)
	l.engine()
	l.work()
	st := l.whole(experiment.Plan{Name: "a"})
	for i := range 30 {
		if got, err := l.store.Agreement(t.Context(), admin, st.ID, "tone", "large"); err != nil || got.Items != i || got.Trusted() {
			t.Fatalf("after %d marks: got %+v, %v", i, got, err)
		}
		mark, first := float64(i%5+1), 1.0
		for _, j := range []experiment.Judgement{{Value: &mark, Judge: "large"}, {Value: &first}, {Value: &mark}} {
			j.Experiment, j.Seq, j.Rep, j.Metric = st.ID, i, 1, "tone"
			if err := l.store.Score(t.Context(), admin, j); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, err := l.store.Agreement(t.Context(), admin, st.ID, "tone", "large"); err != nil || !got.Trusted() || got.Kappa != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := l.store.Agreement(t.Context(), guard, st.ID, "tone", "large"); !fault.Is(err, fault.Refused) {
		t.Errorf("a guard: %v", err)
	}
}

// TestARouteThatLeadsElsewhereEndsAnExperiment promises that no half of the answers is
// another model's.
func TestARouteThatLeadsElsewhereEndsAnExperiment(t *testing.T) {
	l := newLab(t, 2)
	l.engine()
	e := l.start(experiment.Plan{Name: "a"})
	l.store.Routes["plain"] = model.Route{Name: "plain", Provider: "scripted", Model: "another"}
	l.work()
	if st := l.ended(e.ID); st.Job.State != job.Refused || !strings.Contains(st.Job.Reason, "leads to") || l.model.Requests() > 0 {
		t.Errorf("got %+v", st.Job)
	}
}
