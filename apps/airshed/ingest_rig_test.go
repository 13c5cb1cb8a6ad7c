package airshed

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// settingsOf lead to the world, and to a lake in a folder.
func settingsOf(t *testing.T, w *feedtest.World) map[string]string {
	t.Helper()
	return map[string]string{settingLake: "file://" + t.TempDir(), settingLakeOrg: "north", settingWindStep: "1",
		settingDataGov: w.URL, settingDataGovKey: feedtest.Key, settingOpenAQ: w.URL, settingOpenAQKey: feedtest.Key,
		settingFirms: w.URL, settingFirmsKey: feedtest.Key, settingMeteo: w.URL + "/v1/forecast"}
}

// onWorld is the rig with the services of a world and a lake of its own.
func (r rig) onWorld(t *testing.T, settings map[string]string) rig {
	t.Helper()
	if err := r.open(platform.Deps{DB: r.db.App, Rules: r.store.rules, Evidence: r.store.kept, Settings: settings}); err != nil {
		t.Fatal(err)
	}
	return r
}

// ingestWhole carries an ingest out as its workflow does, each step twice.
func (r rig) ingestWhole(t *testing.T, i Ingest) (Ingest, map[string]Came) {
	t.Helper()
	steps, in := &IngestSteps{r.app}, IngestInput{Org: postgrestest.North, Ingest: i.ID}
	for range 2 {
		goOn, err := steps.AskSource(t.Context(), in, DataGovSource)
		if err != nil {
			t.Fatal(err)
		}
		if !goOn {
			break
		}
		for _, source := range []string{OpenAQSource, FirmsSource, MeteoSource, StubbleSource} {
			if _, err := steps.AskSource(t.Context(), in, source); err != nil {
				t.Fatal(err)
			}
		}
		if err := steps.WriteObject(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	i, all, err := r.store.ingest(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	came := map[string]Came{}
	for _, c := range all {
		came[c.Source] = c
	}
	return i, came
}
