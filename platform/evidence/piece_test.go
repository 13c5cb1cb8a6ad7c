package evidence_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func rows(from, to int) *evidence.Range {
	return &evidence.Range{CSV: &evidence.Records{From: from, To: to}}
}

func TestEvidenceIsNumberedWithoutGapsAndOnTheNoteSheet(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(40, func(i int) string { return fmt.Sprint(i) }))
	if err := r.cases.Note(t.Context(), analyst, id, "", "A note between."); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			// Every piece is put twice; half of the refusals below leave no number behind.
			for range 2 {
				if _, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Range: rows(i+1, i+2),
					Title: fmt.Sprintf("Rows from %d", i+1), Side: evidence.For}); err != nil {
					t.Error(err)
				}
			}
			if _, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Range: rows(i+1, 41),
				Title: "Too far"}); !fault.Is(err, fault.NotFound) {
				t.Errorf("rows that are not there: got %v, want not found", err)
			}
		})
	}
	wg.Wait()
	pieces, err := r.Pieces(t.Context(), analyst.Org, id)
	if err != nil || len(pieces) != 20 {
		t.Fatalf("got %d pieces, %v", len(pieces), err)
	}
	for i, p := range pieces {
		if p.Number != i+1 || p.ID() != fmt.Sprintf("E%d", i+1) {
			t.Errorf("piece %d is %s", i+1, p.ID())
		}
	}
	entries, err := r.cases.Entries(t.Context(), analyst.Org, id, casefile.EntryQuery{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	sheet := map[string]int{}
	for _, e := range entries {
		if e.Kind == "evidence" {
			sheet[e.Text]++
		}
	}
	for _, p := range pieces {
		if n := sheet[p.ID()+": "+p.Title]; n != 1 {
			t.Errorf("%s is on the note sheet %d times, want once", p.ID(), n)
		}
	}
	if recs := r.records(t, evidence.RecordEvidence); len(recs) != 20 || len(sheet) != 20 {
		t.Errorf("%d records and %d entries, want 20", len(recs), len(sheet))
	}
}

func TestTheSameRowsAreOnePieceAndKeepTheirSide(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, readings(3, func(i int) string { return fmt.Sprint(i) }))
	put := evidence.Putting{SHA256: snap.SHA256, Range: rows(1, 2), Title: "Two rows", Side: evidence.Against, Note: "Seen at the gate."}
	first, done, err := r.Put(t.Context(), analyst, id, put)
	if err != nil || !done || first.Number != 1 {
		t.Fatalf("got %+v, %v, %v", first, done, err)
	}
	again, done, err := r.Put(t.Context(), analyst, id, put)
	if err != nil || done || again.Number != 1 {
		t.Errorf("again: got %+v, put %v, %v", again, done, err)
	}
	put.Side = evidence.For
	if _, _, err := r.Put(t.Context(), analyst, id, put); !fault.Is(err, fault.Conflict) {
		t.Errorf("another side: got %v, want conflict", err)
	}
	whole, done, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: "All of it"})
	if err != nil || !done || whole.Number != 2 || whole.Side != evidence.Unknown || whole.Range != nil {
		t.Errorf("the whole snapshot: got %+v, %v, %v", whole, done, err)
	}
	kept, err := r.Piece(t.Context(), analyst.Org, id, 1)
	if err != nil || kept.Side != evidence.Against || kept.Note != "Seen at the gate." ||
		*kept.Range.CSV != (evidence.Records{From: 1, To: 2}) {
		t.Errorf("got %+v, %v", kept, err)
	}
	if _, err := r.Piece(t.Context(), analyst.Org, id, 3); !fault.Is(err, fault.NotFound) {
		t.Errorf("E3: got %v, want not found", err)
	}
}

func TestPuttingsAreChecked(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	snap := r.take(t, "row,val\n1,2\n")
	other := r.openCase(t, "closed")
	r.admin(t, `update gavel.case set state = 'closed', closed_at = now() where id = $1`, other)
	good := evidence.Putting{SHA256: snap.SHA256, Title: "T"}
	with := func(change func(*evidence.Putting)) evidence.Putting { p := good; change(&p); return p }
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		id    casefile.CaseID
		p     evidence.Putting
		want  fault.Kind
	}{
		{"no title", analyst, id, with(func(p *evidence.Putting) { p.Title = " " }), fault.Invalid},
		{"a long title", analyst, id, with(func(p *evidence.Putting) { p.Title = strings.Repeat("ल", 301) }), fault.TooLarge},
		{"a side of its own", analyst, id, with(func(p *evidence.Putting) { p.Side = "both" }), fault.Invalid},
		{"rows before the first", analyst, id, with(func(p *evidence.Putting) { p.Range = rows(0, 1) }), fault.Invalid},
		{"rows backwards", analyst, id, with(func(p *evidence.Putting) { p.Range = rows(2, 1) }), fault.Invalid},
		{"an empty part", analyst, id, with(func(p *evidence.Putting) { p.Range = &evidence.Range{} }), fault.Invalid},
		{"JSON in CSV", analyst, id, with(func(p *evidence.Putting) { p.Range = &evidence.Range{JSON: &fact.JSONPointer{Pointer: "/a"}} }),
			fault.Invalid},
		{"bytes nobody received", analyst, id, with(func(p *evidence.Putting) { p.SHA256[0] ^= 1 }), fault.NotFound},
		{"another organisation's bytes", person(postgrestest.South, identity.Analyst), id, good, fault.NotFound},
		{"a case that is not there", analyst, "case_00000000000000000000000000", good, fault.NotFound},
		{"a closed case", analyst, other, good, fault.Conflict},
		{"an operator", person(postgrestest.North, identity.Operator), id, good, fault.Refused},
	} {
		if _, _, err := r.Put(t.Context(), tt.actor, tt.id, tt.p); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if n := r.count(t, `select count(*) from gavel.evidence`); n != 0 {
		t.Errorf("%d pieces were put, want none", n)
	}
}

func TestAPieceOpensAtItsRows(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "k")
	value := "411.6"
	var doc bytes.Buffer
	refs, err := selector.WriteRows(&doc, selector.TableRow{Table: "airshed.reading", PK: "ALP",
		Columns: map[string]*string{"pm25": &value}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		content string
		part    *evidence.Range
		want    string
	}{
		{readings(50, func(i int) string { return fmt.Sprint(i * i) }), rows(7, 8), "[7 49] [8 64]"},
		{`{"data": [{"name": "1p5DS"}, {"name": "2p5DS"}]}`, &evidence.Range{JSON: &fact.JSONPointer{Pointer: "/data/1"}}, "[name 2p5DS]"},
		{doc.String(), &evidence.Range{Row: selector.Cell(refs[0], "pm25").Row}, "[pm25 411.6]"},
	} {
		snap := r.take(t, tt.content)
		p, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Range: tt.part, Title: "T"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := r.Show(t.Context(), analyst.Org, p)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range e.Rows {
			got = append(got, fmt.Sprint(row.Cells))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("got %s, want %s", strings.Join(got, " "), tt.want)
		}
	}
}
