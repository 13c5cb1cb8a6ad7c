// Package surge decides when the air at a border station has become an episode
// that somebody should answer for, and whether the station stands out from the
// city around it.
//
// Two things must come together. The index is a figure of a day and moves
// slowly; single hours of fine particles move fast and mean little. An episode
// opens when the index is above its threshold and enough of the same 24 hours
// are surge hours, and it is named by the station and its first surge hour, so
// that however often somebody looks there is one episode. Read Track for what is
// looked at, Policy.Episodes for the rule, Compare for interior controls,
// and Policy.Scan for all stations at once. The stations are in stations.go.
package surge

import (
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// Version changes whenever a verdict could.
const Version = "surge/2"

// A Policy is the thresholds of the rule.
type Policy struct {
	Version  string     `json:"version"`
	Hourly   aqi.Amount `json:"hourly_pm25"`       // from which, included, an hour can be a surge hour
	Rise     int        `json:"rise_percent"`      // of the usual, from which, included, it is one
	Days     int        `json:"baseline_days"`     // before the hour whose same hour makes the usual
	Least    int        `json:"baseline_least"`    // with fewer of those the rise is not asked for
	Index    int        `json:"index_above"`       // which the index must exceed
	Hours    int        `json:"surge_hours"`       // that the 24 hours of the index must hold
	Together int        `json:"together_hours"`    // surge hours no farther apart are one run
	Quiet    int        `json:"quiet_hours"`       // at or below the index after which an episode is over
	Silent   int        `json:"silent_hours"`      // without any index after which it is given up
	Stale    int        `json:"stale_after_hours"` // since a station's last hour; then it is left out
}

// Standard is the policy the reports began with. 120 µg/m³ is where PM2.5 reaches
// an index of 300.
func Standard() Policy {
	return Policy{Version: "surge-2026-1", Hourly: 120 * aqi.Micro, Rise: 150, Days: 14, Least: 8,
		Index: 300, Hours: 6, Together: 6, Quiet: 12, Silent: 24, Stale: 24}
}

// Check refuses a policy that no rule could go by.
func (p Policy) Check() error {
	in := func(v, low, high int) bool { return v >= low && v <= high }
	ok := in(p.Rise, 0, 1000) && in(p.Days, 0, 60) && in(p.Least, 1, 60) && in(p.Index, 0, aqi.Top) && in(p.Hours, 1, aqi.Day) &&
		in(p.Together, 1, aqi.Day) && in(p.Quiet, 1, 240) && in(p.Silent, 1, 240) && in(p.Stale, 1, 240)
	if !ok || p.Hourly < 0 || p.Hourly > aqi.MaxAmount || p.Version == "" || len(p.Version) > 60 {
		return fault.New(fault.Invalid, "surge policy %.60q has a threshold out of bounds", p.Version)
	}
	return nil
}

// A Key names an episode for ever: the station and the hour it began in.
type Key string

// KeyOf is the key of an episode.
func KeyOf(site aqi.Site, start aqi.Hour) Key { return Key(string(site) + "@" + start.String()) }

// ParseKey reads a key such as site_5024@2025-11-13T12:30Z.
func ParseKey(s string) (aqi.Site, aqi.Hour, error) {
	before, after, _ := strings.Cut(s, "@")
	site, err1 := aqi.ParseSite(before)
	start, err2 := aqi.ParseHour(after)
	if err1 != nil || err2 != nil {
		return "", 0, fault.New(fault.Invalid, "episode %.100q: use the form site_5024@2025-11-13T12:30Z", s)
	}
	return site, start, nil
}
