package filing

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/tool"
)

// An office is a clerk on a real database whose cases can ask people.
type office struct {
	airshedtest.Rig
	*Clerk
}

func newOffice(t *testing.T) office {
	t.Helper()
	return officeWith(t, (*Clerk).Tools)
}

// officeWith is an office with other tools.
func officeWith(t *testing.T, tools func(*Clerk) []tool.Tool) office {
	t.Helper()
	r := airshedtest.New(t)
	o := office{r, New(r.Store, survey.New(r.Store))}
	r.App.Tools = tools(o.Clerk)
	d := r.Ask(t).Deps
	o.Open(Config{Cases: d.Cases, Reviews: d.Reviews, Calls: d.Calls, Log: d.Logger})
	return o
}

// surge has a surge found, and returns its case.
func (o office) surge(t *testing.T) casefile.Input {
	t.Helper()
	o.look(t, laketest.Surge(t))
	return casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(o.Texts(t, `select id from airshed.case`)[0])}
}

// look has an object looked at that tells of one surge.
func (o office) look(t *testing.T, object *lake.Object) {
	t.Helper()
	o.Look(t, o.surveyor.Steps(), object)
}
