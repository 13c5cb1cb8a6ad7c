// Package agenttest is a small institution for tests and benchmarks of the agent
// runtime: an application called yard, with a tool of every kind, agents that do
// what a case's title says, a server on the other side that counts what reaches
// it, and a scripted model over HTTP.
//
// A title is a script for the model: turns separated by "|", calls of one turn
// by ";", each a tool and its word, "look a; post b | letter c". What another
// agent is to do stands in brackets: "clerk(look a | look b)", and "200*look a"
// is two hundred turns. After its last turn an agent answers.
package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/telemetry"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

// DefaultApp is the yard's name unless a test needs a queue of its own.
const DefaultApp = "yard"

// Kind is how its cases are named.
func (c Config) Kind() casefile.Kind {
	return casefile.Kind{App: c.App, RefPrefix: "YARD", Workflow: WorkflowName}
}

// A Config says where the parts are.
type Config struct {
	App      string // its name and task queue; empty for DefaultApp
	DB       *postgres.DB
	Clock    durable.Clock
	ModelURL string // of a scripted server
	Effects  string // address of an Other side
	Vault    *seal.Vault
	Subjects []seal.Subject // whom every case concerns; none leaves transcripts in plain
	Budget   agent.Budget   // of every agent; the zero Budget for a wide one
	Policies string         // Cedar, instead of the yard's own
	Price    *model.Price
	Window   int
	Spans    telemetry.GenAI

	// Change and ChangeTool alter every agent and tool, for tests of a later
	// build.
	Change     func(*agent.Spec)
	ChangeTool func(*tool.Tool)

	Bound bool // it also has the tools stamp and courier, of which an argument is the record's

	SendTimeout time.Duration
	Generator   model.Generator // instead of ModelURL
	Stream      func(org identity.Org, run, whom string, seq int) func(string)
}

// A Yard is the application at work.
type Yard struct {
	Cases    *casefile.Store
	Acts     *act.Store
	Reviews  *review.Store
	Steps    *agent.Steps
	Store    *agent.Store
	Calls    *agent.Calls // from outside any run
	Rules    *policy.Rules
	Registry *tool.Registry
	cfg      Config
}

// New puts a yard together.
func New(c Config) (*Yard, error) {
	if c.Budget == (agent.Budget{}) {
		c.Budget = agent.Budget{Calls: 1000}
	}
	if c.App == "" {
		c.App = DefaultApp
	}
	if c.Policies == "" {
		c.Policies = strings.ReplaceAll(Policies, "yard", c.App)
	}
	y := &Yard{cfg: c, Acts: act.NewStore(c.DB, c.Clock)}
	var err error
	tools := y.tools()
	for i := range tools {
		if c.ChangeTool != nil {
			c.ChangeTool(&tools[i])
		}
	}
	if y.Registry, err = tool.NewRegistry(tools...); err != nil {
		return nil, err
	}
	roster, err := agent.NewRoster(y.Registry, y.specs()...)
	if err != nil {
		return nil, err
	}
	policies, err := policy.Parse(policy.File{Name: "yard.cedar", Text: []byte(c.Policies)})
	if err != nil {
		return nil, err
	}
	rules := policy.Standard().With(c.App, policies)
	y.Cases = casefile.NewStore(casefile.Config{DB: c.DB, Clock: c.Clock, Rules: rules, Kinds: []casefile.Kind{c.Kind()}})
	if c.Generator == nil {
		if c.Generator, err = openai.New(openai.Config{BaseURL: c.ModelURL + "/v1", TellAgent: true, Provider: "scripted"}); err != nil {
			return nil, err
		}
	}
	if y.Reviews, err = review.New(review.Config{DB: c.DB, Clock: c.Clock, Rules: rules, Acts: y.Acts,
		Kinds:   []review.Kind{agent.CallKind(y.Registry)},
		WakeOf:  y.wake,
		Recheck: func(context.Context, review.Proposal, json.RawMessage) error { return nil }}); err != nil {
		return nil, err
	}
	y.Store = agent.NewStore(c.DB, c.Vault, rules, c.Clock)
	y.Steps = agent.NewSteps(agent.Config{DB: c.DB, Clock: c.Clock, Vault: c.Vault, Acts: y.Acts, Reviews: y.Reviews, Tools: y.Registry,
		Roster: roster, Rules: rules, Spans: c.Spans, Logger: slog.New(slog.DiscardHandler),
		Routes: model.Routes{"plain": {Name: "plain", Provider: "scripted", Model: "scripted", Ask: c.Generator, Price: c.Price,
			Window: c.Window}},
		Stream: c.Stream, SendTimeout: c.SendTimeout})
	y.Rules = rules
	y.Calls = agent.NewCalls(agent.CallsConfig{DB: c.DB, Clock: c.Clock, Cases: y.Cases, Acts: y.Acts, Reviews: y.Reviews,
		Tools: y.Registry, Rules: rules,
		Logger: slog.New(slog.DiscardHandler)})
	return y, nil
}

