package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/platform/fact"
)

// failing is a verdict on a van with one rider who does not fit, and one whose
// home is not known.
func failing(t testing.TB, granted ...check.Exception) check.Verdict {
	t.Helper()
	x, err := check.NewExceptions(granted)
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(made(), group(t), x)
}

func made() check.Specialist {
	return check.Specialist{Name: "fuel", Version: "fuel/1", Judge: func(g fleet.Group) check.Verdict {
		var t check.Tally
		t.Context(check.NewEvidence("van", "vanpool_id", g.Van.ID, "fuel_miles", fleet.ToMiles(12.5)))
		t.Clean(check.NewEvidence("fuel", "employee_id", fleet.EmployeeID("EMP-0001")))
		t.Found(check.Finding{Employee: "EMP-0002", Check: "fuel", Kind: "no_fuel", Confidence: 4, Route: check.ToRider,
			WouldChange: "a receipt"},
			check.NewEvidence("no_fuel", "employee_id", fleet.EmployeeID("EMP-0002"), "tank_percent", 3))
		t.Missing("fuel", "EMP-0003", "tank", "nobody looked")
		return t.Conclude(check.Certain)
	}}
}

func group(t testing.TB) fleet.Group {
	t.Helper()
	riders := []fleet.Employee{madeup.Worker(1, "SHIFT_DAY"), madeup.Worker(2, "SHIFT_DAY"), madeup.Worker(3, "SHIFT_DAY")}
	book, err := fleet.NewBook(madeup.Records(madeup.Van(riders...), riders))
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", madeup.Now())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var until = fleet.NewDate(2026, 12, 31)

// TestAVerdictIsAsSureAsItsSurestFinding promises how findings make a verdict,
// and that evidence stands on the side it speaks for.
func TestAVerdictIsAsSureAsItsSurestFinding(t *testing.T) {
	v := failing(t)
	if v.Label != check.Fail || v.Confidence != 4 || v.Check != "fuel" || v.Rule != "fuel/1" || v.Vanpool != "VP-101" {
		t.Errorf("got %+v", v)
	}
	if len(v.For) != 2 || len(v.Against) != 1 || len(v.Unknown) != 1 || v.WouldChange != "a receipt; a complete record of tank" {
		t.Errorf("for %v, against %v, unknown %v; %q", v.For, v.Against, v.Unknown, v.WouldChange)
	}
}

// TestAnExceptionExcusesItsFindingOnly promises that what remains decides, and
// that a gap in the records cannot be excused.
func TestAnExceptionExcusesItsFindingOnly(t *testing.T) {
	e := check.Exception{Subject: "EMP-0002", Check: "fuel", Until: until, Reason: "electric", By: "p-1"}
	v := failing(t, e)
	if v.Label != check.Fail || v.Confidence != 1 || len(v.Live()) != 1 || v.Live()[0].Kind != check.DataMissing {
		t.Errorf("got %s %d, live %v", v.Label, v.Confidence, v.Live())
	}
	e.Subject = "VP-101"
	if v = failing(t, e); v.Confidence != 1 || v.Findings[0].Excused == nil || v.Findings[1].Excused != nil {
		t.Errorf("for the van: %d, %+v", v.Confidence, v.Findings)
	}
}

// TestAnExceptionCanBeDefended promises that none is without an end, a reason, a
// name or a subject.
func TestAnExceptionCanBeDefended(t *testing.T) {
	good := check.Exception{Subject: "EMP-0002", Check: "fuel", Until: until, Reason: "electric", By: "p-1"}
	if err := good.Valid(); err != nil {
		t.Errorf("a good one is refused: %v", err)
	}
	for name, spoil := range map[string]func(*check.Exception){
		"no subject": func(e *check.Exception) { e.Subject = "everybody" }, "no check": func(e *check.Exception) { e.Check = "" },
		"no end": func(e *check.Exception) { e.Until = 0 }, "no reason": func(e *check.Exception) { e.Reason = " \n" },
		"no name": func(e *check.Exception) { e.By = "" }, "a novel": func(e *check.Exception) {
			e.Reason = strings.Repeat("x",
				check.MaxReason+1)
		},
	} {
		e := good
		spoil(&e)
		if _, err := check.NewExceptions([]check.Exception{good, e}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// TestTheLongestExceptionCounts promises what two exceptions for one thing mean.
func TestTheLongestExceptionCounts(t *testing.T) {
	short := check.Exception{Subject: "EMP-0002", Check: "fuel", Until: fleet.NewDate(2026, 1, 1), Reason: "r", By: "p-1"}
	long := short
	long.Until = until
	for _, order := range [][]check.Exception{{short, long}, {long, short}} {
		if v := failing(t, order...); v.Findings[0].Excused == nil || v.Findings[0].Excused.Until != until {
			t.Errorf("got %+v", v.Findings[0].Excused)
		}
	}
}

// TestEvidenceIsReadInBothForms promises that the flat form means the same.
func TestEvidenceIsReadInBothForms(t *testing.T) {
	for _, in := range []string{
		`{"type":"distance_check","data":{"employee_id":"EMP-1234","miles":380}}`,
		`{"type":"distance_check","employee_id":"EMP-1234","miles":380}`,
		`{"employee_id":"EMP-1234","type":"distance_check","miles":380}`,
	} {
		var e check.Evidence
		if err := json.Unmarshal([]byte(in), &e); err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		out, err := json.Marshal(e)
		if want := `{"type":"distance_check","data":{"employee_id":"EMP-1234","miles":380}}`; err != nil || string(out) != want {
			t.Errorf("%s became %s, %v", in, out, err)
		}
	}
	for _, bad := range []string{`{}`, `[]`, `{"type":7}`, `{"type":""}`, `"x"`, `{"type":"x","data":{"a":}}`} {
		var e check.Evidence
		if err := json.Unmarshal([]byte(bad), &e); err == nil {
			t.Errorf("%s was read as %+v", bad, e)
		}
	}
}

// FuzzEvidence promises that what can be read can be written and read again.
func FuzzEvidence(f *testing.F) {
	f.Add([]byte(`{"type":"a","data":{"b":1}}`))
	f.Add([]byte(`{"type":"a","data":7,"b":{"c":[1,2]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var e, back check.Evidence
		if json.Unmarshal(in, &e) != nil {
			return
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%s was written as %s, which cannot be read: %v", in, out, err)
		}
		if again, _ := json.Marshal(back); string(again) != string(out) {
			t.Fatalf("%s became %s", out, again)
		}
	})
}

// TestNumbersOfAVerdictAreFacts promises that every number can be cited, with its
// unit and its place in the verdict as it was kept, and that none shares a key.
func TestNumbersOfAVerdictAreFacts(t *testing.T) {
	town := madeup.Plan{Seed: 9, Vans: 20, Riders: 6, Percent: 60}.Build()
	book, err := fleet.NewBook(town.Records)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, id := range book.Vanpools() {
		register := fact.NewBook("case_1")
		for _, v := range audit.Of(book, id, madeup.Now(), audit.Specialists(audit.Standard(), book, audit.Inputs{}),
			check.Exceptions{}).Verdicts {
			kept, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(kept)
			facts, err := check.Facts(v, hex.EncodeToString(sum[:]), madeup.Now())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range facts {
				f.Case = "case_1"
				if got, err := register.Add(f); err != nil || got.Version != 1 {
					t.Fatalf("%+v: version %d, %v", f.Subject, got.Version, err)
				}
				if strings.HasSuffix(f.Subject.IDs["measure"], "_minutes") != (f.Unit == "min") {
					t.Fatalf("%s is in %q", f.Subject.IDs["measure"], f.Unit)
				}
				total++
			}
		}
	}
	if total < 500 {
		t.Errorf("only %d facts", total)
	}
}
