package seal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
)

// SealBlob seals plain and stores the envelope in the blob store, under the
// SHA-256 of its bytes. The index is committed first: after a crash it may name
// an object that is not there, but no object is there that it does not name, and
// an erasure misses nothing.
func (v *Vault) SealBlob(ctx context.Context, org identity.Org, m Matter, plain []byte) (Part, error) {
	var e Envelope
	err := v.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		e, err = v.Seal(ctx, tx, org, m, plain)
		return err
	})
	if err != nil {
		return Part{}, err
	}
	if _, err := v.blobs.PutBytes(ctx, e.raw); err != nil {
		return Part{}, fmt.Errorf("store sealed blob: %w", err)
	}
	return e.Part(), nil
}

// OpenBlob reads a sealed blob and opens it, as Open does.
func (v *Vault) OpenBlob(ctx context.Context, org identity.Org, purpose string, d blob.Digest) ([]byte, error) {
	raw, err := v.blobs.Bytes(ctx, d, int64(maxEnvelope))
	if err != nil {
		return nil, err
	}
	e, err := ParseEnvelope(raw)
	if err != nil {
		return nil, err
	}
	var plain []byte
	err = v.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		plain, err = v.Open(ctx, tx, org, purpose, e)
		return err
	})
	return plain, err
}
