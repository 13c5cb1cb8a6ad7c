package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// A turn is one turn being taken: what it starts from, and what it has come to.
type turn struct {
	*Steps
	try
	in     turnInput
	facts  facts
	about  []seal.Subject // whom the run is about, as the record says now; more may be added
	spec   Spec
	lent   []string // the tools it may use: its own, as far as whoever set it to work has or lends them
	body   []byte   // of the spec, in a run's first turn
	budget *Budget
	chain  chain
	taint  bool
	began  time.Time
	heed   []heed  // whose orders count, in a stretch
	orders []order // that came while it was taken

	ended    ended           // what became of the calls that were open
	before   []model.Message // what is said before the model answers
	late     []result
	offered  []Offer
	answer   model.Response
	compacts bool
	stopped  bool // by the person, in the middle of the answer
	rulings  []ruling
	out      turnOutcome
}

// begin gathers what the turn starts from.
func (t *turn) begin(ctx context.Context) error {
	if t.in.Start != nil {
		return t.beginRun(ctx)
	}
	var err error
	if t.facts, err = t.books.facts(ctx, t.in.Org, t.in.Run); err != nil {
		return err
	}
	if t.about, err = t.books.subjects(ctx, t.in.Org, t.in.Run); err != nil {
		return err
	}
	if t.spec, err = t.books.spec(ctx, t.in.Org, t.facts.Spec); err != nil {
		return err
	}
	if t.chain, err = t.books.chain(ctx, t.in.Org, t.in.Head); err != nil {
		return err
	}
	if err := t.borrow(ctx); err != nil {
		return err
	}
	if err := t.gather(ctx); err != nil {
		return err
	}
	return t.hear(ctx)
}

// beginRun is the first turn: the agent is told who it is and what it is for.
func (t *turn) beginRun(ctx context.Context) error {
	s := t.in.Start
	k, err := t.roster.find(s.App, s.Agent)
	if err != nil {
		return err
	}
	t.spec, t.body = k.Spec, k.body
	t.facts = s.facts(t.in.Org, t.in.Run)
	t.facts.Spec = k.digest
	if s.Parent == "" {
		b := narrow(k.Budget, s.Budget)
		t.budget = &b
	}
	if err := t.takeOver(ctx); err != nil {
		return err
	}
	if err := t.borrow(ctx); err != nil {
		return err
	}
	return t.brief(ctx, k.Spec, s)
}

// borrow narrows the run's tools to what the run above has or lends. A later
// build may give an agent more; a tree that is running does not grow by it.
func (t *turn) borrow(ctx context.Context) error {
	t.lent = t.spec.Tools
	if t.facts.Parent == "" {
		return nil
	}
	parent, err := t.books.facts(ctx, t.in.Org, t.facts.Parent)
	if err != nil {
		return err
	}
	above, err := t.books.spec(ctx, t.in.Org, parent.Spec)
	if err != nil {
		return err
	}
	t.lent = nil
	for _, name := range t.spec.Tools {
		if slices.Contains(above.Tools, name) || slices.Contains(above.Lends, name) {
			t.lent = append(t.lent, name)
		}
	}
	return nil
}

// facts is what a start says of its run.
func (s *start) facts(org identity.Org, run string) facts {
	root := s.Root
	if root == "" {
		root = run
	}
	return facts{Org: org, ID: run, Case: s.Case, App: s.App, Agent: s.Agent, Name: s.Name, Root: root, Parent: s.Parent, Call: s.Call,
		For: identity.Actor{Kind: s.Kind, ID: s.For, Org: org, Roles: s.Roles}}
}

// narrow is the tighter of two budgets, bound by bound.
func narrow(own Budget, asked *Budget) Budget {
	if asked == nil {
		return own
	}
	if asked.Calls > 0 {
		own.Calls = min(own.Calls, asked.Calls)
	}
	if asked.Tokens > 0 && (own.Tokens == 0 || asked.Tokens < own.Tokens) {
		own.Tokens = asked.Tokens
	}
	if asked.Money > 0 && (own.Money == 0 || asked.Money < own.Money) {
		own.Money = asked.Money
	}
	return own
}

// brief is what the agent is told first: its application's words, and the task
// of the agent that set it to work.
func (t *turn) brief(ctx context.Context, spec Spec, s *start) error {
	b, err := spec.Brief(ctx, t.env(""))
	if err != nil {
		return fmt.Errorf("brief agent %s/%s: %w", s.App, s.Agent, err)
	}
	if err := offerable(b.Offered); err != nil {
		return fmt.Errorf("brief agent %s/%s: %w", s.App, s.Agent, err)
	}
	t.about, t.offered = b.Subjects, b.Offered
	if spec.Chat && len(t.about) == 0 {
		t.about = []seal.Subject{TalkOf(t.facts.ID)}
	}
	size := 0
	for _, said := range b.Parts {
		if size += len(said.Text); size > maxBrief {
			return fault.New(fault.TooLarge, "the brief of agent %s/%s is over %d bytes", s.App, s.Agent, maxBrief)
		}
		t.before = append(t.before, userSays(said.Text))
		t.taint = t.taint || said.Outside
	}
	if s.Parent == "" {
		return nil
	}
	above, err := t.books.subjects(ctx, t.in.Org, s.Parent)
	if err != nil {
		return err
	}
	t.about = union(above, b.Subjects)
	c, err := t.books.chain(ctx, t.in.Org, s.Head)
	if err != nil {
		return err
	}
	task, err := c.task(s.Call)
	if err != nil {
		return err
	}
	t.before = append(t.before, userSays(task))
	return nil
}

