package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// outside are the settings that lead to a world of made-up services, and to a lake on
// the stack's S3 server, in a bucket of which nothing else is read.
func outside(t *testing.T, w *feedtest.World) []string {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	own := stack.Settings()
	return []string{"GAVEL_AIRSHED_LAKE=" + own["GAVEL_BLOB_URL"], "GAVEL_AIRSHED_LAKE_ORG=north", "GAVEL_AIRSHED_LAKE_ACCESS_KEY=" +
		own["GAVEL_BLOB_ACCESS_KEY"],
		"GAVEL_AIRSHED_LAKE_SECRET_KEY=" + own["GAVEL_BLOB_SECRET_KEY"], "GAVEL_AIRSHED_WIND_STEP=1", "GAVEL_AIRSHED_DATAGOV=" + w.URL,
		"GAVEL_AIRSHED_DATAGOV_KEY=" + feedtest.Key, "GAVEL_AIRSHED_OPENAQ=" + w.URL, "GAVEL_AIRSHED_OPENAQ_KEY=" + feedtest.Key,
		"GAVEL_AIRSHED_FIRMS=" + w.URL, "GAVEL_AIRSHED_FIRMS_KEY=" + feedtest.Key, "GAVEL_AIRSHED_METEO=" + w.URL + "/v1/forecast"}
}

// TestIngestWritesToTheLakeAndTheSurgeIsFound promises, with a server, a worker, the
// engine and an S3 server, that one command asks the services, writes one object, says
// what each source gave and what is missing, and that the surge in it is found without
// anybody asking; that where the air is away it says so plainly and writes nothing; and
// that no key of a service is in what the program says. With -record it writes the
// histories of both ingests.
func TestIngestWritesToTheLakeAndTheSurgeIsFound(t *testing.T) {
	w := feedtest.New(t)
	db := postgrestest.New(t, builtIn().migrations()...)
	engine, env := withEngine(t, settingsFor(t, db))
	env = append(env, outside(t, w)...)
	served, worked := start(t, env, "serve"), start(t, env, "worker")
	base := fmt.Sprint("http://", served.said(t, "listening")["address"])
	t.Cleanup(func() {
		for name, p := range map[string]*process{"server": served, "worker": worked} {
			code, text := p.ends(t, errTerminated), p.log.String()
			if code != 0 || t.Failed() {
				t.Logf("the %s ended with code %d\n%s", name, code, text[max(0, len(text)-4000):])
			}
			if strings.Contains(text, feedtest.Key) {
				t.Errorf("the log of the %s shows a key", name)
			}
		}
	})
	awaitReady(t, base)
	analyst := setup{environ: append(slices.Clone(env), "GAVEL_SERVER="+base, "GAVEL_TOKEN="+devToken(t, identity.Analyst))}
	got := analyst.run(t, "airshed", "ingest", "--wait", "-o", "json")
	var done struct {
		ID, State, Object string
		Sources           []struct {
			Source, Costs string
			Had           bool
			Answers       int
		}
	}
	if err := json.Unmarshal([]byte(got.out), &done); err != nil || got.code != 0 || done.State != "done" || !strings.HasPrefix(done.Object,
		"data/harmonised_") || len(done.Sources) != 5 {
		t.Fatalf("%v: got %+v", err, got)
	}
	for _, s := range done.Sources {
		if s.Had != (s.Costs == "") || s.Had != (s.Source != "iitm-dss") {
			t.Errorf("got %+v", s)
		}
	}
	wait.Try(t, func() error { // the scan goes on by itself
		scan := analyst.run(t, "airshed", "episode", "-o", "name")
		if !strings.HasPrefix(scan.out, "site_5024@") {
			return fmt.Errorf("nothing was found: %+v", scan)
		}
		return nil
	})
	if text := analyst.run(t, "airshed", "ingest", "--list"); text.code != 0 || !strings.Contains(text.out, done.Object) {
		t.Errorf("the list: got %+v", text)
	}
	w.Down(feedtest.Index)
	refused := analyst.run(t, "airshed", "ingest", "--wait")
	if refused.code != 6 || !strings.Contains(refused.talk, "no surge can be found") || strings.Contains(refused.talk, feedtest.Key) ||
		w.Asked(feedtest.Fires) != 6 {
		t.Errorf("without the air: got %+v", refused)
	}
	if *record {
		var list []struct{ ID, State string }
		if err := json.Unmarshal([]byte(analyst.run(t, "airshed", "ingest", "--list", "-o", "json").out), &list); err != nil {
			t.Fatal(err)
		}
		for _, i := range list {
			durabletest.Record(t, durabletest.DialTo(t, engine), "airshed/north/ingest:"+i.ID, historyFile("airshed", "ingest-"+i.State))
		}
	}
}
