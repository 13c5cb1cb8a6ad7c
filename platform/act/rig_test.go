package act_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// sets are all that acts stand on, and review's, whose trigger asks for their
// authority.
func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations()}
}

const (
	north = postgrestest.North
	south = postgrestest.South
	lease = time.Minute
)

var (
	officer = identity.Actor{Kind: identity.Person, ID: "p:officer", Name: "Test Officer", Org: north,
		Roles: []identity.Role{identity.Officer}}
	admin = identity.Actor{Kind: identity.Person, ID: "p:admin", Name: "Test Admin", Org: north, Roles: []identity.Role{identity.OrgAdmin}}
	agent = identity.Actor{Kind: identity.Agent, ID: "agent:poolpatrol/writer", Org: north}
)

// A rig is a database with a case in it.
type rig struct {
	*act.Store
	pauses *act.Pauses
	db     *postgrestest.Database
	file   string // the case
	n      int
}

func newRig(t testing.TB, clock durable.Clock) *rig {
	t.Helper()
	db := postgrestest.New(t, sets()...)
	c, _, err := casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()}).
		Open(t.Context(), officer, casefile.Opening{App: "general", Key: "van-14", Title: "Van 14"})
	if err != nil {
		t.Fatal(err)
	}
	pauses := act.NewPauses(act.PausesConfig{DB: db.App, Clock: clock, Rules: policy.Standard()})
	return &rig{Store: act.NewStore(db.App, clock), pauses: pauses, db: db, file: string(c.ID)}
}

// plan is an act that policy lets run unattended, with the arguments given.
func (r *rig) plan(effect, args string) act.Plan {
	r.n++
	return act.Plan{Key: fmt.Sprintf("run_1/c%d", r.n), Case: r.file, Run: "run_1", Call: fmt.Sprintf("c%d", r.n), App: "poolpatrol",
		Tool:   "send_letter",
		Effect: effect, Agent: agent.ID, Args: json.RawMessage(args), ArgsSHA256: act.Digest([]byte(args)), At: time.Now(), By: agent}
}

// commit puts an act on record together with the policy's answer.
func (r *rig) commit(ctx context.Context, p act.Plan) error {
	return r.db.App.InOrg(ctx, north, func(tx pgx.Tx) error {
		var b pgx.Batch
		rec, err := audit.AppendLater(&b, audit.Record{At: p.At, Kind: audit.Policy, App: p.App, Actor: agent, Subject: p.Run,
			Body: map[string]any{"calls": []map[string]string{{"call": p.Call, "tool": p.Tool, "args_sha256": p.ArgsSHA256,
				"verdict": "act"}}}})
		if err != nil {
			return err
		}
		p.PolicyRecord = string(rec)
		if err := act.PlanLater(&b, north, p); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

func (r *rig) planned(t testing.TB, effect string) act.Plan {
	t.Helper()
	p := r.plan(effect, `{"to":"x"}`)
	if err := r.commit(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (r *rig) begin(t testing.TB, p act.Plan, lease time.Duration) act.Claim {
	t.Helper()
	c, err := r.Begin(t.Context(), north, p.Key, p.ArgsSHA256, lease)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *rig) get(t testing.TB, p act.Plan) act.Act {
	t.Helper()
	a, err := r.Get(t.Context(), north, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func done(result string) act.End { return act.End{State: act.Done, Result: json.RawMessage(result)} }

// steps are what the log says of acts, in order.
func (r *rig) steps(t testing.TB) []string {
	t.Helper()
	return all[string](t, r.db, `select json::json #>> '{body,step}' from gavel.record r join gavel_sys.log_queue q on q.record_id = r.id
		where kind = 'act' order by q.pos`)
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

func wantKind(t testing.TB, what string, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("%s: got %v, want %s", what, err, want)
	}
}
