package gatepass_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// A cell is one square of the matrix: where a pass stands, whether it is deleted, who asks, and for what.
type cell struct {
	from    pass.Status
	deleted bool
	as      string
	event   pass.Event
}

// roles are who asks in the matrix.
var roles = map[string]pass.Role{"hr": pass.HR, "admin": pass.Admin, "gate": pass.Gate}

// roads lead to each status from a pass that was made.
var roads = map[pass.Status][]pass.Event{
	pass.Pending: nil, pass.Approved: {pass.Approve}, pass.Rejected: {pass.Reject}, pass.Exited: {pass.Approve, pass.ScanExit},
	pass.Returned: {pass.Approve, pass.ScanExit, pass.ScanReturn},
}

// send asks the server for an event of a pass, with everything that a request must bring.
func (r *rig) send(t *testing.T, as, number string, e pass.Event, photo []byte) platformtest.Answer {
	t.Helper()
	switch e {
	case pass.ScanExit:
		return r.scan(t, as, "scan-exit", number, photo)
	case pass.ScanReturn:
		return r.scan(t, as, "scan-return", number, photo)
	case pass.Extend:
		return r.act(t, as, number, "extend", `{"valid_until":"2999-01-01T00:00:00Z","expected_return_at":"2998-01-01T00:00:00Z"}`)
	case pass.MakeReturnable:
		return r.act(t, as, number, "returnable", nil)
	}
	return r.act(t, as, number, string(e), `{"reason":"It is the matrix."}`)
}

// expected is what the table says of a cell, as the API tells it. The table itself is written twice, and compared, in its own test.
func expected(c cell) (status int, code string) {
	if role := roles[c.as]; role != pass.RoleFor(c.event) {
		return http.StatusForbidden, string(pass.RoleForbidden)
	}
	if c.deleted {
		return http.StatusNotFound, string(pass.NotFound)
	}
	for _, row := range pass.Table() {
		if row.From != c.from || row.Event != c.event {
			continue
		}
		switch {
		case c.event == pass.Delete && c.from == pass.Exited:
			return http.StatusForbidden, string(pass.InUse)
		case c.event == pass.MakeReturnable: // the passes of the matrix are to come back
			return http.StatusForbidden, string(pass.InvalidState)
		}
		return http.StatusOK, ""
	}
	return http.StatusForbidden, string(pass.InvalidState)
}

// TestTheServerKeepsToTheTable promises for every status, event and role, deleted and not, the answer that the table gives, and
// that what is refused changes nothing.
func TestTheServerKeepsToTheTable(t *testing.T) {
	r := newRig(t, durable.Clock{})
	photo := face(t, 8, 8)
	for from, road := range roads {
		for _, deleted := range []bool{false, true} {
			if deleted && from == pass.Returned {
				continue // what is back is never deleted
			}
			number := ""
			for as := range roles {
				for _, e := range pass.Events() {
					if number == "" {
						number = r.at(t, road, deleted, photo)
					}
					number = r.tryCell(t, cell{from, deleted, as, e}, number, photo)
				}
			}
		}
	}
}

// at is a pass that has gone a road.
func (r *rig) at(t *testing.T, road []pass.Event, deleted bool, photo []byte) string {
	t.Helper()
	number := r.create(t, "hr")["pass_number"].(string)
	for _, e := range road {
		as := map[pass.Role]string{pass.Admin: "admin", pass.Gate: "gate"}[pass.RoleFor(e)]
		if a := r.send(t, as, number, e, photo); a.Status != http.StatusOK {
			t.Fatalf("%s of %s: %d %s", e, number, a.Status, a.Body)
		}
	}
	if deleted {
		r.Set(t, `update gatepass.pass set deleted_at = now(), deleted_by = 'admin' where number = $1`, number)
	}
	return number
}

