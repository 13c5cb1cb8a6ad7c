package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
)

// gather reads what became of the calls that the turn before left open, and
// what was wrong with an answer that is sent back.
func (t *turn) gather(ctx context.Context) error {
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
		return t.actBecame(ctx, l)
	case fromProposal:
		return t.proposalBecame(ctx, l)
	case fromRun:
		return t.runBecame(ctx, l)
	}
	return toolSays("", true, "This could not be carried out. Nothing was done."), nil
}

// actBecame tells what the record says about an act, never what a workflow
// believes.
func (t *turn) actBecame(ctx context.Context, l late) (model.Message, error) {
	a, err := t.acts.Get(ctx, t.facts.Org, actKey(t.facts.ID, l.Call))
	if err != nil {
		return model.Message{}, err
	}
	switch a.State {
	case act.Done:
		t.taint = t.taint || t.outsideText(a)
		words := string(a.Result)
		if asked := t.argsOf(l.Call); asked != "" && asked != a.ArgsSHA256 {
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

// argsOf is the digest of the arguments a model gave a call of the newest turn.
func (t *turn) argsOf(call string) string {
	i := position(call)
	if len(t.chain) == 0 || i < 0 || i >= len(t.chain[len(t.chain)-1].Answer.Calls) {
		return ""
	}
	c := t.chain[len(t.chain)-1].Answer.Calls[i]
	tl, ok := t.registry.Find(t.facts.App, c.Name)
	if !ok {
		return ""
	}
	args, err := tl.Check([]byte(c.Args))
	if err != nil {
		return ""
	}
	return act.Digest(args)
}

func (t *turn) proposalBecame(ctx context.Context, l late) (model.Message, error) {
	key := actKey(t.facts.ID, l.Call)
	found, err := t.reviews.ByKeys(ctx, t.facts.Org, key)
	if err != nil {
		return model.Message{}, err
	}
	o, ok := found[key]
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
	r, err := t.books.ended(ctx, t.facts.Org, l.ID)
	if fault.Is(err, fault.NotFound) {
		return toolSays("", true, "This agent could not begin."), nil
	}
	if err != nil {
		return model.Message{}, err
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
	t.facts.Subjects = union(t.facts.Subjects, concerns) // from here on this transcript is about them, too
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

// An endedRun is how a run ended.
type endedRun struct {
	Parent  string
	Spec    []byte
	State   State
	Reason  string
	Head    []byte
	Tainted bool

	Subjects []string
}

func (b *books) ended(ctx context.Context, org identity.Org, id string) (r endedRun, err error) {
	const one = `select coalesce(parent, ''), spec, state, reason, head, tainted, subjects from gavel.run where id = $1`
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, id)
		r, err = pgx.CollectOneRow(rows, pgx.RowToStructByPos[endedRun])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return r, fault.New(fault.NotFound, "there is no run %s", id)
	}
	if err != nil {
		return r, fmt.Errorf("read run %s: %w", id, err)
	}
	return r, nil
}

// A word is what a person wrote to a run.
type word struct{ Actor, Body string }

// words reads messages in the order they came. One that was erased meanwhile is
// left out.
func (b *books) words(ctx context.Context, org identity.Org, run string, ids []string) (all []word, err error) {
	const some = `select actor_id, body from gavel.run_message where run_id = $1 and id = any($2) and body <> '' order by at, id`
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, some, run, ids)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[word])
		return err
	})
	return all, err
}
