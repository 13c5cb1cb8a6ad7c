package program

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/eval"
)

// TestEverySetIsRunWithNothingAround promises that what code decides is measured
// with an empty environment, and that nothing is claimed for a model.
func TestEverySetIsRunWithNothingAround(t *testing.T) {
	var sets []listedSet
	listed := setup{}.run(t, "eval", "list", "--json")
	if err := json.Unmarshal([]byte(listed.out), &sets); err != nil || len(sets) < 4 {
		t.Fatalf("got %d sets, %v: %s", len(sets), err, listed.talk)
	}
	for _, s := range sets {
		did := setup{}.run(t, "eval", "run", s.Name)
		if did.code != 0 || !strings.Contains(did.out, fmt.Sprintf("cases   %d\n", s.Cases)) || !strings.Contains(did.out, "failed  0\n") ||
			did.talk != "" {
			t.Errorf("%s: got code %d and\n%s%s", s.Name, did.code, did.out, did.talk)
		}
	}
	golden(t, "eval/shift.golden", setup{}.run(t, "eval", "run", "shift").out)
	golden(t, "eval/outreach.golden", setup{}.run(t, "eval", "run", "outreach").out)
}

// TestAScriptedModelIsNoModelToMeasure promises the words, and that it is not even
// asked; a route that the settings refuse is not asked either.
func TestAScriptedModelIsNoModelToMeasure(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	routes := func(text string) []string {
		file := filepath.Join(t.TempDir(), "models.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"GAVEL_MODELS=" + file}
	}
	scripted := routes(fmt.Sprintf("small: {provider: scripted, base_url: %q}\nlarge: {provider: scripted, base_url: %q}\n", server.URL,
		server.URL))
	none := setup{}.run(t, "eval", "run", "outreach")
	for _, mode := range []string{"production", "demo"} {
		did := setup{environ: append(scripted, "GAVEL_MODE="+mode)}.run(t, "eval", "run", "outreach")
		if did.code != 0 || did.out != none.out || strings.Count(did.out, "not measured: needs a real model") != 4 {
			t.Errorf("in %s: got code %d and\n%s%s", mode, did.code, did.out, did.talk)
		}
	}
	broken := setup{environ: routes("small: {provider: oracle}\n")}
	if did := broken.run(t, "eval", "run", "outreach"); did.code != exitUsage || !strings.Contains(did.talk, "GAVEL_MODELS") {
		t.Errorf("of a refused route: got code %d and %s", did.code, did.talk)
	}
	if did := broken.run(t, "eval", "run", "shift"); did.code != 0 {
		t.Errorf("of a set that needs no model: got code %d and %s", did.code, did.talk)
	}
	if asked > 0 {
		t.Errorf("the server was asked %d times", asked)
	}
}

// made is an application with one set: so many cases are answered rightly.
func made(name string, right, cases int) platform.App {
	var body strings.Builder
	for i := range cases {
		fmt.Fprintf(&body, `{"id":"made-%d","inputs":{"right":%t},"expected":{},"metadata":{}}`+"\n", i+1, i < right)
	}
	head := fmt.Sprintf(`{"name":"%s/made","version":"7","sha256":"%x"}`, name, sha256.Sum256([]byte(body.String())))
	answer := func(_ context.Context, c eval.Case, _ eval.Models) (eval.Outcome, error) {
		if strings.Contains(string(c.Inputs), "true") {
			return eval.Outcome{Marks: []eval.Mark{{Metric: "accuracy", Hits: 1, Of: 1}}}, nil
		}
		return eval.Outcome{Differences: []string{"got black, want white"}, Marks: []eval.Mark{{Metric: "accuracy", Of: 1}}}, nil
	}
	return platform.App{Name: name, Evals: []eval.Set{{Name: "made", Words: "made up", Answer: answer,
		Metrics: []eval.Metric{{Name: "accuracy", Goal: eval.AtLeast(950)}},
		Files:   fstest.MapFS{"dataset.json": {Data: []byte(head)}, "cases.jsonl": {Data: []byte(body.String())}}}}}
}

// TestAMissedGoalEndsWithAFailure promises the exit code, the first differences,
// the file, and how a set is named where several applications have it.
func TestAMissedGoalEndsWithAFailure(t *testing.T) {
	run := func(apps applications, args ...string) ran {
		var out, talk bytes.Buffer
		c := &cli{apps: apps, in: strings.NewReader(""), out: &out, talk: &talk, terminal: true}
		return ran{c.run(t.Context(), append([]string{"eval", "run"}, args...)), out.String(), talk.String()}
	}
	good, bad := made("good", 95, 100), made("bad", 94, 100)
	file := filepath.Join(t.TempDir(), "report.json")
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"good/made"}, exitOK, "accuracy  95 %   95/100  ≥ 95 %  met"},
		{[]string{"made", "--app", "good"}, exitOK, "failed  5"},
		{[]string{"bad/made", "--out", file}, exitFailed, "made-95\n  got black, want white\n"},
		{[]string{"bad/made"}, exitFailed, "94/100  ≥ 95 %  missed"},
		{[]string{"made"}, exitUsage, "several applications"},
		{[]string{"good/made", "--app", "bad"}, exitUsage, "not a set of"},
		{[]string{"other"}, exitNotFound, "gavel eval list"},
		{[]string{"bad/made", "--out", filepath.Join(file, "no")}, exitUsage, "cannot be written"},
	} {
		did := run(applications{good, bad}, tt.args...)
		if did.code != tt.code || !strings.Contains(did.out+did.talk, tt.says) {
			t.Errorf("%v: got code %d and\n%s%s\nwant %d and %q", tt.args, did.code, did.out, did.talk, tt.code, tt.says)
		}
		if tt.code == exitOK && !strings.Contains(did.talk, "100 of 100 cases") {
			t.Errorf("%v: did not say how far it was: %q", tt.args, did.talk)
		}
	}
	var r eval.Report
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &r) != nil || r.Failed != 6 || r.Dataset.Version != "7" || r.Metrics[0].Status != eval.Missed {
		t.Errorf("the file holds %s, %v", text, err)
	}
}