func (y *Yard) wake(c casefile.Case) (w review.Wake, err error) {
	w.WorkflowID, w.Start, err = y.Cases.Wake(c)
	return w, err
}

// Work is what the engine needs.
func (y *Yard) Work() durable.Work {
	return durable.Work{App: y.cfg.App, Workflows: Workflows(), Activities: []any{y.Steps, &Ends{yard: y}}}
}

// Workflows are the yard's, for workers and replays.
func Workflows() []durable.Workflow {
	return []durable.Workflow{{Name: WorkflowName, Func: Workflow}, {Name: agent.ConverseName, Func: agent.Converse},
		{Name: agent.CarryOutName, Func: agent.CarryOut}}
}

// WorkflowName never changes.
const WorkflowName = "yard.Case"

// Workflow is a case's: the agent that its key names does the work, and the case
// is closed with how that went.
func Workflow(ctx workflow.Context, in casefile.Input) error {
	desk := agent.Open(ctx, in)
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	key := id[strings.LastIndex(id, "/")+1:]
	name, _, _ := strings.Cut(key, ".")
	res, err := desk.Run(ctx, agent.Task{App: workflow.GetInfo(ctx).TaskQueueName, Agent: name, Name: "work",
		For: identity.Actor{Kind: identity.Person, ID: "asha", Org: in.Org, Roles: []identity.Role{identity.Analyst}}})
	if err != nil {
		return err
	}
	var ends *Ends
	return workflow.ExecuteLocalActivity(durable.Step(ctx), ends.Close, in, string(res.State)).Get(ctx, nil)
}

// Ends are what the workflow does besides agents.
type Ends struct{ yard *Yard }

// Close closes the case.
func (e *Ends) Close(ctx context.Context, in casefile.Input, status string) error {
	return e.yard.cfg.DB.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, in.Case); err != nil {
			return err
		}
		now := e.yard.cfg.Clock.Now()
		_, _, err := casefile.Apply(ctx, tx, in.Case, casefile.Change{Key: "closed", State: casefile.Closed, Status: status,
			Entry: casefile.Entry{Kind: "closed", At: now, ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel", Text: status}})
		return err
	})
}

// specs are the yard's agents: a clerk who works alone, and a foreman who sets
// clerks to work and may do everything himself.
func (y *Yard) specs() []agent.Spec {
	all := []string{"look", "mail", "enrol", "note", "post", "letter", "fax", "wire"}
	base := agent.Spec{App: y.cfg.App, Route: "plain", Budget: y.cfg.Budget, Brief: y.brief, Goal: "do what the task says",
		Instructions: "Do the turns of the task in order, then answer."}
	clerk, foreman, judge, host := base, base, base, base
	clerk.Name, clerk.Role, clerk.Tools = "clerk", "a clerk", all
	foreman.Name, foreman.Role, foreman.Tools, foreman.Agents = "foreman", "a foreman", all, []string{"clerk", "judge"}
	judge.Name, judge.Role, judge.Brief = "judge", "a classifier", y.outsideBrief
	judge.Answer = json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","enum":["yes","no"]}},"required":["word"],"additionalProperties":false}`)
	host.Name, host.Role, host.Tools, host.Chat = "host", "a host", all, true
	specs := []agent.Spec{clerk, foreman, judge, host}
	if y.cfg.Change != nil {
		for i := range specs {
			y.cfg.Change(&specs[i])
		}
	}
	return specs
}

