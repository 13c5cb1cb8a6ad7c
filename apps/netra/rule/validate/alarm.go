package validate

import (
	"cmp"
	"slices"
	"time"
)

// Alarms is what alarms at a threshold were worth.
type Alarms struct {
	Threshold         float64       `json:"threshold"`
	Raised            int           `json:"raised"`      // a score at or above it after one below
	Right             int           `json:"right"`       // with an event within the horizon
	PPV               float64       `json:"ppv"`         // Right of Raised
	Events            int           `json:"events"`      // first events that scores were followed by
	Caught            int           `json:"caught"`      // of those, with a score at or above it within the horizon before
	MedianLead        time.Duration `json:"median_lead"` // from a right alarm to the event
	DistrictMonths    int           `json:"district_months"`
	FalsePerDistMonth float64       `json:"false_alarms_per_district_month"`
}

// happened is an event of a district, by its time.
type happened struct {
	district string
	at       int64
}

// AlarmsAt is what alarms at a threshold of the score were worth.
func AlarmsAt(all []Settled, threshold float64) Alarms {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b Settled) int { return cmp.Or(cmp.Compare(a.District, b.District), a.At.Compare(b.At)) })
	a := Alarms{Threshold: threshold}
	events, months := map[happened]bool{}, map[string]bool{}
	var leads []time.Duration
	for i, s := range sorted {
		months[s.District+s.At.UTC().Format("/2006-01")] = true
		high := s.Score >= threshold
		if s.Outcome {
			k := happened{s.District, s.First.UnixNano()}
			events[k] = events[k] || high
		}
		began := i == 0 || sorted[i-1].District != s.District || sorted[i-1].Score < threshold
		if !high || !began {
			continue
		}
		a.Raised++
		if s.Outcome {
			a.Right++
			leads = append(leads, s.First.Sub(s.At))
		}
	}
	for _, caught := range events {
		a.Events++
		a.Caught += int(truth(caught))
	}
	if a.Raised > 0 {
		a.PPV = float64(a.Right) / float64(a.Raised)
	}
	if slices.Sort(leads); len(leads) > 0 {
		a.MedianLead = leads[len(leads)/2]
	}
	if a.DistrictMonths = len(months); a.DistrictMonths > 0 {
		a.FalsePerDistMonth = float64(a.Raised-a.Right) / float64(a.DistrictMonths)
	}
	return a
}
