// Package picture draws an episode: the map of stations, fires and the way of the air, the
// curves hour by hour, and the shares with their ranges.
//
// Read Map, Series and Shares. Each draws with package chart and returns a Drawing: an SVG,
// its legend, what must be said beside it, and the tables that say the same. Words are the
// caller's: see MapLabels, SeriesLabels and SharesLabels. The marks of a map (stations, fires,
// the band) are ours, and so are the rules for them, which stand in the pages' stylesheet.
package picture

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/chart"
)

// What is drawn at most. What lies beyond is counted, and said in the notes.
const (
	MaxFires    = analysis.MaxDrawn // the strongest
	MaxStations = 200
	MaxPaths    = 48  // twice the hours of a window
	MaxPoints   = 121 // of one path: five days
	MaxHours    = 720 // of curves: the last
	MaxShares   = 40  // the first
)

// lookAt is a look with what we mean by a zone that is left out, India's, and by an hour 0
// that is: the last of the curves.
func lookAt(l chart.Look, p analysis.Picture) chart.Look {
	if l.Zone == nil {
		l.Zone = aqi.India()
	}
	if l.Zero.IsZero() {
		l.Zero = lastHour(p)
	}
	return l
}

func lastHour(p analysis.Picture) time.Time {
	switch {
	case len(p.Series) > 0:
		return p.Series[len(p.Series)-1].From
	case len(p.Corridor) > 0:
		return p.Corridor[len(p.Corridor)-1].Arrives.Truncate(time.Hour)
	case len(p.Fires) > 0:
		return p.Fires[len(p.Fires)-1].Time.Truncate(time.Hour)
	}
	return time.Time{}
}
