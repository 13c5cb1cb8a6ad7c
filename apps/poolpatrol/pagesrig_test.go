package poolpatrol

import (
	"fmt"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A stage is the pages on a real database and a real server, and without the engine: a
// pass stands still until a test moves it.
type stage struct {
	*platformtest.Installation
	*platformtest.Server

	app *rooms
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{Installation: platformtest.New(t, New()), app: newRooms()}
	if err := s.app.open(s.Deps); err != nil {
		t.Fatal(err)
	}
	s.Server = s.Serve(t, platformtest.Serves{Routes: s.app.routes, Home: homeAt})
	return s
}

// now is a moment as the database keeps it.
func (s *stage) now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// stageManager is who looks after the programme of north.
func stageManager() identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "dev:programme_manager@north", Name: "M. Rao", Org: postgrestest.North,
		Roles: []identity.Role{identity.ProgrammeManager}}
}

// send sends the form of an import, with more fields by name and value.
func (s *stage) send(t testing.TB, role identity.Role, path string, h record.Handover, more ...string) platformtest.Answer {
	t.Helper()
	return s.sendWith(t, role, path, h, nil, more...)
}

func (s *stage) sendWith(t testing.TB, role identity.Role, path string, h record.Handover, header http.Header,
	more ...string) platformtest.Answer {
	t.Helper()
	extent := "part"
	if h.Whole {
		extent = "whole"
	}
	fields := append([]string{"kind", string(h.Kind), "extent", extent}, more...)
	return s.PostFile(t, role, path, "records.csv", h.File, header, fields...)
}

// town is a made-up town with something wrong in it.
func town(vans int) madeup.Town {
	return madeup.Plan{Seed: 7, Vans: vans, Riders: 8, Percent: 30}.Build()
}

// fill hands a town over.
func (s *stage) fill(t testing.TB, of madeup.Town) {
	t.Helper()
	for _, h := range poolpatroltest.Files(of.Records) {
		p, err := s.app.store.Preview(t.Context(), stageManager(), h)
		if err == nil {
			_, err = s.app.store.Import(t.Context(), stageManager(), h, p.SHA256)
		}
		if err != nil {
			t.Fatalf("%s: %v", h.Kind, err)
		}
	}
}

// begin starts a pass that has not looked at anything yet.
func (s *stage) begin(t testing.TB) store.Pass {
	t.Helper()
	p, _, err := s.app.store.StartPass(t.Context(), stageManager(), store.Asked, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// audit has every van audited, as the workflow of a pass does.
func (s *stage) audit(t testing.TB) store.Pass {
	t.Helper()
	p := s.begin(t)
	s.finish(t, p)
	return p
}

func (s *stage) finish(t testing.TB, p store.Pass) {
	t.Helper()
	steps, in := s.app.work.Steps(), store.PassInput{Org: postgrestest.North, Pass: p.ID}
	more, err := steps.Pin(t.Context(), in)
	for done := !more; err == nil && !done; {
		done, err = steps.Look(t.Context(), in)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// grow makes the records old.
func (s *stage) grow(t testing.TB, by time.Duration) {
	t.Helper()
	s.Set(t, `update poolpatrol.sync set at = at - $1::interval`, fmt.Sprintf("%d seconds", int(by.Seconds())))
}

var digestForm = regexp.MustCompile(`name="sha256" value="([0-9a-f]{64})"`)

// digest is what the page of a preview imports with.
func digest(t testing.TB, a platformtest.Answer) string {
	t.Helper()
	found := digestForm.FindStringSubmatch(a.Body)
	if found == nil {
		t.Fatalf("the page offers no import: %.1500s", a.Main())
	}
	return found[1]
}

// fileOf is the handover of one kind.
func fileOf(t testing.TB, of madeup.Town, kind intake.Kind) record.Handover {
	t.Helper()
	for _, h := range poolpatroltest.Files(of.Records) {
		if h.Kind == kind {
			return h
		}
	}
	t.Fatalf("no file of %s", kind)
	return record.Handover{}
}
