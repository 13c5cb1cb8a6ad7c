package scim_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/scim"
)

var today = fleet.NewDate(2026, 11, 15)

func robin() intake.Employee {
	return intake.Employee{ID: "EMP-1006", Status: fleet.Active, Site: "PLANT-1", Manager: "EMP-1001", Name: "Robin van Dyke",
		Email: "robin@example.org", Language: "en",
		Address: "1 Elm Street", ZIP: "94538", Home: &fleet.Point{Lat: 37.5, Lng: -121.9}, Radius: 2,
		Shifts: []fleet.Assignment{{Shift: "SHIFT_DAY", From: fleet.NewDate(2025, 1, 1)}}}
}

func kindOf(err error) scim.Kind {
	if r, ok := errors.AsType[*scim.Refusal](err); ok {
		return r.Kind
	}
	return ""
}

// TestFiltersFindSomebodyOrNothing holds what provisioning systems send, and what is
// refused rather than guessed at.
func TestFiltersFindSomebodyOrNothing(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want scim.Filter
		bad  bool
	}{
		{"", scim.Filter{}, false},
		{`userName eq "EMP-1006"`, scim.Filter{By: scim.ByUserName, Value: "EMP-1006"}, false},
		{`  USERNAME  EQ   "a b\"c" `, scim.Filter{By: scim.ByUserName, Value: `a b"c`}, false},
		{`externalId eq "0f3c"`, scim.Filter{By: scim.ByExternalID, Value: "0f3c"}, false},
		{`id Eq "EMP-1"`, scim.Filter{By: scim.ByID, Value: "EMP-1"}, false},
		{`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"`, scim.Filter{By: scim.ByUserName, Value: "x"}, false},
		{`userName eq EMP-1006`, scim.Filter{}, true},
		{`userName eq ""`, scim.Filter{}, true},
		{`userName eq "a" and id eq "b"`, scim.Filter{}, true},
		{`userName eq "a" or active eq true`, scim.Filter{}, true},
		{`userName co "a"`, scim.Filter{}, true},
		{`userName pr`, scim.Filter{}, true},
		{`home_zip eq "94538"`, scim.Filter{}, true},
		{`active eq true`, scim.Filter{}, true},
		{`userName eq "a\u0000"`, scim.Filter{}, true},
		{`userName eq "` + strings.Repeat("a", 2000) + `"`, scim.Filter{}, true},
	} {
		got, err := scim.ParseFilter(tt.in)
		if got != tt.want || (err != nil) != tt.bad || tt.bad && kindOf(err) != scim.InvalidFilter {
			t.Errorf("%q: got %+v, %v", tt.in, got, err)
		}
	}
}

// FuzzFilter promises that a filter that is taken says one attribute and one value,
// and that writing it again reads the same.
func FuzzFilter(f *testing.F) {
	for _, s := range []string{`userName eq "a"`, `externalId eq "\u00e9"`, `id eq "`, `a eq b`, " ", `userName eq "a" and`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := scim.ParseFilter(s)
		if err != nil {
			if got != (scim.Filter{}) {
				t.Fatalf("%q is refused and gives %+v", s, got)
			}
			return
		}
		if got == (scim.Filter{}) {
			return
		}
		value, err := json.Marshal(got.Value)
		if err != nil {
			t.Fatal(err)
		}
		again, err := scim.ParseFilter(string(got.By) + " eq " + string(value))
		if len(value) < 1000 && (err != nil || again != got) {
			t.Fatalf("%q is %+v, and written again %+v, %v", s, got, again, err)
		}
	})
}

// FuzzPatch promises that whatever is sent either is refused, or changes nothing but
// what the protocol may change.
func FuzzPatch(f *testing.F) {
	for _, ops := range []string{`[{"op":"Replace","path":"active","value":"False"}]`,
		`[{"op":"add","value":{"name.givenName":"R","emails":[{"value":"a@b"}]}}]`,
		`[{"op":"remove","path":"emails[type eq \"work\"].value"}]`,
		`[{"op":"replace","path":"urn:gavel:poolpatrol:2.0:Employee:shift_id","value":"SHIFT_A"}]`} {
		f.Add(patch(ops))
	}
	f.Fuzz(func(t *testing.T, body string) {
		c, err := scim.ReadPatch([]byte(body))
		if err != nil {
			if kindOf(err) == "" {
				t.Fatalf("refused without a word of the protocol's: %v", err)
			}
			return
		}
		e, external := robin(), ""
		if c.Apply(&e, &external, today) == nil && (e.ID != "EMP-1006" || e.TimeType != "" || e.Away != nil) {
			t.Fatalf("%s makes %+v", body, e)
		}
	})
}

