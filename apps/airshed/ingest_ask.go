package airshed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/platform/fault"
)

// How far back an ingest asks. A rise is told by the two weeks before it; smoke is
// followed for three days from the first hour of an episode, and the null test wants
// other days too. Files that need no key reach back seven days.
const (
	airBack   = 15 * 24 * time.Hour
	firesBack = 14 * 24 * time.Hour
	windBack  = 10 * 24 * time.Hour
)

// IngestSteps are the activities of an ingest.
type IngestSteps struct{ app *app }

// AskSource asks one source and notes what came, or why nothing did and what that
// costs. goOn is false where there is nothing to go on with: the air did not come.
func (s *IngestSteps) AskSource(ctx context.Context, in IngestInput, source string) (goOn bool, err error) {
	a := s.app
	i, all, err := a.store.ingest(ctx, in)
	if err != nil || i.State != ScanRunning {
		return false, err
	}
	at := slices.IndexFunc(all, func(c Came) bool { return c.Source == source })
	var c Came
	if at >= 0 {
		c = all[at]
	} else {
		if c, err = a.ask(ctx, in, i, source); err != nil {
			return false, err
		}
		if err := a.store.came(ctx, in, c); err != nil {
			return false, err
		}
	}
	if c.Had || source != DataGovSource || a.services.index == nil && a.services.hourly != nil {
		return true, nil
	}
	i.State, i.Reason = ScanRefused, c.Note
	return false, a.store.endIngest(ctx, in, i)
}

// ask asks one source. A fault of the source is what became of it; a fault of ours is
// an error, and the step is tried again.
func (a *app) ask(ctx context.Context, in IngestInput, i Ingest, source string) (Came, error) {
	c, err := a.part(ctx, &memory{store: a.store, org: in.Org, ingest: i.ID}, i, source, new(Parts))
	c.Source, c.Had = source, err == nil
	if err == nil {
		return c, nil
	}
	gone, ok := errors.AsType[*Away](err)
	if !ok && (ctx.Err() != nil || fault.KindOf(err).Retryable()) {
		return c, err
	}
	words, next := fault.Words(err)
	if next != "" {
		words += "; " + next
	}
	c.Note, c.Costs = words, declared(source).Without
	if ok {
		c.Costs = gone.Costs
	}
	return c, nil
}

// part asks one source, or what a memory has kept of it, and adds what came to parts.
func (a *app) part(ctx context.Context, m *memory, i Ingest, source string, p *Parts) (Came, error) {
	switch source {
	case DataGovSource:
		return a.partIndex(ctx, m, p)
	case OpenAQSource:
		return a.partHourly(ctx, m, i, p)
	case FirmsSource:
		return a.partFires(ctx, m, i, p)
	case MeteoSource:
		got, err := a.services.weather.with(m).Weather(ctx, feed.Forecast, a.services.lattice, i.BeganAt.Add(-windBack), i.BeganAt)
		p.Weather = &got
		return cameOf(got.Snapshots, i.BeganAt), err
	case StubbleSource:
		return a.partShare(ctx, m, i, p)
	}
	return Came{}, fault.New(fault.Invalid, "no source is called %.40q", source)
}

func (a *app) partIndex(ctx context.Context, m *memory, p *Parts) (Came, error) {
	if a.services.index == nil {
		return Came{}, unset(DataGovSource, settingDataGovKey)
	}
	got, err := a.services.index.with(m).Indices(ctx, "")
	p.Indices = &got
	var last time.Time
	for _, r := range got.Reports {
		last = later(last, r.Last.End())
	}
	c := cameOf(got.Snapshots, last)
	if got.Moved {
		c.Note = "the table changed while it was read: some rows may be missing"
	}
	return c, err
}

func (a *app) partHourly(ctx context.Context, m *memory, i Ingest, p *Parts) (Came, error) {
	if a.services.hourly == nil {
		return Came{}, unset(OpenAQSource, settingOpenAQKey)
	}
	stations, err := a.store.stations(ctx, i.BeganAt)
	if err != nil {
		return Came{}, err
	}
	got, err := a.services.hourly.with(m).Readings(ctx, stations, i.BeganAt.Add(-airBack), i.BeganAt)
	p.Measured = &got
	var last time.Time
	for _, r := range got.Readings {
		last = later(last, r.Hour.End())
	}
	c := cameOf(got.Snapshots, last)
	if n := len(got.Silent); n > 0 {
		c.Note = fmt.Sprintf("%d of %d stations have nothing there", n, len(stations))
	}
	return c, err
}

func (a *app) partFires(ctx context.Context, m *memory, i Ingest, p *Parts) (c Came, err error) {
	var got FireAnswers
	if client := a.services.fires.with(m); a.services.keyed {
		got, err = client.Fires(ctx, feed.Around(), i.BeganAt.Add(-firesBack), i.BeganAt, false)
	} else {
		got, err = client.Files(ctx, feed.SevenDay, i.BeganAt)
	}
	p.Fires = &got
	var last time.Time
	for _, d := range got.Detections() {
		last = later(last, d.Time)
	}
	c = cameOf(append(got.Snapshots(), got.Refused...), last)
	if err == nil && last.IsZero() {
		c.Note = "no fire was seen"
	}
	return c, err
}

func (a *app) partShare(ctx context.Context, m *memory, i Ingest, p *Parts) (Came, error) {
	entry, there, err := a.store.shareFor(ctx, m.org, i.BeganAt)
	if err != nil {
		return Came{}, err
	}
	if !there {
		none := fault.New(fault.NotFound, "nobody has entered a share for this day or the two before").WithNext("gavel airshed import dss")
		return Came{}, away(ctx, declared(StubbleSource), none)
	}
	share := entry.share()
	p.Share = &share
	return Came{Answers: 1, AsOf: &share.IssuedAt, Note: "entered by a person, for " + share.ValidDate}, nil
}

// unset is the fault of a source that nobody has set up.
func unset(source, setting string) error {
	s := declared(source)
	return &Away{Source: source, Costs: s.Without, fault: fault.New(fault.NotFound, "%s: it is not set up; without it %s", s.Title, s.Without).WithNext("have the operator set %s", setting)}
}

// cameOf counts what came; last may be zero.
func cameOf(snaps []Snapshot, last time.Time) Came {
	c := Came{Answers: len(snaps)}
	for _, s := range snaps {
		c.Bytes += s.Bytes
	}
	if !last.IsZero() {
		at := last.UTC()
		c.AsOf = &at
	}
	return c
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
