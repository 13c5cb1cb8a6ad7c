package evidence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestFactsAreNumberedAsABookNumbersThem promises that the register in
// PostgreSQL and the one in memory never disagree: same numbers, versions and
// bytes after any sequence of readings and derivations.
func TestFactsAreNumberedAsABookNumbersThem(t *testing.T) {
	r := newRig(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		id := r.openCase(t, fmt.Sprintf("run-%d", run))
		book := fact.NewBook(string(id))
		steps := rapid.IntRange(1, 6).Draw(rt, "steps")
		for range steps {
			if len(book.Newest()) > 1 && rapid.Bool().Draw(rt, "derive") {
				ids := rapid.SliceOfNDistinct(rapid.SampledFrom(idsOf(book.Newest())), 2, 2, rapid.ID).Draw(rt, "inputs")
				op := rapid.SampledFrom([]fact.Op{fact.Sum, fact.Difference, fact.Mean, fact.Ratio, fact.Rank, fact.Count}).Draw(rt, "op")
				want, wantErr := book.Derive(op, "test-1", ids...)
				got, err := r.Derive(t.Context(), gavel, id, op, ids...)
				if (err != nil) != (wantErr != nil) {
					rt.Fatalf("%s %v: got %v, the book says %v", op, ids, err, wantErr)
				}
				sameFact(rt, got, want)
				continue
			}
			n := rapid.IntRange(1, 4).Draw(rt, "rows")
			values := make([]string, n)
			for i := range values {
				values[i] = rapid.SampledFrom([]string{"1", "-128.92", "0.1", "1e60", "-0", "123456789012345678901", "3.50"}).
					Draw(rt, "value")
			}
			snap := r.take(t, readings(n, func(i int) string { return values[i-1] }))
			drafts := make([]fact.Fact, n)
			for i := range drafts {
				drafts[i] = cell(t, snap, i+1, values[i])
			}
			got := r.record(t, id, drafts...)
			for i, d := range drafts {
				d.AsOf = d.AsOf.UTC().Truncate(time.Microsecond)
				want, err := book.Add(d)
				if err != nil {
					rt.Fatal(err)
				}
				sameFact(rt, got[i], want)
			}
		}
		kept, err := r.Book(t.Context(), analyst.Org, id)
		if err != nil {
			rt.Fatal(err)
		}
		got, want := kept.All(), book.All()
		if len(got) != len(want) {
			rt.Fatalf("got %d facts, want %d", len(got), len(want))
		}
		for i := range got {
			sameFact(rt, got[i], want[i])
		}
	})
}

func idsOf(facts []fact.Fact) []fact.ID {
	var ids []fact.ID
	for _, f := range facts {
		ids = append(ids, f.ID)
	}
	return ids
}

func sameFact(t rapid.TB, got, want fact.Fact) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Fatalf("got\n%s\nwant\n%s", g, w)
	}
}

func TestWritersAtOnceNeverShareANumber(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(40, func(i int) string { return fmt.Sprint(i) }))
	base := r.record(t, id, cell(t, snap, 39, "39"), cell(t, snap, 40, "40"))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			// Neighbours record overlapping rows, and all derive the same sum.
			if _, err := r.Record(t.Context(), gavel, id, cell(t, snap, i+1, fmt.Sprint(i+1)),
				cell(t, snap, i+2, fmt.Sprint(i+2))); err != nil {
				t.Error(err)
			}
			f, err := r.Derive(t.Context(), gavel, id, fact.Sum, base[0].ID, base[1].ID)
			if err != nil || f.Value != "79" || f.Version != 1 {
				t.Errorf("got %s version %d, %v", f.Value, f.Version, err)
			}
		})
	}
	wg.Wait()
	book, err := r.Book(t.Context(), analyst.Org, id) // refuses gaps, doubles and one key under two numbers
	if err != nil {
		t.Fatal(err)
	}
	if n := len(book.All()); n != 2+17+1 {
		t.Errorf("got %d facts, want 20", n)
	}
}

