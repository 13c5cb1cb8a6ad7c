package seal_test

import (
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

func TestErasuresAreListedNewestFirstToThoseWhoMayLook(t *testing.T) {
	r := newRig(t)
	var want []string
	for _, id := range []string{"A", "B", "C"} {
		if _, err := r.Erase(t.Context(), admin(north), asked(rider(id))); err != nil {
			t.Fatal(err)
		}
		want = append([]string{"rider:" + id}, want...)
	}
	var got []string
	for before := audit.RecordID(""); ; {
		page, next, err := r.Erasures(t.Context(), admin(north), before, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			if e.N != 1 || e.Record == "" || e.At.IsZero() {
				t.Errorf("got %+v", e)
			}
			got = append(got, e.Subject)
		}
		if before = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	operator := admin(north)
	operator.Roles = []identity.Role{identity.Operator}
	if _, _, err := r.Erasures(t.Context(), operator, "", 2); !fault.Is(err, fault.Refused) {
		t.Errorf("an operator: got %v, want refused", err)
	}
	if _, _, err := r.Erasures(t.Context(), admin(north), "", 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("a page of nothing: got %v", err)
	}
}
