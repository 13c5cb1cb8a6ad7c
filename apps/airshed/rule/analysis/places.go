package analysis

import (
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// place says where a fire lies: by the boundaries, and only where these know no
// state by the row's own word. A district is never taken from a row: its word has no
// licence and no date, and districts are split and renamed every year.
func (d *Dataset) place(s *sightings, f lake.Fire) fire.Place {
	row := fire.Place{State: plain(f.State)}
	var at fire.Place
	if d.rules.Places != nil {
		at = d.rules.Places(fire.Point{Lat: f.Lat, Lon: f.Lon})
	}
	if at.Abroad { // a row of Pakistan's says so in the place for states, and is right
		return fire.Place{Abroad: true}
	}
	switch {
	case at == (fire.Place{}) && row.State == "":
		return at
	case at.State == "":
		s.rowPlaced++
		return row
	case row.State != "" && !strings.EqualFold(row.State, at.State):
		s.disagreed++
	}
	return at
}

// plain is a name without the underscores that some feeds write for spaces.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "_", " ")) }

// named is a place under the names that shares are given by.
func named(p fire.Place) plume.Place {
	if p.Abroad {
		return plume.Place{State: Abroad}
	}
	return plume.Place{State: p.State, District: p.District}
}
