package pass_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// TestAGuardIsToldWhatAScanWouldBring promises the direction and the reason for every status, and that looking changes nothing.
func TestAGuardIsToldWhatAScanWouldBring(t *testing.T) {
	late := pass.EndOfDay(morning, india).Add(time.Hour)
	for name, tt := range map[string]struct {
		p       pass.Pass
		at      time.Time
		watched bool
		event   pass.Event
		code    pass.Code
	}{
		"pending":           {fresh(t, true), morning, false, pass.ScanExit, pass.InvalidState},
		"approved":          {at(t, pass.Approved, true), morning, false, pass.ScanExit, ""},
		"over":              {at(t, pass.Approved, true), late, false, pass.ScanExit, pass.Expired},
		"watched":           {at(t, pass.Approved, true), morning, true, pass.ScanExit, pass.OnWatchlist},
		"rejected":          {at(t, pass.Rejected, true), morning, false, pass.ScanExit, pass.InvalidState},
		"out":               {at(t, pass.Exited, true), morning, false, pass.ScanReturn, ""},
		"out, and too late": {at(t, pass.Exited, true), late, false, pass.ScanReturn, ""},
		"out for good":      {at(t, pass.Exited, false), morning, false, pass.ScanReturn, pass.NotReturnable},
		"back":              {at(t, pass.Returned, true), morning, false, pass.ScanExit, pass.InvalidState},
	} {
		e, c := pass.Standard().Look(tt.p, guard, tt.at, tt.watched)
		if e != tt.event || c != tt.code {
			t.Errorf("%s: got %s %q", name, e, c)
		}
	}
	if _, c := pass.Standard().Look(at(t, pass.Approved, true), hr, morning, false); c != pass.RoleForbidden {
		t.Errorf("HR at the gate: %q", c)
	}
}

// TestACodeIsThereFromApprovalOn promises a QR for who may use one, and a refusal that says where the pass stands.
func TestACodeIsThereFromApprovalOn(t *testing.T) {
	for _, s := range pass.Statuses() {
		want := pass.Code("")
		if s == pass.Pending || s == pass.Rejected {
			want = pass.NoQR
		}
		p := at(t, s, true)
		if err := pass.QR(p); code(err) != want {
			t.Errorf("%s: got %v", s, err)
		}
		p.DeletedAt = morning
		no, _ := errors.AsType[*pass.Refusal](pass.QR(p))
		if no == nil || no.Code != pass.NoQR || no.Status != 403 || no.Current != s {
			t.Errorf("%s, deleted: got %+v", s, no)
		}
	}
}
