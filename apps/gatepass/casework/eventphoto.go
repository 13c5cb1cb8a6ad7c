package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// EventPhoto takes in the photo of an event that a gate signed while it was alone, once: the very bytes that the event names.
func (d *Desk) EventPhoto(ctx context.Context, who identity.Actor, event replay.Digest, file []byte) error {
	if err := d.store.May(who, store.ActScan); err != nil {
		return err
	}
	var a store.Arrived
	var setup store.Setup
	err := d.store.In(ctx, who.Org, func(tx pgx.Tx) (err error) {
		if a, err = store.ArrivedIn(ctx, tx, event); err == nil {
			setup, err = store.SetupIn(ctx, tx, who.Org)
		}
		return err
	})
	if err != nil || a.HasPhoto {
		return err
	}
	sum := sha256.Sum256(file)
	if hex.EncodeToString(sum[:]) != a.Photo {
		return fault.New(fault.Invalid, "this is not the photo that the event names").On("photo", "other_photo", "")
	}
	bounds := photo.Standard()
	bounds.Bytes = setup.PhotoBytes
	info, err := photo.Check(file, bounds)
	if err != nil {
		return err
	}
	if d.vault == nil {
		return fault.New(fault.Unavailable, "photos cannot be kept on this server")
	}
	id := store.NewID(d.store.Now())
	kept, err := d.vault.SealBlob(ctx, who.Org, ofPhoto(a.PassID, a.Case, id, photoPurpose), file)
	if err != nil {
		return err
	}
	f := store.Photo{ID: id, PassID: a.PassID, Number: a.Number, Kind: "exit", Format: info.Format, Bytes: int64(len(file)),
		Width: info.Width, Height: info.Height, SHA256: a.Photo, Sealed: kept.Ciphertext.String(), TakenAt: a.At, TakenBy: a.Guard,
		Device: a.Gate}
	if a.Kind == pass.ScanReturn {
		f.Kind = "return"
	}
	return d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		k, err := store.Hold(ctx, tx, store.Ref{ID: a.PassID})
		if err != nil {
			return err
		}
		if again, err := store.ArrivedIn(ctx, tx, event); err != nil || again.HasPhoto {
			return err
		}
		if err := store.AddPhoto(ctx, tx, who.Org, f); err != nil {
			return err
		}
		if err := store.ShowPhoto(ctx, tx, f); err != nil {
			return err
		}
		return d.rouse(ctx, tx, who.Org, k)
	})
}
