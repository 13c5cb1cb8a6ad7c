package seal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestTheDoctorFindsAMasterKeyThatDoesNotOpen promises that a wrong or missing
// master key is found before somebody needs it, and that nothing of a key is shown.
func TestTheDoctorFindsAMasterKeyThatDoesNotOpen(t *testing.T) {
	r := newRig(t)
	right := r.masters
	look := func(masters string) doctor.Finding {
		t.Helper()
		var ring seal.Masters
		if masters != "" {
			var err error
			if ring, err = seal.ParseMasters(masters); err != nil {
				t.Fatal(err)
			}
		}
		got := doctor.Run(t.Context(), []doctor.Check{seal.Check(r.db.SystemURL, ring)}, time.Minute)[0]
		for part := range strings.SplitSeq(masters, ",") {
			if _, secret, _ := strings.Cut(part, ":"); secret != "" && strings.Contains(got.Detail+got.Fix, secret) {
				t.Errorf("the key is shown: %+v", got)
			}
		}
		return got
	}
	if got := look(right); got.Status != doctor.OK || got.Detail != "nothing is sealed yet" {
		t.Errorf("an empty installation: got %+v", got)
	}
	r.mustSeal(about(rider("R-1")), "secret")
	r.mustSeal(about(rider("R-2")), "secret")
	r.mustErase(rider("R-2")) // a key that is gone is none that must open
	newer := seal.NewMaster("m2")
	for _, tt := range []struct {
		name, masters string
		status        doctor.Status
		detail, fix   string
	}{
		{"the right one", right, doctor.OK, "data keys tried: 1", ""},
		{"a newer one first", newer + "," + right, doctor.OK, "data keys tried: 1", ""},
		{"none", "", doctor.OK, "GAVEL_SEAL_KEYS is not set", ""},
		{"another of the same name", seal.NewMaster("m1"), doctor.Fail, "another key bears that name", "GAVEL_SEAL_KEYS"},
		{"the old one taken away", newer, doctor.Fail, "needs the master key m1, which is not set", "gavel key rewrap-all"},
	} {
		if got := look(tt.masters); got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) ||
			!strings.Contains(got.Fix, tt.fix) || (got.Fix == "") != (tt.fix == "") {
			t.Errorf("%s: got %+v, want %s with %q and %q", tt.name, got, tt.status, tt.detail, tt.fix)
		}
	}
}