func union(a, b []seal.Subject) []seal.Subject {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// maxBrief bounds what an agent is told first, in bytes.
const maxBrief = 4 << 20

// maxTask bounds what one agent may tell another.
const maxTask = 16_000

// taskArgs is what an agent is set to work with.
type taskArgs struct {
	Task string `json:"task"`
}

func parseTask(args string) (string, error) {
	var a taskArgs
	if err := json.Unmarshal([]byte(args), &a); err != nil || a.Task == "" {
		return "", fault.New(fault.Invalid, `want {"task": "what is to be done"}`)
	}
	if len(a.Task) > maxTask {
		return "", fault.New(fault.TooLarge, "the task has %d bytes; the most is %d", len(a.Task), maxTask)
	}
	return a.Task, nil
}

// task is what a call of the newest turn asked another agent to do.
func (c chain) task(call string) (string, error) {
	i := position(call)
	if len(c) == 0 || i < 0 || i >= len(c[len(c)-1].Answer.Calls) {
		return "", fault.New(fault.Internal, "there is no call %s to take a task from", call)
	}
	return parseTask(c[len(c)-1].Answer.Calls[i].Args)
}

// hear adds what people have written to the run.
func (t *turn) hear(ctx context.Context) error {
	if len(t.in.Said) == 0 {
		return nil
	}
	words, err := t.books.words(ctx, t.in.Org, t.in.Run, t.in.Said)
	if err != nil {
		return err
	}
	for _, w := range words {
		t.before = append(t.before, userSays(w.Body))
		// The one the run acts for gives instructions; anybody else's words are
		// information.
		t.taint = t.taint || w.Actor != t.facts.For.ID
	}
	return nil
}

// env is what a tool is told by the runtime.
func (t *turn) env(call string) tool.Env {
	e := tool.Env{Org: t.facts.Org, App: t.facts.App, Case: t.facts.Case, Run: t.facts.ID, Task: t.facts.Name, Call: call,
		Actor: t.facts.actor(), For: t.facts.For, At: t.began}
	if call != "" {
		e.Key = actKey(t.facts.ID, call)
	}
	return e
}

// listener is the person a run works for, who may hear its words as they come; empty where it works for nobody.
func (t *turn) listener() string {
	if t.facts.For.Kind != identity.Person {
		return ""
	}
	return t.facts.For.ID
}

// ask puts the transcript to the model.
func (t *turn) ask(ctx context.Context) error {
	route, err := t.routes.Find(t.spec.Route)
	if err != nil {
		return err
	}
	shown := append(t.chain.messages(t.late), t.before...)
	req := model.Request{Model: route.Model, System: t.spec.system(), Messages: shown, Tools: t.tools(), Params: route.Params,
		Agent: t.facts.App + "/" + t.facts.Agent}
	if t.compacts = t.full(route); t.compacts {
		req.Tools = nil
		req.Messages = append(req.Messages, userSays(summarise))
	} else if t.spec.Answer != nil {
		req.Answer = &model.AnswerSpec{Name: t.spec.Name, Schema: t.spec.Answer}
	}
	if t.in.Tokens > 0 && (req.Params.MaxTokens == 0 || int64(req.Params.MaxTokens) > t.in.Tokens) {
		req.Params.MaxTokens = int(t.in.Tokens)
	}
	ask := t.call
	if t.spec.Chat && !t.compacts {
		ask = t.aloud
	}
	ctx, stop := context.WithTimeout(ctx, t.modelTimeout)
	defer stop()
	if t.answer, err = ask(ctx, route, req); err != nil {
		return err
	}
	t.out.Spent = Spent{Calls: 1, Tokens: t.answer.Usage.Total()}
	if route.Price != nil {
		t.out.Spent.Money = route.Price.Cost(t.answer.Usage)
	}
	return nil
}

const summarise = `Summarise this conversation for yourself, so that you can go on with the work from the
summary alone: the task, what was found, with every id, what was decided by whom, what was refused, and
what is still to do. Answer with the summary only.`

// defaultWindow is how many tokens we take a model to hold where its route does
// not say.
const defaultWindow = 100_000

// full reports whether the transcript must be summed up before it goes on. It
// is asked only between turns that leave nothing open.
func (t *turn) full(r model.Route) bool {
	window := r.Window
	if window == 0 {
		window = defaultWindow
	}
	return len(t.chain) > 1 && !t.chain[len(t.chain)-1].Compacts && t.chain.size() > window*3/4
}

// tools is what the model may choose from: what this run's actor may call at
// all. Each call is asked about again when it is made.
func (t *turn) tools() []model.ToolSpec {
	var all []model.ToolSpec
	for _, name := range t.lent {
		if tl, ok := t.registry.Find(t.facts.App, name); ok && t.offers(tl) {
			all = append(all, tl.Spec())
		}
	}
	for _, name := range t.spec.Agents {
		if k, err := t.roster.find(t.facts.App, name); err == nil {
			all = append(all, model.ToolSpec{Name: name, Description: "Set " + k.Role + " to work. " + k.Goal, Schema: taskSchema})
		}
	}
	return all
}

var taskSchema = json.RawMessage(`{"type":"object","properties":{"task":{"type":"string","description":"what is to be done"}},` +
	`"required":["task"],"additionalProperties":false}`)

// offers reports whether a tool is worth showing. A policy that depends on the
// arguments cannot say yet, and then it is.
func (t *turn) offers(tl tool.Tool) bool {
	if !t.holds(tl) {
		return false
	}
	a := t.policies(t.facts.App).Ask(t.question(tl, nil))
	return a.Call || len(a.Errors) > 0
}
