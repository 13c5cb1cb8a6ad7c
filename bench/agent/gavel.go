package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

const (
	app                       = "bench"
	org          identity.Org = "north"
	workflowName              = "bench.Case"
)

var (
	analyst = identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: org, Roles: []identity.Role{identity.Analyst}}
	officer = identity.Actor{Kind: identity.Person, ID: "olga", Name: "Olga", Org: org, Roles: []identity.Role{identity.Officer}}
)

// gavel is the case as an application of ours has it: opened in PostgreSQL,
// started through the outbox, policy asked for every call, a proposal, a person's
// decision, the act, and the log being kept beside it.
type gavel struct {
	g        *ground
	database string
	db       *postgres.DB
	sys      *postgres.System
	cases    *casefile.Store
	reviews  *review.Store
	bells    *bells
}

func (v *gavel) name() string        { return ours }
func (v *gavel) databases() []string { return append(engineDatabases(), v.database) }
func (v *gavel) modelCalls() int     { return turns }

func (g *ground) gavel(ctx context.Context) (contestant, error) {
	v := &gavel{g: g, bells: newBells()}
	if err := v.open(ctx); err != nil {
		return nil, err
	}
	steps, err := v.steps()
	if err != nil {
		return nil, err
	}
	g.work(durable.Work{App: app, Workflows: []durable.Workflow{{Name: workflowName, Func: caseWorkflow}}, Activities: []any{steps}})
	g.background(outbox.NewDispatcher(v.sys, outbox.NewEngine(g.client, g.engine.Memo, v.sys), 1e6, quiet).Run)
	return v, v.keepLog()
}

// open makes the database, with the roles and migrations of an installation.
func (v *gavel) open(ctx context.Context) (err error) {
	if v.database, err = v.g.createDatabase(ctx, ours); err != nil {
		return err
	}
	var urls [3]string
	for i, name := range []string{"GAVEL_DATABASE_OWNER_URL", "GAVEL_DATABASE_URL", "GAVEL_DATABASE_SYSTEM_URL"} {
		if urls[i], err = postgres.WithDatabase(v.g.settings[name], v.database); err != nil {
			return err
		}
	}
	if _, err := postgres.Migrate(ctx, urls[0], platform.Migrations()...); err != nil {
		return err
	}
	if v.db, err = postgres.Open(ctx, urls[1]); err != nil {
		return err
	}
	if v.sys, err = postgres.OpenSystem(ctx, urls[2]); err != nil {
		return err
	}
	v.g.closers = append(v.g.closers, func() error { v.db.Close(); v.sys.Close(); return nil })
	return v.sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: "Bench", Zone: "Asia/Kolkata"})
}

// text is what the tools take, and give.
type text struct {
	Text string `json:"text"`
}

type name struct {
	Name string `json:"name"`
}

func tools() []tool.Tool {
	analysts, officers := []identity.Role{identity.Analyst}, []identity.Role{identity.Officer}
	return []tool.Tool{
		tool.Reads(tool.Tool{App: app, Name: "look_up", Line: "Looks something up.", Effect: tool.Read, Gate: tool.Off, Roles: analysts,
			Deciders: officers},
			func(_ context.Context, _ tool.Env, in name) (text, error) {
				return text{"the value of " + in.Name + " is 41"}, nil
			}),
		tooltest.Finds[text](tool.Sends(tool.Tool{App: app, Name: "send_letter", Line: "Sends a letter.", Effect: tool.Outside,
			Roles: analysts, Deciders: officers},
			func(_ context.Context, _ tool.Env, in text) (text, error) { return text{"sent: " + in.Text}, nil }, nil)),
	}
}

func specs() []agent.Spec {
	base := agent.Spec{App: app, Route: "plain", Goal: "settle what is the matter with van 14", Budget: agent.Budget{Calls: 20},
		Instructions: "Ask the specialists, then propose a letter.", Brief: func(_ context.Context, e tool.Env) (agent.Brief, error) {
			return agent.Brief{Parts: []agent.Said{{Text: "Look into van 14."}, {Text: e.Case}}}, nil
		}}
	orchestrator, records, rules := base, base, base
	orchestrator.Name, orchestrator.Role = "orchestrator", "the orchestrator"
	orchestrator.Tools, orchestrator.Agents, orchestrator.Lends = []string{"send_letter"}, []string{"ask_records", "ask_rules"},
		[]string{"look_up"}
	records.Name, records.Role, records.Tools = "ask_records", "the specialist of records", []string{"look_up"}
	rules.Name, rules.Role, rules.Tools = "ask_rules", "the specialist of rules", []string{"look_up"}
	walks := base
	walks.Name, walks.Role, walks.Tools = walker, "a walker", []string{"look_up"}
	return []agent.Spec{orchestrator, records, rules, walks}
}

const policies = `
@id("analysts-call")
permit (principal in Role::"analyst", action == Action::"call", resource) when { context.app == "bench" };
@id("analysts-look-up")
permit (principal in Role::"analyst", action == Action::"call_unattended", resource) when { context.tool == "bench.look_up" };
`

