package survey

import (
	"context"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// maxLooked is how many kept snapshots are tried for one that can be read.
const maxLooked = 5

// lastOf finds the last object of a lake that was kept and can be read. Files that
// people handed in are kept under the same source, and never stand in for the lake.
func (v *Surveyor) lastOf(org identity.Org, lakeName string) outside.LastGood {
	return func(ctx context.Context) (outside.Snapshot, error) {
		none := fault.New(fault.NotFound, "no object of the lake was kept")
		if v.store.Kept() == nil {
			return outside.Snapshot{}, none
		}
		all, err := v.store.Kept().Snapshots(ctx, org, evidence.SnapshotQuery{Source: origin.Lake, Limit: 200})
		if err != nil {
			return outside.Snapshot{}, err
		}
		tried := map[blob.Digest]bool{}
		for _, k := range all {
			if !strings.HasPrefix(k.Place, "s3://"+lakeName+"/") || tried[k.SHA256] {
				continue
			}
			if tried[k.SHA256] = true; len(tried) > maxLooked {
				break
			}
			body, err := v.store.BytesOf(ctx, org, k.SHA256, lake.MaxBytes)
			if err != nil {
				return outside.Snapshot{}, err
			}
			if _, err := lake.Read(body); err == nil {
				return outside.SnapshotOf(origin.Lake, k.Place, k.Told, k.FetchedAt, body), nil
			}
		}
		return outside.Snapshot{}, none
	}
}
