// Package ingest brings data in: it asks the services outside and writes what they say to
// the data lake, and takes what people import and enter.
//
// Read workflow.go, then ask.go and write.go. A memory keeps every answer as it came, so that
// a step that is done again asks nobody twice.
package ingest

import (
	"context"

	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Gatherer brings data in. It is made before anything it stands on is there, and opened
// once, before the first ingest.
type Gatherer struct {
	store    *store.Store
	surveyor *survey.Surveyor
	services outside.Services
}

// New makes a gatherer that is not opened yet. It writes to the surveyor's lake.
func New(s *store.Store, v *survey.Surveyor) *Gatherer { return &Gatherer{store: s, surveyor: v} }

// Open tells it of the services that the settings name.
func (g *Gatherer) Open(set map[string]string) (err error) {
	g.services, err = outside.OpenServices(set, outside.Network{Now: g.store.Now})
	return err
}

// Steps are its activities.
func (g *Gatherer) Steps() *Steps { return &Steps{g} }

// Start has the services asked, for an organisation that has a lake.
func (g *Gatherer) Start(ctx context.Context, actor identity.Actor, key string) (store.Ingest, error) {
	if err := g.store.May(actor, store.ActIngest); err != nil {
		return store.Ingest{}, err
	}
	if !g.surveyor.Watches(actor.Org) {
		return store.Ingest{}, fault.New(fault.Conflict, "this organisation has no data lake here to write to").
			WithNext("have the operator set %s and %s", outside.SettingLake, outside.SettingLakeOrg)
	}
	return g.store.StartIngest(ctx, actor, key)
}
