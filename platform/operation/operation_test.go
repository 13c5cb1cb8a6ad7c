package operation_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

var (
	officer = []identity.Role{identity.Officer}
	asha    = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North, Roles: officer}
	ravi    = identity.Actor{Kind: identity.Person, ID: "ravi", Org: postgrestest.North, Roles: officer}
	south   = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.South, Roles: officer}

	acts = map[string]string{"bundle": "case.export"}
)

// ticker is wall time, in which ten milliseconds stand for whatever was asked.
func ticker(time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(10 * time.Millisecond)
	return t.C, t.Stop
}

func newDesk(t *testing.T, db *postgrestest.Database) *operation.Desk {
	t.Helper()
	d := operation.NewDesk(operation.Config{DB: db.App, Acts: acts, Rules: policy.Standard(), Now: time.Now, Beat: ticker})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return d
}

func start(t *testing.T, d *operation.Desk, who identity.Actor, work operation.Work) operation.Operation {
	t.Helper()
	o, err := d.Start(t.Context(), who, "bundle", "case_x", work)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func wait(t *testing.T, d *operation.Desk, who identity.Actor, id string) operation.Operation {
	t.Helper()
	o, err := d.Wait(t.Context(), who, id, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func sleep(ctx context.Context, _ *operation.Pen) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestAnOperationEndsWithItsResultAndItsFile(t *testing.T) {
	db := postgrestest.New(t, operation.Migrations())
	d := newDesk(t, db)
	file := bytes.Repeat([]byte("0123456789abcdef"), 100_000) // over one piece
	o := start(t, d, asha, func(ctx context.Context, p *operation.Pen) (any, error) {
		p.File("a.zip", "application/zip")
		p.Progress(50)
		return map[string]int{"rows": 3}, p.Put(ctx, file)
	})
	got := wait(t, newDesk(t, db), asha, o.ID) // another server answers for it
	sum := sha256.Sum256(file)
	if got.State != operation.Done || got.Progress != 100 || string(got.Result) != `{"rows":3}` || got.EndedAt == nil ||
		got.File == nil || got.File.SHA256 != hex.EncodeToString(sum[:]) || got.File.Size != int64(len(file)) {
		t.Fatalf("got %+v, %+v", got, got.File)
	}
	var out bytes.Buffer
	if err := d.WriteFile(t.Context(), asha, got, &out); err != nil || !bytes.Equal(out.Bytes(), file) {
		t.Errorf("%d bytes came back, %v, want %d", out.Len(), err, len(file))
	}
	for name, who := range map[string]identity.Actor{"a colleague": ravi, "another organisation": south} {
		if _, err := d.Get(t.Context(), who, o.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s sees it: %v", name, err)
		}
	}
	list, next, err := d.List(t.Context(), asha, "", 1)
	if err != nil || len(list) != 1 || list[0].ID != o.ID || next != "" {
		t.Errorf("got %+v, %q, %v", list, next, err)
	}
}

func TestAnOperationThatFailsSaysWhyAndNothingOfOurs(t *testing.T) {
	d := newDesk(t, postgrestest.New(t, operation.Migrations()))
	for name, tt := range map[string]struct {
		work operation.Work
		kind fault.Kind
		text string
	}{
		"a fault": {func(context.Context, *operation.Pen) (any, error) {
			return nil, fault.New(fault.NotFound, "no case is called x")
		}, fault.NotFound, "no case is called x"},
		"an error of ours": {func(context.Context, *operation.Pen) (any, error) { return nil, errors.New("password hunter2") },
			fault.Internal, fault.Internal.Sentence()},
		"a panic": {func(context.Context, *operation.Pen) (any, error) { panic("password hunter2") }, fault.Internal,
			fault.Internal.Sentence()},
		"too large a file": {func(ctx context.Context, p *operation.Pen) (any, error) {
			p.File("a.zip", "application/zip")
			return nil, p.Put(ctx, make([]byte, operation.MaxFile+1))
		}, fault.TooLarge, "the file has over 64 MiB"},
	} {
		got := wait(t, d, asha, start(t, d, asha, tt.work).ID)
		if got.State != operation.Failed || got.Error == nil || got.Error.Kind != tt.kind || got.Error.Text != tt.text || got.File != nil {
			t.Errorf("%s: got %s, %v", name, got.State, got.Error)
		}
	}
}

func TestAnOperationIsCancelledFromAnyServer(t *testing.T) {
	db := postgrestest.New(t, operation.Migrations())
	here, there := newDesk(t, db), newDesk(t, db)
	for name, d := range map[string]*operation.Desk{"where it runs": here, "elsewhere": there} {
		o := start(t, here, asha, sleep)
		if _, err := d.Cancel(t.Context(), ravi, o.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: a colleague cancels it: %v", name, err)
		}
		if _, err := d.Cancel(t.Context(), asha, o.ID); err != nil {
			t.Fatal(err)
		}
		if got := wait(t, d, asha, o.ID); got.State != operation.Cancelled || got.Error != nil {
			t.Errorf("%s: got %+v", name, got)
		}
		if _, err := d.Cancel(t.Context(), asha, o.ID); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: cancelled twice: %v", name, err)
		}
	}
}

func TestOneActorHasAShareOfAServer(t *testing.T) {
	d := newDesk(t, postgrestest.New(t, operation.Migrations()))
	start(t, d, asha, sleep)
	start(t, d, asha, sleep)
	if _, err := d.Start(t.Context(), asha, "bundle", "case_x", sleep); !fault.Is(err, fault.TooMany) {
		t.Errorf("a third: got %v", err)
	}
	start(t, d, ravi, sleep)
}

func TestAnOperationWhoseServerStopsOrDiesIsNotWaitedForForEver(t *testing.T) {
	db := postgrestest.New(t, operation.Migrations())
	d := operation.NewDesk(operation.Config{DB: db.App, Acts: acts, Rules: policy.Standard(), Now: time.Now, Beat: ticker})
	stopped := start(t, d, asha, sleep)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := d.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := wait(t, newDesk(t, db), asha, stopped.ID); got.State != operation.Failed || got.Error.Kind != fault.Unavailable {
		t.Errorf("stopped: got %+v", got)
	}
	if _, err := d.Start(t.Context(), asha, "bundle", "case_x", sleep); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a server that stops takes work: %v", err)
	}
	never := func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }
	dying := operation.NewDesk(operation.Config{DB: db.App, Acts: acts, Rules: policy.Standard(), Now: time.Now, Beat: never})
	t.Cleanup(func() { _ = dying.Run(ctx) })
	lost := start(t, dying, asha, sleep)
	exec(t, db, `update gavel.operation set lease_until = now() - interval '1 second' where id = '`+lost.ID+`'`)
	if got := wait(t, newDesk(t, db), asha, lost.ID); got.State != operation.Failed || got.Error.Kind != fault.Unavailable {
		t.Errorf("lost: got %+v", got)
	}
}

