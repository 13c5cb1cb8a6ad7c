package agent_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

const north = postgrestest.North

var (
	asha  = identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: north, Roles: []identity.Role{identity.Analyst}}
	olga  = identity.Actor{Kind: identity.Person, ID: "olga", Name: "Olga", Org: north, Roles: []identity.Role{identity.Officer}}
	pavel = identity.Actor{Kind: identity.Person, ID: "pavel", Name: "Pavel", Org: north, Roles: []identity.Role{identity.Officer}}
)

// sets are the migrations that agents stand on.
func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations(),
		act.Migrations(), review.Migrations(), agent.Migrations()}
}

// A rig is a yard over a real database, a scripted model over HTTP and an other
// side that counts.
type rig struct {
	*agenttest.Yard
	t     testing.TB
	app   string // its name and task queue, this rig's own
	db    *postgrestest.Database
	model *scripted.Server
	mind  http.Handler // what answers at the model's address: model, unless a test puts another there
	other *agenttest.OtherSide
	vault *seal.Vault
}

// newRig makes one; change may alter what it is made of.
func newRig(t testing.TB, change func(*agenttest.Config)) *rig {
	t.Helper()
	return rigOn(t, postgrestest.New(t, sets()...), change)
}

func rigOn(t testing.TB, db *postgrestest.Database, change func(*agenttest.Config)) *rig {
	t.Helper()
	r := &rig{t: t, db: db, other: &agenttest.OtherSide{}}
	var err error
	if r.model, err = scripted.New(scripted.Config{Reply: agenttest.Reply}); err != nil {
		t.Fatal(err)
	}
	r.mind = r.model
	mind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.mind.ServeHTTP(w, req) }))
	effects := httptest.NewServer(r.other)
	t.Cleanup(mind.Close)
	t.Cleanup(effects.Close)
	masters, err := seal.ParseMasters(seal.NewMaster("test"))
	if err != nil {
		t.Fatal(err)
	}
	if r.vault, err = seal.New(seal.Config{DB: db.App, Masters: masters, Now: time.Now, Rules: policy.Standard()}); err != nil {
		t.Fatal(err)
	}
	c := agenttest.Config{App: "t" + strings.Map(onlyLetters, strings.ToLower(rand.Text()))[:12], DB: db.App, ModelURL: mind.URL,
		Effects: effects.URL, Vault: r.vault}
	if change != nil {
		change(&c)
	}
	r.app = c.App
	if r.Yard, err = agenttest.New(c); err != nil {
		t.Fatal(err)
	}
	return r
}

// in is the rig for a subtest, which must fail by its own t: to end the parent's from
// here would leave both of them hanging.
func (r *rig) in(t testing.TB) *rig {
	c := *r
	c.t = t
	return &c
}

func onlyLetters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

// open opens a case for an agent with a script.
func (r *rig) open(who, script string) casefile.Case {
	r.t.Helper()
	c, _, err := r.Cases.Open(r.t.Context(), asha, casefile.Opening{App: r.app, Key: who + "." + rand.Text(), Title: script})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// decide finds the open proposals of a case and decides each.
func (r *rig) decide(id casefile.CaseID, by identity.Actor, v review.Verdict, edit string) []review.Proposal {
	r.t.Helper()
	list, _, err := r.Reviews.List(r.t.Context(), by, review.Query{Case: string(id)})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []review.Proposal
	for _, p := range list {
		d := review.Decision{ID: "dec-" + rand.Text(), Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: v, Reason: "because"}
		if edit != "" {
			d.Edit = []byte(edit)
		}
		p, err := r.Reviews.Decide(r.t.Context(), by, d)
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// query reads one value past every wall of our own packages.
func query[T any](t testing.TB, db *postgrestest.Database, sql string, args ...any) T {
	t.Helper()
	var v T
	err := db.App.InOrg(context.Background(), north, func(tx pgx.Tx) error {
		return tx.QueryRow(context.Background(), sql, args...).
			Scan(&v)
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
