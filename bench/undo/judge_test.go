package main

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
)

// TestThePageIsHeldAgainstWhatHappened promises that the bar finds an undo that was offered
// and did not happen, one that happened although the page had stopped offering it, a bell
// that rang all the same, and a window that is too short; and nothing else.
func TestThePageIsHeldAgainstWhatHappened(t *testing.T) {
	full := speed * (shortest + time.Second)
	for _, tt := range []struct {
		name string
		p    press
		e    end
		rung bool
		ok   bool
	}{
		{"undone in time", press{Offered: true, Undone: true}, end{State: act.Undone, Undoings: 1, Window: full}, false, true},
		{"let pass", press{}, end{State: act.Done, Window: full}, true, true},
		{"offered and refused", press{Offered: true, Said: "too late"}, end{State: act.Done, Window: full}, true, false},
		{"said to be undone, and done", press{Offered: true, Undone: true}, end{State: act.Done, Window: full}, true, false},
		{"undone, and rang", press{Offered: true, Undone: true}, end{State: act.Undone, Undoings: 1, Window: full}, true, false},
		{"undone although not offered", press{}, end{State: act.Undone, Undoings: 1, Window: full}, false, false},
		{"done, and no bell", press{}, end{State: act.Done, Window: full}, false, false},
		{"too short a window", press{Offered: true, Undone: true}, end{State: act.Undone, Undoings: 1, Window: undoWindow}, false, false},
	} {
		if err := tt.p.against(tt.e, tt.rung); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
