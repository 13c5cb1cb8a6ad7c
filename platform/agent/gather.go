package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// gather reads what became of the calls that the turn before left open, and
// what was wrong with an answer that is sent back.
func (t *turn) gather(ctx context.Context) error {
	if err := t.lookBack(ctx); err != nil {
		return err
	}
	for _, l := range t.in.Late {
		m, err := t.became(ctx, l)
		if err != nil {
			return err
		}
		t.late = append(t.late, result{Call: l.Call, Message: m})
	}
	if n := len(t.chain); t.in.Repairs > 0 && n > 0 && len(t.chain[n-1].Answer.Calls) == 0 && !t.chain[n-1].Compacts {
		if wrong := checkAnswer(t.spec, t.chain[n-1].Answer); wrong != "" {
			t.before = append(t.before, userSays(wrong+" Answer again, in the form asked for."))
		}
	}
	return nil
}

func (t *turn) became(ctx context.Context, l late) (model.Message, error) {
	switch l.From {
	case fromAct:
		return t.actBecame(l)
	case fromProposal:
		return t.proposalBecame(l)
	case fromRun:
		return t.runBecame(ctx, l)
	}
	return toolSays("", true, "This could not be carried out. Nothing was done."), nil
}

// actBecame tells what the record says about an act, never what a workflow
// believes.
func (t *turn) actBecame(l late) (model.Message, error) {
	key := actKey(t.facts.ID, l.Call)
	a, ok := t.ended.acts[key]
	if !ok {
		return model.Message{}, fault.New(fault.Internal, "there is no act %s", key)
	}
	switch a.State {
	case act.Done:
		t.taint = t.taint || t.outsideText(a)
		words := string(a.Result)
		if t.personEdited(l.Call, a) {
			words = "A person changed the arguments to " + string(a.Args) + " and it was carried out so. That is final. Result: " + words
		}
		return toolSays("", false, words), nil
	case act.Failed:
		t.taint = t.taint || t.outsideText(a)
		return toolSays("", true, "This was tried and failed: "+a.Reason), nil
	case act.Undone:
		return toolSays("", true, "A person called this off before it was done. That is final."), nil
	case act.Unknown:
		return toolSays("", true, "It is not known whether this was done. A person has been asked. Do not repeat it."), nil
	}
	return model.Message{}, fault.New(fault.Internal, "act %s is %s, not at its end", a.Key, a.State)
}

// outsideText reports whether what an act gave back may have been written outside.
func (t *turn) outsideText(a act.Act) bool {
	tl, ok := t.registry.Find(a.App, a.Tool)
	return !ok || tl.OutsideText
}

// argsOf is the arguments a model gave a call of the newest turn, and its tool; nil
// where nobody can say.
func (t *turn) argsOf(call string) (json.RawMessage, tool.Tool) {
	i := position(call)
	if len(t.chain) == 0 || i < 0 || i >= len(t.chain[len(t.chain)-1].Answer.Calls) {
		return nil, tool.Tool{}
	}
	c := t.chain[len(t.chain)-1].Answer.Calls[i]
	tl, ok := t.registry.Find(t.facts.App, c.Name)
	if !ok {
		return nil, tl
	}
	args, err := tl.Check([]byte(c.Args))
	if err != nil {
		return nil, tl
	}
	return args, tl
}

func (t *turn) proposalBecame(l late) (model.Message, error) {
	key := actKey(t.facts.ID, l.Call)
	o, ok := t.ended.proposals[key]
	if !ok {
		return model.Message{}, fault.New(fault.Internal, "there is no proposal for %s", key)
	}
	// What a decider says is the institution's own word and does not taint.
	switch o.Proposal.State {
	case review.Rejected:
		return toolSays("", true, "A person rejected this. That is final. Their reason: "+o.Reason), nil
	case review.SentBack:
		return toolSays("", true, "A person sent this back and asks: "+o.Reason), nil
	case review.Expired:
		return toolSays("", true, "Nobody decided in time. It was not done."), nil
	case review.Open, review.Approved, review.Edited:
		return model.Message{}, fault.New(fault.Internal, "proposal %s is %s, which is no refusal", o.Proposal.ID, o.Proposal.State)
	}
	return toolSays("", true, "This was taken back. It was not done."), nil
}