func patch(operations string) string {
	return `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":` + operations + `}`
}

// TestPatchesOfProvisioningSystems holds what the two most common ones send.
func TestPatchesOfProvisioningSystems(t *testing.T) {
	const own = "urn:gavel:poolpatrol:2.0:Employee"
	for _, tt := range []struct {
		name, ops string
		want      func(*intake.Employee)
		refused   scim.Kind
	}{
		{"a string for a truth", `[{"op":"Replace","path":"active","value":"False"}]`,
			func(e *intake.Employee) { e.Status = fleet.Inactive }, ""},
		{"a truth without a path", `[{"op":"replace","value":{"active":false}}]`, func(e *intake.Employee) { e.Status = fleet.Inactive },
			""},
		{"an address by its type", `[{"op":"Add","path":"emails[type eq \"work\"].value","value":"new@example.org"}]`,
			func(e *intake.Employee) { e.Email = "new@example.org" }, ""},
		{"the primary of several", `[{"op":"replace","path":"emails","value":[{"value":"a@x","type":"home"},{"value":"b@x","type":"work","primary":true}]}]`, func(e *intake.Employee) { e.Email = "b@x" }, ""},
		{"an address by being primary", `[{"op":"replace","path":"emails[primary eq true]","value":{"value":"new@example.org"}}]`,
			func(e *intake.Employee) { e.Email = "new@example.org" }, ""},
		{"an address at home", `[{"op":"Add","path":"emails[type eq \"home\"].value","value":"home@example.org"},{"op":"remove","path":"emails[type eq \"home\"]"},{"op":"replace","path":"emails[not (type eq \"work\")].value","value":"x@example.org"}]`, func(*intake.Employee) {}, ""},
		{"the address held, taken away", `[{"op":"remove","path":"emails[value eq \"Robin@example.org\"]"}]`,
			func(e *intake.Employee) { e.Email = "" }, ""},
		{"another address, taken away", `[{"op":"remove","path":"emails[value eq \"old@example.org\"]"}]`, func(*intake.Employee) {}, ""},
		{"one address for another", `[{"op":"add","path":"emails[type eq \"work\" and primary eq true].value","value":"new@example.org"},{"op":"remove","path":"emails[value eq \"robin@example.org\"]"}]`, func(e *intake.Employee) { e.Email = "new@example.org" }, ""},
		{"no name", `[{"op":"remove","path":"name"}]`, func(e *intake.Employee) { e.Name = "" }, ""},
		{"no name in parts and one in whole", `[{"op":"replace","value":{"displayName":"R. Jones","name":null}}]`,
			func(e *intake.Employee) { e.Name = "R. Jones" }, ""},
		{"no extension", `[{"op":"replace","value":{"` + own + `":null}},{"op":"remove","path":"` + own + `"}]`, func(*intake.Employee) {},
			""},
		{"a part of a name", `[{"op":"Replace","path":"name.familyName","value":"Jones"}]`,
			func(e *intake.Employee) { e.Name = "Robin Jones" }, ""},
		{"names in one object", `[{"op":"replace","value":{"name":{"givenName":"R.","familyName":"Jones"}}}]`,
			func(e *intake.Employee) { e.Name = "R. Jones" }, ""},
		{"dotted names", `[{"op":"replace","value":{"name.givenName":"R.","displayName":"Robin J."}}]`,
			func(e *intake.Employee) { e.Name = "Robin J." }, ""},
		{"the extension's object", `[{"op":"replace","value":{"` + own + `":{"site_id":"PLANT-2","manager":"EMP-1002"}}}]`,
			func(e *intake.Employee) { e.Site, e.Manager = "PLANT-2", "EMP-1002" }, ""},
		{"the extension's path", `[{"op":"replace","path":"` + own + `:site_id","value":"PLANT-2"}]`,
			func(e *intake.Employee) { e.Site = "PLANT-2" }, ""},
		{"no manager", `[{"op":"remove","path":"` + own + `:manager"}]`, func(e *intake.Employee) { e.Manager = "" }, ""},
		{"a shift from a day", `[{"op":"replace","path":"` + own + `","value":{"shift_id":"SHIFT_NIGHT","effective_from":"2026-12-01"}}]`,
			func(e *intake.Employee) {
				e.Shifts = append(e.Shifts, fleet.Assignment{Shift: "SHIFT_NIGHT", From: fleet.NewDate(2026, 12, 1)})
			}, ""},
		{"a shift from today", `[{"op":"replace","path":"` + own + `:shift_id","value":"SHIFT_NIGHT"}]`, func(e *intake.Employee) {
			e.Shifts = append(e.Shifts, fleet.Assignment{Shift: "SHIFT_NIGHT", From: today})
		}, ""},
		{"the shift they have", `[{"op":"replace","path":"` + own + `:shift_id","value":"SHIFT_DAY"}]`, func(*intake.Employee) {}, ""},
		{"another home", `[{"op":"replace","path":"` + own + `:home_zip","value":"95001"}]`,
			func(e *intake.Employee) { e.ZIP, e.Address, e.Home, e.Radius = "95001", "", nil, 0 }, ""},
		{"the same home", `[{"op":"replace","path":"` + own + `:home_zip","value":"94538"}]`, func(*intake.Employee) {}, ""},
		{"what is not held", `[{"op":"replace","path":"title","value":"Welder"},{"op":"add","path":"addresses[type eq \"work\"].locality","value":"X"},{"op":"add","path":"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department","value":"X"}]`, func(*intake.Employee) {}, ""},
		{"their own name", `[{"op":"replace","path":"userName","value":"emp-1006"}]`, func(*intake.Employee) {}, ""},
		{"another's name", `[{"op":"replace","path":"userName","value":"EMP-1007"}]`, nil, scim.Mutability},
		{"no shift", `[{"op":"remove","path":"` + own + `:shift_id"}]`, nil, scim.InvalidValue},
		{"no day", `[{"op":"replace","path":"` + own + `:effective_from","value":"soon"}]`, nil, scim.InvalidValue},
		{"half a truth", `[{"op":"replace","path":"active","value":"perhaps"}]`, nil, scim.InvalidValue},
		{"a number for a text", `[{"op":"replace","path":"displayName","value":7}]`, nil, scim.InvalidValue},
		{"no such attribute", `[{"op":"replace","path":"` + own + `:salary","value":"1"}]`, nil, scim.InvalidPath},
		{"no path", `[{"op":"remove"}]`, nil, scim.NoTarget},
		{"no operation", `[{"op":"move","path":"active","value":true}]`, nil, scim.InvalidSyntax},
		{"none", `[]`, nil, scim.InvalidSyntax},
		{"too many", `[` + strings.Repeat(`{"op":"replace","path":"active","value":true},`, scim.MaxOperations) +
			`{"op":"replace","path":"active","value":true}]`, nil, scim.TooMany},
	} {
		e, want, external := robin(), robin(), ""
		c, err := scim.ReadPatch([]byte(patch(tt.ops)))
		if err == nil {
			err = c.Apply(&e, &external, today)
		}
		if tt.refused != "" {
			if kindOf(err) != tt.refused {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.refused)
			}
			continue
		}
		tt.want(&want)
		if err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("%s: got %+v, %v, want %+v", tt.name, e, err, want)
		}
	}
}

