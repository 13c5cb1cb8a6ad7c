package pass_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

// matrix is the table of the design, written once more by hand: what becomes of an ordinary request. What is not here is
// invalid_state. "+" is: deleted.
var matrix = map[string]string{
	"pending approve": "approved", "pending reject": "rejected", "pending delete": "pending+",
	"approved scan_exit": "exited", "approved extend": "approved", "approved delete": "approved+",
	"rejected delete":          "rejected+",
	"exited scan_return":       "returned",
	"exited delete":            "pass_in_use",
	"exited extend":            "exited",
	"exited! scan_return":      "not_returnable",
	"exited! delete":           "pass_in_use",
	"exited! extend":           "not_returnable",
	"exited! make_returnable":  "exited",
	"pending! approve":         "approved",
	"pending! reject":          "rejected",
	"pending! delete":          "pending+",
	"approved! scan_exit":      "exited",
	"approved! extend":         "approved",
	"approved! delete":         "approved+",
	"rejected! delete":         "rejected+",
	"pending! make_returnable": "invalid_state",
}

// owners is who may bring an event about.
var owners = map[pass.Event]pass.Role{
	"approve": "Admin_User", "reject": "Admin_User", "delete": "Admin_User", "extend": "Admin_User", "make_returnable": "Admin_User",
	"scan_exit": "Gate_User", "scan_return": "Gate_User",
}

// TestTheTableIsTheOneOfTheDesign promises what becomes of every event in every status, by every role, on passes that are
// deleted and not, returnable and not.
func TestTheTableIsTheOneOfTheDesign(t *testing.T) {
	cells := 0
	for _, s := range pass.Statuses() {
		for _, returnable := range []bool{true, false} {
			if s == pass.Returned && !returnable {
				continue // nobody comes back on a pass that is not returnable; see the walks
			}
			p := at(t, s, returnable)
			for _, e := range pass.Events() {
				for who, actor := range actors {
					for _, deleted := range []bool{true, false} {
						cells++
						checkCell(t, p, e, who, actor, deleted)
					}
				}
			}
		}
	}
	if cells != (5*2-1)*7*4*2 {
		t.Errorf("%d cells were looked at", cells)
	}
}

func checkCell(t *testing.T, p pass.Pass, e pass.Event, who pass.Role, actor pass.Actor, deleted bool) {
	t.Helper()
	key := string(p.Status) + map[bool]string{true: " ", false: "! "}[p.IsReturnable] + string(e)
	want, known := matrix[key]
	if !known {
		want = "invalid_state"
	}
	if deleted {
		want, p.DeletedAt = "not_found", morning.Add(time.Hour)
	}
	if who != owners[e] {
		want = "role_forbidden"
	}
	c, err := pass.Standard().Apply(p, extending(ordinary(e, actor, morning.Add(time.Hour)), p))
	got := string(code(err))
	if err == nil {
		got = string(c.Pass.Status) + map[bool]string{true: "+"}[c.Pass.Deleted()]
	}
	if got != want {
		t.Errorf("%s by %q, deleted %v: got %s, want %s", key, who, deleted, got, want)
	}
	checkRefusal(t, key, err, p.Status)
	allowed := pass.Standard().Allowed(p, actor, morning.Add(time.Hour))
	if slices.Contains(allowed, e) != (err == nil) {
		t.Errorf("%s by %q, deleted %v: allowed are %v, and it was %v", key, who, deleted, allowed, err)
	}
}

// checkRefusal wants of a refusal what the agent needs to explain it, and of one about a pass that is not to be known nothing.
func checkRefusal(t *testing.T, key string, err error, s pass.Status) {
	t.Helper()
	no, refused := errors.AsType[*pass.Refusal](err)
	switch {
	case !refused:
	case no.Code == pass.RoleForbidden || no.Code == pass.NotFound:
		if no.Current != "" || no.Allowed != nil {
			t.Errorf("%s: a refusal of %s says %s, %v", key, no.Code, no.Current, no.Allowed)
		}
	case no.Current != s || no.Allowed == nil:
		t.Errorf("%s: a refusal of %s says %q, %v", key, no.Code, no.Current, no.Allowed)
	}
	if refused && (no.Status < 403 || fault.KindOf(err) == fault.Internal || no.Error() == "") {
		t.Errorf("%s: %v has status %d and kind %v", key, err, no.Status, fault.KindOf(err))
	}
}