func TestANewValueIsANewVersionOfTheSameNumber(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	first := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i) }))
	r.record(t, id, cell(t, first, 1, "1"), cell(t, first, 2, "2"))
	sum, err := r.Derive(t.Context(), gavel, id, fact.Sum, "F1", "F2")
	if err != nil {
		t.Fatal(err)
	}
	second := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i * 5) }))
	again := r.record(t, id, cell(t, second, 1, "5"))
	if again[0].ID != "F1" || again[0].Version != 2 {
		t.Errorf("got %s, want F1@2", again[0].Ref())
	}
	if old, err := r.Fact(t.Context(), analyst.Org, id, fact.Ref{ID: "F1", Version: 1}); err != nil || old.Value != "1" {
		t.Errorf("F1@1 is now %s, %v", old.Value, err)
	}
	newer, err := r.Derive(t.Context(), gavel, id, fact.Sum, "F2", "F1")
	if err != nil || newer.ID != sum.ID || newer.Version != 2 || newer.Value != "7" {
		t.Errorf("the sum again: got %s = %s, %v; want %s@2 = 7", newer.Ref(), newer.Value, err, sum.ID)
	}
	book, err := r.Book(t.Context(), analyst.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	if old, fresh := book.Fresh(sum.Ref()); fresh {
		t.Errorf("%s is said to be fresh", old)
	}
	list, err := r.Facts(t.Context(), analyst.Org, id, evidence.FactQuery{Limit: 2})
	if err != nil || len(list) != 2 || list[0].Version != 2 || list[1].ID != "F2" {
		t.Errorf("got %v, %v", list, err)
	}
	if rest, err := r.Facts(t.Context(), analyst.Org, id, evidence.FactQuery{After: "F2"}); err != nil || len(rest) != 1 ||
		rest[0].Ref() != newer.Ref() {
		t.Errorf("the next page: got %v, %v", rest, err)
	}
	if v, err := r.Versions(t.Context(), analyst.Org, id, "F1"); err != nil || len(v) != 2 || v[0].Value != "1" || v[1].Value != "5" {
		t.Errorf("versions: got %v, %v", v, err)
	}
}

func TestNoFactIsLetInThatDoesNotFollowFromItsBytes(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, "row,val\n1,411.6\n2,\"1,234\"\n3,n/a\n4,7\n")
	south, err := r.Take(t.Context(), identity.Gavel(postgrestest.South), evidence.Receipt{Source: "cpcb"},
		strings.NewReader("row,val\n1,9\n"))
	if err != nil {
		t.Fatal(err)
	}
	seven := cell(t, snap, 4, "7")
	manual := func(kind fact.Kind, by string) fact.Fact {
		f, err := fact.Read(fact.Reading{Kind: kind, Number: "5", Subject: fact.Subject{Type: "x"},
			Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: by}}}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	change := func(f fact.Fact, with func(*fact.Fact)) fact.Fact { with(&f); return f }
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		draft fact.Fact
		want  fault.Kind
		says  string
	}{
		{"another value", gavel, cell(t, snap, 1, "911.6"), fault.Invalid, "it says 911.6; done again it is 411.6"},
		{"a digit more", gavel, cell(t, snap, 1, "411.60000000000000001"), fault.Invalid, "exact"},
		{"another row", gavel, cell(t, snap, 2, "411.6"), fault.Invalid, `"1,234" is not a number`},
		{"no number there", gavel, cell(t, snap, 3, "0"), fault.Invalid, "n/a"},
		{"no such row", gavel, cell(t, snap, 5, "7"), fault.Invalid, "there is no record 5; the last is 4"},
		{"another organisation's bytes", gavel, cell(t, south, 1, "9"), fault.NotFound, "no snapshot"},
		{"a display of its own", gavel, change(seven, func(f *fact.Fact) { f.Display = "70.00 Mt" }), fault.Invalid, "shown"},
		{"a key of its own", gavel, change(seven, func(f *fact.Fact) { f.Key = strings.Repeat("0", 64) }), fault.Invalid, "key"},
		{"a value of its own", gavel, change(seven, func(f *fact.Fact) { f.Value = "8" }), fault.Invalid, "8"},
		{"no source", gavel, change(seven, func(f *fact.Fact) { f.Source = nil }), fault.Invalid, "where it was read"},
		{"another case", gavel, change(seven, func(f *fact.Fact) { f.Case = "case_x" }), fault.Invalid, "belongs to case"},
		{"a zero byte", gavel, change(seven, func(f *fact.Fact) { f.Subject.Type = "a\x00" }), fault.Invalid, "cannot be stored"},
		{"a person who did not say it", analyst, manual(fact.Assumed, "p:officer"), fault.Refused, "nobody else"},
		{"a program that speaks for a person", gavel, manual(fact.Assumed, "gavel"), fault.Refused, "nobody else"},
		{"what a person says was observed", analyst, manual(fact.Observed, analyst.ID), fault.Invalid, "not observed"},
		{"an auditor", person(postgrestest.North, identity.Auditor), seven, fault.Refused, ""},
	} {
		// The good draft beside it must not slip in.
		_, err := r.Record(t.Context(), tt.actor, id, seven, tt.draft)
		text := fmt.Sprint(err)
		if !fault.Is(err, tt.want) || !strings.Contains(text, tt.says) {
			t.Errorf("%s: got %v, want %s that says %q", tt.name, err, tt.want, tt.says)
		}
	}
	if n := r.count(t, `select count(*) from gavel.fact`); n != 0 {
		t.Errorf("%d facts were let in", n)
	}
	if got, err := r.Record(t.Context(), analyst, id, manual(fact.Assumed, analyst.ID)); err != nil || got[0].ID != "F1" {
		t.Errorf("what the person says themselves: got %v, %v", got, err)
	}
}

