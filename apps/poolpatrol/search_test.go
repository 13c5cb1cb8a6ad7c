package poolpatrol

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/search"
)

// messagesOf is the application's texts, as they are written.
func messagesOf(t *testing.T) string {
	t.Helper()
	body, err := fs.ReadFile(New().Messages, "en.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestPeopleVansAndAuditsAreFoundByNameAndID promises that the search of every page leads to
// each of them, that the page is there, and that only who may read the records finds any.
func TestPeopleVansAndAuditsAreFoundByNameAndID(t *testing.T) {
	s := newStage(t)
	of := town(12)
	s.fill(t, of)
	s.Set(t, `update poolpatrol.employee set name = 'Zubaida Qureshi-Khan' where id = $1`, of.Employees[0].ID)
	p := s.audit(t)
	run := s.Texts(t, `select id from poolpatrol.audit_run limit 1`)[0]
	texts := messagesOf(t)
	finder := search.New(s.Deps.DB, s.Deps.Rules, New().Search...)
	find := func(who identity.Actor, text string) (found []search.Hit) {
		all, err := finder.Find(t.Context(), who, text)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(all.Hits, func(h search.Hit) bool { return h.App != Name || h.Address == "" })
	}
	van, rider := string(of.Vanpools[3].ID), string(of.Employees[0].ID)
	for _, tt := range []struct{ text, kind, id string }{
		{"khan zub", "poolpatrol.rider", rider},
		{strings.ToLower(rider), "poolpatrol.rider", rider},
		{van, "poolpatrol.van", van},
		{strings.TrimPrefix(van, "VP-"), "poolpatrol.van", van},
		{p.ID, "poolpatrol.pass", p.ID},
		{strings.ToLower(run), "poolpatrol.audit", run},
	} {
		found := find(stageManager(), tt.text)
		at := slices.IndexFunc(found, func(h search.Hit) bool { return string(h.Kind) == tt.kind && h.ID == tt.id })
		if at < 0 {
			t.Errorf("%q finds %+v", tt.text, found)
			continue
		}
		page := s.Get(t, identity.ProgrammeManager, found[at].Address)
		page.Holds(t, 200, tt.id)
		for _, key := range []string{found[at].State, found[at].Says, "search.kind." + tt.kind} {
			if key != "" && !strings.Contains(texts, `"`+key+`":`) {
				t.Errorf("%q says %q, which is no message", tt.text, key)
			}
		}
		officer := identity.Actor{Kind: identity.Person, ID: "p", Org: postgrestest.North, Roles: []identity.Role{identity.Officer}}
		other := stageManager()
		other.Org = postgrestest.South
		if some := append(find(officer, tt.text), find(other, tt.text)...); len(some) != 0 {
			t.Errorf("%q is found by who may not read it: %+v", tt.text, some)
		}
	}
	s.Set(t, `update poolpatrol.employee set name = '', email = '', home_address = '', home_zip = '', home_lat = null, home_lng = null,
		erased_at = now() where id = $1`, rider)
	if found := find(stageManager(), "zubaida"); len(found) != 0 {
		t.Errorf("an erased name finds %+v", found)
	}
}
