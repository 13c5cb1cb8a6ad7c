package idempotency_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func request(org identity.Org, actor, key, body string) idempotency.Request {
	return idempotency.Request{Actor: identity.Actor{Kind: identity.Person, ID: actor, Org: org}, Route: "POST /v1/things", Key: key,
		Print: sha256.Sum256([]byte(body)), Lease: time.Minute}
}

func claim(t *testing.T, s *idempotency.Store, r idempotency.Request) *idempotency.Claim {
	t.Helper()
	c, err := s.Claim(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var made = idempotency.Answer{Status: 201, Header: map[string]string{"Location": "/v1/things/1"}, Body: []byte(`{"name":"Asha"}`)}

func TestTheFirstAnswerIsGivenAgain(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	r := request(postgrestest.North, "asha", "key-0001", "body")
	first := claim(t, s, r)
	if first.Answer != nil {
		t.Fatalf("a new request has the answer %+v", first.Answer)
	}
	if err := first.Finish(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	again := claim(t, s, r)
	if a := again.Answer; a == nil || a.Status != 201 || a.Header["Location"] != "/v1/things/1" || string(a.Body) != string(made.Body) {
		t.Errorf("got %+v", again.Answer)
	}
	for _, other := range []idempotency.Request{
		request(postgrestest.South, "asha", "key-0001", "body"),
		request(postgrestest.North, "ravi", "key-0001", "body"),
		request(postgrestest.North, "asha", "key-0002", "body"),
	} {
		if got := claim(t, s, other); got.Answer != nil {
			t.Errorf("%s of %s has the answer of another's", other.Key, other.Actor.ID)
		}
	}
}

func TestAKeyMeansOneRequest(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	c := claim(t, s, request(postgrestest.North, "asha", "key-0001", "body"))
	other := request(postgrestest.North, "asha", "key-0001", "another body")
	if _, err := s.Claim(t.Context(), other); !fault.Is(err, fault.Invalid) {
		t.Errorf("while it runs: got %v, want invalid", err)
	}
	if err := c.Finish(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Claim(t.Context(), other); !fault.Is(err, fault.Invalid) {
		t.Errorf("when it is done: got %v, want invalid", err)
	}
	for _, key := range []string{"", "short", "with a space", "ünïcode-key", string(make([]byte, 200))} {
		if _, err := s.Claim(t.Context(), request(postgrestest.North, "asha", key, "body")); !fault.Is(err, fault.Invalid) {
			t.Errorf("key %q: got %v, want invalid", key, err)
		}
	}
}

func TestOneOfManyRunsIt(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	var ran, inFlight, replayed atomic.Int64
	var wg sync.WaitGroup
	for range 24 {
		wg.Go(func() {
			c, err := s.Claim(t.Context(), request(postgrestest.North, "asha", "key-0001", "body"))
			switch {
			case errors.Is(err, idempotency.ErrInFlight) && fault.Is(err, fault.Conflict):
				inFlight.Add(1)
			case err != nil:
				t.Error(err)
			case c.Answer != nil:
				replayed.Add(1)
			default:
				ran.Add(1)
				if err := c.Finish(t.Context(), made); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if ran.Load() != 1 || inFlight.Load()+replayed.Load() != 23 {
		t.Errorf("%d ran, %d were told to wait, %d got the answer", ran.Load(), inFlight.Load(), replayed.Load())
	}
}

func TestARequestThatFailedMayBeCorrected(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	c := claim(t, s, request(postgrestest.North, "asha", "key-0001", "wrong"))
	if err := c.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, s, request(postgrestest.North, "asha", "key-0001", "right")); got.Answer != nil {
		t.Errorf("got %+v", got.Answer)
	}
}

func TestAClaimOfTheDeadIsTakenOverAndTheirsCountsNoMore(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	r := request(postgrestest.North, "asha", "key-0001", "body")
	r.Lease = time.Millisecond
	dead := claim(t, s, r)
	time.Sleep(20 * time.Millisecond)
	if _, err := s.Claim(t.Context(), request(postgrestest.North, "asha", "key-0001", "another")); !fault.Is(err, fault.Invalid) {
		t.Errorf("another request takes it over: %v", err)
	}
	alive := claim(t, s, r)
	if err := dead.Finish(t.Context(), idempotency.Answer{Status: 200}); err != nil {
		t.Fatal(err)
	}
	if err := dead.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := alive.Finish(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if got := claim(t, s, r); got.Answer == nil || got.Answer.Status != 201 {
		t.Errorf("got %+v, want the answer of who lives", got.Answer)
	}
}

func TestAnswersGoAfterSevenDaysAndTheirWordsWithAnErasure(t *testing.T) {
	db := postgrestest.New(t, idempotency.Migrations())
	s := idempotency.NewStore(db.App)
	for _, key := range []string{"key-of-today", "key-of-last-week"} {
		if err := claim(t, s, request(postgrestest.North, "asha", key, "body")).Finish(t.Context(), made); err != nil {
			t.Fatal(err)
		}
	}
	exec(t, db, `update gavel.idempotency set at = now() - interval '7 days 1 second', lease_until = now() - interval '1 second'
		where key = 'key-of-last-week'`)
	if n, err := idempotency.Purge(t.Context(), db.System); err != nil || n != 1 {
		t.Errorf("%d purged, %v, want 1", n, err)
	}
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		reach, err := idempotency.Eraser().Erase(t.Context(), tx, seal.Subject{Type: "rider", ID: "R-7"}, time.Now())
		if reach.Rows != 1 {
			t.Errorf("%d rows lost their words, want 1", reach.Rows)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	again := claim(t, s, request(postgrestest.North, "asha", "key-of-today", "body"))
	if a := again.Answer; a == nil || len(a.Body) != 0 || a.Header["Location"] == "" {
		t.Errorf("got %+v, want an answer without words", again.Answer)
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
