package audit_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// mixed is a log with entries of three kinds from two organisations.
func mixed(t testing.TB) *rig {
	t.Helper()
	r := newRig(t)
	err := r.db.System.InTx(t.Context(), func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		for i := range 400 {
			rec := record(i)
			rec.Kind = []audit.Kind{audit.Decision, audit.Act, audit.Act, audit.Act, audit.Policy, audit.Policy, audit.Policy, audit.Policy,
				audit.Policy, audit.Policy}[i%10]
			rec.Actor.ID = fmt.Sprintf("p:%d", i%7)
			if i%4 == 0 {
				rec.Actor.Org = postgrestest.South
			}
			if _, err := audit.AppendLater(b, rec); err != nil {
				return err
			}
		}
		return tx.SendBatch(t.Context(), b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	r.drain(t)
	return r
}

func numbers(s audit.Sample) []int64 {
	seqs := make([]int64, len(s.Entries))
	for i, e := range s.Entries {
		seqs[i] = e.Seq
	}
	return seqs
}

// TestASampleCanBeDrawnByHand promises that a sample is what its documentation
// says, computed here again without its code.
func TestASampleCanBeDrawnByHand(t *testing.T) {
	r := mixed(t)
	spec := audit.SampleSpec{Seed: "audit 2026-11", Size: 12, From: 50, Upto: 350}
	got, err := audit.Draw(t.Context(), r.db.System, spec)
	if err != nil {
		t.Fatal(err)
	}
	type ranked struct {
		rank string
		seq  int64
	}
	var all []ranked
	for seq := int64(50); seq < 350; seq++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "audit 2026-11\n%d", seq))
		all = append(all, ranked{hex.EncodeToString(sum[:]), seq})
	}
	slices.SortFunc(all, func(a, b ranked) int { return slices.Compare([]string{a.rank}, []string{b.rank}) })
	var want []int64
	for _, x := range all[:12] {
		want = append(want, x.seq)
	}
	slices.Sort(want)
	if !slices.Equal(numbers(got), want) || got.Upto != 350 || got.Strata[0].Of != 300 {
		t.Errorf("got %v of %v, want %v", numbers(got), got.Strata, want)
	}
	for _, e := range got.Entries {
		if i := slices.IndexFunc(all, func(x ranked) bool { return x.seq == e.Seq }); all[i].rank != e.Rank || e.Record == "" ||
			e.Subject == "" {
			t.Errorf("entry %+v, want rank %s", e, all[i].rank)
		}
	}
}

func TestTheSameSeedDrawsTheSameSample(t *testing.T) {
	r := mixed(t)
	spec := audit.SampleSpec{Seed: "one", Size: 20, Strata: "kind", Upto: 401}
	first, err := audit.Draw(t.Context(), r.db.System, spec)
	if err != nil {
		t.Fatal(err)
	}
	r.fill(t, 100) // what comes later changes nothing
	r.drain(t)
	again, err := audit.Draw(t.Context(), r.db.System, spec)
	again.Checkpoint = first.Checkpoint
	if err != nil || !reflect.DeepEqual(first, again) {
		t.Errorf("got %v, then %v, %v", numbers(first), numbers(again), err)
	}
	spec.Seed = "two"
	other, err := audit.Draw(t.Context(), r.db.System, spec)
	if err != nil || slices.Equal(numbers(first), numbers(other)) {
		t.Errorf("another seed draws the same: %v, %v", numbers(other), err)
	}
}