func TestAComputedDraftMustFollowFromTheVersionsItPins(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i) }))
	in := r.record(t, id, cell(t, snap, 1, "1"), cell(t, snap, 2, "2"))
	good, err := fact.Derive(fact.Sum, "elsewhere-1", in...)
	if err != nil {
		t.Fatal(err)
	}
	good.Subject = fact.Subject{Type: "total", Names: fact.Names{EN: []string{"All sectors"}}}
	change := func(with func(*fact.Fact)) fact.Fact {
		f := good
		c := *f.Calc
		c.Inputs = slices.Clone(c.Inputs)
		f.Calc = &c
		with(&f)
		return f
	}
	for name, draft := range map[string]fact.Fact{
		"another value":   change(func(f *fact.Fact) { f.Value, f.Exact = "4", "4" }),
		"another op":      change(func(f *fact.Fact) { f.Calc.Op = fact.Mean }),
		"another version": change(func(f *fact.Fact) { f.Calc.Inputs[0].Version = 2 }),
		"another input":   change(func(f *fact.Fact) { f.Calc.Inputs[0].ID = "F9" }),
		"another unit":    change(func(f *fact.Fact) { f.Unit = "kt" }),
		"a bad subject":   change(func(f *fact.Fact) { f.Subject.IDs = map[string]string{"Not Good": "x"} }),
		"a source too":    change(func(f *fact.Fact) { f.Source = in[0].Source }),
		"many decimals":   change(func(f *fact.Fact) { f.Rounding.Decimals = 40 }),
	} {
		if _, err := r.Record(t.Context(), gavel, id, draft); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	got := r.record(t, id, good)
	if got[0].ID != "F3" || got[0].Subject.Names.EN[0] != "All sectors" || got[0].Calc.Code != "elsewhere-1" {
		t.Errorf("got %+v", got[0])
	}
}

func TestDerivationsAreRefusedWithTheReason(t *testing.T) {
	r := newRig(t)
	id, closed := r.openCase(t, "k"), r.openCase(t, "closed")
	snap := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i - 1) }))
	r.record(t, id, cell(t, snap, 1, "0"), cell(t, snap, 2, "1"))
	r.admin(t, `update gavel.case set state = 'closed', closed_at = now() where id = $1`, closed)
	for _, tt := range []struct {
		name string
		id   casefile.CaseID
		op   fact.Op
		ids  []fact.ID
		want fault.Kind
	}{
		{"a division by zero", id, fact.Ratio, []fact.ID{"F2", "F1"}, fault.Invalid},
		{"an unknown operation", id, "guess", []fact.ID{"F1"}, fault.Invalid},
		{"a fact that is not there", id, fact.Sum, []fact.ID{"F1", "F9"}, fault.NotFound},
		{"no number at all", id, fact.Sum, []fact.ID{"F1; drop table"}, fault.Invalid},
		{"no inputs", id, fact.Sum, nil, fault.Invalid},
		{"one input twice", id, fact.Sum, []fact.ID{"F1", "F1"}, fault.Invalid},
		{"too many inputs", id, fact.Sum, make([]fact.ID, fact.MaxInputs+1), fault.TooLarge},
		{"another case", closed, fact.Sum, []fact.ID{"F1"}, fault.Conflict},
	} {
		if _, err := r.Derive(t.Context(), gavel, tt.id, tt.op, tt.ids...); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if _, err := r.Derive(t.Context(), identity.Gavel(postgrestest.South), id, fact.Sum, "F1"); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation: got %v, want not found", err)
	}
}