// TestAReleaseIsHeldAgainstItsGate promises that every application with a gate keeps to it
// with nothing around, that what needs a model is said and stops nothing, and that a missed
// demand is code 8.
func TestAReleaseIsHeldAgainstItsGate(t *testing.T) {
	did := setup{}.run(t, "eval", "gate")
	golden(t, "eval/gate.golden", did.out)
	if did.code != exitOK || !strings.Contains(did.out, "not measured: needs a real model") || strings.Contains(did.out, "missed") {
		t.Errorf("got code %d and\n%s%s", did.code, did.out, did.talk)
	}
	if did := (setup{}).run(t, "eval", "gate", "airshed"); did.code != exitNotFound {
		t.Errorf("of one without a gate: got code %d, %s", did.code, did.talk)
	}
	demand := func(metric string) []byte {
		return fmt.Appendf(nil, `{"about": "", "demands": [{"set": "made", "metric": %q, "at_least": 950, "why": "made up"}]}`, metric)
	}
	good, bad, broken := made("good", 95, 100), made("bad", 94, 100), made("broken", 1, 1)
	good.Gate, bad.Gate, broken.Gate = demand("accuracy"), demand("accuracy"), demand("charm")
	for _, tt := range []struct {
		app, says string
		code      int
	}{{"good", "95 %   95/100  88.8 to 97.8  ≥ 95 %  met", exitOK}, {"bad", "94/100  87.5 to 97.2  ≥ 95 %  missed", exitProblems},
		{"broken", "which nobody counts", exitUsage}} {
		var out, talk bytes.Buffer
		c := &cli{apps: applications{good, bad, broken}, in: strings.NewReader(""), out: &out, talk: &talk, terminal: true}
		code := c.run(t.Context(), []string{"eval", "gate", tt.app})
		if code != tt.code || !strings.Contains(out.String()+talk.String(), tt.says) {
			t.Errorf("%s: got code %d and\n%s%s", tt.app, code, out.String(), talk.String())
		}
	}
}

// TestTwoReportsAreCompared promises the sentence, the cases that got worse, and the codes:
// 8 where something got worse, 6 where there is nothing to compare.
func TestTwoReportsAreCompared(t *testing.T) {
	dir := t.TempDir()
	write := func(name, cases string, right int) string {
		app := made("made", 100, 100)
		r, err := eval.Run(t.Context(), app.Evals[0], eval.Models{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Items {
			if i >= right {
				r.Items[i].Scores["accuracy"] = 0
			}
		}
		r.Dataset.SHA256 += cases
		file := filepath.Join(dir, name+".json")
		if err := writeReport(file, r); err != nil {
			t.Fatal(err)
		}
		return file
	}
	was, same, worse, others := write("v1", "", 100), write("v2", "", 100), write("v3", "", 90), write("v4", "x", 100)
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after, says string
		code        int
	}{
		{same, "No difference between v1 and v2 is shown in accuracy: 0.0 points (95 %: 0.0 to 0.0, 100 paired items, p = 1.000).", exitOK},
		{worse, "v3 is worse than v1 in accuracy: −10.0 points", exitProblems},
		{worse, "10 items got worse.\n  worse: made-100\n", exitProblems},
		{others, "not comparable because they were asked other cases", exitConflict},
		{empty, "no report of single cases", exitUsage},
		{filepath.Join(dir, "none.json"), "there is no report", exitNotFound},
	} {
		var out, talk bytes.Buffer
		c := &cli{in: strings.NewReader(""), out: &out, talk: &talk, terminal: true}
		if code := c.run(t.Context(), []string{"eval", "compare", was, tt.after}); code != tt.code ||
			!strings.Contains(out.String()+talk.String(), tt.says) {
			t.Errorf("%s: got code %d and\n%s%s\nwant %d and %q", tt.after, code, out.String(), talk.String(), tt.code, tt.says)
		}
	}
}

// TestAFolderOfCasesIsChecked promises what is in it, and the code where its cases changed.
func TestAFolderOfCasesIsChecked(t *testing.T) {
	dir := t.TempDir()
	body := `{"id":"a","inputs":{},"expected":{},"metadata":{"language":"hi"}}` + "\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("cases.jsonl", body)
	write("dataset.json", fmt.Sprintf(`{"name":"made/up","version":"1","sha256":"%x"}`, sha256.Sum256([]byte(body))))
	if did := (setup{}).run(t, "eval", "dataset", dir); did.code != exitOK || !strings.Contains(did.out, "language") {
		t.Errorf("got code %d and\n%s%s", did.code, did.out, did.talk)
	}
	write("cases.jsonl", strings.Replace(body, "hi", "en", 1))
	if did := (setup{}).run(t, "eval", "dataset", dir); did.code != exitConflict {
		t.Errorf("with other cases: got code %d, %s", did.code, did.talk)
	}
}
