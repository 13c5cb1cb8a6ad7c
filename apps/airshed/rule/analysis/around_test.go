package analysis_test

import "testing"

// TestStationsAroundShowTheHourOfThePeak promises that each station stands on the map
// with its own value of that hour, and that one without data is marked and has none.
func TestStationsAroundShowTheHourOfThePeak(t *testing.T) {
	d := prepare(t, whole(t))
	all, err := d.Around(d.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	known, left := 0, 0
	for _, n := range all {
		if n.Left {
			left++
		}
		if n.PM25 == nil {
			continue
		}
		if known++; n.Left {
			t.Errorf("%s was left out and has %v", n.Name, *n.PM25)
		}
		if n.Site == "site_5024" && *n.PM25 != 300 {
			t.Errorf("Alipur: got %v, want 300", *n.PM25)
		}
	}
	if board := d.Board(); known < 2 || left != len(board.Left) || known+left != len(all) {
		t.Errorf("of %d stations %d have a value and %d were left out; the board left out %d", len(all), known, left, len(board.Left))
	}
	if _, err := d.Around("site_1@2020-01-01T00:30Z"); err == nil {
		t.Error("an episode that is not there has stations around it")
	}
}
