package console

import (
	"maps"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// shows is which of the two panes a phone shows.
func (in inbox) shows() string {
	if in.chosen {
		return "detail"
	}
	return "list"
}

// told is what was just done from the inbox; empty where nothing was, or a chip
// says it.
func (in inbox) told(p *web.Page) string {
	switch {
	case in.attended != "":
		return p.T("proposal.done." + in.attended)
	case in.did == nil:
		return ""
	}
	for _, it := range in.undo {
		if it.Decision == in.did.Decision {
			return ""
		}
	}
	return didWords(p, *in.did)
}

// saying is what a reader of the screen hears after a decision: what was done, and
// what is open now.
func (in inbox) saying(p *web.Page) string {
	var said string
	switch {
	case in.attended != "":
		said = p.T("proposal.done." + in.attended)
	case in.did != nil:
		said = didWords(p, *in.did)
	default:
		return ""
	}
	if in.open == nil {
		return said + " " + p.T("inbox.empty."+string(in.view))
	}
	return said + " " + p.T("inbox.now_open", "what", proposalTitle(p, *in.open), "id", in.open.ID)
}

// emptyWords says what goes on while nothing needs the reader. When the next gate
// comes is not known, and so it is not said.
func (in inbox) emptyWords(p *web.Page) string {
	if in.moving > 0 {
		n := strconv.Itoa(in.moving)
		if in.moving > casefile.MostMoving {
			n = strconv.Itoa(casefile.MostMoving) + "+"
		}
		return p.T("inbox.moving", "n", n)
	}
	return p.T("inbox.empty_text." + string(in.view))
}

// undoID is the id of the decision that a chip may send: one for each page, so
// that a second press is the same decision.
func (in inbox) undoID(it review.Item) string { return "undo-" + in.once + "-" + it.Proposal.ID }

// A field is a hidden value of a form.
type field struct{ name, value string }

// hidden is the filter as a form carries it.
func (f inboxFilter) hidden() []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(f.values())) {
		all = append(all, field{name, f.values().Get(name)})
	}
	return all
}

// A footing is what the case of the open proposal rests on.
type footing struct {
	sides map[evidence.Side]int
	first []evidence.Piece // the newest, at least one of every side
}

// maxPieces is how many pieces of evidence the pane shows; the case has all.
const maxPieces = 3

// footingOf counts evidence and chooses what the pane shows: something of every
// side that has any, the newest of it.
func footingOf(pieces []evidence.Piece) *footing {
	g := &footing{sides: map[evidence.Side]int{}}
	newest := map[evidence.Side]*evidence.Piece{}
	for i := range pieces {
		g.sides[pieces[i].Side]++
		newest[pieces[i].Side] = &pieces[i]
	}
	shown := map[int]bool{}
	for _, side := range []evidence.Side{evidence.For, evidence.Against, evidence.Unknown} {
		if e := newest[side]; e != nil {
			g.first = append(g.first, *e)
			shown[e.Number] = true
		}
	}
	for i := len(pieces) - 1; i >= 0 && len(g.first) < maxPieces; i-- {
		if !shown[pieces[i].Number] {
			g.first = append(g.first, pieces[i])
		}
	}
	return g
}

// An inboxKey is a key of the inbox and what it does, as the end of a message's
// key.
type inboxKey struct{ press, does string }

// inboxKeys are the keys, in the order of the help.
func inboxKeys() []inboxKey {
	return []inboxKey{{"j", "down"}, {"k", "up"}, {"Enter", "open"}, {"a", "approve"}, {"e", "edit"}, {"b", "send_back"}, {"r", "reject"},
		{"h", "snooze"}, {"d", "delegate"}, {"x", "select"}, {"/", "search"}, {"?", "help"}}
}

// keysAttr tells the page's script whether single keys act.
func keysAttr(p *web.Page) string {
	if p.Keys {
		return "keys"
	}
	return "no-keys"
}
