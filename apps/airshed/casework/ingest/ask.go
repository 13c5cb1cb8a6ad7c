package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
)

// How far back an ingest asks. A rise is told by the two weeks before it; smoke is
// followed for three days from the first hour of an episode, and the null test wants
// other days too. Files that need no key reach back seven days. What is seen between the
// passes counts while the air was on its way, and nothing else is made of it.
const (
	airBack   = 15 * 24 * time.Hour
	firesBack = 14 * 24 * time.Hour
	looksBack = 4 * 24 * time.Hour
	windBack  = 10 * 24 * time.Hour
)

// Steps are the activities of an ingest.
type Steps struct{ gatherer *Gatherer }

// AskSource asks one source and notes what came, or why nothing did and what that
// costs. goOn is false where there is nothing to go on with: the air did not come.
func (s *Steps) AskSource(ctx context.Context, in store.IngestInput, source string) (goOn bool, err error) {
	g := s.gatherer
	i, all, err := g.store.WorkOnIngest(ctx, in, store.DoingAsk)
	if err != nil || i.State != job.Running {
		return false, err
	}
	if source == origin.Looks && g.services.Looks == nil {
		return true, nil // nobody wants it, and nothing rests on it
	}
	at := slices.IndexFunc(all, func(c store.Came) bool { return c.Source == source })
	var c store.Came
	if at >= 0 {
		c = all[at]
	} else {
		if c, err = g.ask(ctx, in, i, source); err != nil {
			return false, err
		}
		if err := g.store.AddCame(ctx, in, c); err != nil {
			return false, err
		}
	}
	if c.Had || source != origin.DataGov || g.services.Index == nil && g.services.Hourly != nil {
		return true, nil
	}
	i.State, i.Reason = job.Refused, c.Note
	return false, g.store.EndIngest(ctx, in, i)
}

// ask asks one source. A fault of the source is what became of it; a fault of ours is
// an error, and the step is tried again.
func (g *Gatherer) ask(ctx context.Context, in store.IngestInput, i store.Ingest, source string) (store.Came, error) {
	c, err := g.part(ctx, &memory{store: g.store, in: in}, i, source, new(outside.Parts))
	c.Source, c.Had = source, err == nil
	if err == nil {
		return c, nil
	}
	gone, ok := errors.AsType[*outside.Away](err)
	if !ok && (ctx.Err() != nil || fault.KindOf(err).Retryable()) {
		return c, err
	}
	words, next := fault.Words(err)
	if next != "" {
		words += "; " + next
	}
	c.Note, c.Costs = words, origin.Named(source).Without
	if ok {
		c.Costs = gone.Costs
	}
	return c, nil
}

// part asks one source, or what a memory has kept of it, and adds what came to parts.
func (g *Gatherer) part(ctx context.Context, m *memory, i store.Ingest, source string, p *outside.Parts) (store.Came, error) {
	switch source {
	case origin.DataGov:
		return g.partIndex(ctx, m, p)
	case origin.OpenAQ:
		return g.partHourly(ctx, m, i, p)
	case origin.Firms:
		return g.partFires(ctx, m, i, p)
	case origin.Looks:
		return g.partLooks(ctx, m, i, p)
	case origin.Meteo:
		got, err := g.services.Weather.With(m).Weather(ctx, feed.Forecast, g.services.Lattice, i.BeganAt.Add(-windBack), i.BeganAt)
		p.Weather = &got
		return cameOf(got.Snapshots, i.BeganAt), err
	case origin.Stubble:
		return g.partShare(ctx, m, i, p)
	}
	return store.Came{}, fault.New(fault.Invalid, "no source is called %.40q", source)
}

func (g *Gatherer) partIndex(ctx context.Context, m *memory, p *outside.Parts) (store.Came, error) {
	if g.services.Index == nil {
		return store.Came{}, unset(origin.DataGov, outside.SettingDataGovKey)
	}
	got, err := g.services.Index.With(m).Indices(ctx, "")
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

func (g *Gatherer) partHourly(ctx context.Context, m *memory, i store.Ingest, p *outside.Parts) (store.Came, error) {
	if g.services.Hourly == nil {
		return store.Came{}, unset(origin.OpenAQ, outside.SettingOpenAQKey)
	}
	stations, err := g.store.Stations(ctx, i.BeganAt)
	if err != nil {
		return store.Came{}, err
	}
	got, err := g.services.Hourly.With(m).Readings(ctx, stations, i.BeganAt.Add(-airBack), i.BeganAt)
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

func (g *Gatherer) partFires(ctx context.Context, m *memory, i store.Ingest, p *outside.Parts) (c store.Came, err error) {
	var got outside.FireAnswers
	if client := g.services.Fires.With(m); g.services.Keyed {
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

func (g *Gatherer) partLooks(ctx context.Context, m *memory, i store.Ingest, p *outside.Parts) (store.Came, error) {
	if !g.services.Keyed {
		return store.Came{}, unset(origin.Looks, outside.SettingFirmsKey)
	}
	got, err := g.services.Looks.With(m).Looks(ctx, feed.Around(), i.BeganAt.Add(-looksBack), i.BeganAt)
	p.Looks = &got
	var last time.Time
	for _, d := range got.Detections() {
		last = later(last, d.Time)
	}
	c := cameOf(append(got.Snapshots(), got.Refused...), last)
	if err == nil && last.IsZero() {
		c.Note = "nothing was seen between the passes"
	}
	return c, err
}

func (g *Gatherer) partShare(ctx context.Context, m *memory, i store.Ingest, p *outside.Parts) (store.Came, error) {
	entry, there, err := g.store.ShareFor(ctx, m.in.Org, i.BeganAt)
	if err != nil {
		return store.Came{}, err
	}
	if !there {
		none := fault.New(fault.NotFound, "nobody has entered a share for this day or the two before").WithNext("gavel airshed import dss")
		return store.Came{}, outside.Lost(ctx, origin.Stubble, none)
	}
	share := entry.Share()
	p.Share = &share
	return store.Came{Answers: 1, AsOf: &share.IssuedAt, Note: "entered by a person, for " + share.ValidDate}, nil
}

// unset is the fault of a source that nobody has set up.
func unset(source, setting string) error {
	s := origin.Named(source)
	return &outside.Away{Source: source, Costs: s.Without, Fault: fault.New(fault.NotFound, "%s: it is not set up; without it %s", s.Title,
		s.Without).WithNext("have the operator set %s", setting)}
}

// cameOf counts what came; last may be zero.
func cameOf(snaps []outside.Snapshot, last time.Time) store.Came {
	c := store.Came{Answers: len(snaps)}
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
