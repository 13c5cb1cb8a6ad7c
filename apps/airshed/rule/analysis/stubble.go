package analysis

import (
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// indicative is what must stand beside every product of the forecast's figure and a
// share.
const indicative = "indicative, Delhi-wide: the forecast's figure for all of Delhi times a share of the fires seen; of no station, and " +
	"measured by nobody"

// caveats are what must be said of the forecast.
func caveats() []string {
	return []string{
		"a forecast for Delhi as a whole: of no station and of no state",
		"its emissions inventory is of 2021",
		"its publication was suspended in 2024 over doubts about its accuracy and resumed on 5 October 2025",
	}
}

// stubble is the forecast's figure, and what the shares make of it. A figure for
// days that are too far from the surge is not used.
func (d *Dataset) stubble(a Analysis) Stubble {
	s := Stubble{Indicative: []Indicative{}, Label: indicative, Caveats: caveats()}
	from := d.from.Stubble
	if from == nil || d.otherDay(a.Window) {
		return s
	}
	s.Available, s.Percent, s.Word, s.For, s.Source = true, round(from.Percent, tenths), WordFor(from.Percent), from.Day(), *from
	s.Source.Time, s.Source.Issued = from.Time.UTC(), from.Issued.UTC()
	if a.Attribution.Verdict == plume.Unattributed {
		return s
	}
	part := func(share float64) float64 { return round(from.Percent*share/100, tenths) }
	for _, share := range a.Attribution.States {
		i := Indicative{State: share.State, Low: part(share.Low), Median: part(share.Median), High: part(share.High)}
		i.Word = WordFor(i.Median)
		s.Indicative = append(s.Indicative, i)
	}
	return s
}

// otherDay reports whether the forecast speaks of days too far from a window. One
// that does not say of what day it is cannot be said to.
func (d *Dataset) otherDay(w Window) bool {
	as := d.from.Stubble.As()
	return as.IsZero() || as.Before(w.From.Add(-d.rules.Ages.Stubble)) || as.After(w.To.Add(d.rules.Ages.Stubble))
}

// What the forecast has never been above, and above what it is not off season, in
// percent of Delhi's PM2.5.
const (
	everMost      = 70
	offSeasonMost = 5
)

// stubbleWarnings are what cannot be quite right about the forecast's figure.
func (d *Dataset) stubbleWarnings(s Stubble) []Warning {
	var out []Warning
	if s.Available && s.Source.Percent > everMost {
		out = append(out, Warning{StubbleTooHigh,
			fmt.Sprintf("the forecast's %.1f %% is more than has ever been published for a single event (%d %%)", s.Percent, everMost)})
	}
	if s.Available && s.Source.Percent > offSeasonMost && !inSeason(s.For) {
		out = append(out, Warning{StubbleOffSeason,
			fmt.Sprintf("the forecast's %.1f %% is for %s; outside 25 September to 5 December more than %d %% is not to be expected",
				s.Percent, s.For, offSeasonMost)})
	}
	return out
}

// inSeason reports whether straw of paddy is burnt around a day.
func inSeason(day string) bool {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return true // nothing can be said against a day that is not known
	}
	md := t.Format("01-02")
	return md >= "09-25" && md <= "12-05"
}
