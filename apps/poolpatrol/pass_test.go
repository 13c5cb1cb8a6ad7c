package poolpatrol

import (
	"slices"
	"testing"
)

// TestPassesOfOneMomentAreEachListedOnce promises pages that lose and repeat nothing
// where several passes began at the same time.
func TestPassesOfOneMomentAreEachListedOnce(t *testing.T) {
	r := newRig(t)
	r.sql(`insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, began_at)
		select 'north', 'PASS-0000000' || n, 'asked', 'k' || n, 'p', 'x', '2026-10-01T08:00:00.123456Z' from generate_series(1, 7) n`)
	var seen []string
	for token := ""; ; {
		got := r.want(200, "manager", "GET", "/v1/poolpatrol/passes?page_size=3&page_token="+token, nil)
		for _, one := range got.Items() {
			seen = append(seen, one.(map[string]any)["id"].(string))
		}
		if token, _ = got.JSON["next_page_token"].(string); token == "" || len(seen) > 7 {
			break
		}
	}
	if each := slices.Compact(slices.Sorted(slices.Values(seen))); len(seen) != 7 || len(each) != 7 {
		t.Errorf("pages list %v, want each of 7 passes once", seen)
	}
}