// TestLeaveStays promises that a system that knows only active and not does not end
// anybody's leave.
func TestLeaveStays(t *testing.T) {
	for body, want := range map[string]fleet.Standing{`{"active":true}`: fleet.OnLeave, `{"active":false}`: fleet.Inactive} {
		c, err := scim.ReadUser([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		e, external := robin(), ""
		e.Status = fleet.OnLeave
		if err := c.Apply(&e, &external, today); err != nil || e.Status != want {
			t.Errorf("%s: got %s, %v, want %s", body, e.Status, err, want)
		}
	}
}

// TestAVersionNamesWhatIsSaid promises another version for another word, and the
// same for the same.
func TestAVersionNamesWhatIsSaid(t *testing.T) {
	a, b := scim.Of(robin(), "x"), scim.Of(robin(), "x")
	if a.Version() != b.Version() || !scim.Matches(a.Version(), b.Version()) ||
		!scim.Matches(`"no", `+strings.TrimPrefix(a.Version(), "W/"), b.Version()) || !scim.Matches("*", a.Version()) {
		t.Error("the same is not the same")
	}
	for _, change := range []func(*scim.User){func(u *scim.User) { u.Active = false }, func(u *scim.User) { u.Employee.ZIP = "1" },
		func(u *scim.User) { u.ExternalID = "y" }} {
		c := scim.Of(robin(), "x")
		change(&c)
		if scim.Matches(c.Version(), a.Version()) {
			t.Errorf("%+v has the version of another", c)
		}
	}
}
