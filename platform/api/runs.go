package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
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

// askPatience is how long new answers to a step may take altogether.
const askPatience = 10 * time.Minute

// Routes registers everything it answers.
func (a *Runs) Routes(mux *web.Mux) {
	handle := func(pattern string, h web.Handler, rules ...web.Rule) {
		mux.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			if page := mux.Site().Page(r); page.Actor.Known() {
				w.Header().Set("Gavel-Zone", page.Org.Zone.String())
			}
			return h(w, r)
		}, append(rules, web.MaxBody(maxBody))...)
	}
	handle("GET /v1/runs", a.list)
	handle("GET /v1/runs/{id}", a.get)
	handle("GET /v1/runs/{id}/steps", a.steps)
	handle("GET /v1/runs/{id}/steps/{seq}", a.words)
	handle("POST /v1/runs/{id}/orders", a.order)
	handle("GET /v1/runs/{id}/replay", a.replay)
	handle("POST /v1/runs/{id}/reask", a.reask, web.Streaming())
}

// A runBody is a run as the API shows it.
type runBody struct {
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
	WaitingFor []waitingBody `json:"waiting_for"`
	Tainted    bool          `json:"tainted"`
	Calls      int64         `json:"model_calls"`
	TokensIn   int64         `json:"tokens_in"`
	TokensOut  int64         `json:"tokens_out"`
	Cost       *int64        `json:"cost_millionths"` // null: no price is known
	Currency   string        `json:"currency"`
	Budget     *budgetBody   `json:"budget,omitempty"` // of the whole tree; where one run is asked for
	LastOrder  string        `json:"last_order"`
	Spec       string        `json:"spec_sha256"`
	StartedAt  time.Time     `json:"started_at"`
	MovedAt    time.Time     `json:"moved_at"`
	EndedAt    *time.Time    `json:"ended_at"`
	Version    int64         `json:"version"`
	Below      []runBody     `json:"below,omitempty"`
	Links      links         `json:"links"`
}

type waitingBody struct {
	Proposal  string          `json:"proposal"`
	Run       string          `json:"run"`
	Tool      string          `json:"tool"`
	Gate      string          `json:"gate"`
	Roles     []identity.Role `json:"roles"`
	Person    string          `json:"person"`
	Since     time.Time       `json:"since"`
	ExpiresAt *time.Time      `json:"expires_at"`
}

// A budgetBody is what a tree of runs has used and may use; a limit of 0 is none.
type budgetBody struct {
	Calls      int64  `json:"calls"`
	CallsUsed  int64  `json:"calls_used"`
	Tokens     int64  `json:"tokens"`
	TokensUsed int64  `json:"tokens_used"`
	Money      int64  `json:"money_millionths"`
	MoneyUsed  *int64 `json:"money_used_millionths"`
}

func (a *Runs) body(r agent.Run) runBody {
	b := runBody{ID: r.ID, Case: r.Case, CaseRef: r.CaseRef, App: r.App, Agent: r.Agent, Name: r.Name, Root: r.Root, Parent: r.Parent, For: r.For,
		State: r.State, Reason: r.Reason, Seq: r.Seq, Now: append([]string{}, r.Now...), WaitingFor: []waitingBody{}, Tainted: r.Tainted,
		Calls: r.Spent.Calls, TokensIn: r.Spent.In, TokensOut: r.Spent.Out, Cost: r.Spent.Cost, Currency: r.Spent.Currency, LastOrder: r.LastOrder,
		Spec: r.Spec, StartedAt: r.StartedAt.UTC(), MovedAt: r.MovedAt.UTC(), EndedAt: utc(r.EndedAt), Version: r.Version,
		Links: links{Page: a.PublicURL + "/runs/" + r.ID}}
	for _, w := range r.Waiting {
		one := waitingBody{Proposal: w.Proposal, Run: w.Run, Tool: w.Tool, Gate: w.Gate, Roles: append([]identity.Role{}, w.Deciders...),
			Since: w.Since.UTC(), ExpiresAt: utc(w.ExpiresAt)}
		if w.Gate == "confirm" {
			one.Person = w.Whom
		}
		b.WaitingFor = append(b.WaitingFor, one)
	}
	return b
}

