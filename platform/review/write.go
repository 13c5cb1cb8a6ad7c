package review

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// KindProposal is the kind of a record about a proposal that an application made of itself, or that ended without a
// decision.
const KindProposal audit.Kind = "proposal"

// move brings the proposal into the state that follows, and reports whether that
// is its end.
func (r *ruling) move() bool {
	states := map[Verdict]State{Approve: Approved, Edit: Edited, SendBack: SentBack, Reject: Rejected}
	if r.d.Verdict == Approve && len(r.voices)+1 < r.p.Required {
		return false
	}
	r.p.State, r.p.EndedAt, r.p.EndedBy = states[r.d.Verdict], r.at, r.d.ID
	if r.p.State == Approved || r.p.State == Edited {
		r.p.FinalArgsSHA256 = r.digest
	}
	if r.p.State == Edited {
		r.p.FinalArgs = r.args
	}
	r.p.Seed = r.test
	return true
}

// write queues the decision, its record and, where it ends the proposal, the
// end and the act. The order is the one the database asks for.
func (r *ruling) write(b *pgx.Batch, ended bool) error {
	id, err := audit.AppendLater(b, audit.Record{At: r.at, Kind: audit.Decision, App: r.p.App, Actor: r.actor, Subject: r.p.Case,
		Body: answer{
			Act: r.p.ActKey(), ArgsSHA256: r.digest, Decision: r.d.ID, Delegation: r.under.ID, Grounds: r.d.Grounds, OnBehalf: r.under.From,
			Proposal: r.p.ID, Seed: r.p.seedDigest(), ShownSHA256: r.d.ShownSHA256, State: r.p.State, Verdict: r.d.Verdict}})
	if err != nil {
		return err
	}
	r.record = id
	const insert = `
		insert into gavel.decision (org, id, proposal, verdict, actor_kind, actor_id, actor_name, roles, at, shown_sha256, args_sha256,
		reason, opened, record_id,
			on_behalf, delegation, open_seconds, grounds)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`
	opened, seconds := r.looked()
	b.Queue(insert, string(r.p.Org), r.d.ID, r.p.ID, string(r.d.Verdict), string(r.actor.Kind), r.actor.ID, r.actor.Name,
		texts(r.actor.Roles),
		r.at, r.d.ShownSHA256, r.digest, r.d.Reason, opened, string(id), r.under.From, r.under.ID, seconds, r.d.Grounds)
	forget(b, r.p, r.actor.ID)
	if !ended {
		return nil
	}
	queueEnd(b, r.p)
	if r.p.FinalArgsSHA256 == "" || r.p.Tool == "" || r.test != nil {
		return nil // a test becomes no act, whatever the answer
	}
	return act.PlanLater(b, r.p.Org, r.plan())
}

// An answer is what the log says of a decision: ids and digests, in canonical
// order.
type answer struct {
	Act         string  `json:"act"`
	ArgsSHA256  string  `json:"args_sha256"`
	Decision    string  `json:"decision,omitempty"`
	Delegation  string  `json:"delegation,omitempty"` // under which it was made
	Grounds     string  `json:"grounds,omitempty"`    // what the case rested on, as the person had read it
	OnBehalf    string  `json:"on_behalf,omitempty"`  // in whose stead
	Proposal    string  `json:"proposal"`
	Seed        string  `json:"seed,omitempty"` // it was a test: SeedDigest of it
	ShownSHA256 string  `json:"shown_sha256,omitempty"`
	State       State   `json:"state"` // of the proposal, after it
	Verdict     Verdict `json:"verdict,omitempty"`
}

// plan is the act that was approved. One that leaves the organisation waits
// until its undo window has passed.
func (r *ruling) plan() act.Plan {
	p := act.Plan{Key: r.p.Key, Case: r.p.Case, Run: r.p.Run, Call: r.p.Call, App: r.p.App, Tool: r.p.Tool, Effect: r.p.Effect,
		Args: r.args, ArgsSHA256: r.digest, Proposal: r.p.ID, NotBefore: r.p.notBefore(), At: r.at, By: r.actor}
	if strings.HasPrefix(r.p.RequestedBy, string(identity.Agent)+":") {
		p.Agent = r.p.RequestedBy
	}
	return p
}

