package surge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// answer is a page of the open data feed in its published shape, written by hand:
// each station with three sub-indices.
func answer(stations ...string) []byte {
	var rows []string
	for _, s := range stations {
		for _, p := range []string{"PM2.5", "PM10", "CO"} {
			rows = append(rows, fmt.Sprintf(`{"state":"Delhi","city":"Delhi",%s,"last_update":"13-11-2025 18:00:00","pollutant_id":%q}`, s,
				p))
		}
	}
	return []byte(`{"total":9,"records":[` + strings.Join(rows, ",") + `]}`)
}

// TestFromTheOpenDataFeedToAnEpisode promises the whole way of a feed without
// concentrations: 350 at Alipur and 310 inside make an episode found by the index
// alone, 40 points above the interior; whoever cannot be placed is counted.
func TestFromTheOpenDataFeedToAnEpisode(t *testing.T) {
	page, err := aqi.ParsePage(answer(
		`"station":"Alipur, Delhi - DPCC","latitude":"28.815329","longitude":"77.15301","avg_value":"350"`,
		`"station":"ITO, Delhi - CPCB","latitude":"28.628624","longitude":"77.241060","avg_value":"310"`,
		`"station":"Narela, Delhi - DPCC","latitude":"NA","longitude":"NA","avg_value":"400"`,
		`"station":"Bandra, Mumbai - MPCB","latitude":"19.04","longitude":"72.86","avg_value":"90"`))
	if err != nil {
		t.Fatal(err)
	}
	reports, _, err := aqi.Gather(page.Rows)
	if err != nil {
		t.Fatal(err)
	}
	tracks, others, err := surge.FromFeed(surge.Stations(), reports)
	if err != nil || others != 2 || len(tracks) != len(surge.Stations()) {
		t.Fatalf("%d tracks, %d others, %v", len(tracks), others, err)
	}
	b, err := surge.Standard().Scan(time.Date(2025, 11, 13, 13, 0, 0, 0, time.UTC), tracks)
	if err != nil || len(b.Found) != 1 || len(b.Left) != 18 || b.Border != 1 || b.Interior != 1 {
		t.Fatalf("got %+v, %v", b, err)
	}
	f := b.Found[0]
	if f.Episode.Key != "site_5024@2025-11-13T11:30Z" || f.Episode.Basis != surge.IndexOnly || f.Control.Difference != 40 ||
		f.Control.Unit != "index" {
		t.Errorf("found %+v", f)
	}
}
