package feed

import (
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Miss is a reason why an hour of the archive is not used.
type Miss string

// The misses.
const (
	NoValue     Miss = "no_value"
	Negative    Miss = "negative"    // below zero: an instrument out of order, or the -999 that stands for none
	Excess      Miss = "excess"      // above what an instrument on a street can read
	Flagged     Miss = "flagged"     // the archive itself doubts it
	WrongUnit   Miss = "wrong_unit"  // parts per billion and the like: they need a temperature to become a concentration
	WrongPeriod Miss = "not_an_hour" // the period is not one full hour of the clock
	Unknown     Miss = "not_in_the_index"
	Thin        Miss = "thin" // less than three quarters of the hour were measured
)

// An hour counts where at least so many quarters of its measurements are there, as
// the rules of the index ask of a mean.
const leastQuarters = 3

// A MeanHour is the mean of one hour of one sensor, a concentration.
type MeanHour struct {
	Hour      aqi.Hour
	Pollutant aqi.Pollutant
	Amount    aqi.Amount
	Observed  int // measurements in it
	Expected  int // that there should be; 0 where the archive does not say
}

// Means are a page of hours.
type Means struct {
	Hours    []MeanHour
	Received int // rows of the page, used or not
	Missed   map[Miss]int
}

type hourRow struct {
	Value *float64 `json:"value"`
	Flag  struct {
		Has bool `json:"hasFlags"`
	} `json:"flagInfo"`
	Parameter parameter `json:"parameter"`
	Period    *struct {
		From *twice `json:"datetimeFrom"`
		To   *twice `json:"datetimeTo"`
	} `json:"period"`
	Coverage *struct {
		Expected int  `json:"expectedCount"`
		Observed *int `json:"observedCount"`
	} `json:"coverage"`
}

// ParseHours reads a page of hourly means. An hour is named by its end, and both
// ends are in the answer: they must be an hour apart. What cannot be used is
// counted by reason.
func ParseHours(body []byte) (Means, error) {
	var in struct {
		Results *[]hourRow `json:"results"`
	}
	if err := decode(body, MaxOpenAQ, "the list of hours", &in); err != nil {
		return Means{}, err
	}
	if in.Results == nil {
		return Means{}, fault.New(fault.Invalid, "the answer holds no list of hours")
	}
	if len(*in.Results) > OpenAQRows {
		return Means{}, fault.New(fault.TooLarge, "a page of more than %d hours", OpenAQRows)
	}
	out := Means{Received: len(*in.Results), Missed: map[Miss]int{}}
	for _, r := range *in.Results {
		h, miss := r.read()
		if miss != "" {
			out.Missed[miss]++
			continue
		}
		out.Hours = append(out.Hours, h)
	}
	return out, nil
}

func (r hourRow) read() (MeanHour, Miss) {
	p, err := aqi.ParsePollutant(r.Parameter.Name)
	if err != nil {
		return MeanHour{}, Unknown
	}
	h := MeanHour{Pollutant: p}
	if r.Period == nil {
		return h, WrongPeriod
	}
	from, to := r.Period.From.moment(), r.Period.To.moment()
	if from.IsZero() || to.Sub(from) != time.Hour {
		return h, WrongPeriod
	}
	if h.Hour, err = aqi.HourUntil(to); err != nil {
		return h, WrongPeriod
	}
	switch {
	case r.Value == nil:
		return h, NoValue
	case *r.Value < 0:
		return h, Negative
	case r.Flag.Has:
		return h, Flagged
	}
	value, ok := inUnit(p, *r.Value, r.Parameter.Units)
	if !ok {
		return h, WrongUnit
	}
	if h.Amount, err = aqi.AmountOf(value); err != nil {
		return h, Excess
	}
	if c := r.Coverage; c != nil && c.Expected >= 0 && c.Observed != nil && *c.Observed >= 0 {
		h.Expected, h.Observed = c.Expected, *c.Observed
	}
	if 4*float64(h.Observed) < leastQuarters*float64(h.Expected) {
		return h, Thin
	}
	return h, ""
}

// inUnit is a value in the unit the index wants of a pollutant. Only weights are
// turned into weights.
func inUnit(p aqi.Pollutant, value float64, unit string) (float64, bool) {
	plain := strings.NewReplacer("μ", "u", "µ", "u", "³", "3", " ", "").Replace(strings.ToLower(unit))
	want := strings.NewReplacer("µ", "u", "³", "3").Replace(p.Unit())
	switch {
	case plain == want:
		return value, true
	case plain == "ug/m3" && want == "mg/m3":
		return value / 1000, true
	case plain == "mg/m3" && want == "ug/m3":
		return value * 1000, true
	}
	return 0, false
}

// Readings are the hours as a station's.
func (m Means) Readings(site aqi.Site) []aqi.Reading {
	out := make([]aqi.Reading, 0, len(m.Hours))
	for _, h := range m.Hours {
		out = append(out, aqi.Reading{Site: site, Hour: h.Hour, Pollutant: h.Pollutant, Amount: h.Amount})
	}
	return out
}
