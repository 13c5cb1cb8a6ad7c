package survey

import (
	"bytes"
	"runtime/debug"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/timetable"
)

// newLakeRig is a rig whose organisation north has a lake, in a folder.
func newLakeRig(t *testing.T) rig {
	t.Helper()
	r := newRig(t)
	if err := r.Open(map[string]string{outside.SettingLake: "file://" + t.TempDir(), outside.SettingLakeOrg: "north"}); err != nil {
		t.Fatal(err)
	}
	return r
}

// due asks the watch of north what to do at a moment.
func (r rig) due(t *testing.T, at string) Turn {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	next, err := (&Steps{r.Surveyor}).Due(t.Context(), timetable.Input{Org: postgrestest.North}, moment)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// finish ends the scans that run.
func (r rig) finish(t *testing.T) {
	t.Helper()
	all, err := r.store.Scans(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.State == job.Running {
			r.carry(t, s)
		}
	}
}

// TestTheLakeIsLookedAtFourTimesADay promises one scan for each turn, also where the
// step is done again, one for all turns that were missed, and none while the one before
// is still at it.
func TestTheLakeIsLookedAtFourTimesADay(t *testing.T) {
	r := newLakeRig(t)
	if _, err := r.lake.Lake.Put(t.Context(), laketest.Surge(t)); err != nil {
		t.Fatal(err)
	}
	scans := func() int {
		return r.Number(t, `select count(*) from airshed.scan where kind = 'scheduled' and asked_by = 'gavel'`)
	}
	for _, tt := range []struct {
		at, next string
		scans    int
		finish   bool
	}{
		{"2026-11-14T05:10:00Z", "2026-11-14T06:00:00Z", 0, false},
		{"2026-11-14T05:59:59Z", "2026-11-14T06:00:00Z", 0, false},
		{"2026-11-14T06:00:00Z", "2026-11-14T12:00:00Z", 1, false},
		{"2026-11-14T06:00:00Z", "2026-11-14T12:00:00Z", 1, false}, // a crash after the commit
		{"2026-11-14T12:00:01Z", "2026-11-14T18:00:00Z", 1, true},  // the first is still running
		{"2026-11-14T18:00:00Z", "2026-11-15T00:00:00Z", 2, true},
		{"2026-11-16T07:30:00Z", "2026-11-16T12:00:00Z", 3, true}, // five were missed
	} {
		if next := r.due(t, tt.at); next.Over || next.At.Format(time.RFC3339) != tt.next || scans() != tt.scans {
			t.Errorf("at %s: next is %+v after %d scans, want %s after %d", tt.at, next, scans(), tt.next, tt.scans)
		}
		if tt.finish {
			r.finish(t)
		}
	}
	c, err := r.Schedule(t.Context(), airshedtest.Person(identity.Analyst))
	if err != nil || !c.Lake || c.Paused || c.LastScan == "" || c.LeftOutAt != nil || c.NextAt == nil || c.NextAt.UTC().
		Format(time.RFC3339) != "2026-11-16T12:00:00Z" {
		t.Errorf("got %+v, %v", c, err)
	}
	if n := r.Number(t, `select count(*) from gavel.record where kind = 'airshed_schedule'`); n != 1 {
		t.Errorf("%d records of turns left out, want one", n)
	}
}

// TestAPauseEndsTurnsUntilItIsOver promises that nothing is due during a pause, that
// what was due meanwhile is not made up for, and that the watch is woken.
func TestAPauseEndsTurnsUntilItIsOver(t *testing.T) {
	r := newLakeRig(t)
	r.due(t, "2026-11-14T05:10:00Z")
	c, err := r.store.SetPaused(t.Context(), airshedtest.Person(identity.Officer), true, 0)
	if err != nil || !c.Paused || c.NextAt != nil || c.Version != 1 {
		t.Fatalf("got %+v, %v", c, err)
	}
	if next := r.due(t, "2026-11-15T06:00:00Z"); next.Over || !next.At.IsZero() {
		t.Errorf("paused, the next is %+v", next)
	}
	if _, err := r.store.SetPaused(t.Context(), airshedtest.Person(identity.Officer), false, 0); !fault.Is(err, fault.Stale) {
		t.Errorf("a change to what was read before: %v", err)
	}
	now := time.Now().UTC().Format(time.RFC3339)
	if c, err = r.store.SetPaused(t.Context(), airshedtest.Person(identity.Operator), false, store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if next := r.due(t, now); c.NextAt == nil || !next.At.Equal(*c.NextAt) || next.At.Format("1504") != next.At.Truncate(6*time.Hour).
		Format("1504") {
		t.Errorf("resumed at %s, the next is %+v, and %+v says so", now, next, c)
	}
	if n := r.Number(t, `select count(*) from airshed.scan`); n != 0 {
		t.Errorf("%d scans, want none", n)
	}
	if n := r.Number(t, `select count(*) from gavel.outbox where target = 'airshed/north/watch'`); n != 2 {
		t.Errorf("the watch was woken %d times, want twice", n)
	}
}

// TestNobodyElsePausesTheSchedule promises that it takes an officer or an operator, and
// that who may do neither does not even read it.
func TestNobodyElsePausesTheSchedule(t *testing.T) {
	r := newLakeRig(t)
	for _, role := range identity.Roles() {
		_, err := r.store.SetPaused(t.Context(), airshedtest.Person(role), true, store.AnyVersion)
		if may := role == identity.Officer || role == identity.Operator; may != (err == nil) {
			t.Errorf("%s pauses: %v", role, err)
		}
		_, err = r.Schedule(t.Context(), airshedtest.Person(role))
		if may := role == identity.Officer || role == identity.Operator || role == identity.Analyst ||
			role == identity.Auditor; may != (err == nil) {
			t.Errorf("%s reads: %v", role, err)
		}
	}
	if _, err := r.store.SetPaused(t.Context(), lakeServer(postgrestest.North), true, store.AnyVersion); !fault.Is(err, fault.Refused) {
		t.Errorf("a machine pauses: %v", err)
	}
}

// TestWithoutALakeNobodyWatches promises that no watch begins without one, that one
// begins with it, and that a watch over a lake that is gone ends.
func TestWithoutALakeNobodyWatches(t *testing.T) {
	begun := func(r rig) int {
		if err := r.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		return r.Number(t, `select count(*) from gavel.outbox where target = 'airshed/north/watch' and kind = 'signal'`)
	}
	without := newRig(t)
	if n := begun(without); n != 0 {
		t.Errorf("without a lake %d watches begin", n)
	}
	if next := without.due(t, "2026-11-14T06:00:00Z"); !next.Over {
		t.Errorf("a watch over a lake that is gone goes on: %+v", next)
	}
	if n := begun(newLakeRig(t)); n != 1 {
		t.Errorf("with a lake %d watches begin, want one", n)
	}
}

// TestAScanOfTheSameBytesEndsAtOnce promises that what was looked at by the same rules
// is not looked at again, that the scan says whose findings it has, and that other rules
// look again.
func TestAScanOfTheSameBytesEndsAtOnce(t *testing.T) {
	r := newLakeRig(t)
	if _, err := r.lake.Lake.Put(t.Context(), laketest.Surge(t)); err != nil {
		t.Fatal(err)
	}
	look := func(key string) store.Scan {
		scan, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Asked, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return r.carry(t, scan)
	}
	board := func(s store.Scan) []byte {
		body, err := r.store.Board(t.Context(), airshedtest.Person(identity.Analyst), s.ID)
		if err != nil {
			t.Error(err)
		}
		return body
	}
	first, second, third := look("one"), look("two"), look("three")
	if first.SameAs != "" || first.Fresh != 1 {
		t.Errorf("the first: got %+v", first)
	}
	for _, s := range []store.Scan{second, third} {
		if s.SameAs != first.ID || s.State != job.Done || s.Found != 1 || s.Fresh != 0 || s.Data != first.Data ||
			!bytes.Equal(board(s), board(first)) {
			t.Errorf("again: got %+v, want what %s found", s, first.ID)
		}
	}
	if err := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update airshed.scan set rules = 'analysis/0'`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if s := look("by other rules"); s.SameAs != "" || s.Found != 1 {
		t.Errorf("by other rules: got %+v, want a look of its own", s)
	}
}

// TestTheCollectorWorksMoreWhileAnObjectIsInMemory promises that a process which lets
// its heap grow far does not while it has an object of the lake, does so again
// afterwards, and that one which collects more often by itself is left alone.
func TestTheCollectorWorksMoreWhileAnObjectIsInMemory(t *testing.T) {
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	for _, tt := range []struct{ set, during int }{{400, thrift}, {20, 20}, {-1, -1}} {
		before := debug.SetGCPercent(tt.set)
		s := NewShelf()
		leave, err := s.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.data = &analysis.Dataset{}
		leave()
		during := percent()
		if leave, err = s.Take(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.data = nil
		leave()
		if after := percent(); during != tt.during || after != tt.set {
			t.Errorf("set to %d: %d with an object and %d afterwards, want %d and %d", tt.set, during, after, tt.during, tt.set)
		}
		debug.SetGCPercent(before)
	}
}
