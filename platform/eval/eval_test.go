package eval_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

func line(id string, right bool) string {
	return fmt.Sprintf(`{"id":%q,"inputs":{"right":%t},"expected":{},"metadata":{"complexity":"simple"}}`+"\n", id, right)
}

// files is a dataset with these cases and the digest of others, if any are given.
func files(body string, of ...string) fs.FS {
	sum := sha256.Sum256([]byte(strings.Join(append(of, body)[:1], "")))
	head := fmt.Sprintf(`{"name":"made/up","version":"1","sha256":"%x","about":"made up"}`, sum)
	return fstest.MapFS{"dataset.json": {Data: []byte(head)}, "cases.jsonl": {Data: []byte(body)}}
}

// TestADatasetIsReadWholeOrNotAtAll promises that nobody can move the goal posts
// quietly, that no case counts twice and that none is passed over.
func TestADatasetIsReadWholeOrNotAtAll(t *testing.T) {
	good := line("a", true) + line("b", false)
	d, cases, err := eval.Load(files(good))
	if err != nil || d.Name != "made/up" || len(cases) != 2 || cases[1].ID != "b" || string(cases[0].Inputs) != `{"right":true}` {
		t.Fatalf("got %+v, %+v, %v", d, cases, err)
	}
	if _, cases, err := eval.Load(files(strings.TrimSuffix(good, "\n"))); err != nil || len(cases) != 2 {
		t.Errorf("without the last line's end: %d, %v", len(cases), err)
	}
	for name, tt := range map[string]struct {
		files fs.FS
		kind  fault.Kind
	}{
		"changed":        {files(good+line("c", true), good), fault.Conflict},
		"twice":          {files(good + line("a", true)), fault.Invalid},
		"empty":          {files(""), fault.Invalid},
		"a blank line":   {files(good + "\n" + line("c", true)), fault.Invalid},
		"no id":          {files(line("", true)), fault.Invalid},
		"a long id":      {files(line(strings.Repeat("x", 101), true)), fault.Invalid},
		"unknown fields": {files(`{"id":"a","inputs":{},"expected":{},"metadata":{},"outputs":{}}`), fault.Invalid},
		"two in a line":  {files(`{"id":"a","inputs":{},"expected":{},"metadata":{}} {}`), fault.Invalid},
		"no inputs":      {files(`{"id":"a","expected":{},"metadata":{}}`), fault.Invalid},
		"inputs a text":  {files(`{"id":"a","inputs":"x","expected":{},"metadata":{}}`), fault.Invalid},
		"a long line":    {files(`{"id":"a","inputs":{"x":"` + strings.Repeat("x", 1<<20) + `"},"expected":{}}`), fault.TooLarge},
		"many":           {files(manyLines(100_001)), fault.TooLarge},
		"no files":       {fstest.MapFS{}, fault.NotFound},
		"no cases": {fstest.MapFS{"dataset.json": {Data: []byte(fmt.Sprintf(`{"name":"x","version":"1","sha256":"%x"}`,
			sha256.Sum256(nil)))}}, fault.NotFound},
		"no version": {fstest.MapFS{"dataset.json": {Data: []byte(fmt.Sprintf(`{"name":"x","sha256":"%x"}`, sha256.Sum256(nil)))}},
			fault.Invalid},
		"no digest":    {fstest.MapFS{"dataset.json": {Data: []byte(`{"name":"x","version":"1","sha256":"00"}`)}}, fault.Invalid},
		"a large head": {fstest.MapFS{"dataset.json": {Data: make([]byte, 64<<10+1)}}, fault.TooLarge},
	} {
		if _, _, err := eval.Load(tt.files); !fault.Is(err, tt.kind) {
			t.Errorf("%s: got %v, want %s", name, err, tt.kind)
		}
	}
}

func manyLines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(fmt.Sprint(i), true))
	}
	return b.String()
}

