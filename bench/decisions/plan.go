package main

import (
	"math/rand/v2"
	"time"

	"github.com/gavelhq/gavel/platform/review"
)

// undoWindow is how long an approved letter waits.
const undoWindow = 4 * time.Second

// A plan is what happens to one proposal, besides what chance and the servers make
// of it. People are numbers: those who decide by their own right come first.
type plan struct {
	verdict            review.Verdict
	who, other, second int  // the one whose turn it is, somebody else who has it open, a second voice
	server             int  // where who begins
	page               bool // by the page's form and not the API
	inStead            bool // by a delegate of who, if they have leave just then

	twice   bool // pressed twice, under one key, on both servers at once
	again   bool // pressed again afterwards, under another key
	lost    bool // given up waiting, and sent again elsewhere
	giveUp  time.Duration
	blind   bool // sent without saying what was read, first
	stale   bool // other answers what they read before who decided
	rival   bool // other gives the opposite answer at the same moment
	undo    bool // if it is a letter that was approved
	undoIn  time.Duration
	tooLate bool // and only when it has been carried out
	undoBy  int
	undoTwo bool // pressed twice
}

// draw says what happens to an ask. The same seed draws the same.
func draw(seed uint64, a ask, owners int) plan {
	rng := rand.New(rand.NewPCG(seed, uint64(a.file*callsPerCase+a.n))) //nolint:gosec // it must be repeatable
	in := func(hundred int) bool { return rng.IntN(100) < hundred }
	three := rng.Perm(owners)[:4]
	p := plan{verdict: review.Approve, who: three[0], other: three[1], second: three[2], undoBy: three[3], server: rng.IntN(2),
		page: in(10), inStead: in(12), twice: in(20), again: in(6), lost: in(6), blind: in(3), stale: in(15), rival: in(12),
		undo: in(20), tooLate: in(25), undoTwo: in(30)}
	p.giveUp = time.Duration(1+rng.IntN(30)) * time.Millisecond
	p.undoIn = time.Duration(rng.Int64N(int64(undoWindow + undoWindow/4)))
	switch n := rng.IntN(100); {
	case n < 18:
		p.verdict = review.Reject
	case n < 25:
		p.verdict = review.SendBack
	}
	if p.page {
		p.lost, p.blind = false, false
	}
	if p.inStead { // whose leave it is decided by decides it themselves only if the delegate cannot
		p.page = false
	}
	return p
}

// opposite is what a rival answers.
func (p plan) opposite() review.Verdict {
	if p.verdict == review.Approve {
		return review.Reject
	}
	return review.Approve
}
