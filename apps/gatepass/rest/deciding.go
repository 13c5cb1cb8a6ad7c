package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// deciding are the addresses of who approves passes.
func (s *Answers) deciding(a *api.API) {
	api.Serve(a, route("listPendingGatePasses", http.MethodGet, "/admin/gatepass/pending", "List what waits for approval, the oldest first",
		store.ActOversee), s.list(true))
	api.Serve(a, route("listAllGatePasses", http.MethodGet, "/admin/gatepass/list", "List gate passes as who approves them",
		store.ActOversee),
		s.listAll)
	api.Serve(a, route("getGatePassByNumber", http.MethodGet, "/admin/gatepass/{pass_number}", "Read a gate pass by its number",
		store.ActOversee), s.get(store.ParseRef))
	approve := route("approveGatePass", http.MethodPost, "/admin/gatepass/{pass_number}/approve", "Approve a gate pass", store.ActDecide)
	approve.Text = "It is the decision on the pass's proposal, and follows at once. Nobody approves what they made. Other times than were " +
		"asked for may be given."
	approve.Body = `{"note":"Fine."}`
	api.Serve(a, approve, s.decide(pass.Approve))
	reject := route("rejectGatePass", http.MethodPost, "/admin/gatepass/{pass_number}/reject", "Reject a gate pass", store.ActDecide)
	reject.Text, reject.Body = "For good: who still needs one makes another.", `{"reason":"Nobody covers the desk."}`
	api.Serve(a, reject, s.decide(pass.Reject))
	remove := route("deleteGatePass", http.MethodPost, "/admin/gatepass/{pass_number}/delete", "Delete or revoke a gate pass",
		store.ActChange)
	remove.Text = "To delete what is approved is to revoke it, and needs a reason: its code is dead from then on. Its number is not given " +
		"again."
	remove.Body = `{"reason":"The visit is called off."}`
	api.Serve(a, remove, s.change(pass.Delete))
	recall := route("recallGatePass", http.MethodPost, "/admin/gatepass/{pass_number}/recall",
		"Ask a second administrator to delete a gate pass that is in use", store.ActChange)
	recall.Text = "Somebody is out on it. It is deleted once another administrator approves the proposal in the answer; they have a day. " +
		"It brings nobody back."
	recall.Body = `{"reason":"The pass was lost."}`
	api.Serve(a, recall, s.recall)
	extend := route("extendGatePass", http.MethodPost, "/admin/gatepass/{pass_number}/extend", "Give a gate pass more time",
		store.ActChange)
	extend.Body = `{"valid_until":"2026-11-18T20:00:00Z"}`
	api.Serve(a, extend, s.change(pass.Extend))
	back := route("makeGatePassReturnable", http.MethodPost, "/admin/gatepass/{pass_number}/returnable",
		"Let somebody come back who was not to", store.ActChange)
	back.Body = `{"expected_return_at":"2026-11-18T20:00:00Z"}`
	api.Serve(a, back, s.change(pass.MakeReturnable))
	s.printing(a, "printGatePassAdmin", "/admin/gatepass/{pass_number}/print", store.ActOversee)
}

func (s *Answers) listAll(ctx context.Context, who identity.Actor, in *deletedInput) (*listOutput, error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Deleted = in.Deleted
	return s.listed(ctx, who, q, in.Vocab)
}

// An ActBody is what is said of a pass that is decided or changed. Older clients say no more than their name.
type ActBody struct {
	Note             string     `json:"note,omitempty"`
	Reason           string     `json:"reason,omitempty" doc:"Up to 500 characters."`
	Name             string     `json:"name,omitempty" maxLength:"200" doc:"Who does it; it must be who is signed in."`
	Force            bool       `json:"force,omitempty" doc:"Also where somebody is out on it, which takes a second administrator."`
	ValidFrom        *time.Time `json:"valid_from,omitempty"`
	ValidUntil       *time.Time `json:"valid_until,omitempty"`
	ExpectedReturnAt *time.Time `json:"expected_return_at,omitempty"`
}

type actInput struct {
	PassInput
	Name    string   `query:"name" maxLength:"200" doc:"As older clients send it."`
	IfMatch string   `header:"If-Match" maxLength:"40" doc:"The version that you read, as \"3\"; may be left out."`
	Body    *ActBody `required:"false"`
}

// ask is what a request wants done.
func (in *actInput) ask(e pass.Event) (casework.Ask, error) {
	b := ActBody{}
	if in.Body != nil {
		b = *in.Body
	}
	a := casework.Ask{Event: e, Name: b.Name, Reason: b.Reason, Force: b.Force, ValidFrom: given(b.ValidFrom),
		ValidUntil:       given(b.ValidUntil),
		ExpectedReturnAt: given(b.ExpectedReturnAt)}
	if a.Name == "" {
		a.Name = in.Name
	}
	if a.Reason == "" {
		a.Reason = b.Note
	}
	v, err := seen(in.IfMatch)
	a.Version = v
	return a, err
}

type doing func(ctx context.Context, who identity.Actor, ref store.Ref, a casework.Ask) (store.Kept, error)

func (s *Answers) does(e pass.Event, do doing) func(context.Context, identity.Actor, *actInput) (*passOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *actInput) (*passOutput, error) {
		ref, err := found(in.Pass)
		if err != nil {
			return nil, err
		}
		a, err := in.ask(e)
		if err != nil {
			return nil, err
		}
		k, err := do(ctx, who, ref, a)
		if err != nil {
			return nil, err
		}
		return s.answer(k, in.Vocab), nil
	}
}

func (s *Answers) decide(e pass.Event) func(context.Context, identity.Actor, *actInput) (*passOutput, error) {
	return s.does(e, s.desk.Decide)
}

func (s *Answers) change(e pass.Event) func(context.Context, identity.Actor, *actInput) (*passOutput, error) {
	return s.does(e, s.desk.Change)
}

// A RecallInput says which pass in use is to be deleted, and why.
type RecallInput struct {
	PassInput
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"500"`
	}
}

// A RecallBody says where a second administrator decides.
type RecallBody struct {
	Proposal string   `json:"proposal"`
	Pass     PassBody `json:"pass" doc:"As it is until then."`
}

type recallOutput struct{ Body RecallBody }

func (s *Answers) recall(ctx context.Context, who identity.Actor, in *RecallInput) (*recallOutput, error) {
	ref, err := found(in.Pass)
	if err != nil {
		return nil, err
	}
	k, proposal, err := s.desk.AskRecall(ctx, who, ref, in.Body.Reason)
	if err != nil {
		return nil, err
	}
	return &recallOutput{RecallBody{Proposal: proposal, Pass: passOf(k, s.now(), in.Vocab)}}, nil
}
