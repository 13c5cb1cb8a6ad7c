package notify_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

const (
	north = postgrestest.North
	south = postgrestest.South
)

var (
	officer = identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: north,
		Roles: []identity.Role{identity.Officer}}
	admin = identity.Actor{Kind: identity.Person, ID: "p:admin", Name: "Test Admin", Org: north, Roles: []identity.Role{identity.OrgAdmin}}
	book  = address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}
)

// sets are all that mails stand on.
func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(), notify.Migrations()}
}

// A rig is an installation with a mail server.
type rig struct {
	*notify.Post
	db     *postgrestest.Database
	cases  *casefile.Store
	vault  *seal.Vault
	acts   *act.Store
	server *notifytest.Server
	log    *logBook
	n      int
}

// A logBook keeps what was logged.
type logBook struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write adds a line.
func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// String is all of it.
func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

func newRig(t testing.TB, clock durable.Clock) *rig {
	t.Helper()
	db := postgrestest.New(t, sets()...)
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{db: db, acts: act.NewStore(db.App, clock), server: notifytest.NewServer(t), log: &logBook{}}
	r.cases = casefile.NewStore(casefile.Config{DB: db.App, Clock: clock, Rules: policy.Standard()})
	r.vault, err = seal.New(seal.Config{DB: db.App, Masters: masters, Now: clock.Now, Erasers: []seal.Eraser{casefile.Eraser(),
		notify.Eraser()}, Rules: policy.Standard()})
	if err != nil {
		t.Fatal(err)
	}
	r.Post, err = notify.New(notify.Config{DB: db.App, Clock: clock, Vault: r.vault, Book: book,
		From: "Transport cell <cell@mail.example>"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// file opens a case about a rider.
func (r *rig) file(t testing.TB, rider string) casefile.Case {
	t.Helper()
	r.n++
	c, _, err := r.cases.Open(t.Context(), officer, casefile.Opening{App: "general", Key: fmt.Sprintf("van-%d", r.n), Title: "A van",
		Subjects: []seal.Subject{{Type: "rider", ID: rider}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// letter is one to a rider about a case.
func (r *rig) letter(c casefile.Case, rider string) notify.Letter {
	r.n++
	return notify.Letter{Key: fmt.Sprintf("letter-%d", r.n), Case: c.ID, Kind: "shift_mismatch", To: seal.Subject{Type: "rider", ID: rider},
		Address: rider + "@rider.example", Name: "Rider " + rider, Language: "en", Subject: "About your shift", Text: "Dear " + rider +
			",\nplease answer.\n",
		HTML: "<p>Dear " + rider + "</p>", Because: "P-1"}
}

func (r *rig) queue(t testing.TB, l notify.Letter) notify.Mail {
	t.Helper()
	m, err := r.tryQueue(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (r *rig) tryQueue(ctx context.Context, l notify.Letter) (m notify.Mail, err error) {
	err = r.db.App.InOrg(ctx, north, func(tx pgx.Tx) error {
		m, err = r.Queue(ctx, tx, officer, l)
		return err
	})
	return m, err
}

// An asking sink is one that can be asked what it has.
type asking struct {
	notify.Sink
	*notifytest.Server
}

func (r *rig) sink(t testing.TB) notify.Sink {
	t.Helper()
	s, err := smtp.New(smtp.Config{Address: r.server.Address, Security: smtp.Plain, Hello: "mail.example"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sender is one that a slow machine does not make impatient: it is no other side that
// fails.
func (r *rig) sender(sink notify.Sink) *notify.Sender {
	return r.senderWithin(30*time.Second, sink)
}

// senderWithin gives the other side so long to take a mail.
func (r *rig) senderWithin(limit time.Duration, sink notify.Sink) *notify.Sender {
	return notify.NewSender(notify.SenderConfig{Post: r.Post, System: r.db.System, Acts: r.acts, Cases: r.cases, Sink: sink,
		Logger:      slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		SendTimeout: limit, Settle: 60 * time.Millisecond, FirstBackoff: 10 * time.Millisecond, MostBackoff: 20 * time.Millisecond,
		GiveUp: time.Hour})
}

// settle sends until nothing is under way any more.
func (r *rig) settle(t testing.TB, s *notify.Sender) {
	t.Helper()
	const open = `select count(*)::int from gavel.mail where ended_at is null`
	wait.Try(t, func() error {
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := all[int](t, r.db, open)[0]; n != 0 {
			return fmt.Errorf("%d mails have come to no end", n)
		}
		return nil
	})
}

func (r *rig) get(t testing.TB, id string) notify.Mail {
	t.Helper()
	m, err := r.Get(t.Context(), north, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// entries are the kinds of a case's entries about mails, in order.
func (r *rig) entries(t testing.TB, c casefile.Case) []string {
	t.Helper()
	return all[string](t, r.db, `select kind from gavel.case_entry where case_id = $1 and kind like 'mail%' order by seq`, c.ID)
}

func all[T any](t testing.TB, db *postgrestest.Database, sql string, args ...any) []T {
	t.Helper()
	rows, _ := db.System.Query(t.Context(), sql, args...)
	v, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// admin does what no role of ours may and no trigger lets happen, such as having
// time pass.
func (r *rig) admin(t testing.TB, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), `set session_replication_role = replica`); err != nil {
		t.Fatal(err)
	}
	if tag, err := conn.Exec(t.Context(), sql); err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %d rows, %v", sql, tag.RowsAffected(), err)
	}
}

func wantKind(t testing.TB, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}
