package outside

import (
	"bytes"
	"context"
	"time"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// FirmsConfig is how the fire service is asked.
type FirmsConfig struct {
	Base  string             // empty for NASA's own
	Key   string             // a MAP_KEY; without one only Files works
	Known fire.Constellation // which satellites there are; see fire.Known
}

// Firms asks the fire service. It is safe for use by many goroutines.
type Firms struct {
	fetch  *fetcher
	config FirmsConfig
}

// NewFirms makes a client. A key may make 5,000 requests in ten minutes, and large
// ones count several times: we keep to half.
func NewFirms(n Network, c FirmsConfig) *Firms {
	if c.Base == "" {
		c.Base = feed.FirmsBase
	}
	const burst = 100
	return &Firms{newFetcher(n, origin.Firms, rate.NewLimiter(rate.Limit(2400.0/600), burst)), c}
}

// With is the client with a memory of what it was answered.
func (f *Firms) With(known Memory) *Firms { return &Firms{f.fetch.with(known), f.config} }

// A FireAnswer is one file of detections and where it came from.
type FireAnswer struct {
	Source   string // as VIIRS_NOAA21_NRT, or the satellite of a file without a key
	File     fire.File
	Snapshot Snapshot
}

// FireAnswers are what was asked together.
type FireAnswers struct {
	Answers []FireAnswer
	From    time.Time        // what was looked at, in UTC
	To      time.Time        // not included
	Without []fire.Satellite // for which what was asked is not offered
	Refused []Snapshot       // answers that came whole and were no table
}

// Detections are all that were read, before anything is sifted out.
func (a FireAnswers) Detections() []fire.Detection {
	var out []fire.Detection
	for _, f := range a.Answers {
		out = append(out, f.File.Detections...)
	}
	return out
}

// Snapshots are the tables as they came.
func (a FireAnswers) Snapshots() []Snapshot {
	out := make([]Snapshot, len(a.Answers))
	for i, f := range a.Answers {
		out[i] = f.Snapshot
	}
	return out
}

// Fires asks for the detections in a box from one moment to another, of every
// wanted satellite that served then, five days at a time. Where one of the
// answers fails, those before it come back with the fault: counts without one of
// the satellites are not counts.
func (f *Firms) Fires(ctx context.Context, box feed.Box, from, to time.Time, final bool) (FireAnswers, error) {
	asks, without, err := feed.PlanFires(f.config.Known, from, to, final)
	if err != nil {
		return FireAnswers{}, err
	}
	out := FireAnswers{From: from.UTC(), To: to.UTC(), Without: without}
	if len(asks) == 0 {
		return out, away(ctx, f.fetch.source, fault.New(fault.NotFound, "no satellite that is wanted served then"))
	}
	for _, ask := range asks {
		r, err := feed.Fires(f.config.Base, f.config.Key, ask.Source, box, ask.Span)
		if err != nil {
			return out, away(ctx, f.fetch.source, err)
		}
		if err := f.add(ctx, &out, ask.Source, r); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Files reads the files of South Asia that need no key, for the wanted satellites
// in service at a moment. They reach as far back as the window.
func (f *Firms) Files(ctx context.Context, w feed.Window, now time.Time) (FireAnswers, error) {
	back := map[feed.Window]time.Duration{feed.Day: 24 * time.Hour, feed.TwoDays: 48 * time.Hour, feed.SevenDay: 7 * 24 * time.Hour}[w]
	out := FireAnswers{From: now.UTC().Add(-back), To: now.UTC()}
	for _, s := range f.config.Known.Wanted(now.UTC().Format(time.DateOnly)).Sensors {
		r, err := feed.FireFile(f.config.Base, s, w)
		if err != nil {
			return out, away(ctx, f.fetch.source, err)
		}
		if err := f.add(ctx, &out, string(s.Satellite), r); err != nil {
			return out, err
		}
	}
	if len(out.Answers) == 0 {
		return out, away(ctx, f.fetch.source, fault.New(fault.NotFound, "no satellite that is wanted serves now"))
	}
	return out, nil
}

// add asks once and reads the answer. An error of the service comes as plain text
// with the status of success, and is found by the heading that is missing.
func (f *Firms) add(ctx context.Context, to *FireAnswers, source string, r feed.Request) error {
	return to.ask(ctx, f.fetch, source, r, func(body []byte) (fire.File, error) { return fire.Read(bytes.NewReader(body), f.config.Known) })
}

func (a *FireAnswers) ask(ctx context.Context, by *fetcher, source string, r feed.Request,
	read func(body []byte) (fire.File, error)) error {
	var file fire.File
	snap, err := by.get(ctx, r, 1, func(body []byte) (err error) {
		file, err = read(body)
		return err
	})
	if err != nil {
		if snap.Body != nil {
			a.Refused = append(a.Refused, snap)
		}
		return err
	}
	a.Answers = append(a.Answers, FireAnswer{source, file, snap})
	return nil
}

// Offers asks which days each source has. Sources come and go.
func (f *Firms) Offers(ctx context.Context) ([]feed.Offer, Snapshot, error) {
	r, err := feed.Offered(f.config.Base, f.config.Key)
	if err != nil {
		return nil, Snapshot{}, away(ctx, f.fetch.source, err)
	}
	var out []feed.Offer
	snap, err := f.fetch.get(ctx, r, 1, func(body []byte) (err error) {
		out, err = feed.ParseOffers(body)
		return err
	})
	return out, snap, err
}
