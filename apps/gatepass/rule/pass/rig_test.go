package pass_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

var (
	morning = time.Date(2026, 11, 18, 4, 0, 0, 0, time.UTC) // half past nine in India
	india   = time.FixedZone("IST", 5*3600+1800)

	hr    = pass.Actor{ID: "hr-1", Name: "Rekha Rao", Role: pass.HR}
	admin = pass.Actor{ID: "ad-1", Name: "Asha Iyer", Role: pass.Admin}
	other = pass.Actor{ID: "ad-2", Name: "Bina Das", Role: pass.Admin}
	guard = pass.Actor{ID: "gt-1", Name: "Gopal", Role: pass.Gate}
	chief = pass.Actor{ID: "gt-2", Name: "Hari", Role: pass.Gate, Supervisor: true}
)

var actors = map[pass.Role]pass.Actor{pass.HR: hr, pass.Admin: admin, pass.Gate: guard, pass.Nobody: {ID: "x", Name: "X"}}

func draft(returnable bool) pass.Draft {
	return pass.Draft{PersonName: "Ravi Kumar", Description: "Bank", IsReturnable: &returnable, SiteID: "plant-1"}
}

func making() pass.Making {
	return pass.Making{ID: "0193", Number: "GP-2026-0001", Code: "ABC234", By: hr, At: morning, Via: pass.Console, Zone: india}
}

func fresh(t testing.TB, returnable bool) pass.Pass {
	t.Helper()
	c, err := pass.Standard().Create(draft(returnable), making())
	if err != nil {
		t.Fatal(err)
	}
	return c.Pass
}

// ordinary is a request that brings everything an event could want, but for the times of an extension.
func ordinary(e pass.Event, by pass.Actor, at time.Time) pass.Request {
	return pass.Request{Event: e, By: by, At: at, Via: pass.Console, Name: by.Name, Reason: "because", Photo: "ph-1", SiteID: "plant-1"}
}

// extending adds them: what is out has its return put off, what is not its end.
func extending(q pass.Request, p pass.Pass) pass.Request {
	later := p.ValidUntil
	if p.DueBack().After(later) {
		later = p.DueBack()
	}
	for _, now := range []time.Time{q.At, p.History[len(p.History)-1].At} { // of a clock that went back, the history's counts
		if now.After(later) {
			later = now
		}
	}
	switch {
	case q.Event != pass.Extend:
	case p.Status == pass.Exited:
		q.ExpectedReturnAt = later.Add(time.Hour)
	default:
		q.ValidUntil = later.Add(time.Hour)
	}
	return q
}

// at is a pass in a status, brought there by the rules themselves.
func at(t testing.TB, s pass.Status, returnable bool) pass.Pass {
	t.Helper()
	p := fresh(t, returnable)
	way := map[pass.Status][]pass.Event{
		pass.Approved: {pass.Approve}, pass.Rejected: {pass.Reject}, pass.Exited: {pass.Approve, pass.ScanExit},
		pass.Returned: {pass.Approve, pass.ScanExit, pass.ScanReturn},
	}
	for i, e := range way[s] {
		p = do(t, p, ordinary(e, actors[pass.RoleFor(e)], morning.Add(time.Duration(i+1)*time.Minute)))
	}
	if p.Status != s {
		t.Fatalf("the way to %s led to %s", s, p.Status)
	}
	return p
}

func do(t testing.TB, p pass.Pass, q pass.Request) pass.Pass {
	t.Helper()
	c, err := pass.Standard().Apply(p, q)
	if err != nil {
		t.Fatalf("%s of a pass that is %s: %v", q.Event, p.Status, err)
	}
	return c.Pass
}

// code is why something was refused; empty where it was not.
func code(err error) pass.Code {
	if no, ok := errors.AsType[*pass.Refusal](err); ok {
		return no.Code
	}
	if err != nil {
		return pass.Code(err.Error())
	}
	return ""
}

func laptop() []item.Item {
	return []item.Item{{Name: "Laptop", Quantity: item.One, Serial: "SN1", Returnable: true},
		{Name: "Cable", Quantity: 10 * item.One, Returnable: true}}
}
