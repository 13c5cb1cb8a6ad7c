package seal_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/seal"
)

func (r *rig) mustHold(on seal.Target, until time.Time) seal.Hold {
	r.t.Helper()
	h, err := r.Hold(r.t.Context(), admin(north), on, "suit 12/2026", until)
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

// TestAHoldRefusesErasure promises that nothing is erased that a hold protects,
// also where the hold is on somebody or something else that the same key or row
// holds, and that the refusal is on record.
func TestAHoldRefusesErasure(t *testing.T) {
	for name, on := range map[string]seal.Target{
		"on the subject":                       {Subject: rider("A")},
		"on the case of a sealed object":       {Case: "case_1"},
		"on the case of a row":                 {Case: "case_2"},
		"on another in a document":             {Subject: rider("B")},
		"on another in a conversation":         {Subject: rider("C")},
		"on another's case in the same talk":   {Case: "case_3"},
		"on the subject, who has nothing else": {Subject: rider("D")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			talk := func(who, in string) seal.Matter {
				return seal.Matter{Subjects: []seal.Subject{rider(who)}, Conversation: "run_1", Case: in, Purpose: "mail"}
			}
			e := r.mustSeal(seal.Matter{Subjects: []seal.Subject{rider("A"), rider("B")}, Case: "case_1", Purpose: "mail"}, "x")
			r.mustSeal(talk("A", ""), "x")
			r.mustSeal(talk("C", "case_3"), "x")
			r.exec(`insert into gavel.rider (org, id, name, case_id) values ('north', 'rider:A', $1, 'case_2')`, planted)
			h := r.mustHold(on, time.Time{})

			who := rider("A")
			if on.Subject == rider("D") {
				who = rider("D")
			}
			_, err := r.Erase(t.Context(), admin(north), asked(who))
			words, next := fault.Words(err)
			if !fault.Is(err, fault.Conflict) || !strings.Contains(words, h.ID) || !strings.Contains(next, "p:admin") {
				t.Fatalf("got %v (%s)", err, next)
			}
			if _, err := r.open(r.Vault, e); err != nil {
				t.Errorf("a key was destroyed: %v", err)
			}
			if left := column[string](r, `select name from gavel.rider`); left[0] != planted {
				t.Error("a row was blanked")
			}
			if got := r.records(audit.Refusal); len(got) != 1 || got[0] != `{"act":"erase","holds":1,"listed":["`+h.ID+`"]}` {
				t.Errorf("the log says %q", got)
			}
			if err := r.Release(t.Context(), admin(north), h.ID, "settled"); err != nil {
				t.Fatal(err)
			}
			r.mustErase(who)
		})
	}
}

func TestAHoldEndsWithItsTime(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("R-7")), "x")
	r.mustHold(seal.Target{Subject: rider("R-7")}, r.clock().AddDate(0, 0, 30))
	r.pass(29 * 24 * time.Hour)
	if _, err := r.Erase(t.Context(), admin(north), asked(rider("R-7"))); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(),
		"until 2026-04-03") {
		t.Errorf("a day before: got %v", err)
	}
	if holds, err := r.Holds(t.Context(), admin(north)); err != nil || len(holds) != 1 || holds[0].Reason != "suit 12/2026" {
		t.Errorf("in force: %v, %v", holds, err)
	}
	r.pass(25 * time.Hour)
	r.mustErase(rider("R-7"))
	if _, err := r.open(r.Vault, e); !errors.Is(err, seal.ErrErased) {
		t.Error(err)
	}
	if holds, err := r.Holds(t.Context(), admin(north)); err != nil || len(holds) != 0 {
		t.Errorf("in force after its time: %v, %v", holds, err)
	}
}

func TestHoldsAreOnRecordWithoutTheirReasons(t *testing.T) {
	r := newRig(t)
	h, err := r.Hold(t.Context(), admin(north), seal.Target{Case: "case_1"}, "suit of "+planted, r.clock().AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Release(t.Context(), admin(north), h.ID, planted+" settled"); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(r.records("legal_hold"), "\n")
	want := `{"act":"placed","hold":"` + h.ID + `","until":"` + h.Until.Format(time.RFC3339) + `"}` + "\n" + `{"act":"released","hold":"` +
		h.ID + `"}`
	if got != want {
		t.Errorf("the log says\n%s, want\n%s", got, want)
	}
}

func TestHoldsThatMakeNoSenseAreRefused(t *testing.T) {
	r := newRig(t)
	later := r.clock().AddDate(1, 0, 0)
	r.mustErase(rider("gone"))
	for name, tt := range map[string]struct {
		on     seal.Target
		reason string
		until  time.Time
		kind   fault.Kind
	}{
		"nothing":      {seal.Target{}, "x", later, fault.Invalid},
		"both":         {seal.Target{Subject: rider("A"), Case: "case_1"}, "x", later, fault.Invalid},
		"no case":      {seal.Target{Case: "a b"}, "x", later, fault.Invalid},
		"no reason":    {seal.Target{Case: "case_1"}, " ", later, fault.Invalid},
		"a long one":   {seal.Target{Case: "case_1"}, strings.Repeat("x", 1001), later, fault.Invalid},
		"in the past":  {seal.Target{Case: "case_1"}, "x", later.AddDate(-2, 0, 0), fault.Invalid},
		"already gone": {seal.Target{Subject: rider("gone")}, "x", later, fault.Conflict},
	} {
		if _, err := r.Hold(t.Context(), admin(north), tt.on, tt.reason, tt.until); !fault.Is(err, tt.kind) {
			t.Errorf("%s: got %v, want %s", name, err, tt.kind)
		}
	}
	h := r.mustHold(seal.Target{Case: "case_1"}, time.Time{})
	if err := r.Release(t.Context(), admin(south), h.ID, "x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation releases: %v", err)
	}
	if err := r.Release(t.Context(), admin(north), h.ID, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	if err := r.Release(t.Context(), admin(north), h.ID, "x"); err != nil {
		t.Fatal(err)
	}
	if err := r.Release(t.Context(), admin(north), h.ID, "x"); !fault.Is(err, fault.NotFound) {
		t.Errorf("twice: %v", err)
	}
}

func TestAPreviewSaysWhatWouldBeLostAndLosesNothing(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("A"), rider("B")), "x")
	h := r.mustHold(seal.Target{Subject: rider("B")}, time.Time{})
	got, holds, err := r.Preview(t.Context(), admin(north), rider("A"))
	if err != nil || got.Keys != 1 || got.Objects != 1 || got.Others != 1 || got.Listed[0] != e.Digest() || len(holds) != 1 ||
		holds[0].ID != h.ID {
		t.Errorf("got %+v, %v, %v", got, holds, err)
	}
	if _, err := r.open(r.Vault, e); err != nil || len(r.records(audit.Erasure)) != 0 {
		t.Errorf("looking destroyed it: %v", err)
	}
	if _, err := r.ErasureOf(t.Context(), admin(north), rider("A")); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}
