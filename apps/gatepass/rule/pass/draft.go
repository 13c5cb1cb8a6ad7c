package pass

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// A Draft is a pass as somebody asks for it.
type Draft struct {
	PersonName   string
	Description  string
	IsReturnable *bool // nil where it was not said; nobody guesses it
	Type         Type
	SiteID       string
	EmployeeRef  string
	HostRef      string
	VehiclePlate string
	Items        []item.Item

	ValidFrom, ValidUntil, ExpectedReturnAt time.Time // zero where they were not said
}

// A Making is everything that a new pass is made of beside the draft.
type Making struct {
	ID      string
	Number  number.Number
	Code    number.Code
	By      Actor
	At      time.Time
	Via     Via
	Zone    *time.Location // of the site
	Watched bool           // the watchlist has this very name, and refuses it
}

// Create makes a pass that waits for approval, or says everything that is wrong with the draft.
func (r Rules) Create(d Draft, m Making) (Change, error) {
	if m.By.ID == "" || m.By.Role != role[Create] {
		return Change{}, refuse(Create, RoleForbidden)
	}
	d = d.filled(m)
	if wrong := d.check(m.At); len(wrong) > 0 {
		return Change{}, refuse(Create, Validation, wrong...)
	}
	if m.Watched {
		no := refuse(Create, OnWatchlist, FieldError{"person_name", string(OnWatchlist)})
		no.Status = 422 // at the gate it is 403: there it is the pass that is refused, here it is the field
		return Change{}, no
	}
	row, _ := find(None, Create) // in the table, as TestTheTableIsTheOneOfTheDesign says
	p := Pass{ID: m.ID, Number: m.Number, Code: m.Code, PersonName: d.PersonName, Description: d.Description, IsReturnable: *d.IsReturnable,
		Type: d.Type, SiteID: d.SiteID, EmployeeRef: d.EmployeeRef, HostRef: d.HostRef, VehiclePlate: d.VehiclePlate, Items: d.Items,
		Status: row.To, Version: 1, ValidFrom: d.ValidFrom, ValidUntil: d.ValidUntil, ExpectedReturnAt: d.ExpectedReturnAt,
		CreatedAt: m.At, CreatedBy: m.By}
	p.History = []Entry{{Status: row.To, Event: Create, At: m.At, By: m.By.Name, ByID: m.By.ID, Via: m.Via}}
	return Change{Pass: p, Effects: row.Then, Notices: []notice.Notice{notice.New(row.Tells, m.Number, 1)}}, nil
}

// filled is the draft with what was left out: a pass is good from now until the day of its site is over.
func (d Draft) filled(m Making) Draft {
	d.PersonName, d.Description = strings.TrimSpace(d.PersonName), strings.TrimSpace(d.Description)
	if d.Type == "" {
		d.Type = EmployeeOut
	}
	if d.ValidFrom.IsZero() {
		d.ValidFrom = m.At
	}
	if d.ValidUntil.IsZero() {
		d.ValidUntil = EndOfDay(d.ValidFrom, m.Zone)
	}
	d.Items = slices.Clone(d.Items)
	for i := range d.Items {
		if d.Items[i].ID == "" {
			d.Items[i].ID = item.ID(strconv.Itoa(i + 1))
		}
	}
	return d
}

// EndOfDay is the last second of the day that a moment falls on at a site.
func EndOfDay(at time.Time, zone *time.Location) time.Time {
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d+1, 0, 0, 0, 0, zone).Add(-time.Second).UTC()
}

// check is everything that is wrong with a draft whose gaps are filled.
func (d Draft) check(now time.Time) (wrong []FieldError) {
	say := func(bad bool, field, code string) {
		if bad {
			wrong = append(wrong, FieldError{field, code})
		}
	}
	for _, f := range []struct {
		field, text string
		least, most int
		lines       bool
	}{
		{"person_name", d.PersonName, 1, 120, false}, {"description", d.Description, 1, 500, true}, {"employee_ref", d.EmployeeRef, 0, 64,
			false},
		{"host_ref", d.HostRef, 0, 64, false}, {"vehicle_plate", d.VehiclePlate, 0, 20, false}, {"site_id", d.SiteID, 0, 64, false},
	} {
		n := utf8.RuneCountInString(f.text)
		say(n < f.least, f.field, "required")
		say(n > f.most, f.field, "too_long")
		say(!plain(f.text, f.lines), f.field, "control_characters")
	}
	say(d.IsReturnable == nil, "is_returnable", "required")
	say(!slices.Contains(Types(), d.Type), "type", "unknown")
	say(!d.ValidUntil.After(d.ValidFrom), "valid_until", "before_valid_from")
	say(!d.ValidUntil.After(now), "valid_until", "past")
	if !d.ExpectedReturnAt.IsZero() {
		say(d.IsReturnable != nil && !*d.IsReturnable, "expected_return_at", "not_returnable")
		say(!d.ExpectedReturnAt.After(d.ValidFrom), "expected_return_at", "before_valid_from")
		say(!d.ExpectedReturnAt.After(now), "expected_return_at", "past")
	}
	say(item.Check(d.Items) != nil, "items", "invalid")
	returnable := slices.ContainsFunc(d.Items, func(it item.Item) bool { return it.Returnable })
	say(returnable && d.IsReturnable != nil && !*d.IsReturnable, "items", "not_returnable")
	return wrong
}

// plain reports whether a text has nothing in it that is not seen: no control characters, and none that turn the
// direction of what follows. Joiners stay, because Indian names are written with them.
func plain(s string, lines bool) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		turns := r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
		return turns || unicode.IsControl(r) && !(lines && (r == '\n' || r == '\t'))
	})
}
