package signin_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// holds are the roles that whoever acts in a person's stead, or assigns them
// something, finds them to have.
func (h *house) holds(t *testing.T, org identity.Org, id string) (roles []identity.Role) {
	t.Helper()
	err := h.db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
		who, err := signin.Finder(false)(t.Context(), tx, org, id)
		roles = who.Roles
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return roles
}

// TestWhoHoldsARoleIsListedByName promises that a form which asks for a colleague has
// those of the organisation who hold a role, and nobody else.
func TestWhoHoldsARoleIsListedByName(t *testing.T) {
	h := newHouse(t)
	officer, _ := h.signedIn(t, "officer@north.example").whoAmI()
	auditor, _ := h.signedIn(t, "auditor@north.example").whoAmI()
	h.signedIn(t, "officer@south.example")
	listed := func(development bool, most int) (ids []string) {
		err := h.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			all, err := signin.Lister(development)(t.Context(), tx, postgrestest.North, most)
			for _, who := range all {
				ids = append(ids, who.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	got := listed(false, 10)
	slices.Sort(got)
	if want := slices.Sorted(slices.Values([]string{officer.ID, auditor.ID})); !slices.Equal(got, want) {
		t.Errorf("listed are %v, want %v", got, want)
	}
	if got := listed(false, 1); len(got) != 1 {
		t.Errorf("at most one: %v", got)
	}
	if got := listed(true, 100); !slices.Contains(got, "dev:officer-2@north") || !slices.Contains(got, officer.ID) {
		t.Errorf("in development listed are %v", got)
	}
	if _, err := h.store.EndSessions(t.Context(), admin(postgrestest.North), officer.ID); err != nil {
		t.Fatal(err)
	}
	if got := listed(false, 10); !slices.Equal(got, []string{auditor.ID}) {
		t.Errorf("after a role was taken away: %v", got)
	}
}

// TestWhoIsSignedOutByOthersHoldsNoRoleUntilTheOfficeSaysSo: nobody decides in the
// stead of somebody whose role was taken away, from that moment on.
func TestWhoIsSignedOutByOthersHoldsNoRoleUntilTheOfficeSaysSo(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, "officer@north.example")
	who, _ := b.whoAmI()
	if got := h.holds(t, postgrestest.North, who.ID); !slices.Equal(got, []identity.Role{identity.Officer}) {
		t.Fatalf("after signing in: %v", got)
	}
	if got := b.post("/sign-out", nil); got.status != http.StatusSeeOther {
		t.Fatal(got.body)
	}
	if got := h.holds(t, postgrestest.North, who.ID); len(got) != 1 {
		t.Errorf("who goes home for the night holds %v", got)
	}
	before := len(h.records(t, signin.RecordSignIn))
	for range 2 { // with no session left, too; the second time there is nothing to do
		if _, err := h.store.EndSessions(t.Context(), admin(postgrestest.North), who.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.holds(t, postgrestest.North, who.ID); len(got) != 0 {
		t.Errorf("after they were signed out: %v", got)
	}
	if n := len(h.records(t, signin.RecordSignIn)) - before; n != 1 {
		t.Errorf("%d records of it, want 1", n)
	}
	h.signedIn(t, "officer@north.example")
	if got := h.holds(t, postgrestest.North, who.ID); len(got) != 1 {
		t.Errorf("after the office said so again: %v", got)
	}
	sh, _ := h.shift(t, "R. Devi")
	if _, err := h.store.EndSessions(t.Context(), admin(postgrestest.North), sh.Person); err != nil {
		t.Fatal(err)
	}
	if got := h.holds(t, postgrestest.North, sh.Person); !slices.Equal(got, []identity.Role{identity.Gate}) {
		t.Errorf("a guard without an office account holds %v", got)
	}
}

// TestARoleThatTheOfficeTookAwayIsHeldNoLonger: in one organisation, where the
// person still signs in to another, and in all of them.
func TestARoleThatTheOfficeTookAwayIsHeldNoLonger(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn(t, devstack.BothOrganisations)
	people := func(org identity.Org) signin.Person {
		all, err := h.store.People(t.Context(), admin(org))
		if err != nil || len(all) != 1 {
			t.Fatalf("%s knows %+v, %v", org, all, err)
		}
		return all[0]
	}
	north, south := people(postgrestest.North), people(postgrestest.South)
	if len(north.Roles) != 1 || len(south.Roles) != 1 {
		t.Fatalf("north %v, south %v", north.Roles, south.Roles)
	}
	// The office had put an officer of north into south, too, and has taken them out.
	officer, _ := h.signedIn(t, "officer@north.example").whoAmI()
	var issuer, subject string
	err := h.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select issuer, subject from gavel.person where id = $1`, officer.ID).Scan(&issuer, &subject)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.set(t, postgrestest.South, `insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ('south', 'p_01K5ZJ3W8Q6X9V2T4N7M1B0CDE', $1, $2, 'x', 'x', '{officer}', now(), now())`, issuer, subject)
	h.signedIn(t, "officer@north.example")
	if got := h.holds(t, postgrestest.South, "p_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"); len(got) != 0 {
		t.Errorf("in south they still hold %v", got)
	}
	if got := h.holds(t, postgrestest.North, officer.ID); len(got) != 1 {
		t.Errorf("in north they hold %v", got)
	}

	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	h.build(t, stack.Settings(), func(c *signin.Config) { c.Office.GroupsClaim = "absent" }) // it names no group of anybody's now
	if got := h.browser(t).signIn(devstack.BothOrganisations); got.status != http.StatusForbidden || !strings.Contains(got.body, "role") {
		t.Errorf("without a role they got %d: %s", got.status, got.body)
	}
	for org, was := range map[identity.Org]signin.Person{postgrestest.North: north, postgrestest.South: south} {
		if got := h.holds(t, org, was.ID); len(got) != 0 {
			t.Errorf("in %s they still hold %v", org, got)
		}
	}
	if _, status := b.whoAmI(); status != http.StatusUnauthorized {
		t.Errorf("their other browser is still signed in: %d", status)
	}
}
