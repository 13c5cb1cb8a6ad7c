package poolpatrol

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A rig is Pool Patrol's API on a real database, spoken to over HTTP. The header
// As names who asks, in place of sign-in, which has tests of its own.
type rig struct {
	*platformtest.Installation
	*platformtest.Server

	t   *testing.T
	app *rooms
}

// rigPublic is where its server says it is.
const rigPublic = "https://gavel.example"

// rigPeople are who may ask.
var rigPeople = map[string]identity.Actor{
	"manager": platformtest.Person("manager", postgrestest.North, identity.ProgrammeManager),
	"auditor": platformtest.Person("auditor", postgrestest.North, identity.Auditor),
	"officer": platformtest.Person("officer", postgrestest.North, identity.Officer),
	"admin":   platformtest.Person("admin", postgrestest.North, identity.OrgAdmin),
	"south":   platformtest.Person("south", postgrestest.South, identity.ProgrammeManager),
	"staff":   {Kind: identity.Machine, ID: "staff", Name: "Staff system", Org: postgrestest.North, Scopes: []string{"ingest:poolpatrol"}},
	"reader":  {Kind: identity.Machine, ID: "reader", Name: "Reader", Org: postgrestest.North, Scopes: []string{"read:cases"}},
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, Installation: platformtest.New(t, New()), app: newRooms()}
	if err := r.app.open(r.Deps); err != nil {
		t.Fatal(err)
	}
	r.Server = r.Serve(t, platformtest.Serves{API: rest.Parts(r.app.store), As: rigPeople, Public: rigPublic})
	return r
}

// call sends a request as somebody.
func (r *rig) call(as, method, path string, body any, headers ...string) platformtest.Answer {
	r.t.Helper()
	return r.Call(r.t, as, method, path, body, headers...)
}

// want calls and insists on the status.
func (r *rig) want(status int, as, method, path string, body any, headers ...string) platformtest.Answer {
	r.t.Helper()
	return r.Want(r.t, status, as, method, path, body, headers...)
}

// aFile is a file as the API takes it.
func aFile(kind intake.Kind, file string, whole bool) map[string]any {
	return map[string]any{"kind": kind, "file": file, "whole": whole}
}

// hand imports a file as it was previewed.
func (r *rig) hand(as string, kind intake.Kind, file string) platformtest.Answer {
	r.t.Helper()
	body := aFile(kind, file, true)
	body["sha256"] = r.want(200, as, "POST", "/v1/poolpatrol/previews", body).JSON["sha256"]
	return r.want(200, as, "POST", "/v1/poolpatrol/imports", body)
}

// fill hands over a made-up town.
func (r *rig) fill(as string, town madeup.Town) {
	r.t.Helper()
	for _, h := range poolpatroltest.Files(town.Records) {
		r.hand(as, h.Kind, string(h.File))
	}
}

// finish does what the workflow of a pass does, to its end.
func (r *rig) finish(org identity.Org, pass string) {
	r.t.Helper()
	steps, in := r.app.work.Steps(), store.PassInput{Org: org, Pass: pass}
	more, err := steps.Pin(r.t.Context(), in)
	for done := !more; err == nil && !done; {
		done, err = steps.Look(r.t.Context(), in)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// audited has every van audited and returns the id of the pass.
func (r *rig) audited(as string) string {
	r.t.Helper()
	id, _ := r.want(201, as, "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`).JSON["id"].(string)
	r.finish(rigPeople[as].Org, id)
	return id
}

// age makes the records too old between the start of a pass and their reading,
// and lets the pass read them.
func (r *rig) age(t *testing.T, pass string) {
	t.Helper()
	err := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update poolpatrol.sync set at = at - interval '50 hours' where at > now() - interval '1 hour'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.app.work.Steps().Pin(t.Context(), store.PassInput{Org: postgrestest.North, Pass: pass}); err != nil {
		t.Fatal(err)
	}
}
