package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
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

func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(), review.Migrations()}
}

const (
	north  = postgrestest.North
	south  = postgrestest.South
	agent  = "agent:poolpatrol/writer"
	rider  = "p:rider"  // the run acts for them
	author = "p:author" // made what is decided
)

// person is somebody of north, with roles.
func person(id string, roles ...identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: id, Name: "Name of " + id, Org: north, Roles: roles}
}

var (
	manager = person("p:manager", identity.ProgrammeManager)
	second  = person("p:second", identity.ProgrammeManager)
	officer = person("p:officer", identity.Officer)
	deputy  = person("p:deputy", identity.Analyst) // decides nothing by their own right
)

// A rig is a database with a case in it, and stores that share a clock.
type rig struct {
	*review.Store
	acts  *act.Store
	files *casefile.Store
	db    *postgrestest.Database
	file  casefile.Case
	clock durable.Clock
	n     int

	people map[string]identity.Actor // who is known in the organisation, with the roles they hold now
}

// find is the list of people that the store asks.
func (r *rig) find(_ context.Context, _ pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	who, ok := r.people[id]
	if !ok || who.Org != org {
		return identity.Actor{}, fault.New(fault.NotFound, "nobody is called %s", id)
	}
	return who, nil
}

// list is the same people by name, up to a number of them.
func (r *rig) list(_ context.Context, _ pgx.Tx, org identity.Org, most int) (all []identity.Actor, _ error) {
	for _, id := range slices.Sorted(maps.Keys(r.people)) {
		if who := r.people[id]; who.Org == org && len(all) < most {
			all = append(all, who)
		}
	}
	return all, nil
}

// later is the same place some time later.
func (r *rig) later(t testing.TB, d time.Duration) *rig {
	t.Helper()
	l := *r
	l.clock = durable.Clock{Epoch: time.Now().Add(-d), Speed: 2}
	l.acts = act.NewStore(r.db.App, l.clock)
	l.Store = l.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs}}, Recheck: recheck})
	return &l
}

func newRig(t testing.TB, clock durable.Clock) *rig {
	t.Helper()
	r := &rig{db: postgrestest.New(t, sets()...), clock: clock, people: map[string]identity.Actor{}}
	for _, who := range []identity.Actor{manager, second, officer, deputy, person(author, identity.ProgrammeManager),
		person(rider, identity.ProgrammeManager)} {
		r.people[who.ID] = who
	}
	r.files, r.acts = casefile.NewStore(casefile.Config{DB: r.db.App, Clock: clock, Rules: policy.Standard()}),
		act.NewStore(r.db.App, clock)
	r.Store = r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs}}, Recheck: recheck})
	r.file = r.open(t, "van-14")
	return r
}

func (r *rig) with(t testing.TB, c review.Config) *review.Store {
	t.Helper()
	c.DB, c.Clock, c.Rules, c.Acts = r.db.App, r.clock, policy.Standard(), r.acts
	c.Person, c.People = r.find, r.list
	s, err := review.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (r *rig) open(t testing.TB, key string) casefile.Case {
	t.Helper()
	c, _, err := r.files.Open(t.Context(), officer, casefile.Opening{App: "general", Key: key, Title: "About " + key})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkArgs wants an object with a text "to".
func checkArgs(_ review.Proposal, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		To *string `json:"to"`
	}
	if err := json.Unmarshal(args, &in); err != nil || in.To == nil {
		return nil, fault.New(fault.Invalid, "args.to: want a text")
	}
	return jcs.Transform(args)
}

// recheck is a policy that lets nobody write to the mayor.
func recheck(_ context.Context, _ review.Proposal, args json.RawMessage) error {
	if string(args) == `{"to":"mayor"}` {
		return fault.New(fault.Refused, "policy does not allow letters to the mayor")
	}
	return nil
}

// draft is a letter that a programme manager approves.
func (r *rig) draft() review.Proposal {
	r.n++
	args := fmt.Appendf(nil, `{"to":"rider %d"}`, r.n)
	shown := fmt.Appendf(nil, `{"args":%s,"line":"Send a letter"}`, args)
	return review.Proposal{Org: north, Case: string(r.file.ID), Kind: "call", App: "poolpatrol", Tool: "send_letter", Effect: act.Outside,
		Key: fmt.Sprintf("run_1/c%d", r.n), Run: "run_1", Call: fmt.Sprintf("c%d", r.n), Gate: review.ByAnother, Args: args,
		ArgsSHA256: act.Digest(args), Shown: shown, ShownSHA256: act.Digest(shown), RequestedBy: agent, OnBehalfOf: rider,
		Makers: []string{author}, Deciders: []identity.Role{identity.ProgrammeManager}, PolicyRecord: "rec_1", CreatedAt: r.clock.Now(),
		Wake: review.Wake{WorkflowID: "poolpatrol/north/van-14", Start: outbox.Start{Workflow: "w", Queue: "poolpatrol", Subject: "s",
			Input: []byte(`{}`)}}}
}

// put commits a proposal in a batch, as a turn does.
func (r *rig) put(ctx context.Context, ps ...*review.Proposal) error {
	return r.db.App.InOrg(ctx, ps[0].Org, func(tx pgx.Tx) error {
		var b pgx.Batch
		for _, p := range ps {
			if err := review.ProposeLater(&b, p); err != nil {
				return err
			}
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

func (r *rig) propose(t testing.TB, edit ...func(*review.Proposal)) review.Proposal {
	t.Helper()
	p := r.draft()
	for _, e := range edit {
		e(&p)
	}
	if err := r.put(t.Context(), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (r *rig) answer(p review.Proposal, v review.Verdict) review.Decision {
	r.n++
	d := review.Decision{ID: fmt.Sprintf("decision-%d", r.n), Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: v,
		Opened: json.RawMessage(`[{"what":"map","ms":900}]`)}
	if v == review.Reject || v == review.SendBack || v == review.Undo {
		d.Reason = "The van was in the garage."
	}
	if v == review.Edit {
		d.Edit = json.RawMessage(`{ "to": "the rider's union" }`)
	}
	return d
}

func (r *rig) decide(t testing.TB, a identity.Actor, d review.Decision) review.Proposal {
	t.Helper()
	p, err := r.Decide(t.Context(), a, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// act is the act of a proposal, and whether there is one.
func (r *rig) act(t testing.TB, p review.Proposal) (act.Act, bool) {
	t.Helper()
	found, err := r.acts.ByKeys(t.Context(), north, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	a, ok := found[p.Key]
	return a, ok
}

func (r *rig) signals(t testing.TB) []review.Decided {
	t.Helper()
	var out []review.Decided
	for _, text := range all[string](t, r.db, `select payload->'input' from gavel.outbox where kind = 'signal' order by id`) {
		var d review.Decided
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

func (r *rig) records(t testing.TB, kind audit.Kind) []string {
	t.Helper()
	return all[string](t, r.db, `select json from gavel.record r join gavel_sys.log_queue q on q.record_id = r.id where kind = $1
		order by q.pos`, string(kind))
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

func in(d time.Duration) func(*review.Proposal) {
	return func(p *review.Proposal) { p.ExpiresAt = p.CreatedAt.Add(d) }
}

func two(p *review.Proposal) { p.Required = 2 }

func confirm(p *review.Proposal) { p.Gate, p.Deciders = review.ByOneself, nil }
