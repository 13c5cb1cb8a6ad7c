package filing

import (
	"context"

	"github.com/gavelhq/gavel/apps/airshed/store"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/tool"
)

// filedFiles are the files of a report that was filed: the JSON, which went to the
// commission, and the pages with the same words. Of one that was not there are none.
func (c *Clerk) filedFiles(ctx context.Context, e tool.Env, d store.Draft, f store.Filing) (all []log.Departure, err error) {
	if f.Status != store.Success {
		return nil, nil
	}
	var sums []blob.Digest
	for _, digest := range []string{d.JSON, d.English, d.Hindi} {
		sum, err := blob.Parse(digest)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	kept, err := c.store.Kept().ReceivedAll(ctx, e.Org, sums)
	for _, sum := range sums {
		all = append(all, log.Departure{File: store.FiledAs(f.Simulated), Name: d.ReportID, Subject: e.Case, SHA256: sum,
			Size: kept[sum].Size})
	}
	return all, err
}
