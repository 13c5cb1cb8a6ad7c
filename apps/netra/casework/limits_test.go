package casework_test

import (
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
)

// TestTheLimitsThatAreSetCountEverywhere promises that scores are told by the thresholds the organisation has set, say so, and that
// alarms are judged at these and at no others.
func TestTheLimitsThatAreSetCountEverywhere(t *testing.T) {
	r := newRig(t, 2)
	now := r.Store.Now()
	if _, err := r.desk.Take(t.Context(), analyst, casework.Bundle{Name: "a", Format: feed.NDJSON,
		Body: []byte(lines(t, 0, 3, now))}); err != nil {
		t.Fatal(err)
	}
	want := score.Thresholds{1, 2, 3, 4}
	r.SetLimits(t, func(l *store.Limits) { l.Monitoring, l.Preventive, l.Senior, l.Critical = 1, 2, 3, 4 })
	all, err := r.desk.Board(t.Context(), analyst, 24, score.V2())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Limits != want || m.Now().ByScore != want.Band(m.Now().Score.Value) || m.Now().ByScore == score.Baseline {
			t.Errorf("%s: got %v and %s for %.2f", m.Name, m.Limits, m.Now().ByScore, m.Now().Score.Value)
		}
	}
	r.Set(t, `insert into netra.score (org, lgd, window_hours, as_of, profile_hash, profile, status, score, band, result, frozen_at,
		frozen_by) select 'north', lgd, 24, at, 'x', 'v2', 'scored', (lgd * 7 + extract(day from at)) / 10, 'BASELINE', '{}', at, 'asha'
		from generate_series(now() - interval '200 days', now() - interval '40 days', interval '1 day') at, generate_series(1, 2) lgd`)
	v, err := r.desk.Judge(t.Context(), analyst, 24, "made-up.csv", nil)
	if err != nil || len(v.Reports) == 0 || v.Reports[0].N == 0 {
		t.Fatalf("nothing was judged: %+v, %v", v, err)
	}
	var at []float64
	for _, a := range v.Reports[0].Alarms {
		at = append(at, a.Threshold)
	}
	if !slices.Equal(at, want[:]) {
		t.Errorf("alarms were judged at %v, want %v", at, want)
	}
}
