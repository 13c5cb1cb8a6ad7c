package ask

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	said "github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// The most that one look-up brings.
const (
	mostFacts     = 12
	mostPieces    = 8
	mostProposals = 8
)

// A finding is everything that the look-ups brought.
type finding struct {
	looks   []Look
	one     casefile.Case
	state   bool // how the case stands was asked for
	book    *fact.Book
	facts   []fact.Fact
	pieces  []evidence.Piece
	sides   map[evidence.Side]int
	waiting []review.Proposal
	decided []review.Proposal
	led     []string                // proposals whose findings answer why
	found   map[string]said.Finding // what was found, by the ids of proposals
}

// lookUp brings what a question is after, from what its asker may read.
func (d *Desk) lookUp(ctx context.Context, actor identity.Actor, id casefile.CaseID, w Wish, tell func(Look)) (f finding, err error) {
	if f.one, err = d.Cases.Get(ctx, actor.Org, id); err != nil {
		return f, err
	}
	for _, topic := range w.Topics {
		n, err := d.lookFor(ctx, actor, topic, w, &f)
		if err != nil {
			return f, err
		}
		f.looks = append(f.looks, Look{topic, n})
		tell(Look{topic, n})
	}
	return f, nil
}

func (d *Desk) lookFor(ctx context.Context, actor identity.Actor, topic Topic, w Wish, f *finding) (n int, err error) {
	switch topic {
	case Why:
		if err := d.lookForFound(ctx, actor, f); err != nil {
			return 0, err
		}
		return d.lookForGrounds(ctx, actor, w, f)
	case Numbers:
		return d.lookForFacts(ctx, actor, w, f)
	case Waiting:
		f.waiting, _, err = d.Reviews.List(ctx, actor, review.Query{Case: string(f.one.ID), Limit: mostProposals})
		if err != nil {
			return 0, err
		}
		return len(f.waiting), d.nameAll(ctx, actor, f, idsOf(f.waiting))
	case Decisions:
		for _, state := range []review.State{review.Approved, review.Edited, review.Rejected, review.SentBack} {
			list, _, err := d.Reviews.List(ctx, actor, review.Query{Case: string(f.one.ID), State: state, Limit: mostProposals})
			if err != nil {
				return 0, err
			}
			f.decided = append(f.decided, list...)
		}
		slices.SortFunc(f.decided, func(a, b review.Proposal) int { return b.EndedAt.Compare(a.EndedAt) })
		f.decided = f.decided[:min(len(f.decided), mostProposals)]
		return len(f.decided), d.nameAll(ctx, actor, f, idsOf(f.decided))
	}
	f.state = true
	return 1, nil
}

// lookForGrounds brings the evidence by the side it speaks for, and facts with it.
func (d *Desk) lookForGrounds(ctx context.Context, actor identity.Actor, w Wish, f *finding) (int, error) {
	pieces, err := d.Evidence.Pieces(ctx, actor.Org, f.one.ID)
	if err != nil {
		return 0, err
	}
	f.sides = map[evidence.Side]int{}
	for _, p := range pieces {
		f.sides[p.Side]++
	}
	f.pieces = pieces[max(0, len(pieces)-mostPieces):]
	if _, err := d.lookForFacts(ctx, actor, w, f); err != nil {
		return 0, err
	}
	return len(pieces), nil
}

// lookForFacts brings those a question names, then those it is about; where it
// names nothing, the newest.
func (d *Desk) lookForFacts(ctx context.Context, actor identity.Actor, w Wish, f *finding) (int, error) {
	if f.facts != nil {
		return len(f.facts), nil
	}
	book, err := d.Evidence.Book(ctx, actor.Org, f.one.ID)
	if err != nil {
		return 0, err
	}
	f.book = book
	type ranked struct {
		fact.Fact
		rank int
	}
	var all []ranked
	for _, one := range book.Newest() {
		rank := w.about(one)
		if slices.Contains(w.Facts, one.ID) {
			rank = 1000
		}
		all = append(all, ranked{one, rank})
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.ID.Number(), a.ID.Number()))
	})
	f.facts = []fact.Fact{}
	for _, r := range all[:min(len(all), mostFacts)] {
		if len(w.Facts)+len(w.Words) == 0 || r.rank > 0 || w.Guess {
			f.facts = append(f.facts, r.Fact)
		}
	}
	return len(f.facts), nil
}

// lines is the answer without a model: what was found, a line each.
func (f finding) lines() []Line {
	out := f.leads()
	say := func(l Line) { out = append(out, l) }
	if f.sides != nil {
		say(Line{Key: "grounds", Args: map[string]string{"for": strconv.Itoa(f.sides[evidence.For]),
			"against": strconv.Itoa(f.sides[evidence.Against]), "unknown": strconv.Itoa(f.sides[evidence.Unknown])}})
		for _, p := range f.pieces {
			say(Line{Key: "piece." + string(p.Side), Args: map[string]string{"id": p.ID()}, At: p.At, Link: p.ID()})
		}
	}
	for _, one := range f.facts {
		say(Line{Key: "fact", Text: "{{" + string(one.ID) + "}}", Facts: []fact.Ref{one.Ref()}, Link: string(one.ID)})
	}
	if f.state {
		say(Line{Key: "state", Args: map[string]string{"state": string(f.one.State), "status": f.one.Status, "for": f.one.WaitingFor}})
		if f.one.DueAt != nil {
			say(Line{Key: "due", At: *f.one.DueAt})
		}
	}
	for _, p := range f.waiting {
		say(Line{Key: "waiting", Args: f.named(p), At: p.DueAt, Link: p.ID})
	}
	for _, p := range f.decided {
		say(Line{Key: "decided." + string(p.State), Args: f.named(p), At: p.EndedAt, Link: p.ID})
	}
	for _, l := range f.looks {
		if l.Found == 0 && (l.Topic != Why || len(f.led) == 0) {
			say(Line{Key: "none." + string(l.Topic)})
		}
	}
	return out[:min(len(out), MaxLines)]
}
