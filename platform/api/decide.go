package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

type decideInput struct {
	Named
	IfMatch string `header:"If-Match"`
	Body    NewDecisionBody
}

// A NewDecisionBody is a person's answer to a proposal.
type NewDecisionBody struct {
	ID      string         `json:"id,omitempty" maxLength:"80" doc:"Chosen by you, 8 to 80 characters; made from the key if it is left out."`
	Verdict review.Verdict `json:"verdict" enum:"approve,edit,send_back,reject"`
	Reason  string         `json:"reason,omitempty" doc:"Needed to reject, to send back, and to approve a legal filing."`
	Edit    Raw            `json:"edit,omitempty" doc:"The arguments as they should be, with the verdict edit."`
	Grounds string         `json:"grounds,omitempty" maxLength:"100" doc:"What the case rested on when you read it, as the proposal says it. Needed for a legal filing; where the case rests on more by now, nothing is decided."`
	Opened  Raw            `json:"opened,omitempty" doc:"What you opened, by your own word."`
	InStead string         `json:"in_stead_of,omitempty" doc:"Whose right you use, where several delegated theirs to you."`
}

// A DecidedBody is what a decision led to.
type DecidedBody struct {
	ID       string       `json:"id" doc:"Of the decision."`
	Proposal ProposalBody `json:"proposal"`
}

type decidedOutput struct {
	Status   int
	ETag     string `header:"ETag"`
	Location string `header:"Location"`
	Body     DecidedBody
}

func (s *Proposals) decided(id string, p review.Proposal) *decidedOutput {
	return &decidedOutput{Status: http.StatusCreated, ETag: p.ETag(), Location: "/v1/proposals/" + p.ID, Body: DecidedBody{id, s.body(p)}}
}

func (s *Proposals) decide(ctx context.Context, who identity.Actor, in *decideInput) (*decidedOutput, error) {
	b := in.Body
	d := review.Decision{ID: decisionID(ctx, who, in.ID, b.ID), Proposal: in.ID, Verdict: b.Verdict, Reason: b.Reason, Grounds: b.Grounds,
		Edit: json.RawMessage(given(b.Edit)), Opened: json.RawMessage(given(b.Opened)), For: b.InStead}
	if err := s.confirm(ctx, who, in.IfMatch, &d); err != nil {
		return nil, err
	}
	p, err := s.Reviews.Decide(ctx, who, d)
	if err != nil {
		return nil, err
	}
	return s.decided(d.ID, p), nil
}

type undoInput struct {
	Named
	IfMatch string `header:"If-Match"`
	Body    UndoBody
}

// An UndoBody says why an approval is undone.
type UndoBody struct {
	ID     string `json:"id,omitempty" maxLength:"80" doc:"Chosen by you; made from the key if it is left out."`
	Reason string `json:"reason"`
}

func (s *Proposals) undo(ctx context.Context, who identity.Actor, in *undoInput) (*decidedOutput, error) {
	d := review.Decision{ID: decisionID(ctx, who, in.ID, in.Body.ID), Proposal: in.ID, Verdict: review.Undo, Reason: in.Body.Reason}
	if err := s.confirm(ctx, who, in.IfMatch, &d); err != nil {
		return nil, err
	}
	p, err := s.Reviews.Undo(ctx, who, d)
	if err != nil {
		return nil, err
	}
	return s.decided(d.ID, p), nil
}

// given is JSON that was sent; null is nothing.
func given(r Raw) Raw {
	if string(r) == "null" {
		return nil
	}
	return r
}

