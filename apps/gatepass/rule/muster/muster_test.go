package muster

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func at(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }

// TestWhereSomebodyIsFollowsFromTheirPass promises that nobody is called in or out by a pass that does not say so: who should
// have been back and was not seen is not known.
func TestWhereSomebodyIsFollowsFromTheirPass(t *testing.T) {
	for name, tt := range map[string]struct {
		Sighting
		want Where
	}{
		"has not left":          {Sighting{Status: pass.Approved, Returnable: true, Due: at(2)}, In},
		"waits for approval":    {Sighting{Status: pass.Pending}, In},
		"is out and due later":  {Sighting{Status: pass.Exited, Returnable: true, Left: at(-1), Due: at(1)}, Out},
		"is out to the minute":  {Sighting{Status: pass.Exited, Returnable: true, Left: at(-1), Due: at(0)}, Out},
		"should have been back": {Sighting{Status: pass.Exited, Returnable: true, Left: at(-2), Due: at(-1)}, Unknown},
		"left for good":         {Sighting{Status: pass.Exited, Left: at(-2), Due: at(-1)}, Out},
		"is in, the laptop out": {Sighting{Status: pass.Exited, Returnable: true, Back: true, Left: at(-2), Due: at(-1)}, In},
		"is back":               {Sighting{Status: pass.Returned, Returnable: true, Left: at(-2), Came: at(-1), Due: at(1)}, In},
	} {
		if got := Of([]Sighting{tt.Sighting}, noon); got.People[0].Where != tt.want || got.Counts[tt.want] != 1 {
			t.Errorf("who %s: got %s, want %s", name, got.People[0].Where, tt.want)
		}
	}
}

// TestOneEmployeeIsOnTheListOnce promises that of several passes of one employee the one that says something last counts, in
// whatever order they are read, and that people without a number are not taken for one another.
func TestOneEmployeeIsOnTheListOnce(t *testing.T) {
	in := Sighting{Number: "GP-2026-0001", Name: "Asha Rao", Ref: "e-7", Status: pass.Returned, Returnable: true,
		Left: at(-5), Came: at(-4)}
	out := Sighting{Number: "GP-2026-0002", Name: "Asha Rao", Ref: "E-7", Status: pass.Exited, Returnable: true, Left: at(-1), Due: at(1)}
	for _, all := range [][]Sighting{{in, out}, {out, in}} {
		l := Of(all, noon)
		if len(l.People) != 1 || l.People[0].Where != Out || l.Counts[In] != 0 {
			t.Errorf("got %+v, want her once and out", l)
		}
	}
	in.Ref, out.Ref = "", ""
	if l := Of([]Sighting{in, out}, noon); len(l.People) != 2 {
		t.Errorf("two people of one name became %d", len(l.People))
	}
}

// TestTheCopyNeedsNothingFromOutside promises a page that opens without a network, says everybody once, whom to look for first,
// and escapes what people wrote.
func TestTheCopyNeedsNothingFromOutside(t *testing.T) {
	l := Of([]Sighting{{Number: "GP-2026-0001", Name: "Out", Status: pass.Exited, Left: at(-1)},
		{Number: "GP-2026-0002", Name: `<script src="//x">`, Status: pass.Exited, Returnable: true, Left: at(-2), Due: at(-1)},
		{Number: "GP-2026-0003", Name: "In", Status: pass.Approved}}, noon)
	page := string(Sheet{List: l, Site: "Head <b>office", Zone: time.UTC}.HTML())
	for _, bad := range []string{"<script", `src="`, `href="`, "http", "<b>office"} {
		if strings.Contains(page, bad) {
			t.Errorf("the copy holds %q", bad)
		}
	}
	var last int
	for _, number := range []string{"GP-2026-0002", "GP-2026-0003", "GP-2026-0001"} {
		if strings.Count(page, number) != 1 || strings.Index(page, number) < last {
			t.Errorf("%s is not there once and in its place", number)
		}
		last = strings.Index(page, number)
	}
}
