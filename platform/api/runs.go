package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// Runs answers for what agents did: their runs, steps and words, people's orders
// about them, replays, and new answers to old steps.
type Runs struct {
	Runs      *agent.Store
	Orders    *agent.Orders
	Tools     *tool.Registry // of this build, for replays
	Steps     *agent.Steps   // asks models again; nil where the server has none
	PublicURL string
}

// Operations registers what it answers.
func (s *Runs) Operations(a *API) {
	const tag = "Runs"
	List(a, Route{ID: "listRuns", Path: "/v1/runs", Acts: []string{"run.read"}, Tag: tag, Title: "List runs, newest first"}, s.list)
	Serve(a, Route{ID: "getRun", Method: http.MethodGet, Path: "/v1/runs/{id}", Acts: []string{"run.read"}, Tag: tag,
		Title: "Read a run, with those below it"}, s.get)
	List(a, Route{ID: "listSteps", Path: "/v1/runs/{id}/steps", Acts: []string{"run.read"}, Tag: tag,
		Title: "List a run's steps, newest first"}, s.steps)
	Serve(a, Route{ID: "getWords", Method: http.MethodGet, Path: "/v1/runs/{id}/steps/{seq}", Acts: []string{"run.words"}, Tag: tag,
		Title: "Read what was said in a step",
		Text:  "What somebody else said to an agent in a conversation is theirs, and refused here."}, s.words)
	Serve(a, Route{ID: "discloseWords", Method: http.MethodPost, Path: "/v1/runs/{id}/steps/{seq}/disclosures",
		Acts: []string{"run.others"}, Tag: tag, Title: "Read what somebody else said to an agent, with a reason",
		Text: "Your name and the reason go on record before it is shown.", Key: KeyRefused,
		Untried: "it is not shown without being on record", Body: `{"reason":"Complaint 12 of 3 March"}`}, s.disclose)
	Serve(a, Route{ID: "orderRun", Method: http.MethodPost, Path: "/v1/runs/{id}/orders", Acts: []string{"run.order", "run.say"}, Tag: tag,
		Title:  "Stop, resume, retry or cancel a run, or say something to it",
		Text:   "It is durable at once and takes effect before the run's next step.",
		Status: http.StatusAccepted, Key: KeyNeeded, Body: `{"do":"stop"}`}, s.order)
	Serve(a, Route{ID: "replayRun", Method: http.MethodGet, Path: "/v1/runs/{id}/replay", Acts: []string{"run.read"}, Tag: tag,
		Title: "Compute a run once more from its record",
		Text:  "It reads and changes nothing: does every step still follow from what is recorded?"}, s.replay)
	Serve(a, Route{ID: "reaskStep", Method: http.MethodPost, Path: "/v1/runs/{id}/reask", Acts: []string{"run.reask"}, Tag: tag,
		Title: "Put a step to the model again",
		Text: "A new answer of the model as it is today, never proof of the recorded one; nothing of it is carried out. It may take " +
			"minutes: with Prefer: respond-async it becomes an operation.",
		Slow: true, Untried: "a model is asked, which costs money", Body: `{"step":2,"times":3}`,
		Answers: []Answer{{Status: http.StatusOK, Of: ReaskedBody{}, Words: "The new answers; or an operation that has ended."},
			{Status: http.StatusOK, Of: OperationBody{}},
			{Status: http.StatusAccepted, Of: OperationBody{}, Words: "It is being asked."}}}, s.reaskHandler(a))
}

// A RunBody is a run as the API shows it.
type RunBody struct {
	ID         string        `json:"id"`
	Case       string        `json:"case"`
	CaseRef    string        `json:"case_ref"`
	App        string        `json:"app"`
	Agent      string        `json:"agent"`
	Name       string        `json:"name"`
	Root       string        `json:"root"`
	Parent     string        `json:"parent"`
	For        string        `json:"for"`
	State      agent.State   `json:"state"`
	Reason     string        `json:"reason"`
	Seq        int           `json:"seq"`
	Now        []string      `json:"now"`
	WaitingFor []WaitingBody `json:"waiting_for"`
	Tainted    bool          `json:"tainted"`
	Calls      int64         `json:"model_calls"`
	TokensIn   int64         `json:"tokens_in"`
	TokensOut  int64         `json:"tokens_out"`
	Cost       *int64        `json:"cost_millionths" doc:"Null: no price is known."`
	Currency   string        `json:"currency"`
	Budget     *BudgetBody   `json:"budget,omitempty" doc:"Of the whole tree, where one run is asked for."`
	LastOrder  string        `json:"last_order"`
	Spec       string        `json:"spec_sha256"`
	StartedAt  time.Time     `json:"started_at"`
	MovedAt    time.Time     `json:"moved_at"`
	EndedAt    *time.Time    `json:"ended_at"`
	Version    int64         `json:"version"`
	Below      []RunBody     `json:"below,omitempty"`
	Links      Links         `json:"links"`
}

