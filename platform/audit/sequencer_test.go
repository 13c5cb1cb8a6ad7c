package audit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// order is the records of north in the order of the log.
func (r *rig) order(t testing.TB) []audit.RecordID {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), `select record_id from gavel.record_place where org = 'north' order by seq`)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[audit.RecordID])
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func (r *rig) expectClean(t testing.TB, size int64) {
	t.Helper()
	report := r.fsck(t)
	if !report.Clean() || report.Size != size || report.Waiting != 0 {
		t.Errorf("fsck: size %d, %d waiting, %v; want %d entries and nothing found", report.Size, report.Waiting, report.Findings, size)
	}
}

func TestRecordsAreTakenInOnceAndInOrder(t *testing.T) {
	r := newRig(t)
	want := r.append(t, record(1), record(2))
	r.drain(t)
	want = append(want, r.fill(t, 700)...) // one transaction: its own order counts
	want = append(want, r.append(t, record(3))...)
	if n := r.drain(t); n != 701 {
		t.Errorf("took in %d, want 701", n)
	}
	if n := r.drain(t); n != 0 {
		t.Errorf("took in %d again", n)
	}
	if got := r.order(t); !slices.Equal(got, want) {
		t.Errorf("the log's order is not the order of commits")
	}
	r.expectClean(t, 704) // entry 0 puts the key in force
}

func TestMoreThanABatchIsTakenInAtOnce(t *testing.T) {
	r := newRig(t)
	want := r.fill(t, 9000)
	if n := r.drain(t); n != 9000 {
		t.Errorf("took in %d, want 9000", n)
	}
	if got := r.order(t); !slices.Equal(got, want) {
		t.Errorf("the log's order is not the order of appends")
	}
	r.expectClean(t, 9001)
}

// TestALateCommitIsNotMissed promises that a record whose transaction began
// early and committed late is taken in, once, after what committed before it.
func TestALateCommitIsNotMissed(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	early, release, done := make(chan audit.RecordID), make(chan struct{}), make(chan error)
	go func() {
		done <- r.db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
			id, err := audit.Append(ctx, tx, record(1))
			if err != nil {
				return err
			}
			early <- id
			<-release
			return nil
		})
	}()
	late := <-early
	before := r.append(t, record(2), record(3))
	if n := r.drain(t); n != 2 {
		t.Errorf("took in %d while one transaction is open, want the 2 that are committed", n)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := r.drain(t); n != 1 {
		t.Errorf("took in %d after the late commit, want 1", n)
	}
	want := slices.Concat(before, []audit.RecordID{late})
	if got := r.order(t); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.expectClean(t, 4)
}