// FuzzLoad promises that any bytes are either refused or a dataset whose cases
// can be written and read again.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(line("a", true) + line("b", false)))
	f.Add([]byte(`{"id":"a","inputs":{},"expected":{}}` + "\r\n"))
	f.Add([]byte("{}\n\n{"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, cases, err := eval.Load(files(string(body)))
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Fatalf("refused without a kind: %v", err)
			}
			return
		}
		var again strings.Builder
		for _, c := range cases {
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			again.Write(append(text, '\n'))
		}
		_, back, err := eval.Load(files(again.String()))
		if err != nil || len(back) != len(cases) || back[0].ID != cases[0].ID {
			t.Fatalf("%q was written as %q: %v", body, again.String(), err)
		}
	})
}

// answers is a subject that says of each case whether it is right.
func answers(_ context.Context, c eval.Case, with eval.Models) (eval.Outcome, error) {
	var in struct{ Right bool }
	if err := json.Unmarshal(c.Inputs, &in); err != nil {
		return eval.Outcome{}, err
	}
	hit := 0
	var diff []string
	if in.Right {
		hit = 1
	} else {
		diff = []string{"1", "2", "3", "4", "5", "6"}
	}
	out := eval.Outcome{Differences: diff, Marks: []eval.Mark{{"right", hit, 1}, {"wrong", 1 - hit, 1}, {"seen", 3, 1}, {"tone", 1, 1}}}
	out.Open = c.ID == "open" && with.Real == nil
	if c.ID == "broken" {
		return out, errors.New("it broke")
	}
	return out, nil
}

func metrics() []eval.Metric {
	return []eval.Metric{{Name: "right", Goal: eval.AtLeast(950)}, {Name: "wrong", Goal: eval.AtMost(20)}, {Name: "seen", Count: true},
		{Name: "tone", Goal: eval.AtLeast(850), Model: true}, {Name: "never", Goal: eval.AtLeast(1000)}, {Name: "style", Judge: true}}
}