func TestAFailedTransactionLeavesNoFactAndNoNumber(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i) }))
	vetted, err := r.Vet(t.Context(), gavel, cell(t, snap, 1, "1"))
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err = r.db.App.InOrg(t.Context(), gavel.Org, func(tx pgx.Tx) error {
		if _, err := r.Mint(t.Context(), tx, id, vetted); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if got := r.record(t, id, cell(t, snap, 2, "2")); got[0].ID != "F1" {
		t.Errorf("got %s, want F1", got[0].ID)
	}
	if n := len(r.records(t, evidence.RecordFacts)); n != 1 {
		t.Errorf("%d records of facts, want 1", n)
	}
}

// TestTheLogHoldsWhatWasEntered promises that the digest in the log is that of
// the facts as PostgreSQL gives them back, so that a changed formula or selector
// shows even where the value still follows from it.
func TestTheLogHoldsWhatWasEntered(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(3, func(i int) string { return "1" }))
	r.record(t, id, cell(t, snap, 1, "1"), cell(t, snap, 2, "1"))
	if _, err := r.Derive(t.Context(), gavel, id, fact.Mean, "F1", "F2"); err != nil {
		t.Fatal(err)
	}
	if again := r.record(t, id, cell(t, snap, 1, "1")); again[0].Version != 1 {
		t.Fatal("a reading again made a version")
	}
	check := func() (agree int) {
		rows, _ := r.db.System.Query(t.Context(), `select id, json::json->'body'->>'sha256' from gavel.record where kind = 'facts'
			order by id`)
		type entry struct{ ID, SHA256 string }
		entries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[entry])
		if err != nil || len(entries) != 2 {
			t.Fatalf("got %v, %v; want two entries: what says nothing new is not logged", entries, err)
		}
		for _, e := range entries {
			facts, err := r.Entered(t.Context(), analyst.Org, audit.RecordID(e.ID))
			if err != nil {
				t.Fatal(err)
			}
			if sum, err := reperform.BatchDigest(facts); err == nil && sum == e.SHA256 {
				agree++
			}
		}
		return agree
	}
	if n := check(); n != 2 {
		t.Fatalf("%d of 2 entries agree with the log", n)
	}
	// Row 3 says the same, and nothing but the log knows that row 2 was cited.
	r.admin(t, `update gavel.fact set source = jsonb_set(source, '{selector,csv,row}', '3') where id = 'F2'`)
	if rep, err := r.Reperform(t.Context(), analyst.Org, id); err != nil || !rep.OK() {
		t.Fatalf("got %+v, %v; the changed selector should still re-perform", rep, err)
	}
	if n := check(); n != 1 {
		t.Errorf("%d of 2 entries agree with the log after a selector was changed, want 1", n)
	}
}

