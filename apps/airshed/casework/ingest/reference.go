package ingest

import (
	"bytes"
	"context"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// mayRefer refuses reference data from whoever may not add to it. It counts for every
// organisation, so only the one that the installation gave its lake may add to it.
func (g *Gatherer) mayRefer(actor identity.Actor) error {
	if err := g.store.May(actor, store.ActRefer); err != nil {
		return err
	}
	if !g.surveyor.Watches(actor.Org) {
		return fault.New(fault.Refused,
			"reference data counts for every organisation, and only the one whose data lake this is may add to it").
			WithNext("ask somebody of that organisation, or have the operator set %s", outside.SettingLakeOrg)
	}
	return g.store.Keeps()
}

// ImportStations adds stations from a CSV file.
func (g *Gatherer) ImportStations(ctx context.Context, actor identity.Actor, file []byte, name string) (store.Imported, error) {
	if err := g.mayRefer(actor); err != nil {
		return store.Imported{}, err
	}
	return g.store.ImportStations(ctx, actor, file, name)
}

// ImportCitations adds provisions from a book of law, a JSON file.
func (g *Gatherer) ImportCitations(ctx context.Context, actor identity.Actor, file []byte, name string) (store.Imported, error) {
	if err := g.mayRefer(actor); err != nil {
		return store.Imported{}, err
	}
	return g.store.ImportCitations(ctx, actor, file, name)
}

// EnterShare takes down a figure, and keeps the page or picture it was read from. Who
// enters it is who is signed in, whatever the entry says. What is odd about it is
// said and refuses nothing.
func (g *Gatherer) EnterShare(ctx context.Context, actor identity.Actor, share feed.Share, contentType string, capture []byte) (
	e store.ShareEntry, err error,
) {
	if err := g.store.May(actor, store.ActShare); err != nil {
		return e, err
	}
	if err := g.store.Keeps(); err != nil {
		return e, err
	}
	if len(capture) == 0 {
		return e, fault.New(fault.Invalid, "a figure without the page it was read from proves nothing").
			WithNext("hand in a picture or a copy of the page")
	}
	share.SHA256, share.CapturedBy = blob.Sum(capture).String(), actor.ID
	snap, err := outside.Captured(share, g.store.Now(), contentType, capture)
	if err != nil {
		return e, err
	}
	receipt := evidence.Receipt{Source: origin.Stubble, ContentType: snap.ContentType, Place: snap.URL}
	if _, err := g.store.Kept().Take(ctx, identity.Gavel(actor.Org), receipt, bytes.NewReader(capture)); err != nil {
		return e, err
	}
	return g.store.AddShare(ctx, actor, share)
}
