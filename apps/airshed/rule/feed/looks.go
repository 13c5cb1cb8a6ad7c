package feed

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// lookDays is how many days one request for geostationary rows may cover: they are many.
const lookDays = 2

// PlanLooks cuts a time into questions for what watching satellites saw that served then:
// each source once, for they share theirs.
func PlanLooks(w fire.Watch, from, to time.Time) (asks []FireAsk, err error) {
	spans, err := fire.SpansOf(from, to, lookDays)
	if err != nil {
		return nil, err
	}
	for _, s := range w.Watchers {
		for _, sp := range spans {
			ask := FireAsk{s.Source, sp}
			if serves(s, sp) && !slices.Contains(asks, ask) {
				asks = append(asks, ask)
			}
		}
	}
	return asks, nil
}
