package query_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform/fact"
)

func row(values ...string) []*string {
	var out []*string
	for _, v := range values {
		if v == "" {
			out = append(out, nil)
			continue
		}
		out = append(out, &v)
	}
	return out
}

var view = query.View{Name: "project_view", SHA256: strings.Repeat("ab", 32)}

// TestARowOfTheFileIsCitedByItsRecord promises a selector that an auditor follows without asking anything, and none for a year, for the
// number of the record, for no value, or for a value that may have been rounded on the way.
func TestARowOfTheFileIsCitedByItsRecord(t *testing.T) {
	a := query.Answer{SQL: "SELECT * FROM project_view", Columns: []query.Answered{{Name: "n", Number: true, Cell: query.Record},
		{Name: "scenario", Cell: "scenario"}, {Name: "year", Number: true, Cell: "year"}, {Name: "v", Number: true, Cell: "val"}},
		Rows: [][]*string{row("7", "A", "2030", "-1.5"), row("8", "B", "2031", ""), row("9", "C", "2032", "0.123456789012")}}
	book := fact.NewBook("x")
	got, err := query.Facts(book, view, a, "PJ")
	if err != nil {
		t.Fatal(err)
	}
	if len(book.All()) != 2 || got[1][3] != nil || got[0][0] != nil || got[0][2] != nil {
		t.Fatalf("got %d facts, %v", len(book.All()), got)
	}
	f := got[0][3]
	if c := f.Source.Selector.CSV; c == nil || c.Row != 7 || c.Column != "val" || f.Exact != "-3/2" || f.Source.Snapshot != view.SHA256 {
		t.Errorf("got %+v", f)
	}
	if f.Subject.IDs["scenario"] != "A" || f.Subject.IDs["year"] != "2030" || f.Subject.IDs["view"] != "project_view" {
		t.Errorf("got %v", f.Subject.IDs)
	}
	if got[2][3].Source.Selector.CSV != nil || got[2][3].Source.Selector.Row == nil {
		t.Error("a value that may have been rounded is cited as the file's")
	}
}

// TestASumIsCitedByWhatWasAsked promises the question and the row, and another fact where either is another.
func TestASumIsCitedByWhatWasAsked(t *testing.T) {
	a := query.Answer{SQL: "SELECT scenario, sum(val) FROM project_view GROUP BY scenario",
		Columns: []query.Answered{{Name: "scenario"}, {Name: "sum(val)", Number: true}}, Rows: [][]*string{row("A", "5"), row("B", "5")}}
	book := fact.NewBook("x")
	first, err := query.Facts(book, view, a, "PJ")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := query.Facts(book, view, a, "PJ"); err != nil || again[0][1].Ref() != first[0][1].Ref() {
		t.Errorf("the same answer is another fact: %v", err)
	}
	a.SQL += " ORDER BY 1"
	other, err := query.Facts(book, view, a, "PJ")
	if err != nil {
		t.Fatal(err)
	}
	if first[0][1].ID == first[1][1].ID || other[0][1].ID == first[0][1].ID {
		t.Error("two rows, or two questions, are one fact")
	}
}

// TestColumnsAreReadByTheirNames promises exact values, whole years and text for the rest, and refuses a header that says one name twice.
func TestColumnsAreReadByTheirNames(t *testing.T) {
	got, err := query.Columns([]string{"scenario", "Year", "val"})
	if err != nil || got[0].Type != query.Text || got[1].Type != query.Integer || got[2].Type != query.Decimal {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range [][]string{{"a", "A"}, {"a", ""}, {"record"}} {
		if _, err := query.Columns(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestAnAnswerIsFoundAgainByItsRow promises that what was asked is known again where rows come in another order, and that a row which is
// another today is not: not even where its number is the same.
func TestAnAnswerIsFoundAgainByItsRow(t *testing.T) {
	a := query.Answer{SQL: "SELECT scenario, sum(val) FROM project_view GROUP BY scenario",
		Columns: []query.Answered{{Name: "scenario"}, {Name: "sum(val)", Number: true}},
		Rows:    [][]*string{row("A", "3.75"), row("B", "7.625")}}
	entered, err := query.Facts(fact.NewBook("x"), view, a, "PJ")
	if err != nil {
		t.Fatal(err)
	}
	f := *entered[1][1]
	kept := query.Kept{View: view.Name, SHA256: view.SHA256, SQL: a.SQL}
	other := kept
	other.SQL += " ORDER BY 1"
	if !query.WasAsked(f) || !kept.Answers(f) || other.Answers(f) {
		t.Errorf("asked %v, by its question %v, by another %v", query.WasAsked(f), kept.Answers(f), other.Answers(f))
	}
	turned := a
	turned.Rows = [][]*string{row("B", "7.625"), row("A", "3.75")}
	if got, err := query.Again(f, turned); err != nil || got != "7.625" {
		t.Errorf("in another order: got %q, %v", got, err)
	}
	for _, rows := range [][][]*string{{row("C", "7.625")}, {row("B", "7.624")}, nil} {
		turned.Rows = rows
		if got, err := query.Again(f, turned); err == nil {
			t.Errorf("%q was found in another answer", got)
		}
	}
}
