package outside

import (
	"context"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
)

// DataGovConfig is how the open data service is asked.
type DataGovConfig struct {
	Base string // empty for the government's own
	Key  string
}

// DataGov asks the open data service for the air quality index of stations. It is
// safe for use by many goroutines.
type DataGov struct {
	fetch  *fetcher
	config DataGovConfig
}

// NewDataGov makes a client. The service names no rate; two pages a second are
// modest, and a sample key needs 350 pages for the country.
func NewDataGov(n Network, c DataGovConfig) *DataGov {
	if c.Base == "" {
		c.Base = feed.DataGovBase
	}
	return &DataGov{newFetcher(n, origin.DataGov, rate.NewLimiter(2, 20)), c}
}

// With is the client with a memory of what it was answered.
func (d *DataGov) With(known Memory) *DataGov { return &DataGov{d.fetch.with(known), d.config} }

// Indices are what stations said of themselves: sub-indices, never concentrations.
type Indices struct {
	Reports   []aqi.Report
	Rows      int // received, used or not
	Dropped   map[aqi.Drop]int
	Disagree  int  // rows left out because others of the same hour say something else
	Moved     bool // the table changed while it was read: some rows may be missing
	Snapshots []Snapshot
}

// Indices reads the whole table, of one state or, with none, of the country. The
// pages that were received come back with a fault too.
func (d *DataGov) Indices(ctx context.Context, state string) (Indices, error) {
	var out Indices
	var pages feed.Pages
	for done := false; !done; {
		r, err := feed.AirPage(d.config.Base, d.config.Key, state, pages.Next())
		if err != nil {
			return out, away(ctx, d.fetch.source, err)
		}
		var page aqi.Page
		snap, err := d.fetch.get(ctx, r, 1, func(body []byte) (err error) {
			page, err = aqi.ParsePage(body)
			return err
		})
		if snap.Body != nil {
			out.Snapshots = append(out.Snapshots, snap)
		}
		if err != nil {
			return out, err
		}
		if done, err = pages.Take(page); err != nil {
			return out, away(ctx, d.fetch.source, err)
		}
	}
	var err error
	out.Rows, out.Dropped, out.Moved = pages.Seen, pages.Dropped, pages.Moved
	out.Reports, out.Disagree, err = aqi.Gather(pages.Rows)
	return out, err
}
