package api

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

type inboxInput struct {
	Paging
	View    string    `query:"view" enum:"needs_me,waiting,snoozed,done" doc:"needs_me if it is left out."`
	App     string    `query:"app" maxLength:"40"`
	Since   time.Time `query:"since" doc:"Of done: from when on; a day ago if it is left out."`
	OrderBy string    `query:"order_by" enum:"urgency"`
}

// An ItemBody is one line of an inbox.
type ItemBody struct {
	Proposal     ProposalBody   `json:"proposal"`
	Line         string         `json:"line" doc:"Whom it is about and what was found, in a line; what it would do where there is no finding."`
	CaseRef      string         `json:"case_ref"`
	CaseTitle    string         `json:"case_title"`
	Why          review.Why     `json:"why" doc:"By what right it is in your inbox."`
	InStead      string         `json:"in_stead_of" doc:"Whose right it is, where it was delegated."`
	Class        review.Class   `json:"class" doc:"routine, weighty, external_mail or legal_filing."`
	DueAt        *time.Time     `json:"due_at"`
	Overdue      bool           `json:"overdue"`
	Claim        *ClaimBody     `json:"claim" doc:"Who else is looking; null for nobody."`
	Signed       int            `json:"signed" doc:"How many have approved."`
	Decision     string         `json:"decision" doc:"Of done: yours."`
	Verdict      review.Verdict `json:"verdict"`
	DecidedAt    *time.Time     `json:"decided_at"`
	UndoUntil    *time.Time     `json:"undo_until" doc:"Null where it cannot be undone any more."`
	SnoozedUntil *time.Time     `json:"snoozed_until"`
}

func (s *Proposals) inbox(ctx context.Context, who identity.Actor, in *inboxInput, after string, limit int) ([]ItemBody, string, error) {
	page, err := s.Reviews.Inbox(ctx, who, review.InboxQuery{View: review.View(in.View), App: in.App, Since: in.Since, After: after,
		Limit: limit})
	out := make([]ItemBody, len(page.Items))
	for i, it := range page.Items {
		out[i] = ItemBody{Proposal: s.body(it.Proposal), Line: it.Line, CaseRef: it.CaseRef, CaseTitle: it.Case, Why: it.Why,
			InStead: it.For, Class: it.Class,
			DueAt: moment(it.DueAt), Overdue: it.Overdue, Signed: it.Signed, Decision: it.Decision, Verdict: it.Verdict,
			DecidedAt: moment(it.DecidedAt), UndoUntil: moment(it.UndoUntil), SnoozedUntil: moment(it.SnoozedUntil)}
		out[i].Proposal.Finding = it.Finding
		if it.Claim.By != "" {
			out[i].Claim = &ClaimBody{it.Claim.By, it.Claim.Name, it.Claim.Until.UTC()}
		}
	}
	return out, page.Next, err
}

type countsInput struct {
	Since time.Time `query:"since" doc:"Of done: from when on; a day ago if it is left out."`
}

// A CountsBody says exactly how much is in each view.
type CountsBody struct {
	NeedsMe  int `json:"needs_me" doc:"The sum of the next three."`
	Overdue  int `json:"overdue"`
	Today    int `json:"today" doc:"Due within a day of since."`
	Later    int `json:"later" doc:"Or never due."`
	Waiting  int `json:"waiting"`
	Snoozed  int `json:"snoozed"`
	Done     int `json:"done"`
	Undoable int `json:"undoable" doc:"Of what is done, what can still be undone."`
}

type countsOutput struct{ Body CountsBody }

func (s *Proposals) counts(ctx context.Context, who identity.Actor, in *countsInput) (*countsOutput, error) {
	c, err := s.Reviews.InboxCounts(ctx, who, review.InboxQuery{Since: in.Since})
	if err != nil {
		return nil, err
	}
	return &countsOutput{CountsBody{c.NeedsMe, c.Overdue, c.Today, c.Later, c.Waiting, c.Snoozed, c.Done, c.Undoable}}, nil
}

type snoozeInput struct {
	Named
	Body SnoozeBody
}

// A SnoozeBody says until when something is put off.
type SnoozeBody struct {
	Until time.Time `json:"until"`
}

func (s *Proposals) snooze(ctx context.Context, who identity.Actor, in *snoozeInput) (*Empty, error) {
	return &Empty{}, s.Reviews.Snooze(ctx, who, in.ID, in.Body.Until)
}

type claimOutput struct{ Body ClaimBody }

