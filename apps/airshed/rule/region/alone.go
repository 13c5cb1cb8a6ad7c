package region

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// Alone is the map of a file that gives states: these, and none of those that travel
// with the program. What lies outside them lies in no state that is known; it is not
// said to be abroad, for the file does not say of what country it is.
func (d *Districts) Alone() (*Map, error) {
	if d.gives != GivesStates {
		return nil, fault.New(fault.Internal, "a file of %s is laid over the states, not used alone", d.gives)
	}
	return &Map{places: []Place{{}}, rows: rows{step: 1}, squares: squares{}, sources: []Source{d.source}, districts: d, alone: true}, nil
}

// Stations are those of the file, by site; none where it has none, or gives districts.
func (d *Districts) Stations() []surge.Station { return slices.Clone(d.stations) }

// station takes in a point: a station, with what it is looked at for.
func (b *builder) station(f feature) error {
	var at []float64
	if err := json.Unmarshal(f.Geometry.Coordinates, &at); err != nil || len(at) < 2 || len(at) > 4 || !onEarth(at[1], at[0]) {
		return fault.New(fault.Invalid, "it is a station whose position is not a longitude and a latitude in degrees")
	}
	s := surge.Station{Lat: at[1], Lon: at[0]}
	var site, role string
	for key, to := range map[string]*string{"site_id": &site, "name": &s.Name, "agency": &s.Agency, "city": &s.City, "kind": &role} {
		text, err := name(f, key)
		if err != nil {
			return err
		}
		*to = text
	}
	var err error
	if s.Site, err = aqi.ParseSite(site); err != nil {
		return err
	}
	if s.Role = surge.Role(role); s.Role != surge.Border && s.Role != surge.Interior {
		return fault.New(fault.Invalid, "station %s is %q, neither %s nor %s", s.Site, short(role), surge.Border, surge.Interior)
	}
	if b.of.stations = append(b.of.stations, s); len(b.of.stations) > surge.MaxTracks {
		return fault.New(fault.TooLarge, "the file has more than %d stations", surge.MaxTracks)
	}
	return nil
}

// checkStations puts stations in order, each once, and refuses one that lies in none of
// the file's states: a file with east and north exchanged is found out by it.
func (d *Districts) checkStations() error {
	slices.SortFunc(d.stations, func(a, b surge.Station) int {
		if a.Site < b.Site {
			return -1
		}
		return 1
	})
	for i, s := range d.stations {
		if i > 0 && s.Site == d.stations[i-1].Site {
			return fault.New(fault.Invalid, "station %s is there twice", s.Site)
		}
		x, y, _ := onGrid(s.Lat, s.Lon)
		if _, in := d.at(x, y); !in {
			return fault.New(fault.Invalid, "station %s lies in none of the file's states", s.Site).
				WithNext("Look whether the file gives longitude before latitude, in degrees.")
		}
	}
	return nil
}

// around is in how many directions another state is looked for.
const around = 16

// nearOther reports whether another state of the file lies within ErrorKM: how wrong its
// lines are nobody knows, and no better is assumed of them than of those that travel with
// the program. It is asked at the rim, so that a line may pass a fiftieth nearer unseen.
func (m *Map) nearOther(at fire.Point) bool {
	own := m.At(at.Lat, at.Lon).State
	for i := range around {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / around)
		north := ErrorKM / (earth.RadiusKM * earth.Radians)
		other := m.At(at.Lat+north*cos, at.Lon+north*sin/math.Cos(at.Lat*earth.Radians)).State
		if other != "" && own != "" && other != own {
			return true
		}
	}
	return false
}