// viewer is who asks, and may see runs.
func viewer(r *http.Request) (identity.Actor, error) {
	who, err := signin.Require(r.Context())
	if err != nil {
		return who, err
	}
	return who, agent.May(who, agent.SeeRuns)
}

func (a *Runs) list(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	query := agent.Query{App: q.Get("app"), Case: q.Get("case"), All: q.Get("all") == "true", After: q.Get("page_token")}
	if query.Limit, err = pageSize(r); err != nil {
		return err
	}
	for _, s := range q["state"] {
		query.States = append(query.States, agent.State(s))
	}
	runs, next, err := a.Runs.List(r.Context(), who.Org, query)
	if err != nil {
		return err
	}
	out := page[runBody]{Items: make([]runBody, len(runs)), NextPageToken: next}
	for i, run := range runs {
		out.Items[i] = a.body(run)
	}
	return write(w, http.StatusOK, out)
}

func (a *Runs) get(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	run, err := a.Runs.Get(r.Context(), who.Org, r.PathValue("id"))
	if err != nil {
		return err
	}
	family, err := a.Runs.Family(r.Context(), who.Org, run)
	if err != nil {
		return err
	}
	b := a.body(run)
	b.Budget = &budgetBody{Calls: int64(run.Budget.Calls), CallsUsed: run.Tree.Calls, Tokens: run.Budget.Tokens, TokensUsed: run.Tree.In + run.Tree.Out,
		Money: run.Budget.Money, MoneyUsed: run.Tree.Cost}
	for _, sub := range family {
		b.Below = append(b.Below, a.body(sub))
	}
	return write(w, http.StatusOK, b)
}

// words answers with what was said in a step, to those who may read it.
func (a *Runs) words(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	seq, err := strconv.Atoi(r.PathValue("seq"))
	if err != nil || seq < 0 {
		return fault.New(fault.NotFound, "a run has no step %.20q", r.PathValue("seq"))
	}
	said, err := a.Runs.Payload(r.Context(), who, r.PathValue("id"), seq)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, said)
}

func (a *Runs) order(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	if a.Orders == nil {
		return fault.New(fault.Unavailable, "orders are not set up on this server")
	}
	var in struct {
		Do   string `json:"do"`
		Text string `json:"text"` // for say
	}
	if err := read(r, &in); err != nil {
		return err
	}
	id := r.PathValue("id")
	if in.Do == "say" {
		_, err = a.Orders.Say(r.Context(), who, id, r.Header.Get("Idempotency-Key"), in.Text)
	} else {
		_, err = a.Orders.Give(r.Context(), who, id, agent.Do(in.Do))
	}
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/runs/"+id)
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// replay computes a run once more from its record. It reads, and changes
// nothing.
func (a *Runs) replay(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	if a.Tools == nil {
		return fault.New(fault.Unavailable, "replays are not set up on this server")
	}
	done, err := a.Runs.Replay(r.Context(), who, a.Tools, r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		agent.Replay
		Pass bool `json:"pass"`
	}{done, done.Pass()})
}

// askedAgainWords stand on every new answer to an old step.
const askedAgainWords = "A new answer of the model as it is today, never proof of the recorded one. Nothing was carried out or kept."

// reask puts a step to the model again.
func (a *Runs) reask(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	in := struct {
		Step  *int `json:"step"` // null for the newest
		Times int  `json:"times"`
	}{Times: 1}
	if err := read(r, &in); err != nil {
		return err
	}
	if a.Steps == nil {
		return fault.New(fault.Unavailable, "no model is set up on this server").WithNext("name a model route in the settings")
	}
	seq := -1
	if in.Step != nil {
		if seq = *in.Step; seq < 0 {
			return fault.New(fault.Invalid, "steps are counted from 0, not %d", seq)
		}
	}
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(askPatience + time.Minute)); err != nil {
		return err // a model may take longer than the server lets others
	}
	ctx, cancel := context.WithTimeout(r.Context(), askPatience)
	defer cancel()
	answers, seq, err := agent.Reask(ctx, a.Steps, who, r.PathValue("id"), seq, in.Times)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Note    string             `json:"note"`
		Step    int                `json:"step"`
		Answers []agent.AskedAgain `json:"answers"`
	}{askedAgainWords, seq, answers})
}
