package hook_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// A book keeps what was logged.
type book struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds a line.
func (l *book) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is all of it.
func (l *book) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// post keeps the mails of a rig.
func (r *rig) post(t testing.TB) *notify.Post {
	t.Helper()
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: r.db.App, Masters: masters, Now: time.Now, Rules: policy.Standard()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := notify.New(notify.Config{DB: r.db.App, Vault: vault, From: "Gavel <gavel@mail.example>",
		Book: address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheOwnerIsWrittenToWithoutAWordOfWhereItLed(t *testing.T) {
	r := newRig(t, nil)
	post, log := r.post(t), &book{}
	r.Tell = hook.Letters{Post: post, Public: "https://gavel.example", Log: slog.New(slog.NewTextHandler(log, nil)),
		People: func(_ context.Context, _ pgx.Tx, to string) ([]notify.Reader, error) {
			if to != "person:"+admin.ID {
				return nil, nil
			}
			return []notify.Reader{{ID: "p-1", Name: "S. Rao", Address: "rao@example.org"}}, nil
		}}.Tell()
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { w.WriteHeader(http.StatusGone) })
	w, _ := r.register(t, v.url+"/token-7", "decision")
	r.start(t, func(c *hook.CourierConfig) { c.Log = slog.New(slog.NewTextHandler(log, nil)) })
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "a mail", func() bool { return r.count(t, `select count(*) from gavel.mail`) == 1 })
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		var id string
		if err := tx.QueryRow(t.Context(), `select id from gavel.mail`).Scan(&id); err != nil {
			return err
		}
		_, c, err := post.Open(t.Context(), tx, postgrestest.North, id)
		if err == nil && (c.Address != "rao@example.org" || !strings.Contains(c.Text, "https://gavel.example/admin/webhooks/"+w.ID) ||
			strings.Contains(c.Subject+c.Text, "127.0.0.1") || strings.Contains(c.Text, w.Title)) {
			t.Errorf("got %+v", c)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "a line in the log", func() bool { return strings.Contains(log.String(), "fault=gone") })
	if said := log.String(); strings.Contains(said, "token-7") || strings.Contains(said, "rao@") {
		t.Errorf("the log says %s", said)
	}
}

func TestAWebhookIsTurnedOffAlsoWhereItsOwnerCannotBeTold(t *testing.T) {
	r := newRig(t, nil)
	r.Tell = hook.Letters{Post: r.post(t), Log: slog.New(slog.DiscardHandler), People: func(ctx context.Context, tx pgx.Tx,
		_ string) ([]notify.Reader, error) {
		_, err := tx.Exec(ctx, `select broken`) // which would take the transaction with it
		return nil, errors.Join(err, errors.New("nobody knows"))
	}}.Tell()
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { w.WriteHeader(http.StatusGone) })
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "its end", func() bool {
		got, err := r.Get(t.Context(), admin, w.ID)
		return err == nil && got.State == hook.Failed
	})
	if len(v.all()) != 1 {
		t.Errorf("it was sent %d times", len(v.all()))
	}
}
