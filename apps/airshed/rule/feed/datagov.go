package feed

import (
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// DataGovBase is where the country's open data is, and DataGovIndex the number of
// its table of the air quality index.
const (
	DataGovBase  = "https://api.data.gov.in"
	DataGovIndex = "3b01bcb8-0b14-4abf-b6f2-c1bfd384ba69"
)

// PageRows is how many rows of the table are asked for at once. A sample key gets
// ten whatever is asked.
const PageRows = 1000

// Bounds of one reading of the table: the country is some 3,500 rows, and a sample
// key gets ten at a time.
const (
	maxAirRows  = 50_000
	maxAirPages = 1_000
)

// AirPage makes the request for rows of the table from one on, of one state or,
// with none, of all. The key is part of the address.
func AirPage(base, key, state string, offset int) (Request, error) {
	const service = "the open data service"
	if err := checkKey(service, key); err != nil {
		return Request{}, err
	}
	if offset < 0 || offset > maxAirRows || len(state) > maxName {
		return Request{}, fault.New(fault.Invalid, "the open data service is asked for rows 0 to %d", maxAirRows)
	}
	at, err := address(base, "/resource/"+DataGovIndex)
	if err != nil {
		return Request{}, err
	}
	of := map[string]string{"format": "json", "offset": strconv.Itoa(offset), "limit": strconv.Itoa(PageRows)}
	if state != "" {
		of["filters[state]"] = state
	}
	shown := at + query(of) // the key is left out: it need not even be hinted at
	of["api-key"] = key
	return Request{Shown: shown, url: at + query(of), secret: key}, nil
}

// Pages collects the table page by page, by the rows that came and not by those
// that were asked for. The zero Pages is at the beginning.
type Pages struct {
	Rows    []aqi.Row
	Dropped map[aqi.Drop]int
	Seen    int  // rows received, used or not
	Total   int  // rows the service says there are; meaningless before the first page
	Moved   bool // the table changed while it was read: some rows may be missing

	pages   int
	updated string
	last    []aqi.Row
}

// Next is the offset of the next page.
func (p *Pages) Next() int { return p.Seen }

// Take adds a page and reports whether it was the last.
func (p *Pages) Take(page aqi.Page) (done bool, err error) {
	first := p.pages == 0
	if p.pages++; p.pages > maxAirPages || p.Seen+page.Received > maxAirRows {
		return false, fault.New(fault.TooLarge, "the table of the air quality index does not end after %d pages and %d rows", p.pages-1,
			p.Seen)
	}
	if len(page.Rows) > 0 && slices.Equal(page.Rows, p.last) {
		return false, fault.New(fault.Unavailable, "the open data service sent the same page twice and so cannot be read to its end")
	}
	if !first && (page.Total != p.Total || page.Updated != p.updated) {
		p.Moved = true
	}
	p.Total, p.updated, p.last = page.Total, page.Updated, page.Rows
	p.Seen += page.Received
	p.Rows = append(p.Rows, page.Rows...)
	if p.Dropped == nil {
		p.Dropped = map[aqi.Drop]int{}
	}
	for why, n := range page.Dropped {
		p.Dropped[why] += n
	}
	if page.Received == 0 && page.Total != aqi.Unknown && p.Seen < page.Total {
		return false, fault.New(fault.Unavailable, "the open data service stopped after %d of %d rows", p.Seen, page.Total)
	}
	return page.Received == 0 || page.Total != aqi.Unknown && p.Seen >= page.Total, nil
}