// brief tells an agent the case's title, which is its script.
func (y *Yard) brief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	var title string
	err := y.cfg.DB.InOrg(ctx, e.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select title from gavel.case where id = $1`, e.Case).Scan(&title)
	})
	return agent.Brief{Parts: []agent.Said{{Text: title}}, Offered: []agent.Offer{{Field: "post.word", Values: []string{"known"}}},
		Subjects: y.cfg.Subjects}, err
}

// outsideBrief is brief, of a title that was written outside.
func (y *Yard) outsideBrief(ctx context.Context, e tool.Env) (agent.Brief, error) {
	b, err := y.brief(ctx, e)
	for i := range b.Parts {
		b.Parts[i].Outside = true
	}
	return b, err
}

// Policies lets analysts' agents call everything, and what is not letters, notes
// and wires with nobody asked.
const Policies = `
@id("yard-call")
permit (principal in Role::"analyst", action == Action::"call", resource) when { context.app == "yard" };
@id("yard-unattended")
permit (principal in Role::"analyst", action == Action::"call_unattended", resource) when { context.app == "yard" };
@id("yard-never")
forbid (principal, action, resource) when { context.tool == "yard.look" && context.args.word == "forbidden" };
`

// A Word is what every tool of the yard takes.
type Word struct {
	Word string `json:"word" jsonschema:"a word"`
	Case string `json:"case" inject:"case"`
}

// A Told is what it answers.
type Told struct {
	Text string `json:"text"`
}

func (y *Yard) tools() []tool.Tool {
	analysts, officers := []identity.Role{identity.Analyst}, []identity.Role{identity.Officer}
	free := func(name string, effect tool.Effect, outside bool) tool.Tool {
		return tool.Tool{App: y.cfg.App, Name: name, Line: "Does " + name + ".", Effect: effect, Gate: tool.Off, Roles: analysts,
			Deciders: officers, OutsideText: outside, MaxResult: 64 << 10}
	}
	gated := func(name string, effect tool.Effect) tool.Tool {
		return tool.Tool{App: y.cfg.App, Name: name, Line: "Does " + name + ".", Effect: effect, Roles: analysts, Deciders: officers}
	}
	twice := func(t tool.Tool) tool.Tool {
		t.Approvals = 2
		return t
	}
	found := tooltest.Finds[Word]
	all := []tool.Tool{
		tool.Reads(free("look", tool.Read, false), y.look),
		tool.Reads(free("mail", tool.Read, true), y.look), // what it reads was written outside
		found(tool.Writes(free("enrol", tool.Write, false), y.enrol)),
		found(tool.Writes(gated("note", tool.Write), y.enrol)),
		found(tool.Sends(free("post", tool.Outside, false), y.send("post"), y.asked("post"))),
		found(tool.Sends(gated("letter", tool.Outside), y.send("letter"), y.asked("letter"))),
		found(tool.Sends(free("fax", tool.Outside, false), y.send("fax"), nil)),
		found(tool.Sends(twice(gated("wire", tool.Outside)), y.send("wire"), nil)),
	}
	if y.cfg.Bound {
		all = append(all, tooltest.Finds[Stamp](tool.Binds(tool.Writes(gated("stamp", tool.Write), y.stamp), bindStatus)),
			tooltest.Finds[Stamp](tool.Binds(tool.Sends(gated("courier", tool.Outside), y.courier, nil), bindStatus)))
	}
	return all
}

// look answers a word with itself; "long" with five kilobytes.
func (y *Yard) look(_ context.Context, _ tool.Env, w Word) (Told, error) {
	if strings.HasPrefix(w.Word, "long") {
		return Told{Text: strings.Repeat(w.Word+" ", 5<<10/(len(w.Word)+1))}, nil
	}
	return Told{Text: "seen " + w.Word}, nil
}

// enrol leaves one row on the case for each act: its key is the act's. "never" it refuses
// for good.
func (y *Yard) enrol(ctx context.Context, tx pgx.Tx, e tool.Env, w Word) (Told, error) {
	if w.Word == "never" {
		return Told{}, fault.New(fault.Conflict, "nobody is enrolled under this word")
	}
	if _, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case)); err != nil {
		return Told{}, err
	}
	_, done, err := casefile.Apply(ctx, tx, casefile.CaseID(e.Case), casefile.Change{Key: "enrol:" + e.Key,
		Entry: casefile.Entry{Kind: "enrol", At: e.At, ActorKind: identity.Agent, ActorID: e.Actor.ID, ActorName: "clerk", Text: w.Word}})
	if err == nil && !done {
		err = errors.New("enrolled twice")
	}
	return Told{Text: "enrolled " + w.Word}, err
}

var post = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func (y *Yard) send(what string) func(context.Context, tool.Env, Word) (Told, error) {
	return func(ctx context.Context, e tool.Env, w Word) (Told, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, y.cfg.Effects+"/"+what+"?key="+e.Key, strings.NewReader(w.Word))
		if err != nil {
			return Told{}, err
		}
		res, err := post.Do(req)
		if err != nil {
			return Told{}, err
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return Told{}, fmt.Errorf("the other side answers %s", res.Status)
		}
		return Told{Text: "sent " + w.Word}, nil
	}
}

func (y *Yard) asked(what string) func(context.Context, tool.Env, Word) (tool.Found, Told, error) {
	return func(ctx context.Context, e tool.Env, w Word) (tool.Found, Told, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, y.cfg.Effects+"/"+what+"?key="+e.Key, nil)
		if err != nil {
			return tool.CannotTell, Told{}, err
		}
		res, err := post.Do(req)
		if err != nil {
			return tool.CannotTell, Told{}, err
		}
		defer res.Body.Close()
		switch res.StatusCode {
		case http.StatusOK:
			return tool.Yes, Told{Text: "sent " + w.Word}, nil
		case http.StatusNotFound:
			return tool.No, Told{}, nil
		}
		return tool.CannotTell, Told{}, fmt.Errorf("the other side answers %s", res.Status)
	}
}