func TestUsesReachThroughComputedFacts(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(2, func(i int) string { return fmt.Sprint(i) }))
	r.record(t, id, cell(t, snap, 1, "1"), cell(t, snap, 2, "2"))
	for _, f := range []evidence.Formula{{Op: fact.Sum, Inputs: []fact.ID{"F1", "F2"}},
		{Op: fact.Percentage, Inputs: []fact.ID{"F1", "F3"}}} {
		if _, err := r.DeriveAll(t.Context(), gavel, id, f); err != nil {
			t.Fatal(err)
		}
	}
	pin := func(refs ...fact.Ref) error {
		return r.db.App.InOrg(t.Context(), gavel.Org, func(tx pgx.Tx) error {
			return evidence.Pin(t.Context(), tx, gavel.Org, id, "draft_1", "Finding 1", refs...)
		})
	}
	for range 2 {
		if err := pin(fact.Ref{ID: "F4", Version: 1}, fact.Ref{ID: "F1", Version: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := pin(fact.Ref{ID: "F4", Version: 2}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a version that is not there: got %v, want not found", err)
	}
	uses, err := r.Uses(t.Context(), analyst.Org, id, fact.Ref{ID: "F1", Version: 1})
	want := []evidence.Use{
		{Kind: evidence.ByFact, By: "F3@1", Steps: 1}, {Kind: evidence.ByFact, By: "F4@1", Steps: 1},
		{Kind: evidence.ByText, By: "draft_1", Label: "Finding 1", Steps: 1},
	}
	if err != nil || !slices.Equal(uses, want) {
		t.Errorf("F1: got %v, %v, want %v", uses, err, want)
	}
	uses, err = r.Uses(t.Context(), analyst.Org, id, fact.Ref{ID: "F2", Version: 1})
	want = []evidence.Use{
		{Kind: evidence.ByFact, By: "F3@1", Steps: 1}, {Kind: evidence.ByFact, By: "F4@1", Steps: 2},
		{Kind: evidence.ByText, By: "draft_1", Label: "Finding 1", Steps: 3},
	}
	if err != nil || !slices.Equal(uses, want) {
		t.Errorf("F2: got %v, %v, want %v", uses, err, want)
	}
	basis, err := r.Basis(t.Context(), analyst.Org, id, fact.Ref{ID: "F4", Version: 1}, 10)
	if got := fmt.Sprint(idsOf(basis)); err != nil || got != "[F4 F1 F3 F2]" {
		t.Errorf("the basis of F4: got %s, %v", got, err)
	}
	if _, err := r.Basis(t.Context(), analyst.Org, id, fact.Ref{ID: "F4", Version: 1}, 3); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a bounded basis: got %v, want too large", err)
	}
}

// TestNumbersKeepEveryDigit promises that no value passes through a float on its
// way into the record and back.
func TestNumbersKeepEveryDigit(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.StringMatching(`-?[1-9][0-9]{0,29}(\.[0-9]{1,25})?(e-?[0-9])?`).Draw(rt, "number")
		snap := r.take(t, "row,val\n1,"+number+"\n")
		got := r.record(t, id, cell(t, snap, 1, number))
		kept, err := r.Fact(t.Context(), analyst.Org, id, got[0].Ref())
		if err != nil {
			rt.Fatal(err)
		}
		n, err := kept.Number()
		want, ok := new(big.Rat).SetString(number)
		if err != nil || !ok || n.Cmp(want) != 0 {
			rt.Fatalf("%s is now %s, %v", number, kept.Exact, err)
		}
	})
}

// TestThousandsOfFactsNeedNoStatistics promises that a large report fits into the
// database's limit for one statement on the day an installation is new: before
// the planner has statistics it once took a path that was the square of this.
func TestThousandsOfFactsNeedNoStatistics(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	const n = fact.MaxInputs
	snap := r.take(t, readings(n, func(i int) string { return fmt.Sprint(i) }))
	drafts := make([]fact.Fact, n)
	for i := range drafts {
		drafts[i] = cell(t, snap, i+1, fmt.Sprint(i+1))
	}
	kept := r.record(t, id, drafts...)
	if again := r.record(t, id, drafts...); again[n-1].Ref() != kept[n-1].Ref() {
		t.Errorf("got %s, want %s again", again[n-1].Ref(), kept[n-1].Ref())
	}
	sum, err := r.Derive(t.Context(), gavel, id, fact.Sum, idsOf(kept)...)
	if err != nil || sum.Value != fmt.Sprint(n*(n+1)/2) {
		t.Errorf("got %s, %v", sum.Value, err)
	}
	rep, err := r.Reperform(t.Context(), analyst.Org, id)
	if err != nil || rep.Count()[reperform.Pass] != n+1 {
		t.Errorf("got %v, %v", rep.Count(), err)
	}
}
