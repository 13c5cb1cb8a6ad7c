package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// onServer is a scan that the server is asked for.
type onServer struct {
	object, file string
	wait         bool
}

func scanColumnsShown() []platform.Column {
	return []platform.Column{{Head: "ID", Field: "id"}, {Head: "STATE", Field: "state"}, {Head: "FOUND", Field: "found"},
		{Head: "NEW", Field: "fresh"}, {Head: "OF", Field: "place"},
		{Head: "STANDS IN BECAUSE", Field: "stale"}, {Head: "SAME AS", Field: "same_as"}, {Head: "REASON", Field: "reason"},
		{Head: "BEGAN", Field: "began_at", Time: true}, {Head: "ENDED", Field: "ended_at", Time: true}}
}

func episodeColumnsShown() []platform.Column {
	return []platform.Column{{Head: "EPISODE", Field: "key"}, {Head: "STATION", Field: "station"}, {Head: "LAST SEEN", Field: "last_at",
		Time: true}, {Head: "OVER", Field: "over"},
		{Head: "PEAK AQI", Field: "peak_index"}, {Head: "VERDICT", Field: "verdict"}, {Head: "FIRST", Field: "first"}}
}

// ask has the server look, and prints the scan.
func (c terminal) ask(ctx context.Context, ask onServer) error {
	body := rest.NewScanBody{Object: ask.object}
	if ask.file != "" {
		file, err := platform.ReadInput(ask.file, lake.MaxBytes)
		if err != nil {
			return err
		}
		body.File, body.Name = string(file), filepath.Base(ask.file)
	}
	var scan json.RawMessage
	if err := c.Call(ctx, http.MethodPost, rest.ScansAddress, body, &scan); err != nil {
		return err
	}
	if ask.wait {
		var err error
		if scan, err = c.await(ctx, scan); err != nil {
			return err
		}
	}
	return c.One(scan, scanColumnsShown()...)
}

// await looks at a scan until it has ended.
func (c terminal) await(ctx context.Context, scan json.RawMessage) (json.RawMessage, error) {
	said := false
	return c.Await(ctx, rest.ScansAddress, scan, func(id string, _ json.RawMessage) {
		if !said {
			c.Progress("%s is under way", id)
		}
		said = true
	})
}

// kept reads an analysis the server has kept, and holds it against its digest.
func (c terminal) kept(ctx context.Context, key string) (a analysis.Analysis, body []byte, err error) {
	at := rest.EpisodesAddress + "/" + url.PathEscape(key)
	var e rest.EpisodeBody
	if err := c.Call(ctx, http.MethodGet, at, nil, &e); err != nil {
		return a, nil, err
	}
	var raw json.RawMessage
	if err := c.Call(ctx, http.MethodGet, at+"/analysis", nil, &raw); err != nil {
		return a, nil, err
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, nil, fault.From(fault.Unavailable, err, "the server's answer is not as expected").WithNext("gavel version")
	}
	if body, err = a.JSON(); err != nil {
		return a, nil, err
	}
	if digestOf(body) != e.Analysis {
		return a, nil, fault.New(fault.Conflict, "the analysis of %s has not the digest it was kept under", key).WithNext("gavel version")
	}
	return a, body, nil
}
