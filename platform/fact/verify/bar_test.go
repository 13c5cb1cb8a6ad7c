package verify_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact/verify"
)

// What the bar asks for. The figures are about this verifier on this corpus; they
// say nothing about any model.
const (
	wantTrue        = 300
	wantHindi       = 60
	wantHard        = 60
	perOperator     = 110
	leastRate       = 0.97
	leastOverall    = 0.99
	writtenDir      = "testdata/written"
	digitOperator   = "digits typed"
	paraphrasedFile = "paraphrased-direction.txt"
	aliasFile       = "swapped-alias.txt"
)

var every = flag.Bool("every", false, "judge every mutant there is, not an equal part of each operator's")

func TestTrueSentencesAreNotBlocked(t *testing.T) {
	ws := worlds(t)
	items := trueItems(t)
	hindi, hard, blocked := 0, 0, 0
	for _, it := range items {
		w := ws[it.world]
		if it.lang == "hi" {
			hindi++
		}
		if it.hard() {
			hard++
		}
		r := w.check(t, it.must, w.numbered(t, it.text), w.book, nil)
		if r.Blocked() {
			blocked++
			t.Errorf("%s is true and was blocked: %s\n%s", it.where, it.text, blocking(r))
		}
	}
	t.Logf("true sentences: %d (%d in Hindi, %d hard), %d blocked", len(items), hindi, hard, blocked)
	if len(items) < wantTrue || hindi < wantHindi || hard < wantHard {
		t.Errorf("got %d true sentences, %d in Hindi, %d hard; want %d, %d, %d", len(items), hindi, hard, wantTrue, wantHindi, wantHard)
	}
}

func blocking(r verify.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Severity == verify.Block {
			fmt.Fprintf(&b, "    %s\n", f)
		}
	}
	return b.String()
}

// A row is one operator's part of the bar.
type row struct {
	name         string
	made, caught int
	missed       []mutant
	byRule       map[verify.Rule]int
}

// TestVerifierBar prints how many mutants of each operator the verifier catches.
func TestVerifierBar(t *testing.T) {
	ws := worlds(t)
	var rows []row
	for _, op := range operators() {
		var all []mutant
		for _, it := range trueItems(t) {
			all = append(all, op.make(ws[it.world], it)...)
		}
		rows = append(rows, judge(t, ws, op.name, spread(all, perOperator)))
	}
	for _, file := range []string{paraphrasedFile, aliasFile} {
		rows = append(rows, judge(t, ws, strings.ReplaceAll(strings.TrimSuffix(file, ".txt"), "-", " "),
			spread(written(t, file), perOperator)))
	}
	report(t, rows)
}

// spread takes n of the mutants, evenly from the first to the last.
func spread(all []mutant, n int) []mutant {
	if len(all) <= n || *every {
		return all
	}
	out := make([]mutant, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// written loads mutants that someone who has not read the verifier wrote.
func written(t *testing.T, file string) []mutant {
	path := filepath.Join(writtenDir, file)
	if found, _ := filepath.Glob(path); found == nil {
		t.Errorf("%s is missing: testdata/README.md says how it is written", path)
		return nil
	}
	var out []mutant
	for _, it := range loadItems(t, path) {
		out = append(out, it.with(it.text))
	}
	return out
}

func judge(t *testing.T, ws map[string]*world, name string, mutants []mutant) row {
	r := row{name: name, byRule: map[verify.Rule]int{}}
	for _, m := range mutants {
		w := ws[m.world]
		book := w.book
		if m.book != nil {
			b, err := m.book()
			if err != nil {
				continue // the change cannot be made in this world: no mutant
			}
			book = b
		}
		r.made++
		rep := w.check(t, m.must, w.numbered(t, m.text), book, m.pins)
		if !rep.Blocked() {
			r.missed = append(r.missed, m)
			continue
		}
		r.caught++
		for _, rule := range rep.Rules() {
			r.byRule[rule]++
		}
	}
	return r
}

func report(t *testing.T, rows []row) {
	made, caught := 0, 0
	fmt.Printf("%-26s %6s %7s %7s  %s\n", "operator", "made", "caught", "rate", "rules that blocked")
	for _, r := range rows {
		rate := float64(r.caught) / float64(max(r.made, 1))
		fmt.Printf("%-26s %6d %7d %6.1f%%  %v\n", r.name, r.made, r.caught, 100*rate, r.byRule)
		for _, m := range r.missed {
			t.Logf("missed by %s: %s (%s)", r.name, m.text, m.where)
		}
		if rate < leastRate || r.made < 100 {
			t.Errorf("%s: caught %d of %d, want %.0f %% of at least 100", r.name, r.caught, r.made, 100*leastRate)
		}
		if r.name != digitOperator {
			made, caught = made+r.made, caught+r.caught
		}
	}
	overall := float64(caught) / float64(max(made, 1))
	fmt.Printf("%-26s %6d %7d %6.2f%%  (without %s)\n", "overall", made, caught, 100*overall, digitOperator)
	if overall < leastOverall {
		t.Errorf("overall %.2f %%, want %.0f %%", 100*overall, 100*leastOverall)
	}
}
