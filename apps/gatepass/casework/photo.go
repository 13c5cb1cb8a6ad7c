package casework

import (
	"context"
	"errors"

	"github.com/gavelhq/gavel/apps/gatepass/rule/drawing"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// draw draws what is handed out of the photos of a pass. What cannot be drawn is said once, and not tried for ever.
func (d *Desk) draw(ctx context.Context, org identity.Org, k store.Kept) error {
	all, err := d.store.Undrawn(ctx, org, k.ID)
	if err != nil {
		return err
	}
	var failed []error
	for _, f := range all {
		if err := d.drawOne(ctx, org, k, f); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (d *Desk) drawOne(ctx context.Context, org identity.Org, k store.Kept, f store.Photo) error {
	at, err := blob.Parse(f.Sealed)
	if err != nil {
		return err
	}
	file, err := d.vault.OpenBlob(ctx, org, photoPurpose, at)
	if errors.Is(err, seal.ErrErased) {
		f.Trouble = "it was erased"
		return d.store.Drawn(ctx, org, f)
	}
	if err != nil {
		return err
	}
	picture, thumb, err := drawing.Draw(file, f.Format)
	if fault.Is(err, fault.Invalid) {
		place, _ := fault.PlaceOf(err)
		f.Trouble = place.Code
		return d.store.Drawn(ctx, org, f)
	}
	if err != nil {
		return err
	}
	m := ofPhoto(k.ID, k.Case, f.ID, drawnPurpose)
	large, err := d.vault.SealBlob(ctx, org, m, picture)
	if err != nil {
		return err
	}
	small, err := d.vault.SealBlob(ctx, org, m, thumb)
	if err != nil {
		return err
	}
	f.JPEG, f.JPEGBytes, f.Thumb = large.Ciphertext.String(), int64(len(picture)), small.Ciphertext.String()
	return d.store.Drawn(ctx, org, f)
}

// Picture is what was drawn from a photo: small, or as large as it is handed out. The original is handed to nobody.
func (d *Desk) Picture(ctx context.Context, who identity.Actor, id string, small bool) ([]byte, error) {
	f, err := d.store.Photo(ctx, who.Org, id)
	if err != nil {
		return nil, err
	}
	where := f.JPEG
	if small {
		where = f.Thumb
	}
	switch {
	case f.Trouble != "":
		return nil, fault.New(fault.NotFound, "photo %s cannot be shown: %s", f.ID, f.Trouble)
	case where == "" || d.vault == nil:
		return nil, fault.New(fault.NotFound, "photo %s is not drawn yet", f.ID).WithNext("ask again in a moment")
	}
	at, err := blob.Parse(where)
	if err != nil {
		return nil, err
	}
	file, err := d.vault.OpenBlob(ctx, who.Org, drawnPurpose, at)
	if errors.Is(err, seal.ErrErased) {
		return nil, fault.New(fault.NotFound, "photo %s was erased", f.ID)
	}
	return file, err
}

// Code is what the QR of a pass says.
func (d *Desk) Code(ctx context.Context, org identity.Org, k store.Kept) (string, error) {
	if err := pass.QR(k.Pass); err != nil {
		return "", err
	}
	key, err := d.store.SigningKey(ctx, org)
	if err != nil {
		return "", err
	}
	return token.Mint(token.Token{Org: token.Tag(org), Pass: k.Number, Version: k.Token, From: k.ValidFrom, Until: k.ValidUntil,
		Returnable: k.IsReturnable}, key)
}
