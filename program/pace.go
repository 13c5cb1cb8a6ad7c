package program

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/tool"
)

// shortestWindow is how long, on a watch, an undo is offered at least in a demonstration:
// nobody finds a button within the half second that five minutes take there. The start page,
// the page of the proposal and docs/design/demo.md say so.
const shortestWindow = 10 * time.Second

// shortestCard is how long, on a watch, a card waits at least for whoever asked for it a
// moment ago.
const shortestCard = 5 * time.Minute

// paced are the applications with undo windows and cards that people can use although the clock is
// fast. What is longer stays as it is, and so does what has none.
func (a applications) paced(clock durable.Clock) applications {
	least := min(clock.Passes(shortestWindow+console.ClickTime), tool.LongestUndo)
	all := slices.Clone(a)
	for i := range all {
		all[i].Tools = slices.Clone(all[i].Tools)
		for j := range all[i].Tools {
			if t := &all[i].Tools[j]; t.Undo > 0 {
				t.Undo = max(t.Undo, least)
			}
			if t := &all[i].Tools[j]; t.Gate == tool.Confirm && t.ExpireAfter > 0 {
				t.ExpireAfter = max(t.ExpireAfter, clock.Passes(shortestCard))
			}
		}
	}
	return all
}