// A WaitingBody is a proposal that a run waits for.
type WaitingBody struct {
	Proposal  string          `json:"proposal"`
	Run       string          `json:"run"`
	Tool      string          `json:"tool"`
	Gate      string          `json:"gate"`
	Roles     []identity.Role `json:"roles"`
	Person    string          `json:"person"`
	Since     time.Time       `json:"since"`
	ExpiresAt *time.Time      `json:"expires_at"`
}

// A BudgetBody is what a tree of runs has used and may use; a limit of 0 is none.
type BudgetBody struct {
	Calls      int64  `json:"calls"`
	CallsUsed  int64  `json:"calls_used"`
	Tokens     int64  `json:"tokens"`
	TokensUsed int64  `json:"tokens_used"`
	Money      int64  `json:"money_millionths"`
	MoneyUsed  *int64 `json:"money_used_millionths"`
}

func (s *Runs) body(r agent.Run) RunBody {
	b := RunBody{ID: r.ID, Case: r.Case, CaseRef: r.CaseRef, App: r.App, Agent: r.Agent, Name: r.Name, Root: r.Root, Parent: r.Parent,
		For:   r.For,
		State: r.State, Reason: r.Reason, Seq: r.Seq, Now: append([]string{}, r.Now...), WaitingFor: []WaitingBody{}, Tainted: r.Tainted,
		Calls: r.Spent.Calls, TokensIn: r.Spent.In, TokensOut: r.Spent.Out, Cost: r.Spent.Cost, Currency: r.Spent.Currency,
		LastOrder: r.LastOrder, Spec: r.Spec, StartedAt: r.StartedAt.UTC(), MovedAt: r.MovedAt.UTC(), EndedAt: UTC(r.EndedAt),
		Version: r.Version, Links: Links{Page: s.PublicURL + "/runs/" + r.ID}}
	for _, w := range r.Waiting {
		one := WaitingBody{Proposal: w.Proposal, Run: w.Run, Tool: w.Tool, Gate: w.Gate, Roles: append([]identity.Role{}, w.Deciders...),
			Since: w.Since.UTC(), ExpiresAt: UTC(w.ExpiresAt)}
		if w.Gate == "confirm" {
			one.Person = w.Whom
		}
		b.WaitingFor = append(b.WaitingFor, one)
	}
	return b
}

type listRunsInput struct {
	Paging
	State   []string `query:"state,explode" maxItems:"10" doc:"Any of these states; repeat it for several."`
	App     string   `query:"app" maxLength:"40"`
	Case    string   `query:"case" maxLength:"60"`
	All     bool     `query:"all" doc:"Those that other runs set to work, too."`
	OrderBy string   `query:"order_by" enum:"started_at desc"`
}

func (s *Runs) list(ctx context.Context, who identity.Actor, in *listRunsInput, after string, limit int) ([]RunBody, string, error) {
	query := agent.Query{App: in.App, Case: in.Case, All: in.All, After: after, Limit: limit}
	for _, state := range in.State {
		query.States = append(query.States, agent.State(state))
	}
	runs, next, err := s.Runs.List(ctx, who.Org, query)
	out := make([]RunBody, len(runs))
	for i, run := range runs {
		out[i] = s.body(run)
	}
	return out, next, err
}

// runOutput is a run. Its tag is of its bytes: what stands below it has versions
// of its own.
type runOutput struct{ Body RunBody }

