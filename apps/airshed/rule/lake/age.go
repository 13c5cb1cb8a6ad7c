package lake

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// Limits are how old each part may be before it must be said.
type Limits struct {
	Version string        `json:"version"`
	Air     time.Duration `json:"air_ns"`
	Fires   time.Duration `json:"fires_ns"`
	Stubble time.Duration `json:"stubble_ns"`
	Wind    time.Duration `json:"wind_ns"`
}

// Standard is the limits as they began. A day for the air is the first design's.
// A satellite passes every twelve hours and its rows take three to arrive, so
// eighteen hours without is one pass too many. The forecast is made once a day and
// may be a day late. Wind must reach the last hours.
func Standard() Limits {
	return Limits{Version: "lake-ages/1", Air: 24 * time.Hour, Fires: 18 * time.Hour, Stubble: 48 * time.Hour, Wind: 6 * time.Hour}
}

// An Age is how old a part was at a moment.
type Age struct {
	Part    string    `json:"part"`
	Known   bool      `json:"known"` // the part is there and says what moment it is of
	As      time.Time `json:"as_of,omitzero"`
	Minutes int       `json:"minutes"` // 0 where it is of that moment or later
	Limit   int       `json:"limit_minutes"`
	Stale   bool      `json:"stale"`
}

// Ages is how old the air, the fires, the forecast and the wind are at a moment,
// each by its own clock: an object made a minute ago may hold last week's fires.
func (o *Object) Ages(now time.Time, l Limits) []Age {
	age := func(part string, as time.Time, limit time.Duration) Age {
		a := Age{Part: part, Known: !as.IsZero(), As: as, Limit: int(limit / time.Minute)}
		if a.Known {
			a.Minutes = max(0, int(now.Sub(as)/time.Minute))
			a.Stale = now.Sub(as) > limit
		}
		return a
	}
	return []Age{
		age(AirPart, o.lastAir(), l.Air), age(FiresPart, o.lastLook(), l.Fires),
		age(StubblePart, o.Stubble.As(), l.Stubble), age(WindPart, o.lastWind(), l.Wind),
	}
}

func (o *Object) lastAir() (last time.Time) {
	for _, a := range o.Air {
		if a.Time.After(last) {
			last = a.Time
		}
	}
	return last
}

// lastLook is until when fires were looked for: as the file says, else the last
// fire that was seen, which is the least that can be said.
func (o *Object) lastLook() (last time.Time) {
	if o.Fires == nil {
		return time.Time{}
	}
	if !o.Looked.IsZero() {
		return o.Looked.To
	}
	for _, f := range o.Fires {
		if f.Time.After(last) {
			last = f.Time
		}
	}
	return last
}

func (o *Object) lastWind() time.Time {
	if o.Wind == nil {
		return time.Time{}
	}
	return o.Wind.Span().To
}

// As is the moment a forecast speaks of or was made at: the day it is for from its
// noon on, else its own time.
func (s *Stubble) As() time.Time {
	if s == nil {
		return time.Time{}
	}
	if day, err := time.ParseInLocation(time.DateOnly, s.Valid, aqi.India()); err == nil {
		return day.Add(12 * time.Hour).UTC()
	}
	if !s.Issued.IsZero() {
		return s.Issued
	}
	return s.Time
}

// Day is the day in India that the forecast is for, empty where nothing says so.
func (s *Stubble) Day() string {
	if at := s.As(); !at.IsZero() {
		return at.In(aqi.India()).Format(time.DateOnly)
	}
	return ""
}

// A Listing is one object in a bucket or folder, by its name.
type Listing struct {
	Key      string
	Modified time.Time
	Bytes    int64
}

// Latest is the object that was written last, of equals the last by name; ok is
// false where there is none.
func Latest(all []Listing) (latest Listing, ok bool) {
	if len(all) == 0 {
		return Listing{}, false
	}
	return slices.MaxFunc(all, func(a, b Listing) int {
		if c := a.Modified.Compare(b.Modified); c != 0 {
			return c
		}
		return cmp.Compare(a.Key, b.Key)
	}), true
}