func (s *Proposals) claim(ctx context.Context, who identity.Actor, in *Named) (*claimOutput, error) {
	c, err := s.Reviews.Claim(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	return &claimOutput{ClaimBody{c.By, c.Name, c.Until.UTC()}}, nil
}

func (s *Proposals) unclaim(ctx context.Context, who identity.Actor, in *Named) (*Empty, error) {
	return &Empty{}, s.Reviews.Unclaim(ctx, who, in.ID)
}

type assignInput struct {
	Named
	Body AssignBody
}

// An AssignBody says who is to decide.
type AssignBody struct {
	To string `json:"to" maxLength:"200" doc:"The id of a person; empty for nobody in particular."`
}

func (s *Proposals) assign(ctx context.Context, who identity.Actor, in *assignInput) (*Empty, error) {
	return &Empty{}, s.Reviews.Assign(ctx, who, in.ID, in.Body.To)
}

type openedInput struct {
	Named
	Body OpenedBody
}

// An OpenedBody is a part of a proposal's page that was open, and for how long.
type OpenedBody struct {
	What    string `json:"what" maxLength:"40"`
	Seconds int    `json:"seconds" minimum:"1" maximum:"86400"`
}

func (s *Proposals) opened(ctx context.Context, who identity.Actor, in *openedInput) (*Empty, error) {
	return &Empty{}, s.Reviews.Opened(ctx, who, in.ID, in.Body.What, in.Body.Seconds)
}

// A DelegationBody lets one person decide in another's stead.
type DelegationBody struct {
	ID       string          `json:"id"`
	From     string          `json:"from"`
	FromName string          `json:"from_name"`
	To       string          `json:"to"`
	ToName   string          `json:"to_name"`
	Roles    []identity.Role `json:"roles"`
	App      string          `json:"app" doc:"Empty for all."`
	Kind     string          `json:"kind" doc:"Empty for all."`
	StartsAt time.Time       `json:"starts_at"`
	EndsAt   time.Time       `json:"ends_at"`
	Reason   string          `json:"reason"`
	MadeAt   time.Time       `json:"made_at"`
	EndedAt  *time.Time      `json:"ended_at" doc:"Before its time."`
	EndedBy  string          `json:"ended_by"`
	Record   string          `json:"record"`
}

func delegationBody(d review.Delegation) DelegationBody {
	return DelegationBody{ID: d.ID, From: d.From, FromName: d.FromName, To: d.To, ToName: d.ToName, Roles: append([]identity.Role{},
		d.Roles...), App: d.App, Kind: d.Kind,
		StartsAt: d.StartsAt.UTC(), EndsAt: d.EndsAt.UTC(), Reason: d.Reason, MadeAt: d.MadeAt.UTC(), EndedAt: UTC(d.EndedAt),
		EndedBy: d.EndedBy, Record: d.Record}
}

type delegationsInput struct {
	Paging
	Person string `query:"person" maxLength:"200" doc:"Somebody else's, for who may see who has which role; you, if it is left out."`
	All    bool   `query:"all" doc:"Everybody's, for who may see that."`
	Over   bool   `query:"over" doc:"Those that are over, too."`
}

// delegations lists the newest first.
func (s *Proposals) delegations(ctx context.Context, who identity.Actor, in *delegationsInput, after string,
	limit int) ([]DelegationBody, string, error) {
	person := in.Person
	if person == "" && !in.All {
		person = who.ID
	}
	all, next, err := s.Reviews.Delegations(ctx, who, review.DelegationQuery{Person: person, Over: in.Over, After: after, Limit: limit})
	out := make([]DelegationBody, len(all))
	for i, d := range all {
		out[i] = delegationBody(d)
	}
	return out, next, err
}

type delegateInput struct{ Body NewDelegationBody }

// A NewDelegationBody asks for a delegation of one's own right.
type NewDelegationBody struct {
	To       string          `json:"to" maxLength:"200"`
	Roles    []identity.Role `json:"roles,omitempty" maxItems:"20" doc:"Of those you hold; all if it is left out."`
	App      string          `json:"app,omitempty" maxLength:"40"`
	Kind     string          `json:"kind,omitempty" maxLength:"40"`
	StartsAt time.Time       `json:"starts_at,omitempty" doc:"Now, if it is left out."`
	EndsAt   time.Time       `json:"ends_at"`
	Reason   string          `json:"reason,omitempty"`
}

type delegationOutput struct {
	Status int
	Body   DelegationBody
}

func (s *Proposals) delegate(ctx context.Context, who identity.Actor, in *delegateInput) (*delegationOutput, error) {
	b := in.Body
	d, err := s.Reviews.Delegate(ctx, who, review.Delegating{To: b.To, Roles: b.Roles, App: b.App, Kind: b.Kind, StartsAt: b.StartsAt,
		EndsAt: b.EndsAt, Reason: b.Reason, Once: onceOf(ctx)})
	return &delegationOutput{201, delegationBody(d)}, err
}

type endedOutput struct{ Body DelegationBody }

func (s *Proposals) endDelegation(ctx context.Context, who identity.Actor, in *Named) (*endedOutput, error) {
	d, err := s.Reviews.EndDelegation(ctx, who, in.ID)
	return &endedOutput{delegationBody(d)}, err
}
