package tool_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestToolsSayHowLongPeopleMayTake promises the moments a tool names, shares of
// the time there is where it names none, and that no tool reminds anybody of what
// has expired or goes on to nobody.
func TestToolsSayHowLongPeopleMayTake(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		what                     string
		of                       tool.Tool
		expiry, remind, escalate time.Duration
	}{
		{"a tool that says nothing", tool.Tool{}, 14 * day, 7 * day, 14 * day / 4 * 3},
		{"one that says all", tool.Tool{RemindAfter: day, EscalateAfter: 3 * day, ExpireAfter: 7 * day}, 7 * day, day, 3 * day},
		{"one that reminds later than there is time", tool.Tool{RemindAfter: 20 * day}, 14 * day, 7 * day, 14 * day / 4 * 3},
	} {
		expiry := c.of.Expiry(14 * day)
		remind, escalate := c.of.Attention(expiry)
		if expiry != c.expiry || remind != c.remind || escalate != c.escalate {
			t.Errorf("%s: got %v, %v, %v, want %v, %v, %v", c.what, expiry, remind, escalate, c.expiry, c.remind, c.escalate)
		}
	}
	for says, spoil := range map[string]func(*tool.Tool){
		"less than nothing":    func(t *tool.Tool) { t.RemindAfter = -1 },
		"after it has expired": func(t *tool.Tool) { t.RemindAfter, t.ExpireAfter = day, day },
		"does not say to whom": func(t *tool.Tool) { t.EscalateAfter, t.EscalateTo = day, nil },
		"for over":             func(t *tool.Tool) { t.ExpireAfter = tool.LongestWait + 1 },
	} {
		tl, ok := office(t).Find("gatepass", "refund")
		if !ok {
			t.Fatal("no refund")
		}
		tl.EscalateTo = []identity.Role{identity.HR}
		spoil(&tl)
		_, err := tool.NewRegistry(tl)
		refuses(t, says, err, fault.Invalid, says)
	}
}
