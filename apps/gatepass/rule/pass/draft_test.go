package pass_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones, whatever the machine has

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestADraftIsTakenWholeOrSaysAllThatIsWrong promises the bounds of every field, and that nobody's answer is guessed.
func TestADraftIsTakenWholeOrSaysAllThatIsWrong(t *testing.T) {
	no := false
	for name, tt := range map[string]struct {
		change func(*pass.Draft)
		want   string
	}{
		"as it is":             {func(*pass.Draft) {}, ""},
		"no name":              {func(d *pass.Draft) { d.PersonName = " \t " }, "validation person_name required"},
		"120 letters":          {func(d *pass.Draft) { d.PersonName = strings.Repeat("र", 120) }, ""},
		"121 letters":          {func(d *pass.Draft) { d.PersonName = strings.Repeat("र", 121) }, "validation person_name too_long"},
		"a name with a joiner": {func(d *pass.Draft) { d.PersonName = "क्\u200dष" }, ""},
		"a name of two lines": {func(d *pass.Draft) { d.PersonName = "Ravi\nApproved" },
			"validation person_name control_characters"},
		"a name that turns": {func(d *pass.Draft) { d.PersonName = "Ravi \u202eramuK" },
			"validation person_name control_characters"},
		"bytes that are no text":     {func(d *pass.Draft) { d.PersonName = "R\xff" }, "validation person_name control_characters"},
		"a purpose of two lines":     {func(d *pass.Draft) { d.Description = "Bank,\nthen post" }, ""},
		"a purpose with a bell":      {func(d *pass.Draft) { d.Description = "Bank\a" }, "validation description control_characters"},
		"501 letters of purpose":     {func(d *pass.Draft) { d.Description = strings.Repeat("x", 501) }, "validation description too_long"},
		"nobody said if they return": {func(d *pass.Draft) { d.IsReturnable = nil }, "validation is_returnable required"},
		"an unknown type":            {func(d *pass.Draft) { d.Type = "drone" }, "validation type unknown"},
		"over before it begins": {
			func(d *pass.Draft) { d.ValidFrom, d.ValidUntil = morning.Add(2*time.Hour), morning.Add(time.Hour) },
			"validation valid_until before_valid_from"},
		"over already": {
			func(d *pass.Draft) { d.ValidFrom, d.ValidUntil = morning.Add(-2*time.Hour), morning }, "validation valid_until past"},
		"back before it begins": {
			func(d *pass.Draft) { d.ExpectedReturnAt = morning },
			"validation expected_return_at before_valid_from expected_return_at past"},
		"back, and not to come back": {
			func(d *pass.Draft) { d.IsReturnable, d.ExpectedReturnAt = &no, morning.Add(time.Hour) },
			"validation expected_return_at not_returnable"},
		"an item without a name":    {func(d *pass.Draft) { d.Items = []item.Item{{Quantity: 1}} }, "validation items invalid"},
		"things to come back alone": {func(d *pass.Draft) { d.IsReturnable, d.Items = &no, laptop() }, "validation items not_returnable"},
		"everything": {
			func(d *pass.Draft) { *d = pass.Draft{} }, "validation person_name required description required is_returnable required"},
	} {
		d := draft(true)
		tt.change(&d)
		_, err := pass.Standard().Create(d, making())
		if got := said(err); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestANewPassWaitsAndIsGoodUntilItsDayIsOver promises what is filled in, where nothing was said.
func TestANewPassWaitsAndIsGoodUntilItsDayIsOver(t *testing.T) {
	c, err := pass.Standard().Create(draft(true), making())
	if err != nil {
		t.Fatal(err)
	}
	p := c.Pass
	if p.Status != pass.Pending || p.Type != pass.EmployeeOut || p.Version != 1 || p.Token != 0 || p.HasQR() || len(p.History) != 1 {
		t.Errorf("got %+v", p)
	}
	if got := p.ValidUntil.In(india).Format(time.DateTime); got != "2026-11-18 23:59:59" || !p.ValidFrom.Equal(morning) {
		t.Errorf("good from %s until %s", p.ValidFrom, got)
	}
	if len(c.Effects) != 1 || c.Effects[0] != pass.StartApprovalClock || len(c.Notices) != 1 || c.Notices[0].Type != "pass_created" {
		t.Errorf("got %v, %v", c.Effects, c.Notices)
	}
	m := making()
	m.Watched = true
	if _, err := pass.Standard().Create(draft(true), m); said(err) != "watchlist_hit person_name watchlist_hit" {
		t.Errorf("somebody on the watchlist: %v", err)
	}
	m.By = admin
	if _, err := pass.Standard().Create(draft(true), m); code(err) != pass.RoleForbidden {
		t.Errorf("an administrator made one: %v", err)
	}
}

// TestTheDayOfASiteEndsWhereItsClocksSay promises the end of the day also where clocks are changed that day.
func TestTheDayOfASiteEndsWhereItsClocksSay(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{
		"2026-03-29T00:30:00Z": "2026-03-29T21:59:59Z", // 23 hours
		"2026-10-25T12:00:00Z": "2026-10-25T22:59:59Z", // 25 hours
		"2026-11-18T22:59:59Z": "2026-11-18T22:59:59Z",
		"2026-11-18T23:00:00Z": "2026-11-19T22:59:59Z",
	} {
		when, _ := time.Parse(time.RFC3339, at)
		if got := pass.EndOfDay(when, berlin).Format(time.RFC3339); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

// TestWhatTheClockMakesOfAPass promises when a pass is expired and when somebody is overdue, and in which words older
// clients read it.
func TestWhatTheClockMakesOfAPass(t *testing.T) {
	out := at(t, pass.Exited, true)
	for _, tt := range []struct {
		p                pass.Pass
		late             bool
		overdue, expired bool
		legacy           string
	}{
		{fresh(t, true), false, false, false, "pending"},
		{fresh(t, true), true, false, true, "pending"},
		{at(t, pass.Approved, true), true, false, true, "approved"},
		{at(t, pass.Rejected, true), true, false, false, "rejected"},
		{out, false, false, false, "pending_return"},
		{out, true, true, false, "pending_return"},
		{at(t, pass.Exited, false), true, false, false, "completed"},
		{at(t, pass.Returned, true), true, false, false, "returned"},
	} {
		now := tt.p.ValidUntil
		if tt.late {
			now = now.Add(time.Nanosecond)
		}
		if tt.p.Overdue(now) != tt.overdue || tt.p.Expired(now) != tt.expired || tt.p.Legacy() != tt.legacy {
			t.Errorf("%s, late %v: overdue %v, expired %v, %s", tt.p.Status, tt.late, tt.p.Overdue(now), tt.p.Expired(now), tt.p.Legacy())
		}
	}
	if out.ExpectedReturnAt = morning.Add(time.Hour); !out.Overdue(morning.Add(2*time.Hour)) || out.Overdue(morning.Add(time.Hour)) {
		t.Error("who said when they are back is not held to it")
	}
	if !at(t, pass.Exited, false).Ended() || out.Ended() || !at(t, pass.Rejected, true).Ended() || fresh(t, true).Ended() {
		t.Error("an end is none, or none is an end")
	}
}

// TestRolesAreThoseOfTheInstitution promises which of its roles mean something here, and a word for the others.
func TestRolesAreThoseOfTheInstitution(t *testing.T) {
	want := map[identity.Role]pass.Role{identity.HR: pass.HR, identity.PassAdmin: pass.Admin, identity.Gate: pass.Gate,
		identity.GateSupervisor: pass.Gate}
	for _, r := range identity.Roles() {
		if got := pass.RoleOf(r); got != want[r] {
			t.Errorf("%s means %q, want %q", r, got, want[r])
		}
	}
	for _, r := range pass.Roles() {
		if got, err := pass.ParseRole(string(r)); err != nil || got != r {
			t.Errorf("%s: %v", r, err)
		}
	}
	for _, s := range []string{"", "hr", "All", "hr_user"} {
		if _, err := pass.ParseRole(s); err == nil || !strings.Contains(err.Error(), "Invalid role") {
			t.Errorf("%q: got %v", s, err)
		}
	}
}
