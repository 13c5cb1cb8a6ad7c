package ledger_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
)

// A small case: two scenarios, two sectors, two years.
type world struct {
	t    *testing.T
	book *fact.Book
}

func (w world) level(number, scenario, sector, year string) fact.Fact {
	w.t.Helper()
	f, err := fact.Read(fact.Reading{
		Kind: fact.Observed, Number: number, Unit: "PJ",
		Subject: fact.Subject{Type: "series", IDs: map[string]string{"scenario": scenario, "sector": sector, "year": year}},
		Source:  fact.Source{Snapshot: strings.Repeat("0f", 32), Selector: fact.Selector{CSV: &fact.CSVCell{Row: 1, Column: "val"}}},
	})
	if err == nil {
		f, err = w.book.Add(f)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func (w world) derive(op fact.Op, in ...fact.Fact) fact.Fact {
	w.t.Helper()
	ids := make([]fact.ID, len(in))
	for i, f := range in {
		ids[i] = f.ID
	}
	f, err := w.book.Derive(op, "v1", ids...)
	if err != nil {
		w.t.Fatal(err)
	}
	return f
}

func TestFormulasTellWhatTheyAreAbout(t *testing.T) {
	w := world{t, fact.NewBook("c")}
	a25, a50 := w.level("10", "a", "power", "2025"), w.level("4", "a", "power", "2050")
	b50, ai50 := w.level("6", "b", "power", "2050"), w.level("3", "a", "industry", "2050")
	change, gap := w.derive(fact.Difference, a50, a25), w.derive(fact.Difference, b50, a50)
	least, part := w.derive(fact.Min, a50, b50), w.derive(fact.Share, a50, ai50)
	percent, mean := w.derive(fact.Percentage, change, a25), w.derive(fact.Mean, a50, b50)
	growth, rank := w.derive(fact.Growth, a50, a25), w.derive(fact.Rank, b50, a50)
	l := ledger.New(w.book, []string{"scenario", "sector"})
	for _, tt := range []struct {
		name     string
		f        fact.Fact
		scenario string
		sector   string
		move     ledger.Move
	}{
		{"a level", a50, "1 a", "1 power", ledger.Level},
		{"a change over time", change, "1 a", "1 power", ledger.Moved},
		{"a change in per cent", percent, "1 a", "1 power", ledger.Moved},
		{"a growth rate", growth, "1 a", "1 power", ledger.Moved},
		{"a gap", gap, "2 b a", "1 power", ledger.Apart},
		{"a minimum", least, "3 a b wins a", "1 power", ledger.Level},
		{"a mean", mean, "3 a b", "1 power", ledger.Level},
		{"a share", part, "1 a", "1 power", ledger.Level},
		{"a rank", rank, "1 b", "1 power", ledger.Level},
	} {
		if got := words(l.About(tt.f, "scenario")); got != tt.scenario {
			t.Errorf("%s: about scenario %q, want %q", tt.name, got, tt.scenario)
		}
		if got := words(l.About(tt.f, "sector")); got != tt.sector {
			t.Errorf("%s: about sector %q, want %q", tt.name, got, tt.sector)
		}
		if got := l.Movement(tt.f); got != tt.move {
			t.Errorf("%s: movement %d, want %d", tt.name, got, tt.move)
		}
	}
	if n := l.About(a50, "fuel"); n.Kind != ledger.Nothing {
		t.Errorf("got %+v for a dimension the fact does not have", n)
	}
}

func words(n ledger.Need) string {
	s := string(rune('0'+n.Kind)) + " " + strings.Join(n.IDs, " ")
	if n.Winner != "" {
		s += " wins " + n.Winner
	}
	return s
}

func TestTrendAsksChangesOverTimeFirst(t *testing.T) {
	w := world{t, fact.NewBook("c")}
	before, now, norm := w.level("10", "a", "power", "2025"), w.level("4", "a", "power", "2050"), w.level("1", "usual", "power", "2050")
	alone := w.level("7", "b", "industry", "2050")
	w.derive(fact.Ratio, now, norm)
	l := ledger.New(w.book, []string{"sector"})
	if s, known := l.Trend(now); !known || s != 1 {
		t.Errorf("against the norm: got %d, %v", s, known)
	}
	w.derive(fact.Difference, now, before)
	l = ledger.New(w.book, []string{"sector"})
	if s, known := l.Trend(now); !known || s != -1 {
		t.Errorf("over time: got %d, %v", s, known)
	}
	if _, known := l.Trend(alone); known {
		t.Error("a trend of what nothing is measured against")
	}
}

func TestPeerIsTheSameMeasureOfAnother(t *testing.T) {
	w := world{t, fact.NewBook("c")}
	a, b := w.level("4", "a", "power", "2050"), w.level("6", "b", "power", "2050")
	w.level("7", "b", "power", "2025")
	top := w.derive(fact.Rank, a, b)
	l := ledger.New(w.book, []string{"scenario"})
	if p, ok := l.Peer(a, "scenario", "b"); !ok || p.ID != b.ID {
		t.Errorf("got %v, %v", p.ID, ok)
	}
	if _, ok := l.Peer(a, "scenario", "c"); ok {
		t.Error("a peer that is not there")
	}
	if sets := l.Sets(b.ID); len(sets) != 1 || len(sets[0]) != 2 || top.Value != "2" {
		t.Errorf("got %v", sets)
	}
}
