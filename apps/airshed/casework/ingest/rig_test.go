package ingest

import (
	"errors"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A rig is a gatherer on a real database.
type rig struct {
	airshedtest.Rig
	*Gatherer
}

func newRig(t *testing.T) rig {
	t.Helper()
	return rigOn(airshedtest.New(t))
}

// rigOn is what a process has on a database.
func rigOn(r airshedtest.Rig) rig { return rig{r, New(r.Store, survey.New(r.Store))} }

// carry does the steps of a scan, as its workflow does.
func (r rig) carry(t *testing.T, scan store.Scan) store.Scan {
	t.Helper()
	return r.Carry(t, r.surveyor.Steps(), scan)
}

// settingsOf lead to the world, and to a lake in a folder.
func settingsOf(t *testing.T, w *feedtest.World) map[string]string {
	t.Helper()
	return map[string]string{outside.SettingLake: "file://" + t.TempDir(), outside.SettingLakeOrg: "north", outside.SettingWindStep: "1",
		outside.SettingDataGov: w.URL, outside.SettingDataGovKey: feedtest.Key, outside.SettingOpenAQ: w.URL,
		outside.SettingOpenAQKey: feedtest.Key, outside.SettingFirms: w.URL, outside.SettingFirmsKey: feedtest.Key,
		outside.SettingMeteo: w.URL + "/v1/forecast"}
}

// onWorld is the rig with the services of a world and a lake of its own.
func (r rig) onWorld(t *testing.T, settings map[string]string) rig {
	t.Helper()
	if err := errors.Join(r.Open(settings), r.surveyor.Open(settings)); err != nil {
		t.Fatal(err)
	}
	return r
}

// ingestWhole carries an ingest out as its workflow does, each step twice.
func (r rig) ingestWhole(t *testing.T, i store.Ingest) (store.Ingest, map[string]store.Came) {
	t.Helper()
	steps, in := &Steps{r.Gatherer}, store.IngestInput{Org: postgrestest.North, Ingest: i.ID}
	for range 2 {
		goOn, err := steps.AskSource(t.Context(), in, origin.DataGov)
		if err != nil {
			t.Fatal(err)
		}
		if !goOn {
			break
		}
		for _, source := range []string{origin.OpenAQ, origin.Firms, origin.Meteo, origin.Stubble, origin.Looks} {
			if _, err := steps.AskSource(t.Context(), in, source); err != nil {
				t.Fatal(err)
			}
		}
		if err := steps.WriteObject(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	i, all, err := r.store.IngestOf(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	came := map[string]store.Came{}
	for _, c := range all {
		came[c.Source] = c
	}
	return i, came
}
