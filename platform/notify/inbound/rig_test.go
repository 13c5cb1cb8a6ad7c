package inbound_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/inbound"
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

// The cases that the corpus is about. D is closed.
var cases = map[string]struct {
	org identity.Org
	id  casefile.CaseID
	ref string
}{
	"A": {north, "case_01K9ZZZZZZZZZZZZZZA3F8B291", "GEN-A3F8B291"},
	"B": {north, "case_01K9ZZZZZZZZZZZZZZB7C2D4E5", "GEN-B7C2D4E5"},
	"C": {south, "case_01K9ZZZZZZZZZZZZZZC9D8E7F6", "GEN-C9D8E7F6"},
	"D": {north, "case_01K9ZZZZZZZZZZZZZZD1D2D3D4", "GEN-D1D2D3D4"},
}

func testRules() inbound.Rules {
	return inbound.Rules{
		Book: address.Book{Domain: "mail.gavel.test", Inbound: "in.gavel.test", Keys: [][]byte{bytes.Repeat([]byte{1}, 32),
			bytes.Repeat([]byte{2}, 32)}},
		From: []string{"cell@gavel.test"}, AuthServer: "mx.gavel.test",
	}
}

func migrationSets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(),
		evidence.Migrations(), notify.Migrations(), inbound.Migrations()}
}

// A rig is a store with cases, on a database and a blob store of its own.
type rig struct {
	*inbound.Store
	config inbound.Config
	db     *postgrestest.Database
	vault  *seal.Vault
	cases  *casefile.Store
	blobs  *blob.Store
	ev     *evidence.Store
}

func officer(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test officer", Org: org, Roles: []identity.Role{identity.Officer}}
}

// newRig has the cases of the corpus, each with the people who were written to
// in it, on a clock so fast that nobody ever writes too often.
func newRig(t testing.TB) *rig {
	t.Helper()
	clock, err := durable.NewClock(time.Date(2026, 11, 9, 0, 0, 0, 0, time.UTC), 1e5, true)
	if err != nil {
		t.Fatal(err)
	}
	return rigAt(t, clock)
}

func rigAt(t testing.TB, clock durable.Clock) *rig {
	t.Helper()
	r := &rig{db: postgrestest.New(t, migrationSets()...)}
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r.blobs = blob.New(backend, blob.Config{})
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	erasers := []seal.Eraser{casefile.Eraser(), evidence.Eraser(), notify.Eraser(), inbound.Eraser()}
	if r.vault, err = seal.New(seal.Config{DB: r.db.App, Blobs: r.blobs, Masters: masters, Now: clock.Now, Rules: policy.Standard(),
		Erasers: erasers}); err != nil {
		t.Fatal(err)
	}
	r.cases = casefile.NewStore(casefile.Config{DB: r.db.App, Clock: clock, Rules: policy.Standard()})
	r.ev, err = evidence.New(evidence.Config{DB: r.db.App, Blobs: r.blobs, Clock: clock, Rules: policy.Standard(), Vault: r.vault,
		Sources: []evidence.Source{inbound.Source()}, Code: "test-1"})
	if err != nil {
		t.Fatal(err)
	}
	rules := testRules()
	post, err := notify.New(notify.Config{DB: r.db.App, Clock: clock, Vault: r.vault, Book: rules.Book, From: "cell@gavel.test"})
	if err != nil {
		t.Fatal(err)
	}
	r.config = inbound.Config{DB: r.db.App, System: r.db.System, Clock: clock, Policy: policy.Standard(), Cases: r.cases, Vault: r.vault,
		Evidence: r.ev,
		Routes:   notify.NewRoutes(r.db.System), Post: post, Rules: rules, Postmaster: north}
	if r.Store, err = inbound.New(r.config); err != nil {
		t.Fatal(err)
	}
	r.fill(t, post)
	return r
}

// fill opens the cases under the names that the corpus knows, and writes to the
// people in them.
func (r *rig) fill(t testing.TB, post *notify.Post) {
	t.Helper()
	for name, c := range cases {
		r.admin(t, `insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
			values ($1, $2, 'general', $3, $4, 'A vanpool', 'open', 'opened', now(), 1)`, c.org, c.id, "van-"+name, c.ref)
		r.admin(t, `insert into gavel.case_subject (org, case_id, seq, subject) values ($1, $2, 0, $3)`, c.org, c.id, "rider:R-"+name)
	}
	for _, to := range []struct{ in, rider, addr, id string }{
		{"A", "R-A", asha, sentA}, {"A", "R-A2", "imran@riders.test", ""}, {"A", "R-A3", "kabir@riders.test", ""},
		{"A", "R-A4", "family@riders.test", ""}, {"A", "R-A5", "family@riders.test", ""}, {"B", "R-B", "bela@riders.test", sentB},
		{"C", "R-C", "chandra@south.test", sentC}, {"D", "R-D", "dev@riders.test", ""},
	} {
		c := cases[to.in]
		err := r.db.App.InOrg(t.Context(), c.org, func(tx pgx.Tx) error {
			_, err := post.Queue(t.Context(), tx, identity.Gavel(c.org), notify.Letter{Key: "first:" + to.rider, Case: c.id,
				Kind: "shift_mismatch",
				To:   seal.Subject{Type: "rider", ID: to.rider}, Address: to.addr, Language: "en", Subject: "Your vanpool",
				Text: "Please answer.", Because: "test"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if to.id != "" {
			r.admin(t, `insert into gavel_sys.mail_routes (key, org, case_id) values ($1, $2, $3)`, "id:"+to.id, c.org, c.id)
		}
	}
	a := cases["A"]
	r.admin(t, `insert into gavel_sys.mail_routes (key, org, case_id) values ($1, $2, $3)`, notify.ReplyKey(oldA), a.org, a.id)
	r.admin(t, `update gavel.case set state = 'closed', status = 'done', closed_at = now(), version = version + 1
		where id = $1`, cases["D"].id)
}

// admin runs a statement past every wall and trigger.
func (r *rig) admin(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (r *rig) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	rows, _ := r.db.System.Query(t.Context(), sql, args...)
	n, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *rig) receive(t testing.TB, eml string) inbound.Receipt {
	t.Helper()
	got, err := r.Receive(t.Context(), inbound.Delivery{Via: "import", Raw: []byte(eml)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
