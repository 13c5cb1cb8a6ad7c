package outside

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// OpenAQConfig is how the archive of measurements is asked.
type OpenAQConfig struct {
	Base string // empty for OpenAQ's own
	Key  string
}

// OpenAQ asks the archive of measurements for hourly concentrations. It is safe for
// use by many goroutines.
type OpenAQ struct {
	fetch  *fetcher
	config OpenAQConfig
}

// NewOpenAQ makes a client. The archive allows 60 requests a minute and 2,000 an
// hour; these figures keep to both in any minute and any hour.
func NewOpenAQ(n Network, c OpenAQConfig) *OpenAQ {
	if c.Base == "" {
		c.Base = feed.OpenAQBase
	}
	const burst, anHour = 20, 1980
	return &OpenAQ{newFetcher(n, origin.OpenAQ, rate.NewLimiter(rate.Limit(anHour)/3600, burst)), c}
}

// With is the client with a memory of what it was answered.
func (o *OpenAQ) With(known Memory) *OpenAQ { return &OpenAQ{o.fetch.with(known), o.config} }

// A Silence is why the archive has nothing of a station.
type Silence string

// The silences.
const (
	NotThere Silence = "not_in_the_archive"
	Dead     Silence = "no_longer_fed" // the archive knows the station, and its last value is older than what is asked for
	Empty    Silence = "nothing_usable"
)

// Measured are hourly concentrations of stations.
type Measured struct {
	Readings  []aqi.Reading
	Silent    map[aqi.Site]Silence // stations without a reading, and why
	Missed    map[feed.Miss]int    // hours that could not be used
	Snapshots []Snapshot
}

// Readings asks for the hours of some stations that end after from and not after
// to. Stations are found in the archive by name and place, and of a pollutant's
// sensors the one is asked that spoke last: the archive keeps dead ones on its
// list. What was received comes back with a fault too.
func (o *OpenAQ) Readings(ctx context.Context, stations []surge.Station, from, to time.Time) (Measured, error) {
	out := Measured{Silent: map[aqi.Site]Silence{}, Missed: map[feed.Miss]int{}}
	if len(stations) == 0 {
		return out, fault.New(fault.Invalid, "no station is asked for")
	}
	found, err := o.locations(ctx, stations, &out)
	if err != nil {
		return out, err
	}
	for _, s := range stations {
		l, ok := found[s.Site]
		switch {
		case !ok:
			out.Silent[s.Site] = NotThere
			continue
		case l.Last.Before(from):
			out.Silent[s.Site] = Dead
			continue
		}
		before := len(out.Readings)
		if err := o.station(ctx, s.Site, l, from, to, &out); err != nil {
			return out, err
		}
		if len(out.Readings) == before {
			out.Silent[s.Site] = Empty
		}
	}
	if len(out.Readings) == 0 {
		return out, away(ctx, o.fetch.source, fault.New(fault.NotFound, "it has no hour of any of the %d stations", len(stations)))
	}
	return out, nil
}

// locations finds the stations in the archive; of two locations that match, the
// one that spoke last.
func (o *OpenAQ) locations(ctx context.Context, stations []surge.Station, out *Measured) (map[aqi.Site]feed.Location, error) {
	box := around(stations)
	found := map[aqi.Site]feed.Location{}
	for page := 1; ; page++ {
		r, err := feed.Locations(o.config.Base, o.config.Key, box, page)
		if err != nil {
			return nil, away(ctx, o.fetch.source, err)
		}
		var places feed.Places
		if err := o.ask(ctx, r, out, func(body []byte) (err error) {
			places, err = feed.ParseLocations(body)
			return err
		}); err != nil {
			return nil, err
		}
		for _, l := range places.Locations {
			s, ok := surge.Match(stations, "", l.Name, l.Lat, l.Lon)
			if known, twice := found[s.Site]; ok && (!twice || l.Last.After(known.Last)) {
				found[s.Site] = l
			}
		}
		if places.Received < feed.OpenAQRows || page == feed.MaxOpenAQPage {
			return found, nil
		}
	}
}

// around is the box of some stations, two kilometres wider on every side.
func around(stations []surge.Station) feed.Box {
	const wider = 0.02
	b := feed.Box{West: 180, South: 90, East: -180, North: -90}
	for _, s := range stations {
		b.West, b.East = min(b.West, s.Lon-wider), max(b.East, s.Lon+wider)
		b.South, b.North = min(b.South, s.Lat-wider), max(b.North, s.Lat+wider)
	}
	return b
}

// station asks for the hours of one station's living sensors.
func (o *OpenAQ) station(ctx context.Context, site aqi.Site, l feed.Location, from, to time.Time, out *Measured) error {
	r, err := feed.Latest(o.config.Base, o.config.Key, l.ID)
	if err != nil {
		return away(ctx, o.fetch.source, err)
	}
	var latest []feed.Last
	if err := o.ask(ctx, r, out, func(body []byte) (err error) {
		latest, err = feed.ParseLatest(body)
		return err
	}); err != nil {
		return err
	}
	spoke := map[int64]time.Time{}
	for _, v := range latest {
		spoke[v.Sensor] = v.At
	}
	best := map[aqi.Pollutant]int64{}
	for _, s := range l.Sensors {
		at := spoke[s.ID]
		if known, ok := best[s.Pollutant]; !at.Before(from) && (!ok || at.After(spoke[known])) {
			best[s.Pollutant] = s.ID
		}
	}
	for _, p := range aqi.Pollutants() {
		if id, ok := best[p]; ok {
			if err := o.hours(ctx, site, id, from, to, out); err != nil {
				return err
			}
		}
	}
	return nil
}

// hours asks for the hours of one sensor, page by page.
func (o *OpenAQ) hours(ctx context.Context, site aqi.Site, sensor int64, from, to time.Time, out *Measured) error {
	for page := 1; page <= feed.MaxOpenAQPage; page++ {
		r, err := feed.HourlyMeans(o.config.Base, o.config.Key, sensor, from, to, page)
		if err != nil {
			return away(ctx, o.fetch.source, err)
		}
		var means feed.Means
		if err := o.ask(ctx, r, out, func(body []byte) (err error) {
			means, err = feed.ParseHours(body)
			return err
		}); err != nil {
			return err
		}
		out.Readings = append(out.Readings, means.Readings(site)...)
		for why, n := range means.Missed {
			out.Missed[why] += n
		}
		if means.Received < feed.OpenAQRows {
			return nil
		}
	}
	return away(ctx, o.fetch.source, fault.New(fault.TooLarge, "the hours of sensor %d do not end after %d pages", sensor,
		feed.MaxOpenAQPage))
}

// ask sends one request and keeps its answer.
func (o *OpenAQ) ask(ctx context.Context, r feed.Request, out *Measured, check func([]byte) error) error {
	snap, err := o.fetch.get(ctx, r, 1, check)
	if snap.Body != nil {
		out.Snapshots = append(out.Snapshots, snap)
	}
	return err
}