// TestEveryEventHasOneRoleAndEveryRowItsPlace promises a table without contradictions: one row for a status and an event,
// every event possible somewhere, every status reached.
func TestEveryEventHasOneRoleAndEveryRowItsPlace(t *testing.T) {
	seen := map[string]bool{}
	reached := []pass.Status{pass.None}
	for range pass.Table() {
		for _, r := range pass.Table() {
			if slices.Contains(reached, r.From) && !slices.Contains(reached, r.To) {
				reached = append(reached, r.To)
			}
		}
	}
	for _, r := range pass.Table() {
		if key := fmt.Sprint(r.From, " ", r.Event); seen[key] {
			t.Errorf("there are two rows for %s", key)
		} else {
			seen[key] = true
		}
		if pass.RoleFor(r.Event) == pass.Nobody {
			t.Errorf("nobody may %s", r.Event)
		}
		if (r.From == pass.Rejected || r.From == pass.Returned) && r.To != r.From {
			t.Errorf("%s leads out of %s", r.Event, r.From)
		}
	}
	for _, s := range pass.Statuses() {
		if !slices.Contains(reached, s) {
			t.Errorf("nothing leads to %s", s)
		}
	}
	for _, e := range pass.Events() {
		if len(pass.StatesFor(e)) == 0 {
			t.Errorf("%s can never happen", e)
		}
	}
}

// TestEachEventDoesWhatTheDesignSays promises the effects and the notices of each row.
func TestEachEventDoesWhatTheDesignSays(t *testing.T) {
	for _, tt := range []struct {
		from       pass.Status
		returnable bool
		event      pass.Event
		effects    string
		told       string
		token      int
	}{
		{pass.Pending, true, pass.Approve, "[stop_approval_clock mint_token tell_gates]", "pass_approved [creator hr]", 1},
		{pass.Pending, true, pass.Reject, "[stop_approval_clock]", "pass_rejected [creator hr]", 0},
		{pass.Pending, true, pass.Delete, "[stop_approval_clock]", "pass_deleted [creator hr]", 0},
		{pass.Rejected, true, pass.Delete, "[]", "pass_deleted [creator hr]", 0},
		{pass.Approved, true, pass.ScanExit, "[start_overdue_clock tell_gates]", "pass_exited [creator hr host]", 1},
		{pass.Approved, false, pass.ScanExit, "[tell_gates]", "pass_exited [creator hr host]", 1},
		{pass.Approved, true, pass.Delete, "[kill_token tell_gates]", "pass_deleted [creator hr gate]", 2},
		{pass.Approved, true, pass.Extend, "[tell_gates]", "", 1},
		{pass.Exited, true, pass.ScanReturn, "[stop_overdue_clock tell_gates]", "pass_returned [creator hr]", 1},
		{pass.Exited, false, pass.MakeReturnable, "[start_overdue_clock tell_gates]", "", 1},
	} {
		p := at(t, tt.from, tt.returnable)
		c, err := pass.Standard().Apply(p, extending(ordinary(tt.event, actors[pass.RoleFor(tt.event)], morning.Add(time.Hour)), p))
		if err != nil {
			t.Errorf("%s from %s: %v", tt.event, tt.from, err)
			continue
		}
		var told []string
		for _, n := range c.Notices {
			told = append(told, fmt.Sprint(n.Type, " ", n.To))
			if n.Version != c.Pass.Version || n.Pass != c.Pass.Number {
				t.Errorf("%s from %s: the notice is of %s v%d", tt.event, tt.from, n.Pass, n.Version)
			}
		}
		if fmt.Sprint(c.Effects) != tt.effects || strings.Join(told, "; ") != tt.told || c.Pass.Token != tt.token {
			t.Errorf("%s from %s: got %v, %q, token %d", tt.event, tt.from, c.Effects, told, c.Pass.Token)
		}
	}
}