func TestWhatCameOfItGoesAfterAnHourOrWithAnErasure(t *testing.T) {
	db := postgrestest.New(t, operation.Migrations())
	d := newDesk(t, db)
	make1 := func(ctx context.Context, p *operation.Pen) (any, error) {
		p.File("a.zip", "application/zip")
		return map[string]string{"answer": "Asha said"}, p.Put(ctx, []byte("Asha"))
	}
	done, running := start(t, d, asha, make1), start(t, d, ravi, sleep)
	wait(t, d, asha, done.ID)
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		reach, err := operation.Eraser().Erase(t.Context(), tx, seal.Subject{Type: "rider", ID: "R-7"}, time.Now())
		if reach.Rows != 2 {
			t.Errorf("%d operations were reached, want 2", reach.Rows)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := wait(t, d, asha, done.ID); !got.Erased || got.Result != nil || got.File != nil {
		t.Errorf("after an erasure: %+v", got)
	}
	if got := wait(t, d, ravi, running.ID); got.State != operation.Cancelled {
		t.Errorf("one that ran meanwhile is %s", got.State)
	}
	exec(t, db, `update gavel.operation set keep_until = now() - interval '1 second' where id = '`+done.ID+`'`)
	if _, err := d.Get(t.Context(), asha, done.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("after its hour: %v", err)
	}
	if n, err := operation.Purge(t.Context(), db.System); err != nil || n != 1 {
		t.Errorf("%d purged, %v, want 1", n, err)
	}
}

func exec(t *testing.T, db *postgrestest.Database, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestWhoMayNotDoItAnyMoreDoesNotGetWhatCameOfIt: a person who comes in as less
// than they were, a guard on a shared device say, has the same id and not the file.
func TestWhoMayNotDoItAnyMoreDoesNotGetWhatCameOfIt(t *testing.T) {
	db := postgrestest.New(t, operation.Migrations())
	d := newDesk(t, db)
	guard, viewing := asha, asha
	guard.Roles = []identity.Role{identity.Gate}
	viewing.Viewing = identity.Officer
	for name, who := range map[string]identity.Actor{"guard": guard, "viewing": viewing} {
		if _, err := d.Start(t.Context(), who, "bundle", "case_x", sleep); !fault.Is(err, fault.Refused) {
			t.Errorf("%s starts one: %v", name, err)
		}
	}
	if _, err := d.Start(t.Context(), asha, "other", "case_x", sleep); !fault.Is(err, fault.Refused) {
		t.Errorf("a kind there is not: %v", err)
	}
	done := start(t, d, asha, func(ctx context.Context, p *operation.Pen) (any, error) {
		p.File("case.zip", "application/zip")
		return "made", p.Put(ctx, []byte("words"))
	})
	if o := wait(t, d, asha, done.ID); o.File == nil {
		t.Fatalf("got %+v", o)
	}
	for name, who := range map[string]identity.Actor{"guard": guard, "viewing": viewing} {
		if o, err := d.Get(t.Context(), who, done.ID); !fault.Is(err, fault.Refused) || o.File != nil || o.Result != nil {
			t.Errorf("%s reads it: %+v, %v", name, o, err)
		}
		if o, err := d.Wait(t.Context(), who, done.ID, time.Second); !fault.Is(err, fault.Refused) || o.Result != nil {
			t.Errorf("%s waits for it: %+v, %v", name, o, err)
		}
		if list, _, err := d.List(t.Context(), who, "", 10); err != nil || len(list) != 0 {
			t.Errorf("%s lists %+v, %v", name, list, err)
		}
	}
	running := start(t, d, asha, sleep)
	if o, err := d.Cancel(t.Context(), guard, running.ID); err != nil || o.State != operation.Running {
		t.Errorf("calling one's own off: %+v, %v", o, err)
	}
}