// appendMany commits records from several goroutines.
func (r *rig) appendMany(t testing.TB, writers, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for i := range each {
				err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
					for range 1 + i%3 {
						if _, err := audit.Append(t.Context(), tx, record(i)); err != nil {
							return err
						}
					}
					time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // commits overtake each other
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func (r *rig) appended(t testing.TB) int64 {
	t.Helper()
	return one[int64](t, r, `select count(*) from gavel.record where org = 'north'`)
}

// drainAll drains until nothing waits. Whoever held the log last may have been
// cut off, and the server notices a moment later.
func (r *rig) drainAll(t testing.TB) {
	t.Helper()
	s := r.sequencer(t)
	wait.Try(t, func() error {
		if _, err := s.Drain(t.Context()); err != nil {
			return err
		}
		if n := one[int](t, r, `select count(*) from gavel_sys.log_queue`); n > 0 {
			return fmt.Errorf("%d records still wait", n)
		}
		return nil
	})
}

func TestTwoSequencersTakeEachRecordInOnce(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 3 {
		s := r.sequencer(t)
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Drain(ctx); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	r.appendMany(t, 6, 40)
	stop()
	wg.Wait()
	r.drainAll(t)
	r.expectClean(t, r.appended(t)+1)
}

// TestACrashLosesNothing promises that a sequencer killed at any moment leaves
// the log as it was before its step or as it is after.
func TestACrashLosesNothing(t *testing.T) {
	r := newRig(t)
	pool, err := postgres.OpenSystem(t.Context(), r.db.SystemURL)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := audit.NewSequencer(audit.SequencerConfig{System: pool, Signer: r.secret, Now: time.Now, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	var wg sync.WaitGroup
	var stop atomic.Bool
	var kills, steps atomic.Int64
	wg.Go(func() {
		for !stop.Load() {
			if n, err := s.Drain(t.Context()); err == nil && n > 0 {
				steps.Add(1)
			}
		}
	})
	wg.Go(func() {
		for !stop.Load() {
			for before := steps.Load(); steps.Load() == before && !stop.Load(); { // let one live now and then
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			const shoot = `select count(pg_terminate_backend(pid)) from pg_locks
				where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
			var n int
			if err := admin.QueryRow(t.Context(), shoot).Scan(&n); err != nil {
				t.Error(err)
			}
			kills.Add(int64(n))
		}
	})
	r.appendMany(t, 4, 150)
	defer wg.Wait()
	defer stop.Store(true)
	wait.Try(t, func() error { // a busy machine kills late
		if k, n := kills.Load(), steps.Load(); k < 3 || n < 3 {
			r.appendMany(t, 4, 20)
			return fmt.Errorf("%d kills and %d steps: that is no test", k, n)
		}
		return nil
	})
	stop.Store(true)
	wg.Wait()
	r.drainAll(t)
	r.expectClean(t, r.appended(t)+1)
}

// TestAppendingWaitsForNobody promises that a record is committed while a
// sequencer is stuck in the middle of its step.
func TestAppendingWaitsForNobody(t *testing.T) {
	r := newRig(t)
	r.append(t, record(1))
	r.drain(t)
	stuck, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close(t.Context())
	const hold = `begin; select pg_advisory_xact_lock(x'676176656c6c6f67'::bigint);
		lock table gavel_sys.log_tile, gavel_sys.log_checkpoint, gavel_sys.log_key, gavel.record_place in exclusive mode;
		delete from gavel_sys.log_queue`
	if _, err := stuck.Exec(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	defer cancel()
	err = r.db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		_, err := audit.Append(ctx, tx, record(2))
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestInclusionIsQuick promises that a record is in a signed tree within two
// seconds of its commit, with the sequencer ticked as it is in a server.
func TestInclusionIsQuick(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan struct{})
	ticker := time.NewTicker(audit.Interval)
	defer ticker.Stop()
	s := r.sequencer(t)
	go func() { defer close(done); _ = s.Run(ctx, ticker.C) }()
	lags := r.lags(t, 12)
	stop()
	<-done
	wait.Within(t, fmt.Sprintf("the slowest of %d records, where the median took %s", len(lags), lags[len(lags)/2]), lags[len(lags)-1],
		2*time.Second)
}

// lags is how long records waited for their place, the shortest first.
func (r *rig) lags(t testing.TB, records int) (lags []time.Duration) {
	t.Helper()
	for i := range records {
		id := r.append(t, record(i))[0]
		committed := time.Now()
		wait.Try(t, func() (err error) {
			for range 50 { // closer together than a wait asks, which would be most of what is measured
				if _, err = audit.Place(t.Context(), r.db.System, id); err == nil {
					return nil
				}
				if !fault.Is(err, fault.Unavailable) {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Millisecond)
			}
			return err
		})
		lags = append(lags, time.Since(committed))
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
	}
	slices.Sort(lags)
	return lags
}

// TestNothingIsSignedOnTopOfAChangedLog promises that a sequencer stops rather
// than vouch for a tree that was tampered with.
func TestNothingIsSignedOnTopOfAChangedLog(t *testing.T) {
	for _, tt := range []struct{ name, sql, want string }{
		{"a tile", `update gavel_sys.log_tile set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1)
			where level = 0`, "do not yield the root"},
		{"a tile that is gone", `delete from gavel_sys.log_tile where level = 0`, "not all there"},
		{"a checkpoint", `update gavel_sys.log_checkpoint set note = replace(note, E'\n3\n', E'\n2\n')`, "not signed"},
		{"a key", `update gavel_sys.log_key set verifier = verifier || 'x'`, "not signed"},
	} {
		r := newRig(t)
		r.append(t, record(1), record(2))
		r.drain(t)
		r.admin(t, tt.sql)
		r.append(t, record(3))
		n, err := r.sequencer(t).Drain(t.Context())
		if n != 0 || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: took in %d, %v; want an error that says %q", tt.name, n, err, tt.want)
		}
	}
}

// TestAForgedQueueChangesNothing promises that rows put into the queue by hand
// neither stop the log nor put a record in twice.
func TestAForgedQueueChangesNothing(t *testing.T) {
	r := newRig(t)
	placed := r.append(t, record(1))[0]
	r.drain(t)
	twice := r.append(t, record(2))[0]
	for _, id := range []audit.RecordID{placed, twice, twice, "rec_of_nobody"} {
		r.admin(t, `insert into gavel_sys.log_queue (org, record_id) values ('north', '`+string(id)+`')`)
	}
	if n := r.drain(t); n != 1 {
		t.Errorf("took in %d, want 1", n)
	}
	report := r.fsck(t)
	if len(report.Findings) != 1 || !strings.Contains(report.Findings[0].Text, "rec_of_nobody") || report.Waiting != 0 {
		t.Errorf("got %v, %d waiting; want only the row of a record that is not there", report.Findings, report.Waiting)
	}
}

// TestRowsWithoutARecordStopNobodyElse promises that rows whose record is gone, more
// of them than one step reads, are set aside and named, and that the record behind
// them is taken in. Whoever brings the record back can have it taken in as well.
func TestRowsWithoutARecordStopNobodyElse(t *testing.T) {
	r := newRig(t)
	r.admin(t, `insert into gavel_sys.log_queue (org, record_id) select 'north', 'rec_gone_' || n from generate_series(1, 5000) n`)
	r.append(t, record(1))
	if n := r.drain(t); n != 1 {
		t.Fatalf("took in %d, want the one record behind 5000 rows without one", n)
	}
	report := r.fsck(t)
	if got := len(report.Findings) + report.More; got != 5000 || !strings.Contains(report.Findings[0].Text,
		"record rec_gone_1 of north was to go into the log, and is not there") || report.Waiting != 0 {
		t.Errorf("fsck found %d, %d waiting: %.3v", got, report.Waiting, report.Findings)
	}
	found := r.look(t, audit.CheckConfig{}, 0)[isTakenIn]
	if found.Status != doctor.Fail || !strings.Contains(found.Detail, "5000") || !strings.Contains(found.Detail, "rec_gone_1") ||
		!strings.Contains(found.Fix, "docs/runbook/log-damaged.md") {
		t.Errorf("the doctor says %+v", found)
	}
	const back = `delete from gavel_sys.log_astray where record_id <> 'rec_gone_7';
		insert into gavel.record select org, 'rec_gone_7', at, kind, app, actor_kind, actor_id, subject, json from gavel.record
		where org = 'north';
		insert into gavel_sys.log_queue (org, record_id) select org, record_id from gavel_sys.log_astray`
	r.admin(t, back)
	if n := r.drain(t); n != 1 {
		t.Errorf("took in %d, want the record that was brought back", n)
	}
	if found := r.look(t, audit.CheckConfig{}, 0)[isTakenIn]; found.Status != doctor.OK {
		t.Errorf("after it was brought back the doctor says %+v", found)
	}
}

// admin runs a statement past every wall and trigger.
func (r *rig) admin(t testing.TB, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `set session_replication_role = replica; `+sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
