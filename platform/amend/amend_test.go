package amend_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// limits are what people decide on.
type limits struct {
	Days    int    `json:"days" minimum:"1" maximum:"90"`
	Contact string `json:"contact" maxLength:"100"`
}

var (
	gated = setting.Of(setting.Kind{App: "yard", Name: "limits", Title: "limits of the yard", Read: "case.read", Change: "case.note",
		Record: "yard_limits", Gated: true}, setting.Functions[limits]{
		Default: func(context.Context, pgx.Tx, identity.Org) (limits, error) { return limits{30, "the desk"}, nil },
		Check: func(_ string, l limits) (limits, error) {
			l.Contact = strings.TrimSpace(l.Contact)
			return l, nil
		},
		Preview: func(ctx context.Context, tx pgx.Tx, _ identity.Org, was, now limits) ([]setting.Effect, error) {
			var n int // something that moves on by itself
			err := tx.QueryRow(ctx, `select count(*) from gavel.setting where name = 'words'`).Scan(&n)
			return []setting.Effect{{Name: "found", Was: strconv.Itoa(n + was.Days), Now: strconv.Itoa(n + now.Days)}}, err
		},
	})
	open = setting.Of(setting.Kind{App: "yard", Name: "words", Title: "words of the yard", Read: "case.read", Change: "case.note",
		Record: "yard_words"},
		setting.Functions[limits]{Default: func(context.Context, pgx.Tx, identity.Org) (limits, error) {
			return limits{30, "the desk"},
				nil
		}})

	officers = []identity.Role{identity.Officer}
	asha     = identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: postgrestest.North, Roles: officers}
	bela     = identity.Actor{Kind: identity.Person, ID: "bela", Name: "Bela", Org: postgrestest.North, Roles: officers}
	omar     = identity.Actor{Kind: identity.Person, ID: "omar", Name: "Omar", Org: postgrestest.North,
		Roles: []identity.Role{identity.Auditor}}
)

const policies = `@id("yard-call")
permit (principal in Role::"officer", action == Action::"call", resource) when { context.app == "yard" };`

// A rig is a yard with a setting that people decide.
type rig struct {
	*testing.T
	amend.Desk
	db      *postgrestest.Database
	reviews *review.Store
	acts    *act.Store
	steps   *agent.Steps
}

func newRig(t *testing.T) *rig {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), setting.Migrations(), seal.Migrations(),
		act.Migrations(), review.Migrations(), agent.Migrations())
	set, err := policy.Parse(policy.File{Name: "yard.cedar", Text: []byte(policies)})
	if err != nil {
		t.Fatal(err)
	}
	rules := policy.Standard().With("yard", set)
	tools, err := tool.NewRegistry(amend.Tool[limits](tool.Tool{Roles: officers, Deciders: officers}, gated))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	r := &rig{T: t, db: db, acts: act.NewStore(db.App, durable.Clock{})}
	cases := casefile.NewStore(casefile.Config{DB: db.App, Rules: rules})
	r.reviews, err = review.New(review.Config{DB: db.App, Rules: rules, Acts: r.acts, Kinds: []review.Kind{agent.CallKind(tools)},
		Recheck: func(context.Context, review.Proposal, json.RawMessage) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	r.Desk = amend.Desk{Store: setting.NewStore(setting.Config{DB: db.App, Rules: rules, Kinds: []setting.Kind{gated, open}}),
		Calls: agent.NewCalls(agent.CallsConfig{DB: db.App, Cases: cases, Acts: r.acts, Reviews: r.reviews, Tools: tools, Rules: rules,
			Logger: log})}
	r.steps = agent.NewSteps(agent.Config{DB: db.App, Acts: r.acts, Reviews: r.reviews, Tools: tools, Rules: rules, Logger: log})
	return r
}

// onEngine lets what was approved be carried out.
func (r *rig) onEngine() {
	r.Helper()
	cfg := durabletest.Own(r.T)
	engine := durabletest.DialTo(r.T, cfg)
	log := slog.New(slog.DiscardHandler)
	work := durable.Work{App: "yard", Activities: []any{r.steps}, Workflows: []durable.Workflow{{Name: agent.CarryOutName,
		Func: agent.CarryOut}}}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { _ = durable.Run(ctx, engine, durable.Version{}, log, work); done <- struct{}{} }()
	go func() {
		_ = outbox.NewDispatcher(r.db.System, outbox.NewEngine(engine, cfg.Memo, r.db.System), 1e6, log).Run(ctx)
		done <- struct{}{}
	}()
	r.Cleanup(func() { stop(); <-done; <-done })
}

// save has the limits changed.
func (r *rig) save(by identity.Actor, l limits, seen int64) (amend.Saved, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		r.Fatal(err)
	}
	return r.Save(r.Context(), by, gated, "", raw, seen)
}

func (r *rig) decide(by identity.Actor, id string, v review.Verdict, args json.RawMessage) error {
	r.Helper()
	p, err := r.reviews.Get(r.Context(), by, id)
	if err != nil {
		r.Fatal(err)
	}
	_, err = r.reviews.Decide(r.Context(), by, review.Decision{ID: "dec-" + rand.Text(), Proposal: id, ShownSHA256: p.ShownSHA256,
		Verdict: v, Reason: "It was checked.", Edit: args})
	return err
}

