package console_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/tool"
)

// office is how the stage is set up for administrators: two agents of which one
// has no model, and sources in every state.
func (s *stage) office(t testing.TB) console.Config {
	t.Helper()
	rules := policy.Standard()
	people := signin.NewStore(signin.StoreConfig{DB: s.db.App, Rules: rules})
	c := console.Config{Pauses: act.NewPauses(act.PausesConfig{DB: s.db.App, Rules: rules, Wake: agent.WakeHeld(s.store)})}
	var err error
	c.Evidence, err = evidence.New(evidence.Config{DB: s.db.App, Blobs: s.Blobs, Rules: rules, Clock: durable.Clock{}, Vault: s.Vault,
		Code: "test-1", Sources: []evidence.Source{
			{Name: "cpcb", Title: "Stations", Licence: "open, with attribution", ExpectedEvery: time.Hour,
				Without: "No surge is seen until somebody reports one."},
			{Name: "riders", Title: "Riders' answers", Licence: "internal", Personal: true},
			{Name: "firms", Title: "Fire detections", Licence: "open, with attribution", ExpectedEvery: 3 * time.Hour,
				Without: "Fires behind a surge are not named."},
		}})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	c.Setup = console.Setup{Name: people.Name, Person: known(people), Tools: tools, Kept: sampleKept(), Vault: s.Vault,
		Tokens: func(context.Context, identity.Actor) ([]signin.Token, error) { return sampleTokens(), nil },
		Agents: []agent.Spec{
			{App: "general", Name: "clerk", Role: "a clerk", Route: "plain", Budget: agent.Budget{Calls: 40, Tokens: 100_000,
				Money: 5_000_000}},
			{App: "general", Name: "foreman", Role: "a foreman", Route: "plain", Budget: agent.Budget{Calls: 6}},
			{App: "poolpatrol", Name: "writer", Role: "a writer of letters", Route: "careful", Budget: agent.Budget{Calls: 20}},
		},
		Routes: model.Routes{"plain": {Name: "plain", Provider: "scripted", Model: "scripted-1", Host: "127.0.0.1:9999",
			Price: &model.Price{Currency: "INR", Input: 2_500_000, Cached: 250_000, Output: 10_000_000}}}}
	c.Setup.Hooks, c.Setup.Settings = s.hooks(t), s.settings(t)
	c.Setup.Banners = &console.Banners{Pauses: c.Pauses, Name: people.Name, Kept: 24 * time.Hour}
	return c
}

// known finds people by their ids, those of development tokens among them.
func known(people *signin.Store) func(context.Context, identity.Org, string) (identity.Actor, error) {
	return func(ctx context.Context, org identity.Org, id string) (identity.Actor, error) {
		if id == "dev:auditor@north" {
			return person(postgrestest.North, identity.Auditor), nil
		}
		found, err := people.Lookup(ctx, org, id)
		return found.Actor(org), err
	}
}

// sampleTokens are three: one that ends soon, one that nobody used, and one that is
// well.
func sampleTokens() []signin.Token {
	now := time.Now()
	used := now.Add(-time.Hour)
	long := now.Add(-200*24*time.Hour - time.Hour)
	return []signin.Token{
		{ID: "tok_1", Name: "weigh bridge", Scopes: []string{"ingest:gatepass"}, IssuedAt: long, ExpiresAt: now.Add(73 * time.Hour),
			UsedAt: &used},
		{ID: "tok_2", Name: "old dashboard", Scopes: []string{"read:cases"}, IssuedAt: long, ExpiresAt: now.Add(100 * 24 * time.Hour)},
		{ID: "tok_3", Name: "collector", Scopes: []string{"read:metrics"}, IssuedAt: long, ExpiresAt: now.Add(100 * 24 * time.Hour),
			UsedAt: &used},
	}
}

// sampleKept is one of each end.
func sampleKept() []postgres.Retention {
	return []postgres.Retention{{What: "cases", Ends: postgres.EndsByErasure}, {What: "answers", Keep: 7 * 24 * time.Hour,
		Ends: postgres.EndsByTime},
		{What: "sign_ins", Keep: 30 * 24 * time.Hour, Ends: postgres.EndsByTime},
		{What: "log", Ends: postgres.EndsNever}}
}

// fetched takes a snapshot of a source.
func (s *stage) fetched(t testing.TB, source, text string) evidence.Snapshot {
	t.Helper()
	snap, err := s.office(t).Evidence.Take(t.Context(), person(postgrestest.North, identity.Analyst),
		evidence.Receipt{Source: source, ContentType: "text/csv", Place: "https://example.org/" + source + ".csv?token=abc"},
		strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return snap
}