// tryCell sends what a cell asks for and compares; the pass, unless it is another now.
func (r *rig) tryCell(t *testing.T, c cell, number string, photo []byte) string {
	t.Helper()
	before := r.Texts(t, `select status || version || coalesce(deleted_at::text, '') from gatepass.pass where number = $1`, number)
	a := r.send(t, c.as, number, c.event, photo)
	status, code := expected(c)
	got, _ := a.JSON["code"].(string)
	if a.Status != status || status >= 400 && got != code {
		t.Errorf("%+v: got %d %s, want %d %s: %.300s", c, a.Status, got, status, code, a.Body)
	}
	if code == string(pass.InvalidState) && (a.JSON["current_status"] != string(c.from) || a.JSON["allowed_events"] == nil) {
		t.Errorf("%+v: says nothing of what may be done: %s", c, a.Body)
	}
	if a.Status == http.StatusOK {
		return ""
	}
	after := r.Texts(t, `select status || version || coalesce(deleted_at::text, '') from gatepass.pass where number = $1`, number)
	if before[0] != after[0] {
		t.Errorf("%+v: was refused and changed %s to %s", c, before, after)
	}
	return number
}

// TestOneOfFiftyGuardsLetsSomebodyOut promises that of many who scan one pass at once exactly one is told yes, and all others
// where it stands.
func TestOneOfFiftyGuardsLetsSomebodyOut(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number, photo := r.approved(t), face(t, 16, 16)
	answers := make(chan platformtest.Answer, 50)
	for i := range 50 {
		go func() { answers <- r.scan(t, guard(i), "scan-exit", number, photo) }()
	}
	yes := 0
	for range 50 {
		a := <-answers
		switch {
		case a.Status == http.StatusOK:
			yes++
		case a.Status != http.StatusForbidden || a.JSON["code"] != "invalid_state" || a.JSON["current_status"] != "exited":
			t.Errorf("got %d %s", a.Status, a.Body)
		}
	}
	if yes != 1 {
		t.Errorf("%d guards let the same person out", yes)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.scan`); n != 1 {
		t.Errorf("%d scans are on record", n)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.event where event = 'scan_exit'`); n != 1 {
		t.Errorf("%d exits are on record", n)
	}
}

func guard(i int) string { return "guard" + strconv.Itoa(i) }

// TestAnEventSentTwiceHappensOnce promises that a device which lost the answer is told the same again, and that its id is no one else's.
func TestAnEventSentTwiceHappensOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number, photo := r.approved(t), face(t, 16, 16)
	for range 2 {
		if a := r.scan(t, "gate", "scan-exit", number, photo, "event_id", "device-7/1"); a.Status != http.StatusOK ||
			a.JSON["version"] != 3.0 {
			t.Errorf("got %d %s", a.Status, a.Body)
		}
	}
	wants(t, r.scan(t, "gate", "scan-return", number, photo, "event_id", "device-7/1"), 422, "validation")
	answers := make(chan platformtest.Answer, 10)
	for i := range 10 {
		go func() { answers <- r.scan(t, guard(i), "scan-return", number, photo, "event_id", "device-7/2") }()
	}
	for range 10 {
		wants(t, <-answers, 200, "")
	}
	if n := r.Number(t, `select count(*)::int from gatepass.scan`); n != 2 {
		t.Errorf("%d scans are on record", n)
	}
	key := []string{"Idempotency-Key", "make-it-once"}
	one := r.Want(t, 201, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create",
		`{"person_name":"A","description":"B","is_returnable":true}`,
		key...)
	two := r.Want(t, 201, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create",
		`{"person_name":"A","description":"B","is_returnable":true}`,
		key...)
	if one.JSON["pass_number"] != two.JSON["pass_number"] {
		t.Errorf("made twice: %s and %s", one.Body, two.Body)
	}
	wants(t, r.Call(t, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create", `{"person_name":"C","description":"B","is_returnable":true}`,
		key...), 422,
		"idempotency_conflict")
}
