package job_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var (
	sweep = job.Kind{App: "yard", Name: "sweep", Prefix: "SWEEP", Workflow: "yard.Sweep"}
	asha  = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North}
	ravi  = identity.Actor{Kind: identity.Person, ID: "ravi", Org: postgrestest.North}
	south = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.South}
	noon  = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
)

func newDB(t *testing.T) *postgrestest.Database {
	t.Helper()
	return postgrestest.New(t, outbox.Migrations(), audit.Migrations(), job.Migrations())
}

// order asks for a sweep of something.
func order(who identity.Actor, key, about string, at time.Time) job.Order {
	id := sweep.NewID()
	return job.Order{ID: id, Key: key, About: about, Actor: who, At: at,
		Input: map[string]string{"sweep": id}, Body: map[string]any{"of": about}}
}

func start(t *testing.T, db *postgres.DB, o job.Order) (b job.Begun) {
	t.Helper()
	in(t, db, o.Actor.Org, func(tx pgx.Tx) (err error) {
		b, err = job.Start(t.Context(), tx, sweep, o)
		return err
	})
	return b
}

func in(t *testing.T, db *postgres.DB, org identity.Org, do func(pgx.Tx) error) {
	t.Helper()
	if err := db.InOrg(t.Context(), org, do); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, db *postgres.DB, id string) (j job.Job) {
	t.Helper()
	in(t, db, postgrestest.North, func(tx pgx.Tx) (err error) {
		j, err = job.Get(t.Context(), tx, sweep, id)
		return err
	})
	return j
}

// told is what north's log says became of a job, and how often the engine was told of it.
func told(t *testing.T, db *postgres.DB, id string) (did string, words int) {
	t.Helper()
	in(t, db, postgrestest.North, func(tx pgx.Tx) error {
		const of = `select (select coalesce(string_agg(json::json -> 'body' ->> 'did', ' ' order by id), '')
				from gavel.record where kind = 'yard_sweep' and subject = $1),
			(select count(*) from gavel.outbox where target = 'yard/north/sweep:' || $1)`
		return tx.QueryRow(t.Context(), of, id).Scan(&did, &words)
	})
	return did, words
}

// TestTwoWhoAskAtOnceAreGivenOneJob promises two people who ask on two servers in one
// moment one job, of which both are told, two hundred times.
func TestTwoWhoAskAtOnceAreGivenOneJob(t *testing.T) {
	db := newDB(t)
	other, err := postgres.Open(t.Context(), db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	var wins [2]int
	for round := range 200 {
		at := noon.Add(time.Duration(round) * time.Minute)
		var got [2]job.Begun
		var errs [2]error
		var both sync.WaitGroup
		ready := make(chan struct{})
		for i, server := range []*postgres.DB{db.App, other} {
			o := order([]identity.Actor{asha, ravi}[i], fmt.Sprintf("%d/%d", round, i), "yard", at)
			both.Go(func() {
				<-ready
				errs[i] = server.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
					got[i], err = job.Start(t.Context(), tx, sweep, o)
					return err
				})
			})
		}
		close(ready)
		both.Wait()
		if errs[0] != nil || errs[1] != nil || got[0].ID == "" || got[0].ID != got[1].ID || got[0].Started == got[1].Started {
			t.Fatalf("round %d: got %+v, %v and %+v, %v", round, got[0], errs[0], got[1], errs[1])
		}
		for i := range got {
			if got[i].Started {
				wins[i]++
			}
		}
		if did, words := told(t, db.App, got[0].ID); did != "started" || words != 1 {
			t.Fatalf("round %d: the log says %q, and the engine was told %d times", round, did, words)
		}
		in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
			return job.Finish(t.Context(), tx, sweep, postgrestest.North, got[0].ID, job.End{State: job.Done, At: at})
		})
	}
	fmt.Printf("200 times two asked at once: %d jobs, %d begun by the first server and %d by the second, both told of it each time\n",
		wins[0]+wins[1], wins[0], wins[1])
}

