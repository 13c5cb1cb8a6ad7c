package report_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

var mutants = flag.Int("mutants", 200, "false sentences to make of the run's report, in equal parts by operator")

// What the bar asks for.
const (
	leastCaught = 0.99
	typedDigits = "digits typed" // counted apart: whoever types a number is always caught
)

// A line is one true sentence of the report, with what it is judged by.
type line struct {
	section, chart, rule, text string
	facts                      []fact.Fact
	book                       *fact.Book
	ready                      *verify.Verifier
	labels                     []string // what the series of its chart are called
	winner                     string   // the scenario that falls most, "" where the paragraph does not say
}

// A mutant is such a sentence made false in one way.
type mutant struct {
	line
	now  string
	book *fact.Book // nil: the section's own
	pins map[fact.ID]int
}

// lines are all sentences of the report.
func lines(t *testing.T, r *report.Result, files map[string][]byte) []line {
	t.Helper()
	cat := discover(t, files)
	ready := map[string]*verify.Verifier{}
	labels := map[string][]string{}
	for i := range cat.Charts {
		ch := &cat.Charts[i]
		v, err := verify.New(summary.Profile(ch.Key, ch))
		if err != nil {
			t.Fatal(err)
		}
		ready[ch.Key] = v
		for _, s := range ch.Table.Series {
			if !slices.Contains(labels[ch.Key], s.Label()) {
				labels[ch.Key] = append(labels[ch.Key], s.Label())
			}
		}
	}
	var out []line
	for _, e := range r.Ledger.Sections {
		book, err := e.Book()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range e.Paragraphs {
			winner := ""
			for _, s := range p.Sentences {
				if s.Rule == "K3" {
					winner = scenarioOf(s.Text)
				}
			}
			for _, s := range p.Sentences {
				out = append(out, line{e.ID, p.Chart, s.Rule, s.Text, e.Facts, book, ready[p.Chart], labels[p.Chart], winner})
			}
		}
	}
	return out
}

func (m mutant) blocked(t *testing.T) bool {
	t.Helper()
	book := m.book
	if book == nil {
		book = m.line.book
	}
	rep, err := m.ready.Check(verify.Document{Parts: []verify.Part{{Name: m.section, Text: m.now}}, Pins: m.pins}, book)
	if err != nil {
		t.Fatal(err)
	}
	return rep.Blocked()
}

// TestReportBar promises that no true sentence of the whole report is blocked, and that of as many false ones as are asked for, made of
// them by ten operators in equal parts, at least 99 in a hundred are. The last line is that figure.
func TestReportBar(t *testing.T) {
	run, made := whole(t)
	all := lines(t, made, run.Files())
	var truths []mutant
	for _, l := range all {
		truths = append(truths, mutant{line: l, now: l.text})
	}
	blocked := 0
	truths = spread(truths, *mutants)
	for _, m := range truths {
		if m.blocked(t) {
			blocked++
			t.Errorf("%s is true and was blocked: %s", m.section, m.text)
		}
	}
	fmt.Printf("true sentences: %d, %d blocked\n%-26s %6s %7s %7s\n", len(truths), blocked, "operator", "made", "caught", "rate")
	total, caught := 0, 0
	for _, op := range operators() {
		part := spread(op.make(t, all), *mutants/len(operators()))
		n := 0
		for i, m := range part {
			if m.blocked(t) {
				n++
			} else {
				t.Logf("missed by %s, %d: %s", op.name, i, m.now)
			}
		}
		fmt.Printf("%-26s %6d %7d %6.1f%%\n", op.name, len(part), n, 100*float64(n)/float64(max(len(part), 1)))
		if len(part) < *mutants/len(operators()) {
			t.Errorf("%s makes only %d", op.name, len(part))
		}
		if op.name != typedDigits {
			total, caught = total+len(part), caught+n
		}
	}
	rate := float64(caught) / float64(max(total, 1))
	if rate < leastCaught {
		t.Errorf("%.2f %% are caught, want %.0f", 100*rate, 100*leastCaught)
	}
	fmt.Printf("caught=%.2f %% of %d without %s\n", 100*rate, total, typedDigits)
}

// spread takes n of the mutants, evenly from the first to the last.
func spread(all []mutant, n int) []mutant {
	if len(all) <= n {
		return all
	}
	out := make([]mutant, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}
