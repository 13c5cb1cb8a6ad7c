package evidence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/evidence"
)

// TestTheDoctorFindsASourceThatIsLate promises that the doctor and the page of
// sources agree on what is late.
func TestTheDoctorFindsASourceThatIsLate(t *testing.T) {
	r := newRig(t)
	look := func(later time.Duration) doctor.Finding {
		t.Helper()
		now := func() time.Time { return time.Now().Add(later) }
		return doctor.Run(t.Context(), []doctor.Check{evidence.Check(r.db.SystemURL, testSources, now)}, time.Minute)[0]
	}
	if got := look(0); got.Status != doctor.OK || got.Detail != "in time: 0" {
		t.Errorf("nothing ever came: got %+v", got)
	}
	r.took(t, "cpcb", "sector,val\n1,412\n")
	r.took(t, "small", "a,b\n1,2\n") // nobody said how often it should speak
	for _, tt := range []struct {
		later       time.Duration
		status      doctor.Status
		detail, fix string
	}{
		{0, doctor.OK, "in time: 1", ""},
		{59 * time.Minute, doctor.OK, "in time: 1", ""},
		{5 * time.Hour, doctor.Warn, "CPCB stations of north is late by 4h0m", "docs/runbook/source-silent.md"},
	} {
		if got := look(tt.later); got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) ||
			!strings.Contains(got.Fix, tt.fix) || (got.Fix == "") != (tt.fix == "") {
			t.Errorf("after %s: got %+v, want %s with %q and %q", tt.later, got, tt.status, tt.detail, tt.fix)
		}
	}
}
