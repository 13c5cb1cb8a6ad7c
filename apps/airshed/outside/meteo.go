package outside

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// MeteoConfig is how the weather service is asked.
type MeteoConfig struct {
	Bases map[feed.Model]string // of the models, path included; a model that is not there is at the service's own
}

// OpenMeteo asks the weather service. It is safe for use by many goroutines.
type OpenMeteo struct {
	fetch *fetcher
	bases map[feed.Model]string
}

// NewOpenMeteo makes a client. The service allows 600 calls a minute, and a request
// counts as many calls as it names places, or more; these figures keep to it in any
// minute. A quarter of a degree over feed.Around is 837 places: two minutes, and
// four times a day well within the 10,000 calls it allows.
func NewOpenMeteo(n Network, c MeteoConfig) *OpenMeteo {
	const burst, aMinute = 100, 500
	return &OpenMeteo{newFetcher(n, origin.Meteo, rate.NewLimiter(rate.Limit(aMinute)/60, burst)), c.Bases}
}

// With is the client with a memory of what it was answered.
func (m *OpenMeteo) With(known Memory) *OpenMeteo { return &OpenMeteo{m.fetch.with(known), m.bases} }

// Weather is the weather over a lattice, hour by hour.
type Weather struct {
	Model     feed.Model
	Lattice   feed.Lattice
	Cells     []feed.Cell // in the order of the lattice's places
	Offset    float64     // degrees from a place to the middle of the model's cell, at most
	Snapshots []Snapshot
}

// Weather asks for the hours of the UTC days that touch a time, at the places of a
// lattice. What was received comes back with a fault too.
func (m *OpenMeteo) Weather(ctx context.Context, model feed.Model, l feed.Lattice, from, to time.Time) (Weather, error) {
	out := Weather{Model: model, Lattice: l}
	if !from.Before(to) || to.Sub(from) > 366*24*time.Hour {
		return out, fault.New(fault.Invalid, "weather is asked for from a moment to a later one, a year apart at most")
	}
	first, last := day(from), day(to.Add(-1))
	for places := range slices.Chunk(l.Places(), feed.PlacesEach) {
		cells, err := m.places(ctx, model, places, first, last, &out)
		if err != nil {
			return out, err
		}
		out.Cells = append(out.Cells, cells...)
	}
	var err error
	_, out.Offset, err = l.Shape(out.Cells)
	return out, away(ctx, m.fetch.source, err)
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// places asks about some places, as many days at a time as the service counts once.
func (m *OpenMeteo) places(ctx context.Context, model feed.Model, places []feed.Place, first, last time.Time,
	out *Weather) ([]feed.Cell, error) {
	base := m.bases[model]
	if base == "" {
		base = feed.MeteoBase(model)
	}
	var cells []feed.Cell
	for from := first; !from.After(last); from = from.AddDate(0, 0, feed.DaysEach) {
		until := from.AddDate(0, 0, feed.DaysEach-1)
		if until.After(last) {
			until = last
		}
		r, err := feed.Weather(base, model, places, from, until)
		if err != nil {
			return nil, away(ctx, m.fetch.source, err)
		}
		var got []feed.Cell
		snap, err := m.fetch.get(ctx, r, feed.Cost(model, len(places)), func(body []byte) (err error) {
			if got, err = feed.ParseWeather(body, feed.MetresASecond); err == nil && len(got) != len(places) {
				err = fault.New(fault.Invalid, "asked about %d places it answers of %d", len(places), len(got))
			}
			return err
		})
		if snap.Body != nil {
			out.Snapshots = append(out.Snapshots, snap)
		}
		if err != nil {
			return nil, err
		}
		if cells, err = behind(cells, got); err != nil {
			return nil, away(ctx, m.fetch.source, err)
		}
	}
	return cells, nil
}

// behind sets later hours behind earlier ones, place by place.
func behind(cells, later []feed.Cell) ([]feed.Cell, error) {
	if cells == nil {
		return later, nil
	}
	for i := range cells {
		var err error
		if cells[i], err = cells[i].Join(later[i]); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// Wind is the wind of the weather as the lake keeps it.
func (w Weather) Wind() (*lake.Wind, error) {
	shape, _, err := w.Lattice.Shape(w.Cells)
	if err != nil {
		return nil, err
	}
	out, err := lake.NewWind(shape)
	if err != nil {
		return nil, err
	}
	return out, w.Lattice.Fill(w.Cells, out)
}

// Cloud is the cloud at some moments, at places a degree apart: enough to say
// whether fires could be seen.
func (w Weather) Cloud(at []time.Time) []lake.Cloud {
	every := max(1, int(1/w.Lattice.Step+0.5))
	var out []lake.Cloud
	for i, p := range w.Lattice.Places() {
		if i >= len(w.Cells) || p.Row%every != 0 || p.Col%every != 0 {
			continue
		}
		for _, t := range at {
			if f, known := feed.CloudAt(w.Cells[i:i+1], t); known {
				out = append(out, lake.Cloud{Time: t.UTC(), Lat: p.Lat, Lon: p.Lon, Fraction: f})
			}
		}
	}
	return out
}
