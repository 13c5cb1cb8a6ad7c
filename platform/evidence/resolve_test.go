package evidence_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// read makes a fact from any source.
func read(t testing.TB, kind fact.Kind, name, number string, src fact.Source) fact.Fact {
	t.Helper()
	f, err := fact.Read(fact.Reading{Kind: kind, Number: number, Unit: "µg/m3", Decimals: 1, Subject: fact.Subject{Type: "x",
		IDs: map[string]string{"name": name}}, Source: src})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// everySelector is a case with one fact of each way of reading, F1 to F4, and
// their mean, F5.
func everySelector(t testing.TB, r *rig) (casefile.CaseID, []fact.Fact) {
	t.Helper()
	id := r.openCase(t, "every")
	csv := r.take(t, readings(9, func(i int) string { return fmt.Sprintf("%d.5", i) }))
	figure := r.take(t, `{"data": [{"y": [1, "2.50", 3]}]}`)
	value := "411.6"
	var doc bytes.Buffer
	refs, err := selector.WriteRows(&doc, selector.TableRow{Table: "airshed.reading", PK: "ALP 23:00",
		Columns: map[string]*string{"pm25": &value, "flag": nil}})
	if err != nil {
		t.Fatal(err)
	}
	table := r.take(t, doc.String())
	r.record(t, id,
		read(t, fact.Observed, "csv", "5.5", fact.Source{Snapshot: csv.SHA256.String(),
			Selector: fact.Selector{CSV: &fact.CSVCell{Row: 5, Column: "val"}}}),
		read(t, fact.Quoted, "json", "2.5", fact.Source{Snapshot: figure.SHA256.String(),
			Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: "/data/0/y/1"}}}),
		read(t, fact.Observed, "row", "411.6", fact.Source{Snapshot: table.SHA256.String(), Selector: selector.Cell(refs[0], "pm25")}))
	if _, err := r.Record(t.Context(), analyst, id, read(t, fact.Assumed, "manual", "7",
		fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: analyst.ID}}})); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Derive(t.Context(), gavel, id, fact.Mean, "F1", "F2", "F3", "F4"); err != nil {
		t.Fatal(err)
	}
	facts, err := r.Facts(t.Context(), analyst.Org, id, evidence.FactQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return id, facts
}

func TestASourceOpensAtItsRow(t *testing.T) {
	r := newRig(t)
	_, facts := everySelector(t, r)
	for i, want := range []struct {
		raw, rows, here string
		line            int
		by              string
	}{
		{"5.5", "[2 2.5] [3 3.5] [4 4.5] [5 5.5] [6 6.5] [7 7.5] [8 8.5]", "[5 5.5]", 6, ""},
		{"2.50", "[0 1] [1 2.50] [2 3]", "[1 2.50]", 1, ""},
		{"411.6", "[flag null] [pm25 411.6]", "[pm25 411.6]", 1, ""},
		{"", "", "", 0, analyst.ID},
	} {
		o, err := r.Resolve(t.Context(), analyst.Org, facts[i])
		if err != nil {
			t.Fatalf("%s: %v", facts[i].ID, err)
		}
		var rows, here []string
		if o.Excerpt != nil {
			for _, row := range o.Excerpt.Rows {
				rows = append(rows, fmt.Sprint(row.Cells))
				if row.Here {
					here = append(here, fmt.Sprint(row.Cells))
				}
			}
		}
		if o.Raw != want.raw || strings.Join(rows, " ") != want.rows || strings.Join(here, " ") != want.here || o.Line != want.line ||
			o.By != want.by {
			t.Errorf("%s: got %q on line %d by %q among %v, at %v", facts[i].ID, o.Raw, o.Line, o.By, rows, here)
		}
		if (o.Snapshot == nil) != (want.by != "") {
			t.Errorf("%s: got snapshot %v", facts[i].ID, o.Snapshot)
		}
	}
	if _, err := r.Resolve(t.Context(), analyst.Org, facts[4]); !fault.Is(err, fault.Invalid) {
		t.Errorf("a computed fact: got %v, want invalid", err)
	}
	if _, err := r.Resolve(t.Context(), postgrestest.South, facts[0]); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation: got %v, want not found", err)
	}
}

func outcomes(rep reperform.Report) string {
	var out []string
	for _, v := range rep.Verdicts {
		out = append(out, v.Fact.String()+" "+string(v.Outcome))
	}
	return strings.Join(out, ", ")
}

