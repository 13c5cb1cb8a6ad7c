package gatepass_test

import (
	"net/http"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestSomebodyIsErasedFromTheirPass promises that who is erased is in no table of passes and in nothing that was asked about them, that
// their
// photo opens for nobody, and that the pass itself stays: its number, its times and who did what.
func TestSomebodyIsErasedFromTheirPass(t *testing.T) {
	r := newRig(t, durable.Clock{})
	_, desk := r.behind()
	made := r.create(t, "hr", "person_name", "Quagglewick", "description", "To see Quagglewick")
	number, id := made["pass_number"].(string), made["id"].(string)
	wants(t, r.act(t, "admin", number, "approve", `{"note":"Quagglewick may go."}`), 200, "")
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 32, 32)), 200, "")
	if err := desk.Steps().DrawPhotos(t.Context(), r.caseOf(t, number)); err != nil {
		t.Fatal(err)
	}
	photo := rest.Base + "/media/photo/" + r.Texts(t, `select id from gatepass.photo`)[0]
	r.Want(t, 200, "hr", http.MethodGet, photo, nil)
	admin := platformtest.Person("org", postgrestest.North, identity.OrgAdmin)
	whom := seal.Request{Subject: seal.Subject{Type: store.HolderType, ID: id}, Ground: seal.OnRequest}
	if _, err := r.Deps.Vault.Erase(t.Context(), admin, whom); err != nil {
		t.Fatal(err)
	}
	wants(t, r.Call(t, "hr", http.MethodGet, photo, nil), 404, "not_found")
	for _, table := range r.Texts(t, `select schemaname || '.' || tablename from pg_tables where schemaname in ('gavel', 'gatepass')`) {
		if n := r.Number(t, `select count(*)::int from `+table+` x where x::text ilike '%quagglewick%'`); n != 0 {
			t.Errorf("%d rows of %s name them", n, table)
		}
	}
	if a := r.Want(t, 200, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+number, nil); a.JSON["person_name"] != "" ||
		a.JSON["status"] != "exited" {
		t.Errorf("the pass is %s", a.Body)
	}
}

// caseOf is what the clock of a pass is given.
func (r *rig) caseOf(t *testing.T, number string) casefile.Input {
	t.Helper()
	return casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(r.Texts(t, `select id from gavel.case where ref = $1`, number)[0])}
}
