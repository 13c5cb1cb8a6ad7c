package casework

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// questionPrefix begins the key of a case that is a question about an event, and no pass.
const questionPrefix = "GQ-"

// isQuestion reports whether a case is about an event of a gate.
func isQuestion(key string) bool { return strings.HasPrefix(key, questionPrefix) }

// Questioned is what a proposal about an event says: which, and what is asked.
type Questioned struct {
	Event  replay.Digest `json:"event"`
	Number number.Number `json:"number,omitempty"`
	Reason replay.Reason `json:"reason"`
	Other  replay.Digest `json:"other,omitempty"`
}

// questionShown is what a person decides on, in the form that pages know.
type questionShown struct {
	Tool    string          `json:"tool"`
	Line    string          `json:"line"`
	Effect  string          `json:"effect"`
	Args    Questioned      `json:"args"`
	By      string          `json:"by"`
	Via     string          `json:"via"`
	Taint   bool            `json:"taint"`
	Case    string          `json:"case"`
	Finding finding.Finding `json:"finding"`
}

// ask asks an administrator about an event that does not fit, or that was held: a case of its own, because that of the pass may have ended.
func (in *inflow) ask(ctx context.Context, c replay.Clash) error {
	e, known := in.event(c.Digest)
	if !known {
		return fault.New(fault.Internal, "event %.20s is asked about and not there", c.Digest)
	}
	id := store.NewID(in.now)
	o := casefile.Opening{App: store.Name, Key: questionPrefix + strings.ToUpper(strings.ReplaceAll(id, "-", "")[12:]),
		Title: "Question from a gate"}
	if k, ours := in.passes[e.Pass]; ours {
		o.Title, o.Subjects = "Question about gate pass "+string(e.Pass), []seal.Subject{subjectOf(k.ID)}
	}
	gavel := identity.Gavel(in.org)
	opened, fresh, err := in.cases.OpenIn(ctx, in.tx, gavel, o)
	if err == nil && !fresh {
		err = fault.New(fault.Internal, "the case %s is there already", o.Key)
	}
	if err != nil {
		return err
	}
	p, err := in.proposal(ctx, c, e, id, string(opened.ID))
	if err != nil {
		return err
	}
	if err := in.reviews.CheckGate(ctx, in.tx, p); err != nil {
		return err
	}
	if err := review.Ask(ctx, in.tx, gavel, &p); err != nil {
		return err
	}
	return store.AddQuestion(ctx, in.tx, in.org, store.Question{ID: id, Event: c.Digest, Number: e.Pass, Reason: c.Reason, Other: c.With,
		RaisedAt: in.now, Case: string(opened.ID), Proposal: p.ID})
}

// proposal is the question as administrators decide it: what was held and is signed may be let count; of everything else it is only
// said that somebody has looked into it.
func (in *inflow) proposal(ctx context.Context, c replay.Clash, e replay.Known, id, caseID string) (p review.Proposal, err error) {
	found, err := in.found(ctx, c, e)
	if err != nil {
		return p, err
	}
	if err := found.Check(); err != nil {
		return p, err
	}
	args := Questioned{Event: c.Digest, Number: e.Pass, Reason: c.Reason, Other: c.With}
	text, err := json.Marshal(args)
	if err != nil {
		return p, err
	}
	gavel := identity.Gavel(in.org)
	doc, err := json.Marshal(questionShown{Tool: "settle_gate_question", Line: "Settle a question from a gate", Effect: "write", Args: args,
		By: gavel.ID, Via: store.Name, Taint: true, Case: caseID, Finding: found})
	if err != nil {
		return p, err
	}
	allowed := []review.Verdict{review.Reject}
	if c.Reason.Admissible() {
		allowed = []review.Verdict{review.Approve, review.Reject}
	}
	return review.Proposal{Org: in.org, Case: caseID, Kind: store.QuestionKind, App: store.Name, Key: store.Name + "/question/" + id,
		Gate: review.ByAnother, Args: text, ArgsSHA256: act.Digest(text), Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: gavel.ID,
		Makers: in.makers(c, e), Deciders: []identity.Role{identity.PassAdmin}, Allowed: allowed, CreatedAt: in.now}, nil
}

