package web

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestNoticesOfTheDatabaseReachBrowsersAcrossALostConnection(t *testing.T) {
	db := postgrestest.New(t)
	hub, server := newTestHub(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	open := make(chan struct{}, 1) // for one connection: the next waits until the loss was told
	open <- struct{}{}
	go func() {
		ended <- hub.Listen(ctx, func(ctx context.Context) (*pgx.Conn, error) {
			<-open
			return pgx.Connect(ctx, db.AppURL)
		})
	}()
	admin, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(context.WithoutCancel(t.Context()))
	run := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	wait.Try(t, hub.Check)
	l := listen(t, server, "north")
	l.want(`beat {"live":true`)
	run(`select pg_notify('gavel_live', '{"org":"north","object":"case_1","version":2}')`)
	l.want(`message {"object":"case_1","version":2}`)

	run(`select pg_notify('gavel_live', 'not a notice')`) // is logged and harms nobody
	run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query ilike 'listen %'`)
	l.want(`beat {"live":false`)
	open <- struct{}{}
	l.want(`beat {"live":true`)
	l.want("resync {}")
	run(`select pg_notify('gavel_live', '{"org":"north","object":"case_1","version":3}')`)
	l.want(`message {"object":"case_1","version":3}`)

	cancel()
	if err := <-ended; err != nil {
		t.Errorf("listening ended with %v", err)
	}
}

func TestAnIdleListeningConnectionIsTriedAndKept(t *testing.T) {
	db := postgrestest.New(t)
	conn, err := pgx.Connect(t.Context(), db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), "LISTEN "+Channel); err != nil {
		t.Fatal(err)
	}
	for range 2 { // nothing comes: the connection is tried, and still hears
		if got, err := next(t.Context(), conn, 20*time.Millisecond); got != nil || err != nil {
			t.Fatalf("got %v, %v from an idle connection", got, err)
		}
	}
	if _, err := db.System.Exec(t.Context(), `select pg_notify('gavel_live', 'news')`); err != nil {
		t.Fatal(err)
	}
	if got, err := next(t.Context(), conn, time.Minute); err != nil || got == nil || got.Payload != "news" {
		t.Errorf("got %v, %v", got, err)
	}
}
