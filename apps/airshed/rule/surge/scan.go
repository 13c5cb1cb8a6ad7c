package surge

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxTracks bounds one scan: twice the stations the country has.
const MaxTracks = 1200

// Left is a station that was not looked at because it has been quiet for too long:
// an old figure would pass for the air of today.
type Left struct {
	Site aqi.Site `json:"site_id"`
	Role Role     `json:"role"`
	Last aqi.Hour `json:"last,omitempty"` // its last known hour; none where it has none
}

// Found is an episode and how it stands against the interior.
type Found struct {
	Episode Episode    `json:"episode"`
	Control Comparison `json:"control"`
}

// A Board is what all stations together show at one moment.
type Board struct {
	Policy   string    `json:"policy"`
	At       time.Time `json:"at"`
	Border   int       `json:"border_stations"`   // that were looked at
	Interior int       `json:"interior_stations"` // that served as controls
	Left     []Left    `json:"left_out"`          // by site
	Found    []Found   `json:"found"`             // by site, then start; closed episodes too
}

// Scan looks at all stations as they were known at a moment: hours that were not
// over then count for nothing. Stations that have been quiet for too long are left
// out, as border stations and as controls, and listed.
func (p Policy) Scan(now time.Time, tracks []Track) (Board, error) {
	if err := p.Check(); err != nil {
		return Board{}, err
	}
	if len(tracks) > MaxTracks {
		return Board{}, fault.New(fault.TooLarge, "more than %d stations", MaxTracks)
	}
	b := Board{Policy: p.Version, At: now.UTC()}
	known := make([]Track, len(tracks))
	for i, t := range tracks {
		known[i] = t.Until(now)
	}
	slices.SortFunc(known, func(a, b Track) int { return cmp.Compare(a.station.Site, b.station.Site) })
	var border, interior []Track
	for i, t := range known {
		if t.station.Site == "" || i > 0 && t.station.Site == known[i-1].station.Site {
			return Board{}, fault.New(fault.Invalid, "station %.60q is unnamed or there twice", t.station.Site)
		}
		last, ok := t.last()
		switch {
		case !ok || now.Sub(last.End()) > time.Duration(p.Stale)*time.Hour:
			b.Left = append(b.Left, Left{Site: t.station.Site, Role: t.station.Role, Last: last})
		case t.station.Role == Border:
			border = append(border, t)
		case t.station.Role == Interior:
			interior = append(interior, t)
		}
	}
	b.Border, b.Interior = len(border), len(interior)
	for _, t := range border {
		for _, e := range p.Episodes(t) {
			b.Found = append(b.Found, Found{Episode: e, Control: Compare(t, e, interior)})
		}
	}
	return b, nil
}