func (s *Runs) get(ctx context.Context, who identity.Actor, in *Named) (*runOutput, error) {
	run, err := s.Runs.Get(ctx, who.Org, in.ID)
	if err != nil {
		return nil, err
	}
	family, err := s.Runs.Family(ctx, who.Org, run)
	if err != nil {
		return nil, err
	}
	b := s.body(run)
	b.Budget = &BudgetBody{Calls: int64(run.Budget.Calls), CallsUsed: run.Tree.Calls, Tokens: run.Budget.Tokens, TokensUsed: run.Tree.In +
		run.Tree.Out,
		Money: run.Budget.Money, MoneyUsed: run.Tree.Cost}
	for _, sub := range family {
		b.Below = append(b.Below, s.body(sub))
	}
	return &runOutput{b}, nil
}

type wordsInput struct {
	Named
	Seq string `path:"seq" maxLength:"20" doc:"The step's number; the first is 0."`
}

type wordsOutput struct{ Body agent.Payload }

// words answers with what was said in a step, to those who may read it.
func (s *Runs) words(ctx context.Context, who identity.Actor, in *wordsInput) (*wordsOutput, error) {
	seq, err := stepNumber(in.Seq)
	if err != nil {
		return nil, err
	}
	said, err := s.Runs.Payload(ctx, who, in.ID, seq)
	if err != nil {
		return nil, err
	}
	return &wordsOutput{said}, nil
}

type discloseInput struct {
	Named
	Seq  string `path:"seq" maxLength:"20" doc:"The step's number; the first is 0."`
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
	}
}

// disclose answers with what somebody else said in a step, to those who may and who say why.
func (s *Runs) disclose(ctx context.Context, who identity.Actor, in *discloseInput) (*wordsOutput, error) {
	seq, err := stepNumber(in.Seq)
	if err != nil {
		return nil, err
	}
	said, err := s.Runs.Disclose(ctx, who, in.ID, seq, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	return &wordsOutput{said}, nil
}

// stepNumber is a step's number in an address.
func stepNumber(text string) (int, error) {
	seq, err := strconv.Atoi(text)
	if err != nil || seq < 0 {
		return 0, fault.New(fault.NotFound, "a run has no step %.20q", text)
	}
	return seq, nil
}

type orderInput struct {
	Named
	IfMatch string `header:"If-Match" doc:"The run's version in quotes, where the order is about what you read."`
	Body    OrderBody
}

// An OrderBody is an order about a run.
type OrderBody struct {
	Do   string `json:"do" maxLength:"20" doc:"stop, resume, retry, cancel or say."`
	Text string `json:"text,omitempty" doc:"For say."`
}

func (s *Runs) order(ctx context.Context, who identity.Actor, in *orderInput) (*movedOutput, error) {
	if s.Orders == nil {
		return nil, fault.New(fault.Unavailable, "orders are not set up on this server")
	}
	if err := s.unchanged(ctx, who, in); err != nil {
		return nil, err
	}
	var err error
	if in.Body.Do == "say" {
		_, err = s.Orders.Say(ctx, who, in.ID, onceOf(ctx), in.Body.Text)
	} else {
		_, err = s.Orders.Give(ctx, who, in.ID, agent.Do(in.Body.Do))
	}
	return &movedOutput{"/v1/runs/" + in.ID}, err
}

// unchanged refuses an order about a run that has moved since it was read, where
// the caller says what they read. Whether the order fits is asked again, under
// lock, when it is given.
func (s *Runs) unchanged(ctx context.Context, who identity.Actor, in *orderInput) error {
	if in.IfMatch == "" {
		return nil
	}
	seen, err := parseVersion(in.IfMatch)
	if err != nil {
		return err
	}
	run, err := s.Runs.Get(ctx, who.Org, in.ID)
	if err == nil && run.Version != seen {
		err = fault.New(fault.Stale, "run %s has moved on since you read it; nothing was done", in.ID).WithNext("read it again")
	}
	return err
}

// A ReplayBody is what computing a run once more came to.
type ReplayBody struct {
	Run   string             `json:"run"`
	Steps []agent.StepReplay `json:"steps"`
	Pass  bool               `json:"pass"`
}

type replayOutput struct{ Body ReplayBody }

// replay computes a run once more from its record. It reads, and changes
// nothing.
func (s *Runs) replay(ctx context.Context, who identity.Actor, in *Named) (*replayOutput, error) {
	if s.Tools == nil {
		return nil, fault.New(fault.Unavailable, "replays are not set up on this server")
	}
	done, err := s.Runs.Replay(ctx, who, s.Tools, in.ID)
	if err != nil {
		return nil, err
	}
	return &replayOutput{ReplayBody{done.Run, done.Steps, done.Pass()}}, nil
}