func (v *gavel) steps() (*agent.Steps, error) {
	clock := durable.Clock{}
	acts := act.NewStore(v.db, clock)
	registry, err := tool.NewRegistry(tools()...)
	if err != nil {
		return nil, err
	}
	roster, err := agent.NewRoster(registry, specs()...)
	if err != nil {
		return nil, err
	}
	set, err := policy.Parse(policy.File{Name: "bench.cedar", Text: []byte(policies)})
	if err != nil {
		return nil, err
	}
	rules := policy.Standard().With(app, set)
	v.cases = casefile.NewStore(casefile.Config{DB: v.db, Clock: clock, Rules: rules,
		Kinds: []casefile.Kind{{App: app, RefPrefix: "B", Workflow: workflowName}}})
	ask, err := openai.New(openai.Config{BaseURL: v.g.model.url, TellAgent: true, Provider: "scripted"})
	if err != nil {
		return nil, err
	}
	if v.reviews, err = review.New(review.Config{DB: v.db, Clock: clock, Rules: rules, Acts: acts,
		Kinds: []review.Kind{agent.CallKind(registry)}, WakeOf: v.wake,
		Recheck: func(context.Context, review.Proposal, json.RawMessage) error { return nil }}); err != nil {
		return nil, err
	}
	return agent.NewSteps(agent.Config{DB: v.db, Clock: clock, Acts: acts, Reviews: v.reviews, Tools: registry, Roster: roster,
		Rules: rules, Logger: quiet,
		Routes: model.Routes{"plain": {Name: "plain", Provider: "scripted", Model: "scripted", Ask: &rung{ask, v.bells}}}}), nil
}

func (v *gavel) wake(c casefile.Case) (w review.Wake, err error) {
	w.WorkflowID, w.Start, err = v.cases.Wake(c)
	return w, err
}

// keepLog runs the sequencer as a server does.
func (v *gavel) keepLog() error {
	key, _, err := audit.NewKey("gavel.invalid/bench")
	if err != nil {
		return err
	}
	sequencer, err := audit.NewSequencer(audit.SequencerConfig{System: v.sys, Signer: key, Now: time.Now, Logger: quiet,
		Announce: casefile.Announce})
	if err != nil {
		return err
	}
	v.g.background(func(ctx context.Context) error {
		tick := time.NewTicker(audit.Interval)
		defer tick.Stop()
		return sequencer.Run(ctx, tick.C)
	})
	return nil
}

func caseWorkflow(ctx workflow.Context, in casefile.Input) error {
	who := "orchestrator"
	if id := workflow.GetInfo(ctx).WorkflowExecution.ID; strings.HasPrefix(id[strings.LastIndex(id, "/")+1:], walker+".") {
		who = walker
	}
	res, err := agent.Open(ctx, in).Run(ctx, agent.Task{App: app, Agent: who, Name: "work", For: analyst})
	if err == nil && res.State != agent.Done {
		err = fmt.Errorf("the run ended %s: %s", res.State, res.Reason)
	}
	return err
}

// rung is the model, with a bell after the orchestrator's second and third
// answer, and a walker's last: bare's turns have one too. The turn itself is written down after it.
type rung struct {
	model.Generator
	bells *bells
}

// Generate asks the model.
func (r *rung) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	res, err := r.Generator.Generate(ctx, req)
	if err == nil && (req.Agent == app+"/orchestrator" || req.Agent == app+"/"+walker) {
		caseID := req.Messages[1].Parts[0].Text
		switch {
		case len(res.Message.Calls) == 0:
			r.bells.ring(caseID + "over")
		case res.Message.Calls[0].Name == "send_letter":
			r.bells.ring(caseID + "asks")
		}
	}
	return res, err
}

// pollEvery is how often we look, after the bell, whether the turn is written
// down.
const pollEvery = 10 * time.Millisecond

func (v *gavel) oneCase(ctx context.Context) error {
	c, _, err := v.cases.Open(ctx, analyst, casefile.Opening{App: app, Key: rand.Text(), Title: "Look into van 14"})
	if err != nil {
		return err
	}
	var open []review.Proposal
	if err := v.bells.wait(ctx, string(c.ID)+"asks"); err != nil {
		return err
	}
	if err := until(ctx, func() (bool, error) {
		open, _, err = v.reviews.List(ctx, officer, review.Query{Case: string(c.ID)})
		return len(open) > 0, err
	}); err != nil {
		return err
	}
	if _, err := v.reviews.Decide(ctx, officer, review.Decision{ID: "dec-" + rand.Text(), Proposal: open[0].ID,
		ShownSHA256: open[0].ShownSHA256,
		Verdict:     review.Approve}); err != nil {
		return err
	}
	if err := v.bells.wait(ctx, string(c.ID)+"over"); err != nil {
		return err
	}
	return until(ctx, func() (bool, error) { return v.over(ctx, c.ID) })
}

func (v *gavel) over(ctx context.Context, id casefile.CaseID) (over bool, err error) {
	err = v.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select state = 'done' from gavel.run where case_id = $1 and parent is null`, id).Scan(&over)
	})
	return over, err
}

func until(ctx context.Context, ok func() (bool, error)) error {
	for {
		done, err := ok()
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}
