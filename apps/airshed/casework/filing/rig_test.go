package filing

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// An office is a clerk on a real database whose cases can ask people.
type office struct {
	airshedtest.Rig
	*Clerk
}

func newOffice(t *testing.T) office {
	t.Helper()
	r := airshedtest.New(t)
	o := office{r, New(r.Store, survey.New(r.Store))}
	tools, err := tool.NewRegistry(o.Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	acts := act.NewStore(o.DB.App, o.store.Clock())
	reviews, err := review.New(review.Config{DB: o.DB.App, Clock: o.store.Clock(), Rules: o.Rules, Acts: acts, Kinds: []review.Kind{agent.CallKind(tools)}})
	if err != nil {
		t.Fatal(err)
	}
	calls := agent.NewCalls(agent.CallsConfig{DB: o.DB.App, Clock: o.store.Clock(), Cases: o.Cases, Acts: acts, Reviews: reviews, Tools: tools, Rules: o.Rules, Logger: o.Log})
	o.Open(Config{Cases: o.Cases, Reviews: reviews, Calls: calls, Log: o.Log})
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