// makers are the guards whose events are in question: they do not decide about them.
func (in *inflow) makers(c replay.Clash, e replay.Known) []string {
	other, _ := in.event(c.With)
	all := []string{e.Guard, other.Guard}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id string) bool { return id == "" })
}

// settleKind is the proposal about an event.
func (d *Desk) settleKind() review.Kind {
	return review.Kind{Name: store.QuestionKind, Foresee: d.foreseeSettling, Then: d.settle}
}

// foreseeSettling says why an event could not be let count now.
func (d *Desk) foreseeSettling(ctx context.Context, tx pgx.Tx, p review.Proposal, _ identity.Actor, _ time.Time) error {
	q, known, err := store.QuestionOf(ctx, tx, p.ID)
	switch {
	case err != nil:
		return err
	case !known || !q.Settled.IsZero() || !q.Ended.IsZero():
		return fault.New(fault.Conflict, "the event fits after all: there is nothing to decide")
	case !q.Reason.Admissible():
		return fault.New(fault.Conflict, "this event cannot be let count")
	}
	return nil
}

// settle does what follows from the answer to a question, in the decision's own transaction.
func (d *Desk) settle(ctx context.Context, tx pgx.Tx, p review.Proposal, r review.Ruled) error {
	q, known, err := store.QuestionOf(ctx, tx, p.ID)
	if err != nil || !known {
		return err
	}
	answer := "left"
	if r.Decision.Verdict == review.Approve {
		answer = "counted"
	}
	if _, err := store.EndQuestion(ctx, tx, q.ID, answer, r.At); err != nil || answer == "left" {
		return err
	}
	return d.admit(ctx, tx, p.Org, q.Event)
}

// admit lets an event count that was held.
func (d *Desk) admit(ctx context.Context, tx pgx.Tx, org identity.Org, digest replay.Digest) error {
	text, err := store.ArrivalText(ctx, tx, digest)
	if err != nil {
		return err
	}
	in, err := d.inflow(ctx, tx, org, []string{text})
	if err != nil {
		return err
	}
	before := in.rules.States(in.h)
	h, rep, err := in.rules.Admit(in.h, digest)
	if err != nil {
		return err
	}
	in.h = h
	if err := store.LetIn(ctx, tx, digest); err != nil {
		return err
	}
	return in.follow(ctx, before, rep)
}

// TakeBack withdraws the proposals of questions that turned out to need no answer. It is done after what found it out, so that
// nobody waits for a proposal while they hold a pass.
func (d *Desk) TakeBack(ctx context.Context, org identity.Org) error {
	var fitting []store.Question
	err := d.store.In(ctx, org, func(tx pgx.Tx) (err error) {
		fitting, err = store.Fitting(ctx, tx)
		return err
	})
	for _, q := range fitting {
		if err == nil {
			err = d.store.In(ctx, org, func(tx pgx.Tx) error { return d.takeBack(ctx, tx, org, q) })
		}
	}
	return err
}

func (d *Desk) takeBack(ctx context.Context, tx pgx.Tx, org identity.Org, q store.Question) error {
	err := d.reviews.WithdrawIn(ctx, tx, org, q.Proposal)
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		err = nil // it was decided at this moment
	}
	if err != nil {
		return err
	}
	if ended, err := store.EndQuestion(ctx, tx, q.ID, "fits", d.store.Now()); err != nil || !ended {
		return err
	}
	return d.cases.Rouse(ctx, tx, casefile.Case{ID: casefile.CaseID(q.Case), Org: org, App: store.Name,
		Key: questionPrefix + strings.ToUpper(strings.ReplaceAll(q.ID, "-", "")[12:])})
}
