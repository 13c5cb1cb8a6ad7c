package evidence_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestAListKnowsWhoseEvidenceChanged(t *testing.T) {
	r := newRig(t)
	moved, still := r.openCase(t, "moved"), r.openCase(t, "still")
	put := func(id casefile.CaseID, content string) {
		t.Helper()
		if _, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: r.take(t, content).SHA256, Title: "Roster",
			Side: evidence.For}); err != nil {
			t.Fatal(err)
		}
	}
	put(moved, "a,b\n1,2\n")
	put(still, "a,b\n3,4\n")
	time.Sleep(5 * time.Millisecond)
	mark := time.Now()
	time.Sleep(5 * time.Millisecond)
	put(moved, "a,b\n5,6\n")
	since := map[casefile.CaseID]time.Time{moved: mark, still: mark, "case_01ARZ3NDEKTSV4RRFFQ69G5FAV": mark}
	got, err := r.ChangedSince(t.Context(), postgrestest.North, since)
	if err != nil || len(got) != 1 || !got[moved].After(mark) {
		t.Errorf("changed %v, %v; want only %s", got, err, moved)
	}
	if got, err := r.ChangedSince(t.Context(), postgrestest.North, map[casefile.CaseID]time.Time{still: {}}); err != nil || len(got) != 1 {
		t.Errorf("since ever: %v, %v", got, err)
	}
	if got, err := r.ChangedSince(t.Context(), postgrestest.South, since); err != nil || len(got) != 0 {
		t.Errorf("another organisation is told %v, %v", got, err)
	}
	many := map[casefile.CaseID]time.Time{}
	for i := range 501 {
		many[casefile.CaseID(string(rune('a'+i)))] = mark
	}
	if _, err := r.ChangedSince(t.Context(), postgrestest.North, many); !fault.Is(err, fault.TooLarge) {
		t.Errorf("501 at once: %v", err)
	}
}
