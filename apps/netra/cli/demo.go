package cli

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/demo"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Demo is four states that are made up: unrest comes to one district after the other, one is silent, and of one only the police
// speak. Like a command it goes by the API. The files are the script of its agent.
func Demo(files fs.FS) *platform.Demo {
	return &platform.Demo{
		Files: files, Load: loadDemo, Play: playDemo,
		Try: []platform.Trial{
			{As: identity.Officer, Key: "netra.try.board", Path: "/netra"},
			{As: identity.Officer, Key: "netra.try.police", Path: districtPage(demo.Police)},
			{As: identity.Officer, Key: "netra.try.limits", Path: "/settings/netra/limits"},
			{As: identity.Analyst, Key: "netra.try.window", Path: "/netra?window=168"},
			{As: identity.Analyst, Key: "netra.try.silent", Path: districtPage(demo.Silent)},
			{As: identity.Analyst, Key: "netra.try.ask", Path: districtPage(demo.Asked)},
		},
	}
}

// districtPage is the page of a district.
func districtPage(lgd int) string { return "/netra/districts/" + strconv.Itoa(lgd) }

// How much a demonstration has heard when it begins, and how often more comes.
const (
	demoBack  = 30 * 24 * time.Hour
	demoEvery = 5 * time.Hour
	demoDay   = 24 * time.Hour
	demoLooks = 9 * demoDay   // between two looks at all districts
	demoLook  = 2 * time.Hour // within which one comes, once it may
)

// loadDemo has an officer import the districts, an analyst bring in what was heard in a month, and an officer write the scores down.
func loadDemo(ctx context.Context, s platform.Stage) error {
	if err := s.Call(ctx, identity.Officer, http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: demo.Districts()},
		nil); err != nil {
		return err
	}
	// At six hundred times the pace the looks of a day are minutes apart, and their cases would bury everybody else's: playDemo allows one
	// now and then.
	if err := s.Call(ctx, identity.Officer, http.MethodPut, rest.ScheduleAddress, rest.LookPauseBody{Paused: true}, nil); err != nil {
		return err
	}
	now, err := demoNow(ctx, s)
	if err != nil {
		return err
	}
	if err := bringHeard(ctx, s, now.Add(-demoBack), now); err != nil {
		return err
	}
	return s.Call(ctx, identity.Officer, http.MethodPost, rest.ScoresAddress, rest.FreezeBody{}, nil)
}

// demoNow is what time it is in the demonstration: that of its scores.
func demoNow(ctx context.Context, s platform.Stage) (time.Time, error) {
	var scores struct{ Items []rest.ScoreBody }
	if err := s.Call(ctx, identity.Analyst, http.MethodGet, rest.ScoresAddress+"?page_size=1", nil, &scores); err != nil {
		return time.Time{}, err
	}
	if len(scores.Items) == 0 {
		return time.Time{}, fault.New(fault.NotFound, "the districts of the demonstration are not there")
	}
	return scores.Items[0].At, nil
}

// bringHeard has an analyst bring in what was heard after one time and up to another.
func bringHeard(ctx context.Context, s platform.Stage, after, until time.Time) error {
	lines := demo.Heard(after, until)
	if len(bytes.TrimSpace(lines)) == 0 {
		return nil
	}
	return s.Call(ctx, identity.Analyst, http.MethodPost, rest.IngestsAddress, rest.BringBody{Name: "made-up " + until.UTC().
		Format("2006-01-02 15:04") + ".ndjson", Format: feed.NDJSON, Lines: string(lines)}, nil)
}

// lookOnce has all districts looked at by themselves for as long as one look takes to come, so that those that crossed get their case.
func lookOnce(ctx context.Context, s platform.Stage) error {
	for _, paused := range []bool{false, true} {
		if err := s.Call(ctx, identity.Officer, http.MethodPut, rest.ScheduleAddress, rest.LookPauseBody{Paused: paused}, nil); err != nil {
			return nil //nolint:nilerr // a server that is away is asked the next time
		}
		if paused {
			break
		}
		if err := s.Wait(ctx, demoLook); err != nil {
			return err
		}
	}
	return nil
}

// playDemo brings in what is heard, has districts looked at now and then, and has the scores written down once a day. What is brought in
// twice counts once, so that it goes back a day each time.
func playDemo(ctx context.Context, s platform.Stage) error {
	frozen, err := demoNow(ctx, s)
	if err != nil {
		return err
	}
	looked := frozen.Add(-demoLooks)
	for {
		if err := s.Wait(ctx, demoEvery); err != nil {
			return err
		}
		now, err := demoNow(ctx, s)
		if err != nil {
			continue // a server that is away is told the next time
		}
		_ = bringHeard(ctx, s, now.Add(-demoDay), now)
		if now.Sub(looked) >= demoLooks {
			looked = now
			if err := lookOnce(ctx, s); err != nil {
				return err
			}
		}
		if now.Sub(frozen) < demoDay {
			continue
		}
		if err := s.Call(ctx, identity.Officer, http.MethodPost, rest.ScoresAddress, rest.FreezeBody{}, nil); err == nil {
			frozen = now
		}
	}
}
