package evidence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func kilometres(t *testing.T, number string) fact.Fact {
	t.Helper()
	f, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: number, Unit: "km", Subject: fact.Subject{Type: "van",
		IDs: map[string]string{"van": "14"}},
		Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: analyst.ID}}}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWhatCameToACaseIsToldFromWhatWasThere(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "grounds")
	put := func(text string) {
		snap, err := r.Take(t.Context(), analyst, evidence.Receipt{Source: "cpcb"}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: text}); err != nil {
			t.Fatal(err)
		}
	}
	put("first")
	if _, err := r.Record(t.Context(), analyst, id, kilometres(t, "12")); err != nil {
		t.Fatal(err)
	}
	then, err := r.Grounds(t.Context(), postgrestest.North, id)
	if err != nil || then.Pieces != 1 || then.Entered != 1 || len(then.Digest) != 64 {
		t.Fatal(then, err)
	}
	moment := time.Now()
	if moved, err := r.Moved(t.Context(), postgrestest.North, id, then); err != nil || len(moved) != 0 {
		t.Errorf("nothing came, and Moved says %v (%v)", moved, err)
	}
	time.Sleep(2 * time.Millisecond)
	put("second")
	if _, err := r.Record(t.Context(), analyst, id, kilometres(t, "15")); err != nil {
		t.Fatal(err)
	}
	if at, err := r.GroundsAt(t.Context(), postgrestest.North, id, moment); err != nil || at != then {
		t.Errorf("then it rested on %v (%v), want %v", at, err, then)
	}
	moved, err := r.Moved(t.Context(), postgrestest.North, id, then)
	if err != nil || len(moved) != 2 || moved[0].Name() != "E2" || moved[1].Name() != "F1" {
		t.Fatalf("got %v, %v", moved, err)
	}
	if f := moved[1]; f.Before == nil || f.Before.Value != "12" || f.Now.Value != "15" || f.At.Before(moment) {
		t.Errorf("the fact moved as %+v", f)
	}
	if _, err := r.Moved(t.Context(), postgrestest.North, id, evidence.Grounds{Pieces: 9}); !fault.Is(err, fault.Invalid) {
		t.Errorf("grounds that never were: %v", err)
	}
	if theirs, err := r.Grounds(t.Context(), postgrestest.South, id); err != nil || theirs.Pieces != 0 || theirs.Entered != 0 {
		t.Errorf("another organisation counts %v (%v)", theirs, err)
	}
	now, err := r.Grounds(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	forged := then
	forged.Digest = now.Digest
	for text, want := range map[string]fault.Kind{then.String(): fault.Stale, "1.1": fault.Stale, "2.2": fault.Stale,
		forged.String(): fault.Invalid} {
		if err := r.same(t, id, text); !fault.Is(err, want) || want == fault.Stale && text != "2.2" && !strings.Contains(err.Error(),
			"E2, F1 came") {
			t.Errorf("decided on %s: got %v, want %s", text, err, want)
		}
	}
	if err := r.same(t, id, now.String()); err != nil {
		t.Errorf("decided on what there is: %v", err)
	}
}

// same asks as a decision does whether a case rests on what is said.
func (r *rig) same(t *testing.T, id casefile.CaseID, seen string) (err error) {
	t.Helper()
	txErr := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		err = evidence.SameGrounds(t.Context(), tx, id, seen)
		return nil
	})
	if txErr != nil {
		t.Fatal(txErr)
	}
	return err
}

func TestGroundsComeBackAsTheyWent(t *testing.T) {
	for text, want := range map[string]evidence.Grounds{"0.0": {}, "3.17": {Pieces: 3, Entered: 17}} {
		got, err := evidence.ParseGrounds(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "3.", ".3", "-1.2", "1.-2", "1.2.3", "a.b", strings.Repeat("1", 30) + ".1"} {
		if _, err := evidence.ParseGrounds(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q is taken: %v", text, err)
		}
	}
}

func TestALookAtSealedEvidenceIsOnRecordWithoutItsReason(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "look")
	rider := seal.Subject{Type: "rider", ID: "R-7"}
	snap, err := r.Take(t.Context(), analyst, evidence.Receipt{Source: "riders", Subjects: []seal.Subject{rider}, Case: string(id)},
		strings.NewReader("private"))
	if err != nil {
		t.Fatal(err)
	}
	officer := person(postgrestest.North, identity.Officer)
	look := func(a identity.Actor, reason string) error {
		return r.Disclose(t.Context(), a, id, "E1", snap.SHA256, reason)
	}
	if err := look(gavel, "because"); !fault.Is(err, fault.Refused) {
		t.Errorf("no person looks: %v", err)
	}
	if err := look(officer, " "); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	if err := look(officer, "R-7 rang about it"); err != nil {
		t.Fatal(err)
	}
	looks, err := r.Disclosures(t.Context(), postgrestest.North, id)
	if err != nil || len(looks) != 1 || looks[0].Reason != "R-7 rang about it" || looks[0].What != "E1" {
		t.Fatal(looks, err)
	}
	all, err := r.ReceivedAll(t.Context(), postgrestest.North, []blob.Digest{snap.SHA256, {1}})
	if err != nil || len(all) != 1 || !all[snap.SHA256].Sealed() {
		t.Errorf("got %v, %v", all, err)
	}
	rows, _ := r.db.System.Query(t.Context(), `select json from gavel.record where kind = 'disclosure'`)
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil || strings.Contains(text, "rang") || !strings.Contains(text, "reason_sha256") {
			t.Errorf("the record is %s (%v)", text, err)
		}
	}
}