// runBecame is another agent's answer, and whatever taint it brings along.
func (t *turn) runBecame(ctx context.Context, l late) (model.Message, error) {
	r, ok := t.ended.runs[l.ID]
	if !ok {
		return toolSays("", true, "This agent could not begin."), nil
	}
	if r.Parent != t.facts.ID {
		return model.Message{}, fault.New(fault.Internal, "run %s was not asked for by %s", l.ID, t.facts.ID)
	}
	spec, err := t.books.spec(ctx, t.facts.Org, Digest(r.Spec))
	if err != nil {
		return model.Message{}, err
	}
	t.taint = t.taint || r.Tainted && !enumAnswer(spec)
	concerns, err := parseSubjects(r.Subjects)
	if err != nil {
		return model.Message{}, err
	}
	t.about = union(t.about, concerns) // from here on this transcript is about them, too
	if r.State != Done {
		return toolSays("", true, "This agent did not finish. "+r.Reason), nil
	}
	c, err := t.books.chain(ctx, t.facts.Org, short(Digest(r.Head)))
	if err != nil {
		return model.Message{}, err
	}
	said, err := handedOn(spec, c[len(c)-1].Answer)
	return toolSays("", false, said), err
}

// ended is what the record says of the calls that a turn left open.
type ended struct {
	acts      map[string]act.Act
	proposals map[string]review.Outcome
	runs      map[string]endedRun
}

// lookBack reads it, each kind of thing at once.
func (t *turn) lookBack(ctx context.Context) (err error) {
	var acts, proposals, runs []string
	for _, l := range t.in.Late {
		switch l.From {
		case fromAct:
			acts = append(acts, actKey(t.facts.ID, l.Call))
		case fromProposal:
			proposals = append(proposals, actKey(t.facts.ID, l.Call))
		case fromRun:
			runs = append(runs, l.ID)
		}
	}
	if len(acts) > 0 {
		if t.ended.acts, err = t.acts.ByKeys(ctx, t.facts.Org, acts...); err != nil {
			return err
		}
	}
	if len(proposals) > 0 {
		if t.ended.proposals, err = t.reviews.ByKeys(ctx, t.facts.Org, proposals...); err != nil {
			return err
		}
	}
	if len(runs) > 0 {
		t.ended.runs, err = t.books.ended(ctx, t.facts.Org, runs)
	}
	return err
}

// An endedRun is how a run ended.
type endedRun struct {
	ID      string
	Parent  string
	Spec    []byte
	State   State
	Reason  string
	Head    []byte
	Tainted bool

	Subjects []string
}

func (b *books) ended(ctx context.Context, org identity.Org, ids []string) (map[string]endedRun, error) {
	const some = `select id, coalesce(parent, ''), spec, state, reason, head, tainted, subjects from gavel.run where id = any ($1)`
	found := make(map[string]endedRun, len(ids))
	var look pgx.Batch
	look.Queue(some, ids).Query(func(rows pgx.Rows) error {
		runs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[endedRun])
		for _, r := range runs {
			found[r.ID] = r
		}
		return err
	})
	if err := b.db.Look(ctx, org, &look); err != nil {
		return nil, fmt.Errorf("read runs that have ended: %w", err)
	}
	return found, nil
}

// endedOne is how one run ended; NotFound if there is none.
func (b *books) endedOne(ctx context.Context, org identity.Org, id string) (endedRun, error) {
	found, err := b.ended(ctx, org, []string{id})
	if err != nil {
		return endedRun{}, err
	}
	r, ok := found[id]
	if !ok {
		return r, fault.New(fault.NotFound, "there is no run %s", id)
	}
	return r, nil
}

// A word is what a person wrote to a run.
type word struct{ Actor, Body string }

// words reads messages in the order they came. One that was erased meanwhile is
// left out.
func (b *books) words(ctx context.Context, org identity.Org, run string, ids []string) (all []word, err error) {
	const some = `select actor_id, body from gavel.run_message where run_id = $1 and id = any($2) and body <> '' order by at, id`
	var look pgx.Batch
	look.Queue(some, run, ids).Query(func(rows pgx.Rows) error {
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[word])
		return err
	})
	err = b.db.Look(ctx, org, &look)
	return all, err
}
