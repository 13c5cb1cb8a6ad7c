package page

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/casework/ingest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// A rig is the rooms that pages stand on, on a real database.
type rig struct {
	airshedtest.Rig

	surveyor *survey.Surveyor
	gatherer *ingest.Gatherer
	clerk    *filing.Clerk
	pages    *Pages
}

func newRig(t *testing.T) rig {
	t.Helper()
	r := rig{Rig: airshedtest.New(t)}
	r.surveyor = survey.New(r.Store)
	r.clerk = filing.New(r.Store, r.surveyor)
	r.gatherer = ingest.New(r.Store, r.surveyor)
	r.pages = New(r.Store, r.surveyor, r.gatherer, r.clerk)
	return r
}

// hand hands a file in and carries the scan of it out.
func (r rig) hand(t *testing.T, key string, o *lake.Object) store.Scan {
	t.Helper()
	return r.Hand(t, r.surveyor.Steps(), key, o)
}

// carry does the steps of a scan, as its workflow does.
func (r rig) carry(t *testing.T, scan store.Scan) store.Scan {
	t.Helper()
	return r.Carry(t, r.surveyor.Steps(), scan)
}

// A stage is the pages on a real database and a real server, and without the engine: a
// scan stands still until a test moves it.
type stage struct {
	rig
	*platformtest.Server

	now time.Time // of the pages
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{rig: newRig(t), now: laketest.Now().Add(20 * time.Minute)}
	s.App.Messages, s.App.Nav, s.App.Assets = Messages(), Nav(), frame.Assets()
	s.Server = s.Serve(t, platformtest.Serves{Routes: s.pages.Routes, Home: frame.HomeAt, Now: func() time.Time { return s.now }})
	return s
}

// send hands a file in by the form.
func (s *stage) send(t testing.TB, role identity.Role, name string, file []byte) platformtest.Answer {
	t.Helper()
	return s.PostFile(t, role, frame.FilesAt, name, file, nil)
}

// found hands an object in, carries its scan out and gives the episode it found.
func (s *stage) found(t *testing.T, key string, o *lake.Object) store.Episode {
	t.Helper()
	s.hand(t, key, o)
	all, err := s.Store.Episodes(t.Context(), airshedtest.Person(identity.Analyst), store.Cursor{}, 10)
	if err != nil || len(all) == 0 {
		t.Fatalf("found %d episodes, %v", len(all), err)
	}
	return all[0]
}
