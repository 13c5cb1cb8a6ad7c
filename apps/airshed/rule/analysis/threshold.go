package analysis

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// Thresholds are what an organisation sets of the rules: when an episode opens, what the
// first design's circle counts and takes off, and how old data may be. What makes a verdict
// is not among them: it has versions of its own, and each was held against seasons whose
// truth is known.
type Thresholds struct {
	SurgeIndex  int `json:"surge_index" minimum:"100" maximum:"499" doc:"An episode opens where the index exceeds this."`
	SurgePM25   int `json:"surge_pm25" minimum:"30" maximum:"900" doc:"Hourly PM2.5 in µg/m³ from which an hour can be a surge hour."`
	SurgeRise   int `json:"surge_rise_percent" minimum:"100" maximum:"500" doc:"Of the usual for that hour, from which it is one."`
	SurgeHours  int `json:"surge_hours" minimum:"1" maximum:"24" doc:"Surge hours that the 24 hours of the index must hold."`
	CircleKM    int `json:"circle_km" minimum:"1" maximum:"2000" doc:"The first design's circle: fires up to so far off count."`
	CircleHours int `json:"circle_hours" minimum:"1" maximum:"240" doc:"So long before the surge."`
	CircleMany  int `json:"circle_many_fires" minimum:"1" maximum:"100000" doc:"More fires than this in one state are many."`
	CircleFew   int `json:"circle_few_fires" minimum:"0" maximum:"100000" doc:"Fewer in all are few."`
	CircleFarKM int `json:"circle_far_km" minimum:"1" maximum:"2000" doc:"Farther off than this on average is far."`
	NoFires     int `json:"points_no_fires" minimum:"0" maximum:"100" doc:"Points off where no fires are known."`
	NoForecast  int `json:"points_no_forecast" minimum:"0" maximum:"100" doc:"Points off where no forecast is known."`
	FewFires    int `json:"points_few_fires" minimum:"0" maximum:"100" doc:"Points off where fires are few."`
	FarFires    int `json:"points_far_fires" minimum:"0" maximum:"100" doc:"Points off where fires are far."`
	LeastPoints int `json:"least_points" minimum:"0" maximum:"100" doc:"The first design's score is never shown below this."`
	AirAge      int `json:"air_hours" minimum:"1" maximum:"240" doc:"Hours after which readings of the air are old."`
	FiresAge    int `json:"fires_hours" minimum:"1" maximum:"240" doc:"Hours after which data about fires are old."`
}

// Usual is the thresholds of the rules as they began.
func Usual() Thresholds {
	r := Rules{Surge: surge.Standard(), Ages: lake.Standard(), Seed: seedmethod.V1()}
	hours := func(d time.Duration) int { return int(d / time.Hour) }
	return Thresholds{
		SurgeIndex: r.Surge.Index, SurgePM25: int(r.Surge.Hourly / aqi.Micro), SurgeRise: r.Surge.Rise, SurgeHours: r.Surge.Hours,
		CircleKM: int(r.Seed.Radius), CircleHours: hours(r.Seed.Window), CircleMany: r.Seed.HighFires, CircleFew: r.Seed.Few,
		CircleFarKM: int(r.Seed.Far), NoFires: r.Seed.NoFires, NoForecast: r.Seed.NoStubble, FewFires: r.Seed.FewFires,
		FarFires: r.Seed.FarFires, LeastPoints: r.Seed.LeastPoints, AirAge: hours(r.Ages.Air), FiresAge: hours(r.Ages.Fires),
	}
}

// Set is thresholds and which version of an organisation's they are; the zero value is the
// rules' own.
type Set struct {
	Thresholds Thresholds
	Version    int64 // 0: nobody has set any
}

// Name is how an analysis names them; empty where nobody has set any.
func (s Set) Name() string {
	if s.Version == 0 {
		return ""
	}
	text, _ := json.Marshal(s.Thresholds) // whole numbers only
	sum := sha256.Sum256(text)
	return fmt.Sprintf("version %d (sha256 %x)", s.Version, sum[:8])
}

// ReadThresholds reads thresholds as the program prints them; one that is left out is the
// usual.
func ReadThresholds(text []byte) (Thresholds, error) {
	t := Usual()
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fault.From(fault.Invalid, err, "the thresholds cannot be read").
			WithNext("gavel setting show airshed/thresholds -o json")
	}
	r := Rules{}
	r.set(Set{t, 1})
	return t, r.Surge.Check()
}

// set puts thresholds into rules. Those of nobody leave them as they are.
func (r *Rules) set(s Set) {
	if s.Version == 0 {
		return
	}
	t, hours := s.Thresholds, func(n int) time.Duration { return time.Duration(n) * time.Hour }
	r.Surge, r.Seed, r.Ages = surge.Standard(), seedmethod.V1(), lake.Standard()
	r.Surge.Index, r.Surge.Hourly, r.Surge.Rise, r.Surge.Hours = t.SurgeIndex, aqi.Amount(t.SurgePM25)*aqi.Micro, t.SurgeRise, t.SurgeHours
	r.Seed.SurgeAQI, r.Seed.Radius, r.Seed.Window, r.Seed.HighFires = float64(t.SurgeIndex), float64(t.CircleKM), hours(t.CircleHours),
		t.CircleMany
	r.Seed.Few, r.Seed.Far, r.Seed.NoFires, r.Seed.NoStubble = t.CircleFew, float64(t.CircleFarKM), t.NoFires, t.NoForecast
	r.Seed.FewFires, r.Seed.FarFires, r.Seed.LeastPoints = t.FewFires, t.FarFires, t.LeastPoints
	r.Ages.Air, r.Ages.Fires = hours(t.AirAge), hours(t.FiresAge)
	r.thresholds = s.Name()
}

// Episodes is the episodes that a file has by some rules, as its board would list them,
// without anything about fires or wind: it is what a change of thresholds is previewed with.
func Episodes(o *lake.Object, r Rules) ([]surge.Episode, error) {
	r = r.settled(o.Time)
	air, err := readAir(o.Sorted().Air, r.Stations)
	if err != nil {
		return nil, err
	}
	board, err := r.Surge.Scan(o.Time, air.tracks)
	if err != nil {
		return nil, err
	}
	out := make([]surge.Episode, len(board.Found))
	for i, f := range board.Found {
		out[i] = f.Episode
	}
	return out, nil
}