func (r *rig) current() setting.Held {
	r.Helper()
	h, err := r.Current(r.Context(), omar, gated, "")
	if err != nil {
		r.Fatal(err)
	}
	return h
}

// shown is what people are shown of a proposal.
type shown struct {
	Args struct {
		Value   limits              `json:"value"`
		Version int64               `json:"version"`
		Changes []map[string]string `json:"changes"`
		Effects []setting.Effect    `json:"effects"`
	} `json:"args"`
}

// TestAGatedSettingChangesByDecision promises that saving one makes a proposal that shows what
// would change and what would follow, that nothing changes until another person approves it, that
// it is the next version then, with the proposal, and that the record says so.
func TestAGatedSettingChangesByDecision(t *testing.T) {
	r := newRig(t)
	r.onEngine()
	saved, err := r.save(asha, limits{14, " the desk "}, 0)
	if err != nil || saved.Asked == nil || saved.Version != 0 {
		t.Fatalf("%v, %+v", err, saved)
	}
	p, err := r.reviews.Get(t.Context(), bela, saved.Asked.Proposal)
	if err != nil {
		t.Fatal(err)
	}
	var doc shown
	if err := json.Unmarshal(p.Shown, &doc); err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{"where": "days", "was": "30", "now": "14"}}
	if !reflect.DeepEqual(doc.Args.Changes, want) || doc.Args.Value != (limits{14, "the desk"}) || len(doc.Args.Effects) != 1 {
		t.Errorf("shown is %s", p.Shown)
	}
	if again, err := r.save(asha, limits{14, "the desk"}, 0); err != nil || again.Asked.Proposal != p.ID {
		t.Errorf("the same again: %v, %+v", err, again.Asked)
	}
	if err := r.decide(asha, p.ID, review.Approve, nil); !fault.Is(err, fault.Refused) {
		t.Errorf("who asked decides: %v", err)
	}
	edited := json.RawMessage(strings.Replace(string(p.Args), `"days":14`, `"days":15`, 1))
	if err := r.decide(bela, p.ID, review.Edit, edited); !fault.Is(err, fault.Invalid) {
		t.Errorf("another value than was shown: %v", err)
	}
	if now := r.current(); now.Version != 0 {
		t.Fatalf("nobody has approved it: %+v", now)
	}
	if err := r.decide(bela, p.ID, review.Approve, nil); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the limits are set", func() bool { return r.current().Version == 1 })
	if now := r.current(); string(now.Value) != `{"contact":"the desk","days":14}` || now.ChangedBy != "asha" || now.Proposal != p.ID {
		t.Errorf("got %+v", now)
	}
	var n int
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(),
			`select count(*) from gavel.record where kind = 'yard_limits' and json::jsonb #>> '{body,proposal}' = $1`, p.ID).Scan(&n)
	})
	if err != nil || n != 1 {
		t.Errorf("%v: %d records", err, n)
	}
}

// TestAProposalAboutAnOlderVersionIsNotApproved promises that what was proposed to a version
// which is not in force any more cannot be approved, and that counts which move on are no
// other change.
func TestAProposalAboutAnOlderVersionIsNotApproved(t *testing.T) {
	r := newRig(t)
	r.onEngine()
	first, err := r.save(asha, limits{14, "the desk"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.save(asha, limits{7, "the desk"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Save(t.Context(), asha, open, "", json.RawMessage(`{"days":3,"contact":"x"}`), 0); err != nil {
		t.Fatal(err)
	}
	if err := r.decide(bela, first.Asked.Proposal, review.Approve, nil); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the limits are set", func() bool { return r.current().Version == 1 })
	if err := r.decide(bela, second.Asked.Proposal, review.Approve, nil); !fault.Is(err, fault.Conflict) {
		t.Errorf("approved what was shown against an older version: %v", err)
	}
	if _, err := r.save(asha, limits{7, "the desk"}, 0); !fault.Is(err, fault.Stale) {
		t.Errorf("a change to what was read before: %v", err)
	}
	if now := r.current(); now.Version != 1 {
		t.Errorf("got %+v", now)
	}
}

// TestWhatIsNotGatedIsSavedAtOnce promises that, and who may and what is asked about for
// nothing.
func TestWhatIsNotGatedIsSavedAtOnce(t *testing.T) {
	r := newRig(t)
	saved, err := r.Save(t.Context(), asha, open, "", json.RawMessage(`{"days":3,"contact":"x"}`), 0)
	if err != nil || saved.Asked != nil || saved.Version != 1 {
		t.Errorf("%v, %+v", err, saved)
	}
	if _, err := r.save(omar, limits{3, "x"}, 0); !fault.Is(err, fault.Refused) {
		t.Errorf("who may not: %v", err)
	}
	if _, err := r.save(asha, limits{30, "the desk"}, 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("nothing would change: %v", err)
	}
	if _, err := r.save(asha, limits{91, "x"}, 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("over a bound: %v", err)
	}
}
