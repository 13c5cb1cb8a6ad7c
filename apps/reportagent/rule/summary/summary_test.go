package summary_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// TestEveryFactOfARunIsWhatTheOracleSays promises that all numbers of all summaries of the made-up run, and no others, are
// what comes out when they are computed another way; and that every cell stands in its file where its fact says.
func TestEveryFactOfARunIsWhatTheOracleSays(t *testing.T) {
	for seed := range *seeds {
		judge(t, madeup.Make(seed+1))
	}
}

func judge(t *testing.T, run madeup.Run) {
	files := run.Files()
	c := discover(t, files)
	book := fact.NewBook("case_x")
	numbers := 0
	for _, m := range run.Charts {
		ch, err := c.Find(m.ID)
		if err != nil {
			t.Fatal(err)
		}
		s := summarise(t, book, ch)
		got, want := map[string]fact.ID{}, expect(run, m)
		leaves(t, s.Body, got)
		for path, id := range got {
			f, _ := book.Latest(id)
			if e, ok := want[path]; !ok {
				t.Errorf("%s: %s is %s, and the oracle has no such number", m.ID, path, f.Value)
			} else if !e.holds(f) {
				t.Errorf("%s: %s is %s (%s), the oracle says %+v", m.ID, path, f.Value, f.Exact, e)
			}
		}
		for path := range want {
			if _, ok := got[path]; !ok {
				t.Errorf("%s: %s is missing", m.ID, path)
			}
		}
		numbers += len(want)
	}
	cells := checkCells(t, book, files)
	derived := recompute(t, book)
	t.Logf("%d numbers of 51 summaries, %d cells, %d derived facts", numbers, cells, derived)
	if numbers < 10_000 || cells < 12_000 || cells+derived != len(book.All()) {
		t.Errorf("%d numbers, %d cells and %d derived facts of %d in all", numbers, cells, derived, len(book.All()))
	}
}

// holds compares exactly; a rate by what it must satisfy to its last digit.
func (e expected) holds(f fact.Fact) bool {
	if e.exact != nil {
		return string(f.Exact) == e.exact.RatString()
	}
	v, ok := new(big.Rat).SetString(f.Value)
	if !ok || f.Exact != "" {
		return false
	}
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(f.Value), "0")
	_, frac, _ := strings.Cut(f.Value, ".")
	places := len(frac) + 12 - len(digits) // of twelve digits, trailing zeros are not written
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	half := new(big.Rat).SetFrac(big.NewInt(1), power.Mul(power, big.NewInt(2)))
	grown := func(rate *big.Rat) *big.Rat {
		base := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Quo(rate, big.NewRat(100, 1)))
		out := big.NewRat(1, 1)
		for range e.years {
			out.Mul(out, base)
		}
		return out
	}
	return grown(new(big.Rat).Sub(v, half)).Cmp(e.ratio) <= 0 && grown(new(big.Rat).Add(v, half)).Cmp(e.ratio) >= 0
}

// leaves lists every number of a summary by where it stands: names and years are part of the place.
func leaves(t *testing.T, body summary.Body, into map[string]fact.ID) {
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "key_insights")
	walk(t, "", v, into)
}

func walk(t *testing.T, at string, v any, into map[string]fact.ID) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			walk(t, at, item, into)
		}
	case map[string]any:
		if id, ok := v["fact"].(string); ok {
			path := at + said(v)
			if _, twice := into[path]; twice {
				t.Errorf("%s is there twice", path)
			}
			into[path] = fact.ID(id)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			here := at
			if name := inner(v); name != "" && at != "" {
				here += "/" + name
			}
			walk(t, strings.TrimPrefix(here+"/"+key, "/"), v[key], into)
		}
	}
}

// said is what a number says of itself.
func said(v map[string]any) string {
	out := ""
	if n, ok := v["name"].(string); ok {
		out += "=" + n
	}
	if of, ok := v["of"].(string); ok {
		out += "=" + of + " less " + v["less"].(string)
	}
	if y, ok := v["year"].(float64); ok {
		out += fmt.Sprintf("@%d", int(y))
	}
	return out
}

// inner is what an object that holds numbers is called among others.
func inner(v map[string]any) string {
	if n, ok := v["name"].(string); ok && v["start"] == nil || ok && v["abs_change"] == nil && v["min"] == nil {
		return n
	}
	if n, ok := v["name"].(string); ok && n != "total" && n != "Total" && n != "Net emissions" {
		return n
	}
	if of, ok := v["of"].(string); ok {
		return of
	}
	if y, ok := v["year"].(float64); ok {
		return fmt.Sprint(int(y))
	}
	return ""
}

// checkCells reads every cell again, with the standard reader, at the place its fact names.
func checkCells(t *testing.T, book *fact.Book, files map[string][]byte) int {
	tables := map[string][][]string{}
	n := 0
	for _, f := range book.All() {
		if f.Source == nil {
			continue
		}
		n++
		cell := f.Source.Selector.CSV
		if cell == nil {
			continue // a target: checked with the selectors of the platform
		}
		name := f.Subject.IDs[summary.ChartID] + ".csv"
		if tables[name] == nil {
			rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			tables[name] = rows
		}
		rows := tables[name]
		text := rows[cell.Row][slices.Index(rows[0], cell.Column)]
		if v, ok := new(big.Rat).SetString(text); !ok || v.RatString() != string(f.Exact) {
			t.Errorf("%s: record %d, column %s says %s, the fact %s", name, cell.Row, cell.Column, text, f.Exact)
		}
	}
	return n
}

// recompute does every derivation again in code of its own.
func recompute(t *testing.T, book *fact.Book) int {
	n := 0
	for _, f := range book.All() {
		if f.Calc == nil {
			continue
		}
		n++
		var in []*big.Rat
		for _, r := range f.Calc.Inputs {
			x, _ := book.At(r)
			v, _ := new(big.Rat).SetString(string(x.Exact))
			in = append(in, v)
		}
		var want *big.Rat
		switch f.Calc.Op {
		case fact.Sum:
			want = add(in...)
		case fact.Difference:
			want = minus(in[0], in[1])
		case fact.Percentage:
			want = percent(in[0], in[1])
		case fact.Share:
			want = percent(in[0], add(in...))
		case fact.Min:
			want = slices.MinFunc(in, (*big.Rat).Cmp)
		case fact.Max:
			want = slices.MaxFunc(in, (*big.Rat).Cmp)
		case fact.Rank, fact.RankLow:
			want = place(in[0], in, f.Calc.Op == fact.RankLow)
		case fact.Growth:
			continue // judged by the oracle, which knows the years
		}
		if want == nil || want.RatString() != string(f.Exact) {
			t.Errorf("%s (%s of %v) is %s, want %v", f.ID, f.Calc.Op, f.Calc.Inputs, f.Exact, want)
		}
	}
	return n
}
