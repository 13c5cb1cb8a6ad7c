// Package survey looks at the air: scans of the data lake and of files that were handed in,
// the watch that begins them by itself, notices of new objects, and the pictures that are
// drawn of what was found.
//
// Read workflow.go, then look.go: what was found is in the store, and the engine only sees
// to it that a scan comes to its end.
package survey

import (
	"context"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Surveyor looks at the air. It is made before anything it stands on is there, and opened
// once, before the first scan.
type Surveyor struct {
	store *store.Store
	shelf *Shelf
	lake  outside.Owned
	album album
}

// New makes a surveyor that is not opened yet.
func New(s *store.Store) *Surveyor { return &Surveyor{store: s, shelf: NewShelf()} }

// Open tells it of the data lake, where the settings name one.
func (v *Surveyor) Open(set map[string]string) (err error) {
	v.lake, err = outside.OpenLake(set, outside.Network{Now: v.store.Now}, v.lastOf)
	return err
}

// Steps are its activities.
func (v *Surveyor) Steps() *Steps { return &Steps{v} }

// Shelf is where the object that is in memory lies.
func (v *Surveyor) Shelf() *Shelf { return v.shelf }

// Lake is the data lake and whose it is.
func (v *Surveyor) Lake() outside.Owned { return v.lake }

// Watches reports whether an organisation has a lake here.
func (v *Surveyor) Watches(org identity.Org) bool { return v.lake.By(org) }

// Schedule reads when the lake is looked at by itself.
func (v *Surveyor) Schedule(ctx context.Context, actor identity.Actor) (store.Schedule, error) {
	c, err := v.store.ScheduleOf(ctx, actor)
	c.Lake = v.Watches(actor.Org)
	return c, err
}

// Begin has the lake watched, where there is one. Every worker calls it at its start:
// a watch that runs is woken, which changes nothing, and one that was lost begins again.
func (v *Surveyor) Begin(ctx context.Context) error {
	if v.lake.Lake == nil {
		return nil
	}
	return v.store.WakeWatch(ctx, v.lake.Org)
}
