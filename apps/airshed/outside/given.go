package outside

import (
	"bytes"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// Captured is the page or picture that a person read the stubble share from. It is
// refused where its hash is not the one the entry gives.
func Captured(s feed.Share, at time.Time, contentType string, body []byte) (Snapshot, error) {
	if err := s.Check(); err != nil {
		return Snapshot{}, err
	}
	most := origin.Named(origin.Stubble).MaxBytes
	if int64(len(body)) > most {
		return Snapshot{}, fault.New(fault.TooLarge, "what was captured has more than %d MB", most>>20)
	}
	if d := blob.Sum(body); d.String() != s.SHA256 {
		return Snapshot{}, fault.New(fault.Conflict, "the entry is of other bytes: it names %.12s…, and these are %.12s…", s.SHA256, d).
			WithNext("hand in the very file the figure was read from")
	}
	return SnapshotOf(origin.Stubble, s.SourceURL, clipped(contentType), at, body), nil
}

// GivenWind is a wind grid that was handed in as CSV. In the lake a node counts as
// missing too where one behind it to the north, to the east or an hour later is:
// no wind is made up, and a grid without gaps is kept whole.
func GivenWind(file []byte) (*lake.Wind, error) {
	g, err := wind.ParseCSV(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	s := g.Shape()
	out, err := lake.NewWind(s)
	if err != nil {
		return nil, err
	}
	for _, l := range wind.Levels() {
		f, ok := g.Field(l)
		if !ok {
			continue
		}
		err := eachNode(s, func(t, r, c int, lat, lon, hours float64) error {
			if u, v, ok := f.At(lat, lon, hours); ok {
				return out.Set(l, t, r, c, u, v)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, eachNode(s, func(t, r, c int, lat, lon, hours float64) error {
		if h, ok := g.MixingAt(lat, lon, hours); ok {
			return out.SetMixing(t, r, c, h)
		}
		return nil
	})
}

// eachNode visits the nodes of a grid with where and when they are.
func eachNode(s wind.Shape, visit func(time, row, col int, lat, lon, hours float64) error) error {
	for t := range s.Times {
		hours := wind.Hours(s.Start.Add(time.Duration(t) * s.Every))
		for r := range s.Rows {
			for c := range s.Cols {
				if err := visit(t, r, c, s.South+float64(r)*s.DLat, s.West+float64(c)*s.DLon, hours); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
