package hook_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(),
		notify.Migrations(), event.Migrations(), hook.Migrations()}
}

const payloadKey = "one:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "S. Rao", Org: org, Roles: []identity.Role{role}}
}

var admin = person(postgrestest.North, identity.OrgAdmin)

// A rig is a store on a database of its own, and what its owners were told.
type rig struct {
	*hook.Store
	db *postgrestest.Database

	mu   sync.Mutex
	told []hook.Notice
}

// newRig lets webhooks lead to this machine; change makes it otherwise.
func newRig(t testing.TB, change func(*hook.Config)) *rig {
	t.Helper()
	r := &rig{db: postgrestest.New(t, sets()...)}
	keys, err := durable.ParseKeys(payloadKey)
	if err != nil {
		t.Fatal(err)
	}
	c := hook.Config{DB: r.db.App, Rules: policy.Standard(), Keys: keys, Loopback: true, Tell: func(_ context.Context, _ pgx.Tx,
		n hook.Notice) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.told = append(r.told, n)
		return nil
	}}
	if change != nil {
		change(&c)
	}
	r.Store = hook.New(c)
	return r
}

// fast has a clock on which an hour passes in so much real time.
func fast(t testing.TB, hour time.Duration) func(*hook.Config) {
	t.Helper()
	clock, err := durable.NewClock(time.Now(), float64(time.Hour)/float64(hour), true)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *hook.Config) { c.Clock = clock }
}

func (r *rig) notices() []hook.Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.told)
}

func (r *rig) register(t testing.TB, url string, kinds ...string) (hook.Webhook, webhook.Secret) {
	t.Helper()
	w, secret, err := r.Register(t.Context(), admin, hook.Draft{URL: url, Title: "The register", Kinds: kinds,
		Reason: "the register must know"})
	if err != nil {
		t.Fatal(err)
	}
	return w, secret
}

// start runs a courier until the test ends or the returned function is called.
func (r *rig) start(t testing.TB, change func(*hook.CourierConfig)) (stop func()) {
	t.Helper()
	c := hook.CourierConfig{Store: r.Store, Sys: r.db.System, Wall: time.Now,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Beat: func(time.Duration) (<-chan time.Time, func()) {
			tick := time.NewTicker(20 * time.Millisecond)
			return tick.C, tick.Stop
		}}
	if change != nil {
		change(&c)
	}
	courier, err := hook.NewCourier(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = courier.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// happen commits records of an organisation, and gives them their places in the
// log, as the sequencer does.
func (r *rig) happen(t testing.TB, org identity.Org, kind audit.Kind, subjects ...string) {
	t.Helper()
	err := r.db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
		for _, s := range subjects {
			rec := audit.Record{At: time.Now(), Kind: kind, App: "general", Subject: s, Body: struct{}{},
				Actor: identity.Actor{Kind: identity.Person, ID: "asha", Org: org}}
			if _, err := audit.Append(t.Context(), tx, rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.sequence(t)
}

func (r *rig) sequence(t testing.TB) {
	t.Helper()
	const take = `with taken as (delete from gavel_sys.log_queue returning pos, org, record_id)
		insert into gavel.record_place (org, record_id, seq)
		select org, record_id, (select coalesce(max(seq), -1) from gavel.record_place) + row_number() over (order by pos) from taken`
	if _, err := r.db.System.Exec(t.Context(), take); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL) // past every wall and grant
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, _ := conn.Query(t.Context(), sql, args...)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *rig) messages(t testing.TB, id string) []hook.Message {
	t.Helper()
	all, _, err := r.Messages(t.Context(), admin, id, "", "", hook.MaxPage)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ended waits until a webhook was given up. Its owner is told in the same transaction,
// so a moment before others see it.
func (r *rig) ended(t testing.TB, id string) (w hook.Webhook) {
	t.Helper()
	await(t, "its end", func() bool {
		var err error
		if w, err = r.Get(t.Context(), admin, id); err != nil {
			t.Fatal(err)
		}
		return w.State == hook.Failed
	})
	return w
}

func await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	wait.Until(t, "it comes: "+what, ok)
}

// A delivery is what a receiver got.
type delivery struct {
	header http.Header
	body   string
	at     time.Time
}

func (d delivery) id() string { return d.header.Get(webhook.HeaderID) }

// A receiver is somebody else's server.
type receiver struct {
	url string

	mu     sync.Mutex
	got    []delivery
	answer func(w http.ResponseWriter, n int, d delivery) // n counts from 0; nil takes everything
	now    int
	most   int // at once
}

func receive(t testing.TB, answer func(w http.ResponseWriter, n int, d delivery)) *receiver {
	t.Helper()
	v := &receiver{answer: answer}
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	v.url = s.URL + "/hooks"
	return v
}

func (v *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d := delivery{r.Header.Clone(), string(body), time.Now()}
	v.mu.Lock()
	n := len(v.got)
	v.got = append(v.got, d)
	v.now++
	v.most = max(v.most, v.now)
	v.mu.Unlock()
	defer func() { v.mu.Lock(); v.now--; v.mu.Unlock() }()
	if v.answer != nil {
		v.answer(w, n, d)
	}
}

func (v *receiver) all() []delivery {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.got)
}

// ids are those of what it got, each once, in order.
func (v *receiver) ids() []string {
	var all []string
	for _, d := range v.all() {
		all = append(all, d.id())
	}
	slices.Sort(all)
	return slices.Compact(all)
}