func run(t *testing.T, body string, with eval.Models) eval.Report {
	t.Helper()
	r, err := eval.Run(t.Context(), eval.Set{Name: "made", Files: files(body), Answer: answers, Metrics: metrics()}, with, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTheTallyIsExact promises that a goal is met at its bound and missed beside
// it, whatever the share looks like when printed.
func TestTheTallyIsExact(t *testing.T) {
	body := func(right, wrong int) string {
		var b strings.Builder
		for i := range right + wrong {
			b.WriteString(line(fmt.Sprint(i), i < right))
		}
		return b.String()
	}
	for _, tt := range []struct {
		right, wrong int
		share        string
		status       eval.Status
		other        eval.Status
	}{
		{60, 0, "100 %", eval.Met, eval.Met},
		{57, 3, "95 %", eval.Met, eval.Missed},
		{56, 4, "93.3 %", eval.Missed, eval.Missed},
		{49, 1, "98 %", eval.Met, eval.Met},
		{2999, 1, "99.9 %", eval.Met, eval.Met},
		{0, 1, "0 %", eval.Missed, eval.Missed},
	} {
		r := run(t, body(tt.right, tt.wrong), eval.Models{})
		if r.Passed != tt.right || r.Failed != tt.wrong || r.Cases != tt.right+tt.wrong || len(r.Failures) != min(tt.wrong, 20) {
			t.Errorf("%d of %d: got %+v", tt.right, tt.wrong, r)
		}
		m := r.Metrics
		if m[0].Text() != tt.share || m[0].Status != tt.status || m[1].Status != tt.other || m[2].Text() != fmt.Sprint(3*r.Cases) ||
			m[2].Status != eval.Reported {
			t.Errorf("%d of %d: got %+v", tt.right, tt.wrong, m)
		}
		if r.OK() != (tt.status == eval.Met && tt.other == eval.Met) {
			t.Errorf("%d of %d: OK is %t", tt.right, tt.wrong, r.OK())
		}
	}
}

// TestWhatNeedsAModelIsNotMeasuredWithoutOne promises the words, and that no mark
// of anybody else takes a model's place.
func TestWhatNeedsAModelIsNotMeasuredWithoutOne(t *testing.T) {
	r := run(t, line("a", true), eval.Models{})
	tone, never := r.Metrics[3], r.Metrics[4]
	if got, want := tone.Text(), "not measured: needs a real model"; got != want || tone.Hits+tone.Of != 0 || !r.OK() || r.Model != "none" {
		t.Errorf("got %q, %+v, want %q", got, tone, want)
	}
	if got, want := never.Text(), "not measured: no case asks for it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := r.Metrics[5].Text(), "not measured: needs a real model"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r = run(t, line("a", true), eval.Models{Real: &model.Route{Provider: "openai", Model: "m"}})
	if got := r.Metrics[3]; got.Text() != "100 %" || got.Status != eval.Met || r.Model != "openai/m" {
		t.Errorf("with a model: got %+v by %s", got, r.Model)
	}
	if got, want := r.Metrics[5].Text(), "not measured: needs a judge that people have been compared with"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestACaseThatCannotBeAnsweredIsNotPassedOver promises that it fails the run,
// tells why, and leaves no mark.
func TestACaseThatCannotBeAnsweredIsNotPassedOver(t *testing.T) {
	var many strings.Builder
	for i := range 99 {
		many.WriteString(line(fmt.Sprint(i), true))
	}
	r := run(t, many.String()+line("broken", true), eval.Models{})
	want := []eval.Failure{{"broken", []string{"it could not be answered: it broke"}}}
	if r.OK() || r.Unanswered != 1 || r.Failed != 1 || !reflect.DeepEqual(r.Failures, want) || r.Metrics[0].Of != 99 {
		t.Errorf("got %+v", r)
	}
}

// TestWhatNobodyCouldAnswerHasNotPassed promises that it is told apart.
func TestWhatNobodyCouldAnswerHasNotPassed(t *testing.T) {
	r := run(t, line("a", true)+line("open", true), eval.Models{})
	if r.Passed != 1 || r.Open != 1 || r.Failed != 0 || !r.OK() {
		t.Errorf("got %+v", r)
	}
	if r = run(t, line("open", true), eval.Models{Real: &model.Route{}}); r.Passed != 1 || r.Open != 0 {
		t.Errorf("with a model: got %+v", r)
	}
}

// TestOnlyTheFirstDifferencesAreTold promises a report of bounded length.
func TestOnlyTheFirstDifferencesAreTold(t *testing.T) {
	if r := run(t, line("a", false), eval.Models{}); !slices.Equal(r.Failures[0].Differences, []string{"1", "2", "3", "4", "5"}) {
		t.Errorf("got %q", r.Failures[0].Differences)
	}
}

// TestARunSaysHowFarItIsAndCanBeCalledOff promises both.
func TestARunSaysHowFarItIsAndCanBeCalledOff(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	var seen []int
	set := eval.Set{Name: "made", Files: files(line("a", true) + line("b", true) + line("c", true)), Answer: answers, Metrics: metrics()}
	_, err := eval.Run(ctx, set, eval.Models{}, func(done, of int) {
		seen = append(seen, done*10+of)
		if done == 2 {
			stop(why)
		}
	})
	if !errors.Is(err, why) || !slices.Equal(seen, []int{13, 23}) {
		t.Errorf("got %v after %v", err, seen)
	}
}

// TestAMarkWithoutAMetricIsNoticed promises that what is counted is shown.
func TestAMarkWithoutAMetricIsNoticed(t *testing.T) {
	set := eval.Set{Name: "made", Files: files(line("a", true)), Answer: answers, Metrics: metrics()[1:]}
	if _, err := eval.Run(t.Context(), set, eval.Models{}, nil); err == nil {
		t.Error("a mark of no metric was passed over")
	}
	if _, err := eval.Find([]eval.Set{set}, "other"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	if got, err := eval.Find([]eval.Set{set}, "made"); err != nil || got.Name != "made" {
		t.Errorf("got %v, %v", got.Name, err)
	}
}
