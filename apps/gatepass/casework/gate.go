package casework

import (
	"context"
	"crypto/ed25519"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
)

// A Stand is where a gate's device stands: its key, its name, and the site.
type Stand struct {
	store.Gate
	Called string // the device
	Site   store.Site
}

// Station makes the device that a guard is on one whose signed events are believed: with its key, at a gate that has a name or at the one
// site there is. The same key again is the same gate.
func (d *Desk) Station(ctx context.Context, who identity.Actor, key ed25519.PublicKey, gate string) (s Stand, err error) {
	if err := d.store.May(who, store.ActScan); err != nil {
		return s, err
	}
	if len(key) != ed25519.PublicKeySize {
		return s, fault.New(fault.Invalid, "public_key is an Ed25519 key of %d bytes", ed25519.PublicKeySize).On("public_key", "form", "")
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		device, err := signin.DeviceOf(ctx, tx, who.Session)
		if fault.Is(err, fault.NotFound) {
			return fault.From(fault.Refused, err, "only a device that was paired signs what it lets through").
				WithNext("an administrator pairs it; then a guard begins a shift on it")
		}
		if err != nil {
			return err
		}
		setup, err := store.SetupIn(ctx, tx, who.Org)
		if err != nil {
			return err
		}
		if gate == "" {
			gate = named(setup, device.Name)
		}
		if s.Site, err = siteFor(setup, gate); err != nil {
			return err
		}
		now := d.store.Now()
		s.Called = device.Name
		s.Gate, err = store.AddGate(ctx, tx, who.Org, store.Gate{ID: store.NewID(now), Device: device.ID, Public: key, Site: s.Site.ID,
			Name: gate, MadeAt: now, MadeBy: who.ID})
		if err == nil && s.Device != device.ID { // it was paired again: what the first pairing signed stays the first's
			err = fault.New(fault.Conflict, "with this key another pairing of the device has signed").
				WithNext("send what it has signed, and make another key")
		}
		return err
	})
	return s, err
}

// named is the gate that a device is called after; empty where there is none.
func named(setup store.Setup, device string) string {
	if _, known := setup.SiteOfGate(device); known {
		return device
	}
	return ""
}

// siteFor is the site of a gate; where gates have no names, the one site that there is.
func siteFor(setup store.Setup, gate string) (store.Site, error) {
	if gate != "" {
		id, known := setup.SiteOfGate(gate)
		if !known {
			return store.Site{}, fault.New(fault.Invalid, "no site has a gate %.40q", gate).On("gate_id", "unknown", "")
		}
		site, _ := setup.Site(id)
		return site, nil
	}
	if len(setup.Sites) > 1 {
		return store.Site{}, fault.New(fault.Invalid, "say at which gate this device stands").On("gate_id", "required",
			strings.Join(gatesOf(setup), ", ")).WithNext("or name the device like the gate when you pair it")
	}
	site, _ := setup.Site("")
	return site, nil
}

func gatesOf(setup store.Setup) (all []string) {
	for _, s := range setup.Sites {
		all = append(all, s.Gates...)
	}
	return all
}

// A Bundle is what a gate goes by while it is alone.
type Bundle struct {
	store.Listing
	Org   string // its tag in codes
	Site  store.Site
	Keys  token.Keys
	Rules pass.Rules
	Now   time.Time
	Turn  store.Turn // of the guard who asks
}

// Bundle is what a gate of a site is to know since a cursor of an earlier answer; the first site where none is said.
func (d *Desk) Bundle(ctx context.Context, who identity.Actor, site, since string) (b Bundle, err error) {
	if err := d.store.May(who, store.ActLook); err != nil {
		return b, err
	}
	if _, err := d.store.SigningKey(ctx, who.Org); err != nil { // made before the first pass is: a gate that has no key believes nothing
		return b, err
	}
	b.Org, b.Now = token.Tag(who.Org), d.store.Now()
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		setup, err := store.SetupIn(ctx, tx, who.Org)
		if err != nil {
			return err
		}
		var known bool
		if b.Site, known = setup.Site(site); !known {
			return fault.New(fault.Invalid, "there is no site %.64q", site).On("site_id", "unknown", "")
		}
		b.Rules = rules(setup)
		return nil
	})
	if err != nil {
		return b, err
	}
	if b.Keys, err = d.store.Keys(ctx, who.Org); err != nil {
		return b, err
	}
	if b.Turn, err = d.store.TurnOf(ctx, who.Org, who.ID, b.Now.Add(-signin.ShiftMost)); err != nil {
		return b, err
	}
	b.Listing, err = d.store.Listed(ctx, who.Org, b.Site.ID, since)
	return b, err
}
