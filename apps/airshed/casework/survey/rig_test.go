package survey

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/store"
)

// A rig is a surveyor on a real database.
type rig struct {
	airshedtest.Rig
	*Surveyor
}

func newRig(t *testing.T) rig {
	t.Helper()
	r := airshedtest.New(t)
	return rig{r, New(r.Store)}
}

// hand hands a file in and carries the scan of it out.
func (r rig) hand(t *testing.T, key string, o *lake.Object) store.Scan {
	t.Helper()
	return r.Hand(t, r.Steps(), key, o)
}

// carry does the steps of a scan, as its workflow does.
func (r rig) carry(t *testing.T, scan store.Scan) store.Scan {
	t.Helper()
	return r.Carry(t, r.Steps(), scan)
}