func TestEveryStratumIsDrawnFromInProportion(t *testing.T) {
	r := mixed(t)
	got, err := audit.Draw(t.Context(), r.db.System, audit.SampleSpec{Seed: "s", Size: 40, Strata: "kind"})
	if err != nil {
		t.Fatal(err)
	}
	// 400 entries and the log's own key: 1 + (40-4)·(of-1)/397, whole parts, then the largest remainders.
	want := []audit.Stratum{{Name: "act", Of: 120, Drawn: 12}, {Name: "decision", Of: 40, Drawn: 4}, {Name: "log_key", Of: 1, Drawn: 1},
		{Name: "policy", Of: 240, Drawn: 23}}
	if !slices.Equal(got.Strata, want) {
		t.Errorf("got %+v, want %+v", got.Strata, want)
	}
	drawn := map[string]int{}
	for _, e := range got.Entries {
		drawn[string(e.Kind)]++
	}
	for _, s := range want {
		if drawn[s.Name] != s.Drawn {
			t.Errorf("%s: %d drawn, want %d", s.Name, drawn[s.Name], s.Drawn)
		}
	}
	for by, strata := range map[string]int{"app": 2, "actor": 8, "": 1} {
		s, err := audit.Draw(t.Context(), r.db.System, audit.SampleSpec{Seed: "s", Size: 40, Strata: by})
		if err != nil || len(s.Strata) != strata || len(s.Entries) != 40 {
			t.Errorf("by %q: %d strata, %d entries, %v; want %d and 40", by, len(s.Strata), len(s.Entries), err, strata)
		}
	}
}

// TestSharesAddUp promises, for any strata, that a sample has the size asked
// for, at least one entry of each, never more than there are, and shares within
// one of the proportion.
func TestSharesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(1, 5000), 1, 30).Draw(t, "counts")
		size := rapid.IntRange(len(counts), 2000).Draw(t, "size")
		strata := make([]audit.Stratum, len(counts))
		all := int64(0)
		for i, n := range counts {
			strata[i] = audit.Stratum{Name: fmt.Sprint(i), Of: n}
			all += n
		}
		if err := audit.Share(strata, size); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, s := range strata {
			sum += s.Drawn
			if s.Drawn < 1 || int64(s.Drawn) > s.Of {
				t.Fatalf("%+v", s)
			}
			left := float64(all) - float64(len(counts))
			if exact := 1 + float64(size-len(counts))*float64(s.Of-1)/max(left, 1); all > int64(size) && (float64(s.Drawn) < exact-1 ||
				float64(s.Drawn) > exact+1) {
				t.Fatalf("%+v, want about %.2f", s, exact)
			}
		}
		if int64(sum) != min(int64(size), all) {
			t.Fatalf("%d drawn of %d, want %d", sum, all, size)
		}
	})
}

func TestAnOrganisationDrawsFromItsOwn(t *testing.T) {
	r := mixed(t)
	err := r.db.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		s, err := audit.Draw(t.Context(), tx, audit.SampleSpec{Seed: "s", Size: 10})
		if err != nil || s.Strata[0].Of != 100 || len(s.Entries) != 10 {
			t.Errorf("got %+v, %v; want 10 of south's 100", s.Strata, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestASampleThatMakesNoSenseIsRefused(t *testing.T) {
	r := mixed(t)
	good := audit.SampleSpec{Seed: "s", Size: 10}
	for _, tt := range []struct {
		name   string
		change func(*audit.SampleSpec)
	}{
		{"no seed", func(s *audit.SampleSpec) { s.Seed = "" }},
		{"nothing", func(s *audit.SampleSpec) { s.Size = 0 }},
		{"too many", func(s *audit.SampleSpec) { s.Size = 2001 }},
		{"strata we do not have", func(s *audit.SampleSpec) { s.Strata = "colour" }},
		{"fewer than strata", func(s *audit.SampleSpec) { s.Strata = "actor"; s.Size = 3 }},
		{"beyond the end", func(s *audit.SampleSpec) { s.Upto = 1e6 }},
		{"backwards", func(s *audit.SampleSpec) { s.From, s.Upto = 10, 5 }},
	} {
		spec := good
		tt.change(&spec)
		if _, err := audit.Draw(t.Context(), r.db.System, spec); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", tt.name, err)
		}
	}
	if _, err := audit.Draw(t.Context(), newRig(t).db.System, good); !fault.Is(err, fault.NotFound) {
		t.Errorf("an empty log: got %v, want not found", err)
	}
}
