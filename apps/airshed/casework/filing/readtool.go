package filing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolRead shows the data behind a case. Its name, its arguments and the first keys
// of what it gives back are the first design's.
const toolRead = "read_correlated_data_tool"

// keptBucket is the name of what is read where there is no data lake: files that were
// handed in.
const keptBucket = "kept"

// mostFires bounds how many fires are shown: the strongest. Nobody counts by them; the
// counts are facts.
const mostFires = 100

type readArgs struct {
	Bucket string `json:"bucket_name" jsonschema:"The data lake's name, as you were told it."`
	Prefix string `json:"prefix,omitempty" jsonschema:"Below which the object of this case must lie; left out, wherever it lies."`

	SecurityContext string `json:"security_context,omitempty" inject:"actor"`
}

// correlated is the data of one moment. An error is told in the first design's form.
type correlated struct {
	Air     []airRow    `json:"cpcb_data"`
	Fires   []fireRow   `json:"nasa_data"`
	Stubble *stubbleRow `json:"dss_data"`
	Time    *time.Time  `json:"timestamp"`
	AllAir  int         `json:"cpcb_rows" jsonschema:"How many rows there are; the newest of each station is shown."`
	All     int         `json:"nasa_rows" jsonschema:"How many rows there are; the strongest are shown."`
	Error   string      `json:"error,omitempty"`
	Details string      `json:"details,omitempty"`
}

type airRow struct {
	Station string    `json:"station"`
	AQI     int       `json:"aqi"`
	Time    time.Time `json:"timestamp"`
	PM25    *float64  `json:"pm25"`
	PM10    *float64  `json:"pm10"`
	NO2     *float64  `json:"no2"`
	SO2     *float64  `json:"so2"`
	CO      *float64  `json:"co" jsonschema:"In mg/m³; the others in µg/m³."`
	Lat     float64   `json:"latitude"`
	Lon     float64   `json:"longitude"`
}

type fireRow struct {
	Lat        float64 `json:"latitude"`
	Lon        float64 `json:"longitude"`
	Bright     float64 `json:"brightness"`
	Confidence string  `json:"confidence"`
	Day        string  `json:"acq_date"`
	State      string  `json:"state"`
	District   string  `json:"district"`
}

type stubbleRow struct {
	Percent float64    `json:"stubble_burning_percent"`
	Time    *time.Time `json:"timestamp"`
}

func (c *Clerk) readTool() tool.Tool {
	roles := []identity.Role{identity.Analyst, identity.Officer}
	return tool.Reads(tool.Tool{App: store.Name, Name: toolRead,
		Line:   "Show the data behind this case: the newest air of each border station, the strongest fires, the stubble forecast.",
		Effect: tool.Read, Gate: tool.Off, Roles: roles, Deciders: roles, OutsideText: true, MaxResult: 256 << 10}, c.readCorrelated)
}

// bucket is what the data lake of an organisation is called.
func (c *Clerk) bucket(org identity.Org) string {
	if !c.surveyor.Watches(org) {
		return keptBucket
	}
	return c.surveyor.Lake().Lake.Name()
}

// readCorrelated shows the data that the newest answer of the case rests on, byte for
// byte as they were kept: not whatever lies in the lake by now.
func (c *Clerk) readCorrelated(ctx context.Context, e tool.Env, in readArgs) (correlated, error) {
	none := correlated{Air: []airRow{}, Fires: []fireRow{}}
	if in.Bucket != c.bucket(e.Org) {
		return none, fault.New(fault.Refused, "this case has no data in a bucket of that name").WithNext("use %s", c.bucket(e.Org))
	}
	var ep store.Episode
	err := c.store.In(ctx, e.Org, func(tx pgx.Tx) (err error) {
		ep, err = store.EpisodeOfCase(ctx, tx, casefile.CaseID(e.Case))
		return err
	})
	if err != nil {
		return none, err
	}
	scan, err := c.store.ScanOf(ctx, store.ScanInput{Org: e.Org, Scan: ep.LastScan})
	if err != nil {
		return none, err
	}
	leave, err := c.surveyor.Shelf().Take(ctx)
	if err != nil {
		return none, err
	}
	defer leave()
	d, err := blob.Parse(ep.Data)
	if err != nil {
		return none, err
	}
	body, err := c.store.BytesOf(ctx, e.Org, d, lake.MaxBytes)
	if err != nil {
		words, _ := fault.Words(err)
		none.Error, none.Details = "S3 read failed", words
		return none, nil //nolint:nilerr // the first design tells it so
	}
	key, err := c.store.ObjectOf(ctx, e.Org, ep.Data)
	if err != nil {
		return none, err
	}
	if in.Prefix != "" && !strings.HasPrefix(key, in.Prefix) {
		none.Error = "nothing lies there"
		none.Details = "the object of this case does not lie below that prefix"
		return none, nil
	}
	object, err := lake.Read(body)
	if err != nil {
		return none, err
	}
	footing, err := c.store.FootingAt(ctx, e.Org, scan.BeganAt)
	if err != nil {
		return none, err
	}
	brought, err := c.store.Brought(ctx, e.Org, footing)
	if err != nil {
		return none, err
	}
	rules, err := brought.Rules()
	if err != nil {
		return none, err
	}
	return shown(object, rules), nil
}

// shown is an object of the lake as far as it can be read by eye. Of fires these are the
// detections: what watches from one place looks at a fire again and again.
func shown(o *lake.Object, rules analysis.Rules) correlated {
	fires := slices.DeleteFunc(slices.Clone(o.Fires), func(f lake.Fire) bool {
		_, watched := rules.Watch.Called(f.Satellite)
		return watched
	})
	at := o.Time.UTC()
	out := correlated{Air: []airRow{}, Fires: []fireRow{}, Time: &at, AllAir: len(o.Air), All: len(fires)}
	for _, s := range rules.StationsAt(o.Time) {
		newest := -1
		for i, r := range o.Air {
			if r.Site == s.Site && (newest < 0 || r.Time.After(o.Air[newest].Time)) {
				newest = i
			}
		}
		if newest >= 0 {
			r := o.Air[newest]
			out.Air = append(out.Air, airRow{s.Name, r.Index, r.Time.UTC(), measured(r.Of(aqi.PM25)), measured(r.Of(aqi.PM10)),
				measured(r.Of(aqi.NO2)), measured(r.Of(aqi.SO2)), measured(r.Of(aqi.CO)), s.Lat, s.Lon})
		}
	}
	slices.SortStableFunc(fires, func(x, y lake.Fire) int { return cmp.Compare(y.FRP, x.FRP) })
	for _, f := range fires[:min(len(fires), mostFires)] {
		out.Fires = append(out.Fires, fireRow{f.Lat, f.Lon, f.Bright, f.Confidence, f.Time.UTC().Format("2006-01-02"), f.State, f.District})
	}
	if o.Stubble != nil {
		out.Stubble = &stubbleRow{Percent: o.Stubble.Percent}
		if as := o.Stubble.As(); !as.IsZero() {
			as = as.UTC()
			out.Stubble.Time = &as
		}
	}
	return out
}

// measured is a concentration as a number; nil where there is none.
func measured(a aqi.Amount) *float64 {
	if a == aqi.None {
		return nil
	}
	n := a.Float()
	return &n
}