func TestReperformingACaseFindsWhatWasChanged(t *testing.T) {
	r := newRig(t)
	id, facts := everySelector(t, r)
	rep, err := r.Reperform(t.Context(), analyst.Org, id)
	if got, want := outcomes(rep), "F1@1 pass, F2@1 pass, F3@1 pass, F4@1 stated, F5@1 pass"; err != nil || got != want || !rep.OK() {
		t.Fatalf("got %s, %v; want %s", got, err, want)
	}
	for _, tt := range []struct {
		name, sql, undo string
		want            string
		who             int // whose verdict says why
		why             string
	}{
		{"a value", `update gavel.fact set value = 6.5, exact = '13/2', display = '6.5 µg/m³' where id = 'F1'`, `update gavel.fact
			set value = 5.5, exact = '11/2', display = '5.5 µg/m³' where id = 'F1'`,
			"F1@1 fail, F2@1 pass, F3@1 pass, F4@1 stated, F5@1 fail", 0, "it says 6.5; done again it is 5.5"},
		{"a formula", `update gavel.fact set calc = jsonb_set(calc, '{op}', '"sum"') where id = 'F5'`, `update gavel.fact
			set calc = jsonb_set(calc, '{op}', '"mean"') where id = 'F5'`,
			"F1@1 pass, F2@1 pass, F3@1 pass, F4@1 stated, F5@1 fail", 4, "done again it is 426.6"},
		{"a row", `update gavel.fact set source = jsonb_set(source, '{selector,csv,row}', '6') where id = 'F1'`, `update gavel.fact
			set source = jsonb_set(source, '{selector,csv,row}', '5') where id = 'F1'`,
			"F1@1 fail, F2@1 pass, F3@1 pass, F4@1 stated, F5@1 fail", 4, "it rests on F1@1, which failed"},
		{"a shown number", `update gavel.fact set display = '9.9 µg/m³' where id = 'F2'`, `update gavel.fact set display = '2.5 µg/m³'
			where id = 'F2'`,
			"F1@1 pass, F2@1 fail, F3@1 pass, F4@1 stated, F5@1 fail", 1, "shown as"},
		{"a table row's key", `update gavel.fact set source = jsonb_set(source, '{selector,row,pk}', '"ALP 22:00"')
			where id = 'F3'`, `update gavel.fact set source = jsonb_set(source, '{selector,row,pk}', '"ALP 23:00"') where id = 'F3'`,
			"F1@1 pass, F2@1 pass, F3@1 fail, F4@1 stated, F5@1 fail", 2, "the row with this digest"},
	} {
		r.admin(t, tt.sql)
		rep, err := r.Reperform(t.Context(), analyst.Org, id)
		if got := outcomes(rep); err != nil || got != tt.want || rep.OK() || !strings.Contains(rep.Verdicts[tt.who].Why, tt.why) {
			t.Errorf("%s: got %s (%q), %v; want %s (%q)", tt.name, got, rep.Verdicts[tt.who].Why, err, tt.want, tt.why)
		}
		r.admin(t, tt.undo)
	}
	r.damage(t, digestOf(t, facts[0]), "row,val\n")
	rep, err = r.Reperform(t.Context(), analyst.Org, id)
	if got, want := outcomes(rep), "F1@1 fail, F2@1 pass, F3@1 pass, F4@1 stated, F5@1 fail"; err != nil || got != want {
		t.Errorf("damaged bytes: got %s, %v; want %s", got, err, want)
	}
}

func TestCheckingOneFactNamesWhatDiffers(t *testing.T) {
	r := newRig(t)
	_, facts := everySelector(t, r)
	for _, tt := range []struct {
		f    fact.Fact
		want reperform.Outcome
		why  string
	}{
		{facts[0], reperform.Pass, ""},
		{facts[3], reperform.Stated, "entered by p:analyst"},
		{facts[4], reperform.Pass, ""},
		{with(facts[0], func(f *fact.Fact) { f.Exact = "12/2" }), reperform.Fail, "exact"},
		// the bytes do not say the unit
		{with(facts[0], func(f *fact.Fact) { f.Unit = "mg/m3"; f.Display = "5.5 mg/m³" }), reperform.Pass, ""},
		{with(facts[4], func(f *fact.Fact) { f.Unit = "mg/m3" }), reperform.Fail, "it is in mg/m3"},
		{with(facts[4], func(f *fact.Fact) { f.Calc = &fact.Calc{Op: fact.Mean, Inputs: []fact.Ref{{ID: "F9", Version: 1}}} }),
			reperform.Fail, "F9@1, which is not there"},
		{with(facts[3], func(f *fact.Fact) { f.Value = "8" }), reperform.Fail, "rounded"},
		{with(facts[0], func(f *fact.Fact) {
			f.Source = &fact.Source{Snapshot: strings.Repeat("0", 64), Selector: f.Source.Selector}
		}), reperform.Unread, "no snapshot"},
	} {
		v, err := r.Check(t.Context(), analyst.Org, tt.f)
		if err != nil || v.Outcome != tt.want || !strings.Contains(v.Why, tt.why) {
			t.Errorf("%s: got %+v, %v; want %s (%q)", tt.f.ID, v, err, tt.want, tt.why)
		}
	}
}