// notBefore is when an approved act may begin; zero where it may at once.
func (p Proposal) notBefore() time.Time {
	if p.Effect != act.Outside || p.Undo == 0 || p.FinalArgsSHA256 == "" || p.Seed != nil {
		return time.Time{}
	}
	return p.EndedAt.Add(p.Undo)
}

// queueEnd writes a proposal's end.
func queueEnd(b *pgx.Batch, p Proposal) {
	const update = `
		update gavel.proposal set state = $3, final_args = $4, final_args_sha256 = nullif($5, ''), ended_at = $6, ended_by = nullif($7, '')
		where org = $1 and id = $2`
	var final *string
	if p.FinalArgs != nil {
		text := string(p.FinalArgs)
		final = &text
	}
	b.Queue(update, string(p.Org), p.ID, string(p.State), final, p.FinalArgsSHA256, p.EndedAt, p.EndedBy)
}

// enter adds the decision to the case's history. The reason is not part of it:
// entries stay, and reasons can be erased.
func (r *ruling) enter(ctx context.Context, c casefile.Case) error {
	text := fmt.Sprintf("%s: %s", r.p.ID, r.d.Verdict)
	if r.under.From != "" {
		text += " on behalf of " + r.under.From
	}
	if r.p.Seed != nil {
		text += "; it was a test, and nothing comes of it"
	}
	_, _, err := casefile.Apply(ctx, r.tx, c.ID, casefile.Change{
		Key: "decision:" + r.d.ID, WaitingFor: c.WaitingFor,
		Entry: casefile.Entry{Kind: "decision", At: r.at, ActorKind: r.actor.Kind, ActorID: r.actor.ID, ActorName: r.actor.Name,
			Text: text},
	})
	return err
}

// decided is what the workflow that waits is told of a proposal that has ended.
func (p Proposal) decided() Decided {
	d := Decided{Key: p.Key, Proposal: p.ID, Decision: p.EndedBy, State: p.State, ArgsSHA256: p.FinalArgsSHA256, NotBefore: p.notBefore()}
	if d.ArgsSHA256 == "" {
		d.ArgsSHA256 = p.ArgsSHA256
	}
	return d
}

// wake leaves word for the workflow that waits for a proposal, and for that of its
// case where it is to be told as well.
func (s *Store) wake(ctx context.Context, tx pgx.Tx, p Proposal, c casefile.Case, d Decided) error {
	whom := p.Wake
	if whom.WorkflowID == "" && s.wakeOf != nil {
		var err error
		if whom, err = s.wakeOf(c); err != nil {
			return err
		}
	}
	if whom.WorkflowID == "" {
		return nil
	}
	input, err := json.Marshal(d)
	if err != nil {
		return err
	}
	all := []Wake{whom}
	if whom.Case && s.wakeOf != nil && c.State != casefile.Closed {
		its, err := s.wakeOf(c)
		if err != nil {
			return err
		}
		all = append(all, its)
	}
	for _, w := range all {
		if err := outbox.AddSignal(ctx, tx, p.Org, w.WorkflowID, outbox.Signal{Name: SignalName, Input: input,
			Start: w.Start}); err != nil {
			return err
		}
	}
	return nil
}

// recordRefusal puts on record that somebody was told no.
func (r *ruling) recordRefusal(ctx context.Context) error {
	_, err := audit.Append(ctx, r.tx, audit.Record{At: r.at, Kind: audit.Refusal, App: r.p.App, Actor: r.actor, Subject: r.p.Case,
		Body: answer{
			Act: r.p.ActKey(), ArgsSHA256: r.p.ArgsSHA256, Proposal: r.p.ID, State: r.p.State, Verdict: r.d.Verdict}})
	return err
}