// decisionID is the sender's own, or made from the key of the request, so that a
// repeat is the same decision for as long as there are decisions.
func decisionID(ctx context.Context, who identity.Actor, proposal, own string) string {
	if own != "" {
		return own
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", who.ID, proposal, keyOf(ctx)))
	return "key-" + hex.EncodeToString(sum[:20])
}

// confirm binds a decision to what the sender was shown. One that has been made
// already changes the proposal, and with it the tag: its repeat is told by its id.
func (s *Proposals) confirm(ctx context.Context, who identity.Actor, ifMatch string, d *review.Decision) error {
	p, err := s.Reviews.Get(ctx, who, d.Proposal)
	if err != nil {
		return err
	}
	d.ShownSHA256, err = p.Confirm(ifMatch)
	if !fault.Is(err, fault.Stale) {
		return err
	}
	made, lookErr := s.Reviews.Decisions(ctx, who.Org, p.ID)
	if lookErr != nil {
		return lookErr
	}
	if slices.ContainsFunc(made, func(m review.Made) bool { return m.ID == d.ID && m.ActorID == who.ID }) {
		d.ShownSHA256 = p.ShownSHA256
		return nil
	}
	return err
}

type decideSeveralInput struct{ Body SeveralBody }

// A SeveralBody is one answer to several proposals.
type SeveralBody struct {
	Verdict review.Verdict `json:"verdict" enum:"approve,reject"`
	Reason  string         `json:"reason,omitempty"`
	Items   []SeveralItem  `json:"items" minItems:"1" maxItems:"100"`
}

// A SeveralItem is one of them, as it was read.
type SeveralItem struct {
	Proposal string `json:"proposal" maxLength:"40"`
	ETag     string `json:"etag" maxLength:"200"`
	Grounds  string `json:"grounds,omitempty" maxLength:"100" doc:"What its case rested on when you read it; if it is left out, what it rested on when this was proposed."`
}

// A ResultBody is what became of one of several.
type ResultBody struct {
	Proposal string              `json:"proposal"`
	State    review.State        `json:"state" doc:"After it; empty where there is an error."`
	Error    *OperationErrorBody `json:"error" doc:"Why it was not decided; null if it was."`
}

type severalOutput struct {
	Body struct {
		Items []ResultBody `json:"items"`
	} `nameHint:"Results"`
}

func (s *Proposals) decideSeveral(ctx context.Context, who identity.Actor, in *decideSeveralInput) (*severalOutput, error) {
	var all []review.Decision
	results := make([]ResultBody, len(in.Body.Items))
	at := map[string]int{}
	for i, item := range in.Body.Items {
		results[i].Proposal = item.Proposal
		d := review.Decision{ID: decisionID(ctx, who, item.Proposal, ""), Proposal: item.Proposal, Verdict: in.Body.Verdict,
			Reason: in.Body.Reason, Grounds: item.Grounds}
		if err := s.confirm(ctx, who, item.ETag, &d); err != nil {
			if postgres.Rehearsing(ctx) {
				return nil, err
			}
			exchangeOf(ctx).again = exchangeOf(ctx).again || fault.KindOf(err).Retryable()
			results[i].Error = errorBody(err)
			continue
		}
		at[item.Proposal] = i
		all = append(all, d)
	}
	var out severalOutput
	out.Body.Items = results
	if len(all) == 0 {
		return &out, nil
	}
	done, err := s.Reviews.DecideAll(ctx, who, all)
	for _, r := range done {
		results[at[r.Proposal]].State = r.State
		if r.Err != nil {
			results[at[r.Proposal]].Error = errorBody(r.Err)
		}
	}
	if err != nil {
		return nil, err
	}
	return &out, s.settle(ctx, done)
}

// settle looks at what became of several at once. Where only trying was asked
// for, the first that would fail is the answer. Where some failed that may go well
// in a moment, the answer is not kept: the same request again decides those, and
// finds the others decided.
func (s *Proposals) settle(ctx context.Context, done []review.Result) error {
	for _, r := range done {
		if r.Err == nil {
			continue
		}
		if postgres.Rehearsing(ctx) {
			return r.Err
		}
		x := exchangeOf(ctx)
		x.again = x.again || fault.KindOf(r.Err).Retryable()
	}
	return nil
}

// errorBody is an error inside an answer, as a problem would say it.
func errorBody(err error) *OperationErrorBody {
	kind := fault.KindOf(err)
	text, next := fault.Words(err)
	return &OperationErrorBody{kind.Code(), text, next, kind.Retryable()}
}
