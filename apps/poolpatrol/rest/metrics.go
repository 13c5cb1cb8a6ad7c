package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// A metricsBody is the programme in numbers, as its first page has them.
type metricsBody struct {
	Open       int         `json:"open_cases"`
	Overdue    int         `json:"overdue_cases"`
	States     []stateBody `json:"states" doc:"Open cases by state."`
	Since      time.Time   `json:"since" doc:"What follows counts from then: 90 days."`
	Opened     int         `json:"opened"`
	Ended      int         `json:"ended"`
	Median     float64     `json:"median_days" doc:"From opening to end, of those that ended."`
	P90        float64     `json:"p90_days"`
	SavedHours float64     `json:"audit_hours_saved" doc:"The cases times the minutes by hand, less the time requests were open before people."`
	Saved      int         `json:"cost_saved" doc:"In whole units of the currency; 0 where the cost of an hour is not said."`
	Currency   string      `json:"currency"`
	Ends       int         `json:"memberships_ended"`
	Reversed   int         `json:"reversed" doc:"Of them, given back within 60 days."`
	FalseRate  *float64    `json:"false_cancel_rate" doc:"Reversed divided by memberships_ended; null where none ended."`
	Months     []monthBody `json:"months" doc:"The last twelve, the newest first."`
}

// A stateBody counts the open cases of a state.
type stateBody struct {
	State lifecycle.State `json:"state"`
	Cases int             `json:"cases"`
}

// A monthBody is the programme and its workload in a month.
type monthBody struct {
	Month       string   `json:"month" doc:"As 2026-03, in the programme's zone."`
	Looked      int      `json:"vans_looked_at" doc:"In audits of every van."`
	Failed      int      `json:"vans_failed"`
	Share       *float64 `json:"failed_share" doc:"Null where no van was looked at."`
	Opened      int      `json:"opened"`
	Ended       int      `json:"ended"`
	Ends        int      `json:"memberships_ended"`
	Reversed    int      `json:"reversed"`
	Answered    int      `json:"requests_decided" doc:"By people."`
	ReviewHours float64  `json:"review_hours" doc:"How long those were open before people."`
}

type metricsOutput struct{ Body metricsBody }

const hoursADay = 24

func (s *answers) metrics(ctx context.Context, who identity.Actor, _ *struct{}) (*metricsOutput, error) {
	d, err := s.store.Dashboard(ctx, who)
	if err != nil {
		return nil, err
	}
	b := metricsBody{Open: d.Open, Overdue: d.Overdue, States: []stateBody{}, Since: d.Since.UTC(), Opened: d.Opened, Ended: d.Ended,
		Median: d.Median.Hours() / hoursADay, P90: d.P90.Hours() / hoursADay, SavedHours: d.Saved().Hours(), Saved: d.Cost(),
		Currency: d.Currency, Ends: d.Ends, Reversed: d.Reversed, FalseRate: rate(d.Reversed, d.Ends), Months: []monthBody{}}
	for _, state := range lifecycle.States() {
		if !state.Ended() {
			b.States = append(b.States, stateBody{state, d.States[state]})
		}
	}
	for _, m := range d.Months {
		b.Months = append(b.Months, monthOf(m))
	}
	return &metricsOutput{b}, nil
}

func monthOf(m store.Month) monthBody {
	return monthBody{Month: m.Begins.Format("2006-01"), Looked: m.Vans, Failed: m.Failed, Share: rate(m.Failed, m.Vans), Opened: m.Opened,
		Ended: m.Ended, Ends: m.Ends, Reversed: m.Reversed, Answered: m.Asked, ReviewHours: m.Reviewed.Hours()}
}

// rate is a part of a whole; nil of nothing.
func rate(n, of int) *float64 {
	if of == 0 {
		return nil
	}
	share := float64(n) / float64(of)
	return &share
}
