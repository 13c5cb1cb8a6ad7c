package platformtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
)

// Think is an engine with a worker whose agents ask a model over HTTP, for which mind answers on every route that one of
// them names; after Keep and Ask. work is the application's, or as much of it as the test is about. What people approve is
// carried out there, and personal data is masked where the application's is.
func (i *Installation) Think(t testing.TB, work durable.Work, mind http.Handler) durabletest.Client {
	t.Helper()
	at := httptest.NewServer(mind)
	t.Cleanup(at.Close)
	ask, err := openai.New(openai.Config{BaseURL: at.URL + "/v1", TellAgent: true, Provider: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	roster, err := agent.NewRoster(i.tools, i.App.Agents...)
	if err != nil {
		t.Fatal(err)
	}
	routes := model.Routes{}
	for _, spec := range i.App.Agents {
		routes[spec.Route] = model.Route{Name: spec.Route, Provider: "scripted", Model: "scripted", Ask: ask}
	}
	d := i.Deps
	steps := agent.NewSteps(agent.Config{DB: d.DB, Clock: d.Clock, Vault: d.Vault, Acts: d.Acts, Reviews: d.Reviews, Tools: i.tools,
		Roster: roster, Routes: routes, Rules: d.Rules, Logger: d.Logger, Masks: func(string) bool { return i.App.Masks }})
	work.Activities = append(slices.Clone(work.Activities), steps)
	work.Workflows = append(slices.Clone(work.Workflows), durable.Workflow{Name: agent.CarryOutName, Func: agent.CarryOut})
	engine := i.Engine(t)
	behind(t, func(ctx context.Context) error { return durable.Run(ctx, engine, durable.Version{}, d.Logger, work) })
	return engine
}
