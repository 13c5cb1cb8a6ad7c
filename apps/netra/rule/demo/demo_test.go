package demo_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/demo"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/gate"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// TestAtAnyMomentThereIsSomethingToSee promises of every day of a month: a district in a higher band than the lowest, one that
// calms, one of which nothing is heard, one of which only the police speak, and a line that the gate stops now and then.
func TestAtAnyMomentThereIsSomethingToSee(t *testing.T) {
	all, err := gazette.Read([]byte(demo.Districts()))
	if err != nil || len(all) != 24 {
		t.Fatalf("%d districts, %v", len(all), err)
	}
	book, err := gazette.NewBook(all)
	if err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for day := range 30 {
		now := time.Date(2026, 11, 1, 7, 13, 0, 0, time.UTC).AddDate(0, 0, day)
		door := gate.Gate{Book: book, Received: now, Kept: 400 * 24 * time.Hour}
		by := map[int][]signal.Signal{}
		err := feed.Read(feed.NDJSON, demo.Heard(now.AddDate(0, 0, -4), now), nil, func(l feed.Line) error {
			s, kinds, why := door.Pass(l.Report)
			if why != "" || l.Problem != "" {
				t.Fatalf("line %d is refused: %s %s", l.N, why, l.Problem)
			}
			if kinds != nil {
				stopped++
				return nil
			}
			by[s.LGD] = append(by[s.LGD], s)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, e := range all {
			r := score.Of(score.V2(), score.Usual(), bucket.Window{AsOf: now, Span: 24 * time.Hour}, by[e.LGD])
			seen[string(r.Status)]++
			if r.Band > score.Baseline {
				seen["raised"]++
			}
			if r.Trend == score.Falling {
				seen["calming"]++
			}
		}
		if seen["raised"] == 0 || seen["raised"] > 12 || seen["calming"] == 0 || seen["no_signals"] == 0 || seen["only_enforcement"] == 0 {
			t.Errorf("%s: there is %v", now.Format(time.DateOnly), seen)
		}
	}
	if stopped == 0 {
		t.Error("no line is stopped")
	}
}

// TestWhatIsHeardTwiceIsTheSame promises that two stretches that follow each other say what one over both says.
func TestWhatIsHeardTwiceIsTheSame(t *testing.T) {
	now := time.Date(2026, 11, 18, 7, 13, 0, 0, time.UTC)
	whole := demo.Heard(now.AddDate(0, 0, -2), now)
	parts := append(demo.Heard(now.AddDate(0, 0, -2), now.AddDate(0, 0, -1)), demo.Heard(now.AddDate(0, 0, -1), now)...)
	if a, b := bytes.Count(whole, []byte("\n")), bytes.Count(parts, []byte("\n")); a != b || a == 0 {
		t.Errorf("one stretch has %d lines, two have %d", a, b)
	}
	if !bytes.Contains(whole, parts[:bytes.IndexByte(parts, '\n')]) {
		t.Error("a line of the parts is not in the whole")
	}
}
