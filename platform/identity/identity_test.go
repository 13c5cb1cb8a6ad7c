package identity_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

func TestOnlyWellFormedOrganisationsParse(t *testing.T) {
	for _, tt := range []struct {
		in string
		ok bool
	}{
		{"north-commission", true},
		{"o1", true},
		{"a", false},
		{"", false},
		{"North", false},
		{"1north", false},
		{"north'; drop table", false}, // an org is put into SQL settings
		{"north/south", false},        // and into workflow ids
		{"n2345678901234567890123456789012345678901", false},
	} {
		org, err := identity.ParseOrg(tt.in)
		if ok := err == nil; ok != tt.ok {
			t.Errorf("%q: got ok %v, want %v", tt.in, ok, tt.ok)
		}
		if err != nil && (fault.KindOf(err) != fault.Invalid || org != "") {
			t.Errorf("%q: got %q, %v", tt.in, org, err)
		}
	}
}

func TestNobodyIsNotKnownAndHasNoRole(t *testing.T) {
	var nobody identity.Actor
	if nobody.Known() {
		t.Error("the zero actor is somebody")
	}
	for _, r := range identity.Roles() {
		if nobody.Has(r) {
			t.Errorf("the zero actor has role %s", r)
		}
	}
	if _, err := identity.ParseRole("superuser"); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown role parsed: %v", err)
	}
}
