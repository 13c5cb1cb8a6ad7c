package program

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestADemonstrationsCardsCanBePressed promises that a card waits for who asked for it for at least five minutes of a watch, however fast
// the clock; that a longer wait stays as it is, and what others decide keeps its own.
func TestADemonstrationsCardsCanBePressed(t *testing.T) {
	apps := applications{{Name: "bell", Tools: []tool.Tool{{Name: "card", Gate: tool.Confirm, ExpireAfter: 30 * time.Minute},
		{Name: "slow", Gate: tool.Confirm, ExpireAfter: 90 * 24 * time.Hour}, {Name: "theirs", ExpireAfter: 30 * time.Minute}}}}
	tools := apps.paced(durable.Clock{Epoch: time.Now(), Speed: 600})[0].Tools
	if got := []time.Duration{tools[0].ExpireAfter, tools[1].ExpireAfter, tools[2].ExpireAfter}; got[0] != 50*time.Hour ||
		got[1] != 90*24*time.Hour || got[2] != 30*time.Minute {
		t.Errorf("at 600× they wait for %v", got)
	}
	if got := apps.paced(durable.Clock{})[0].Tools[0].ExpireAfter; got != 30*time.Minute {
		t.Errorf("by the wall clock it waits for %s", got)
	}
}

// TestADemonstrationsUndoCanBeUsed promises that what can be undone is offered to be undone
// for at least ten seconds of a watch, however fast the clock; that a longer window stays as it
// is, nothing else becomes undoable, and the applications themselves are not changed.
func TestADemonstrationsUndoCanBeUsed(t *testing.T) {
	apps := applications{{Name: "bell", Tools: []tool.Tool{
		{Name: "short", Undo: 5 * time.Minute}, {Name: "long", Undo: 20 * 24 * time.Hour}, {Name: "never"}}}}
	for _, speed := range []float64{1, 60, 600, 100_000} {
		clock := durable.Clock{Epoch: time.Now(), Speed: speed}
		tools := apps.paced(clock)[0].Tools
		if got := clock.Real(tools[0].Undo) - console.ClickTime; got < shortestWindow-time.Millisecond {
			t.Errorf("at %g× it is offered for %s", speed, got)
		}
		if tools[0].Undo > tool.LongestUndo || speed == 1 && tools[0].Undo != 5*time.Minute {
			t.Errorf("at %g× the window is %s", speed, tools[0].Undo)
		}
		if tools[1].Undo != 20*24*time.Hour || tools[2].Undo != 0 {
			t.Errorf("at %g× the others are %s and %s", speed, tools[1].Undo, tools[2].Undo)
		}
	}
	if apps[0].Tools[0].Undo != 5*time.Minute {
		t.Errorf("the application's own window is %s now", apps[0].Tools[0].Undo)
	}
}
