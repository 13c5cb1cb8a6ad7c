package cli

import (
	"context"
	"io/fs"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/demo"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Demo is a city in an ocean, with four states around it, all made up: one surge whose
// smoke can be told, one whose cannot, and a station that says nothing. Like a command it
// goes by the API. The files are its land and its script.
func Demo(files fs.FS) *platform.Demo {
	return &platform.Demo{
		Files: files,
		Parts: []string{"commission"}, // whom reports are filed with
		Load:  func(ctx context.Context, s platform.Stage) error { return loadDemo(ctx, s, files) },
		Play:  playDemo,
		Try: []platform.Trial{
			{As: identity.Officer, Key: "air.try.decide", Path: "/inbox"},
			{As: identity.Analyst, Key: "air.try.look", Path: "/airshed"},
		},
	}
}

// demoBoundary is the land of the demonstration, as it is imported.
func demoBoundary(files fs.FS) (rest.NewBoundaryBody, error) {
	land, err := fs.ReadFile(files, "land.geojson")
	return rest.NewBoundaryBody{File: string(land), Gives: region.GivesStates, Name: "land of a demonstration (made up)",
		Licence: "made up; no such place exists", AsOf: "2026-01-01"}, err
}

// loadDemo has an officer import the land, and an analyst hand in what was measured there.
func loadDemo(ctx context.Context, s platform.Stage, files fs.FS) error {
	land, err := demoBoundary(files)
	if err != nil {
		return err
	}
	var there struct {
		At time.Time `json:"imported_at"`
	}
	if err := s.Call(ctx, identity.Officer, http.MethodPost, rest.BoundariesAddress, land, &there); err != nil {
		return err
	}
	_, err = handIn(ctx, s, demo.At(there.At, there.At))
	return err
}

// handIn has an analyst hand in what is known, and says what time it was then.
func handIn(ctx context.Context, s platform.Stage, w demo.World) (time.Time, error) {
	o, err := w.Object()
	if err != nil {
		return time.Time{}, err
	}
	file, err := o.Write()
	if err != nil {
		return time.Time{}, err
	}
	var scan rest.ScanBody
	err = s.Call(ctx, identity.Analyst, http.MethodPost, rest.ScansAddress, rest.NewScanBody{File: string(file), Name: "made-up " + w.Now().
		Format("2006-01-02 15:04") + ".json"}, &scan)
	return scan.BeganAt, err
}

// demoEvery is how often newer data come: an hour before they would be called late, which
// of fast days is what handing in takes.
const demoEvery = 5 * time.Hour

// playDemo hands in newer data as often as they are expected: the smoke goes, and the
// episodes end.
func playDemo(ctx context.Context, s platform.Stage) error {
	var lands struct{ Items []rest.BoundaryBody }
	var scans struct{ Items []rest.ScanBody }
	for _, list := range []struct {
		of string
		to any
	}{{rest.BoundariesAddress, &lands}, {rest.ScansAddress, &scans}} {
		if err := s.Call(ctx, identity.Analyst, http.MethodGet, list.of, nil, list.to); err != nil {
			return err
		}
	}
	if len(lands.Items) == 0 || len(scans.Items) == 0 {
		return fault.New(fault.NotFound, "the land of the demonstration is not there")
	}
	at := scans.Items[0].BeganAt
	for {
		if err := s.Wait(ctx, demoEvery); err != nil {
			return err
		}
		at = at.Add(demoEvery)
		// A server that is away is told the next time.
		if now, err := handIn(ctx, s, demo.At(lands.Items[0].At, at)); err == nil {
			at = now
		}
	}
}
