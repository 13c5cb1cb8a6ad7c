package outside

import (
	"bytes"
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// Watchers asks the fire service for what geostationary satellites saw. It is safe for use
// by many goroutines.
type Watchers struct {
	fetch  *fetcher
	config FirmsConfig
	watch  fire.Watch
}

// NewWatchers makes a client that shares another's key, and its rate with it.
func NewWatchers(n Network, f *Firms, w fire.Watch) *Watchers {
	return &Watchers{newFetcher(n, origin.Looks, f.fetch.limit), f.config, w}
}

// With is the client with a memory of what it was answered.
func (w *Watchers) With(known Memory) *Watchers {
	return &Watchers{w.fetch.with(known), w.config, w.watch}
}

// Looks asks for everything that was seen in a box from one moment to another, two days at
// a time. There are no files without a key.
func (w *Watchers) Looks(ctx context.Context, box feed.Box, from, to time.Time) (FireAnswers, error) {
	out := FireAnswers{From: from.UTC(), To: to.UTC()}
	asks, err := feed.PlanLooks(w.watch, from, to)
	if err == nil && len(asks) == 0 {
		err = fault.New(fault.NotFound, "no geostationary satellite that is wanted served then")
	}
	if err != nil {
		return out, away(ctx, w.fetch.source, err)
	}
	for _, ask := range asks {
		r, err := feed.Fires(w.config.Base, w.config.Key, ask.Source, box, ask.Span)
		if err != nil {
			return out, away(ctx, w.fetch.source, err)
		}
		err = out.ask(ctx, w.fetch, ask.Source, r, func(body []byte) (fire.File, error) {
			return fire.ReadLooks(bytes.NewReader(body), w.watch)
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