// TestAKeyIsOneJobForEver promises whoever sends the same again the job it began, also when
// that has ended; and that other things, and other organisations, wait for nobody.
func TestAKeyIsOneJobForEver(t *testing.T) {
	db := newDB(t)
	first := start(t, db.App, order(asha, "k", "yard", noon))
	if !first.Started || first.State != job.Running || first.AskedBy != "asha" || !sweep.IsID(first.ID) {
		t.Fatalf("got %+v", first)
	}
	if again := start(t, db.App, order(asha, "k", "yard", noon)); again.Started || again.ID != first.ID {
		t.Errorf("the same key: got %+v", again)
	}
	if second := start(t, db.App, order(ravi, "l", "yard", noon)); second.Started || second.ID != first.ID || second.AskedBy != "asha" {
		t.Errorf("another, of the same: got %+v", second)
	}
	if hall := start(t, db.App, order(ravi, "m", "hall", noon)); !hall.Started {
		t.Errorf("of something else: got %+v", hall)
	}
	if theirs := start(t, db.App, order(south, "k", "yard", noon)); !theirs.Started {
		t.Errorf("in another organisation: got %+v", theirs)
	}
	in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
		return job.Finish(t.Context(), tx, sweep, postgrestest.North, first.ID, job.End{State: job.Done, At: noon})
	})
	if again := start(t, db.App, order(asha, "k", "yard", noon)); again.Started || again.ID != first.ID || again.State != job.Done {
		t.Errorf("the same key, when it has ended: got %+v", again)
	}
	if next := start(t, db.App, order(ravi, "l", "yard", noon)); !next.Started || next.ID == first.ID {
		t.Errorf("then somebody else: got %+v", next)
	}
	taken := order(asha, "n", "gate", noon)
	taken.ID = first.ID
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := job.Start(t.Context(), tx, sweep, taken)
		return err
	})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("an id that is taken: %v", err)
	}
}

// TestAJobSaysHowFarItIs promises progress that pages are told of, and that one which has
// ended stays as it ended.
func TestAJobSaysHowFarItIs(t *testing.T) {
	db := newDB(t)
	heard, err := db.App.Listen(t.Context(), "gavel_live")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = heard.Close(context.Background()) })
	b := start(t, db.App, order(asha, "k", "yard", noon))
	report := func(done int) (j job.Job) {
		in(t, db.App, postgrestest.North, func(tx pgx.Tx) (err error) {
			how := job.Progress{Done: done, Total: 9, Doing: strings.Repeat("sweeping ", 50)}
			j, err = job.Report(t.Context(), tx, sweep, postgrestest.North, b.ID, how)
			return err
		})
		return j
	}
	if j := report(3); j.Done != 3 || j.Total != 9 || len(j.Doing) != 200 || j.Version != 2 || !j.HeardAt.After(b.HeardAt) {
		t.Errorf("got %+v", j)
	}
	end := func(e job.End) {
		e.At = noon.Add(2 * time.Hour)
		in(t, db.App, postgrestest.North, func(tx pgx.Tx) error { return job.Finish(t.Context(), tx, sweep, postgrestest.North, b.ID, e) })
	}
	end(job.End{State: job.Refused, Reason: "rain"})
	end(job.End{State: job.Done})
	if j := report(9); j.State != job.Refused || j.Reason != "rain" || j.Done != 3 || j.EndedAt == nil || j.Version != 3 {
		t.Errorf("when it has ended: got %+v", j)
	}
	if did, _ := told(t, db.App, b.ID); did != "started refused" {
		t.Errorf("the log says %q", did)
	}
	for version := 1; version <= 3; version++ {
		n, err := heard.WaitForNotification(t.Context())
		if want := fmt.Sprintf(`{"org" : "north", "object" : "sweep_%s", "version" : %d}`, b.ID, version); err != nil || n.Payload != want {
			t.Fatalf("pages heard %+v, %v, want %s", n, err, want)
		}
	}
}

