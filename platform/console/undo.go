package console

import (
	"net/http"
	"strconv"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// ClickTime is how long, on a watch, before an act may begin it is no longer offered to be
// undone: what is offered works, and a click is on its way for a while, from a telephone or to
// a busy server.
const ClickTime = 5 * time.Second

// An undoOffer is an undo that a page offers, by one button, for as long as it is certain
// to work.
type undoOffer struct {
	proposal, shown, once string
	reason                string    // on record, where the reader writes none
	back, next            string    // where the reader goes on; may be empty
	until                 time.Time // the offer's end; zero: no time is set, something else keeps it from beginning
	held                  string    // what does; the end of a message's key
	left                  time.Duration
}

// undoLeft is how long, on the reader's watch, something is still offered to be undone that
// may begin at a moment.
func undoLeft(p *web.Page, until time.Time) time.Duration { return max(p.Left(until)-ClickTime, 0) }

// undoEnds is when something is no longer offered to be undone, on the page's clock.
func undoEnds(p *web.Page, begins time.Time) time.Time { return begins.Add(-p.Passes(ClickTime)) }

// undoable says whether an act can be called off for certain, and what keeps it from
// beginning where that is not its window. One whose window is over may begin at any moment.
func undoable(p *web.Page, a *effect.Act, away bool) (yes bool, held string) {
	switch {
	case a == nil || a.State != effect.Planned && a.State != effect.OnHold:
		return false, ""
	case a.State == effect.OnHold:
		return true, "paused"
	case a.NotBefore != nil && undoLeft(p, *a.NotBefore) > 0:
		return true, ""
	}
	return away, "away"
}

// offerUndo is the undo of a proposal's act; nil where none is offered.
func offerUndo(p *web.Page, v proposalView) *undoOffer {
	yes, held := undoable(p, v.act, v.away)
	if !yes || v.mayNot != "" || !p.May("proposal.decide") {
		return nil
	}
	o := &undoOffer{proposal: v.ID, shown: v.ShownSHA256, once: "undo-" + v.once, reason: undoneOnPage, back: v.back, next: v.next,
		held: held}
	if held == "" {
		o.until = undoEnds(p, *v.act.NotBefore)
		o.left = undoLeft(p, *v.act.NotBefore)
	}
	return o
}

// undoAsked is the undo whose reason is being asked for, where its time is counted.
func undoAsked(p *web.Page, v proposalView) *undoOffer {
	if o := offerUndo(p, v); o != nil && v.answer == string(review.Undo) && !o.until.IsZero() {
		return o
	}
	return nil
}

// undoneOnPage is the reason on record of who writes none, as undoneHere is.
const undoneOnPage = "Undone with one click; no reason was written."

// readUndo finds whether what came of an act on a case is offered to be undone: by whom it may
// be is the proposal's to say.
func (c *Console) readUndo(r *http.Request, id casefile.CaseID, a effect.Act) (*undoOffer, error) {
	p := c.site.Page(r)
	if yes, _ := undoable(p, &a, c.engineAway(r.Context())); !yes || a.Proposal == "" || c.Reviews == nil || !p.May("proposal.decide") {
		return nil, nil
	}
	v, err := c.readToDecide(r, a.Proposal)
	if err != nil {
		return nil, err
	}
	v.back, v.next = caseAddress(id, ""), ""
	return offerUndo(p, v), nil
}

// seconds is a length of time as clock.js counts it down: to a tenth, and never too long.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', 1, 64)
}

// wholeSeconds is the same for people who hear it.
func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// undoOffered reports whether one of the reader's own decisions is still offered to be undone.
func undoOffered(p *web.Page, it review.Item) bool {
	return !it.UndoUntil.IsZero() && leaves(it.Proposal) && undoLeft(p, it.UndoUntil) > 0
}
