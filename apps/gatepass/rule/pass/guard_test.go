package pass_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// TestEachGuardRefusesWithItsCode promises, guard by guard, the first thing that is wrong, and the field where it is one.
func TestEachGuardRefusesWithItsCode(t *testing.T) {
	until := pass.EndOfDay(morning, india)
	standsIn := func(change func(*pass.Delegation)) func(*pass.Request) {
		return func(q *pass.Request) {
			d := pass.Delegation{For: "ad-9", ForName: "Meena", To: admin.ID, From: morning, Until: morning.Add(48 * time.Hour),
				Types: []pass.Type{pass.EmployeeOut}}
			change(&d)
			q.By.StandsIn = &d
		}
	}
	for name, tt := range map[string]struct {
		from   pass.Status
		event  pass.Event
		change func(*pass.Request)
		want   string
	}{
		"who made it decides": {pass.Pending, pass.Approve, func(q *pass.Request) { q.By.ID = hr.ID }, "self_approval"},
		"for who made it":     {pass.Pending, pass.Approve, standsIn(func(d *pass.Delegation) { d.For = hr.ID }), "self_approval"},
		"in somebody's stead": {pass.Pending, pass.Approve, standsIn(func(*pass.Delegation) {}), ""},
		"before it was handed over": {pass.Pending, pass.Approve, standsIn(
			func(d *pass.Delegation) { d.From = morning.Add(time.Hour) }), "role_forbidden"},
		"after it was":            {pass.Pending, pass.Reject, standsIn(func(d *pass.Delegation) { d.Until = morning }), "role_forbidden"},
		"handed to somebody else": {pass.Pending, pass.Reject, standsIn(func(d *pass.Delegation) { d.To = "ad-2" }), "role_forbidden"},
		"handed to oneself":       {pass.Pending, pass.Reject, standsIn(func(d *pass.Delegation) { d.For = admin.ID }), "role_forbidden"},
		"for other passes": {pass.Pending, pass.Approve, standsIn(
			func(d *pass.Delegation) { d.Types = []pass.Type{pass.Visitor} }), "role_forbidden"},
		"for another site": {pass.Pending, pass.Approve, standsIn(
			func(d *pass.Delegation) { d.Sites = []string{"plant-2"} }), "role_forbidden"},
		"approved at its last moment": {pass.Pending, pass.Approve, func(q *pass.Request) { q.At = until }, "expired"},
		"approved before it":          {pass.Pending, pass.Approve, func(q *pass.Request) { q.At = until.Add(-time.Second) }, ""},
		"late, with a new end": {pass.Pending, pass.Approve,
			func(q *pass.Request) { q.At, q.ValidUntil = until.Add(time.Hour), until.Add(2*time.Hour) }, ""},
		"with an end that is past": {pass.Pending, pass.Approve,
			func(q *pass.Request) { q.ValidUntil = morning }, "validation valid_until past"},
		"ending before it begins": {pass.Pending, pass.Approve,
			func(q *pass.Request) { q.ValidFrom = until }, "validation valid_until before_valid_from"},
		"back before now": {pass.Pending, pass.Approve,
			func(q *pass.Request) { q.ExpectedReturnAt = morning }, "validation expected_return_at past"},
		"somebody else's name": {pass.Pending, pass.Approve,
			func(q *pass.Request) { q.Name = "Bina Das" }, "actor_mismatch name not_the_caller"},
		"their name in capitals": {pass.Pending, pass.Approve, func(q *pass.Request) { q.Name = " ASHA  iyer" }, ""},
		"no name":                {pass.Pending, pass.Approve, func(q *pass.Request) { q.Name = "" }, ""},
		"on what they read":      {pass.Pending, pass.Approve, func(q *pass.Request) { q.Version = 1 }, ""},
		"on what changed since":  {pass.Pending, pass.Approve, func(q *pass.Request) { q.Version = 7 }, "stale_version"},
		"a long reason": {pass.Pending, pass.Reject,
			func(q *pass.Request) { q.Reason = strings.Repeat("ा", 501) }, "validation reason too_long"},
		"no reason to reject": {pass.Pending, pass.Reject, func(q *pass.Request) { q.Reason = "" }, ""},
		"no reason to revoke": {pass.Approved, pass.Delete, func(q *pass.Request) { q.Reason = "\t" }, "validation reason required"},
		"by a clock that went back": {pass.Approved, pass.ScanExit,
			func(q *pass.Request) { q.At = morning.Add(-16 * time.Minute) }, ""}, // it was approved at 04:01, so it is no earlier
		"at the last moment":    {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.At = until }, ""},
		"after it all":          {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.At = until.Add(time.Second) }, "expired"},
		"at another site":       {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.SiteID = "plant-2" }, "wrong_site"},
		"by a guard of another": {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.By.Sites = []string{"plant-2"} }, "wrong_site"},
		"on the watchlist":      {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.Watched = true }, "watchlist_hit"},
		"no photo":              {pass.Approved, pass.ScanExit, func(q *pass.Request) { q.Photo = "" }, "photo_required photo required"},
		"no photo, a guard's excuse": {pass.Approved, pass.ScanExit,
			func(q *pass.Request) { q.Photo, q.Override = "", "camera broken" }, "photo_required photo required"},
		"no photo, a chief's": {pass.Approved, pass.ScanExit,
			func(q *pass.Request) { q.By, q.Name, q.Photo, q.Override = chief, "", "", "camera broken" }, ""},
		"no photo, a chief's silence": {pass.Approved, pass.ScanExit,
			func(q *pass.Request) { q.By, q.Name, q.Photo, q.Override = chief, "", "", " " }, "photo_required photo required"},
		"an extension that is none": {pass.Approved, pass.Extend,
			func(q *pass.Request) { q.ValidUntil = time.Time{} }, "validation valid_until not_later"},
		"back long after its end": {pass.Exited, pass.ScanReturn, func(q *pass.Request) { q.At = until.Add(100 * time.Hour) }, ""},
		"back at another site":    {pass.Exited, pass.ScanReturn, func(q *pass.Request) { q.SiteID = "plant-2" }, "wrong_site"},
		"back with what is not theirs": {pass.Exited, pass.ScanReturn,
			func(q *pass.Request) { q.Items = []item.Back{{Item: "1", Quantity: 1}} }, "validation items mismatch"},
		"a forced delete alone": {pass.Exited, pass.Delete, func(q *pass.Request) { q.Force = true }, "pass_in_use"},
		"agreeing with oneself": {pass.Exited, pass.Delete, func(q *pass.Request) { q.Force, q.Second = true, admin.ID },
			"pass_in_use"},
		"a forced delete by two":    {pass.Exited, pass.Delete, func(q *pass.Request) { q.Force, q.Second = true, other.ID }, ""},
		"two, and nobody forced it": {pass.Exited, pass.Delete, func(q *pass.Request) { q.Second = other.ID }, "pass_in_use"},
	} {
		q := ordinary(tt.event, actors[pass.RoleFor(tt.event)], morning.Add(10*time.Minute))
		tt.change(&q)
		_, err := pass.Standard().Apply(at(t, tt.from, true), q)
		if got := said(err); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// said is a refusal's code, and its fields.
func said(err error) string {
	s := string(code(err))
	if no, ok := errors.AsType[*pass.Refusal](err); ok {
		for _, f := range no.Fields {
			s += " " + f.Field + " " + f.Code
		}
	}
	return s
}

// TestDeletingAPassBringsNobodyIn promises that who is out on a pass that two administrators deleted is still known to be out.
func TestDeletingAPassBringsNobodyIn(t *testing.T) {
	q := ordinary(pass.Delete, admin, morning.Add(time.Hour))
	q.Force, q.Second = true, other.ID
	if p := do(t, at(t, pass.Exited, true), q); !p.Deleted() || !p.Outside() || p.Overdue(morning.Add(1000*time.Hour)) {
		t.Errorf("got %+v", p)
	}
}

// TestNobodyLeavesBeforeTheirTime promises the grace, to the second.
func TestNobodyLeavesBeforeTheirTime(t *testing.T) {
	d := draft(true)
	d.ValidFrom = morning.Add(2 * time.Hour)
	c, err := pass.Standard().Create(d, making())
	if err != nil {
		t.Fatal(err)
	}
	p := do(t, c.Pass, ordinary(pass.Approve, admin, morning))
	early := d.ValidFrom.Add(-pass.Standard().Grace)
	for when, want := range map[time.Time]pass.Code{early.Add(-time.Second): pass.NotYetValid, early: "", d.ValidFrom: ""} {
		if _, err := pass.Standard().Apply(p, ordinary(pass.ScanExit, guard, when)); code(err) != want {
			t.Errorf("at %s: got %v, want %q", when, err, want)
		}
	}
	if _, err := (pass.Rules{}).Apply(p, ordinary(pass.ScanExit, guard, d.ValidFrom.Add(-time.Second))); code(err) != pass.NotYetValid {
		t.Errorf("rules that nobody set have a grace: %v", err)
	}
}

// TestWhoMadeItMayDecideWhereTheOrganisationSaysSo promises that the rule can be turned off, and is on otherwise.
func TestWhoMadeItMayDecideWhereTheOrganisationSaysSo(t *testing.T) {
	q := ordinary(pass.Approve, admin, morning)
	q.By.ID = hr.ID
	if _, err := (pass.Rules{OwnAllowed: true}).Apply(fresh(t, true), q); err != nil {
		t.Error(err)
	}
	if _, err := (pass.Rules{}).Apply(fresh(t, true), q); code(err) != pass.SelfApproval {
		t.Errorf("got %v", err)
	}
}

// TestThingsThatAreOpenKeepAPassOut promises that a pass ends when its last item is back, that the person counts as in from the
// first return, and that a guard who ticks nothing has settled nothing.
func TestThingsThatAreOpenKeepAPassOut(t *testing.T) {
	d := draft(true)
	d.Items = laptop()
	c, err := pass.Standard().Create(d, making())
	if err != nil {
		t.Fatal(err)
	}
	p := do(t, do(t, c.Pass, ordinary(pass.Approve, admin, morning)), ordinary(pass.ScanExit, guard, morning))
	if !p.Outside() {
		t.Fatal("nobody is out")
	}
	for i, step := range []struct {
		back []item.Back
		want pass.Status
	}{
		{nil, pass.Exited},
		{[]item.Back{{Item: "1", Quantity: item.One, Condition: item.AsItWas},
			{Item: "2", Quantity: 4 * item.One, Condition: item.Broken}}, pass.Exited},
		{[]item.Back{{Item: "2", Quantity: 6 * item.One, Condition: item.AsItWas}}, pass.Returned},
	} {
		q := ordinary(pass.ScanReturn, guard, morning.Add(time.Duration(i+1)*time.Hour))
		q.Items = step.back
		c, err := pass.Standard().Apply(p, q)
		if err != nil || c.Pass.Status != step.want || c.Pass.Outside() || (len(c.Notices) == 1) != (step.want == pass.Returned) {
			t.Fatalf("step %d: got %s, outside %v, %v, %v", i, c.Pass.Status, c.Pass.Outside(), c.Notices, err)
		}
		if (len(c.Differences) == 1) != (i == 1) || c.Pass.ReturnTime.IsZero() != (step.want != pass.Returned) {
			t.Errorf("step %d: differences %v, back at %s", i, c.Differences, c.Pass.ReturnTime)
		}
		p = c.Pass
	}
	if p.Items[1].Damaged != 4*item.One {
		t.Errorf("what was damaged is not on record: %+v", p.Items)
	}
}