// TestAJobIsCalledOff promises that whoever calls a job off is on record, that its next step
// is told, and that one which has ended cannot be.
func TestAJobIsCalledOff(t *testing.T) {
	db := newDB(t)
	b := start(t, db.App, order(asha, "k", "yard", noon))
	cancel := func(who identity.Actor) (j job.Job, err error) {
		err = db.App.InOrg(t.Context(), who.Org, func(tx pgx.Tx) (err error) {
			j, err = job.Cancel(t.Context(), tx, sweep, who, b.ID, noon.Add(time.Second))
			return err
		})
		return j, err
	}
	if _, err := cancel(south); !fault.Is(err, fault.NotFound) {
		t.Errorf("somebody of another organisation: %v", err)
	}
	for range 2 {
		if j, err := cancel(ravi); err != nil || j.CancelledBy != "ravi" || j.State != job.Running {
			t.Errorf("got %+v, %v", j, err)
		}
	}
	in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
		j, err := job.Report(t.Context(), tx, sweep, postgrestest.North, b.ID, job.Progress{})
		end, off := j.CalledOff()
		if err != nil || !off || end.State != job.Cancelled || end.Reason != "ravi called it off" {
			t.Errorf("its step is told %+v, %v, %v", end, off, err)
		}
		end.At = noon.Add(time.Minute)
		return job.Finish(t.Context(), tx, sweep, postgrestest.North, b.ID, end)
	})
	if _, err := cancel(ravi); !fault.Is(err, fault.Conflict) {
		t.Errorf("when it has ended: %v", err)
	}
	if did, _ := told(t, db.App, b.ID); did != "started called_off cancelled" {
		t.Errorf("the log says %q", did)
	}
}

// TestAJobOfWhichNothingIsHeardStopsNoOther promises that one which is lost is given up
// when somebody asks again, and says why.
func TestAJobOfWhichNothingIsHeardStopsNoOther(t *testing.T) {
	db := newDB(t)
	lost := start(t, db.App, order(asha, "k", "yard", noon))
	silent := func(d time.Duration) {
		in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `update gavel.job set heard_at = now() - make_interval(secs => $1)`, d.Seconds())
			return err
		})
	}
	silent(job.Silence - time.Hour)
	soon := start(t, db.App, order(ravi, "l", "yard", noon.Add(99*job.Silence)))
	if soon.Started || soon.Lost != "" || soon.ID != lost.ID {
		t.Errorf("within a day: got %+v", soon)
	}
	silent(job.Silence)
	late := start(t, db.App, order(ravi, "l", "yard", noon))
	if !late.Started || late.Lost != lost.ID {
		t.Errorf("after it: got %+v", late)
	}
	if j := get(t, db.App, lost.ID); j.State != job.Refused || j.Reason != job.LostReason {
		t.Errorf("the lost one is %+v", j)
	}
	in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
		j, err := job.At(t.Context(), tx, sweep, "yard")
		if j.ID != late.ID {
			t.Errorf("%q is at it, want %s", j.ID, late.ID)
		}
		return err
	})
}

// TestJobsGoWithWhatTheyFound promises that those which ended long ago can be let go of, and
// no others.
func TestJobsGoWithWhatTheyFound(t *testing.T) {
	db := newDB(t)
	old, running := start(t, db.App, order(asha, "k", "yard", noon)), start(t, db.App, order(asha, "l", "hall", noon))
	in(t, db.App, postgrestest.North, func(tx pgx.Tx) error {
		return job.Finish(t.Context(), tx, sweep, postgrestest.North, old.ID, job.End{State: job.Done, At: noon})
	})
	for _, tt := range []struct {
		before time.Time
		want   int64
	}{{noon, 0}, {noon.Add(time.Second), 1}} {
		if n, err := job.Purge(t.Context(), db.System, sweep, tt.before); err != nil || n != tt.want {
			t.Errorf("before %s: %d went, %v, want %d", tt.before, n, err, tt.want)
		}
	}
	if j := get(t, db.App, running.ID); j.State != job.Running {
		t.Errorf("got %+v", j)
	}
}
