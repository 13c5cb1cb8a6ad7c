package store

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// keyPurpose binds a sealed key to what it is for.
const keyPurpose = "gatepass/signing"

// SigningKey is what an organisation's codes are signed with, made at first need. Two who need it at once get one.
func (s *Store) SigningKey(ctx context.Context, org identity.Org) (ed25519.PrivateKey, error) {
	var sealed string
	err := s.In(ctx, org, func(tx pgx.Tx) error {
		const lock, newest = `select pg_advisory_xact_lock(hashtextextended($1, 0))`, `select sealed from gatepass.signing_key
			order by made_at desc, id limit 1`
		rows, _ := tx.Query(ctx, newest)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err == nil && len(all) == 0 {
			if _, err := tx.Exec(ctx, lock, keyPurpose+"/"+string(org)); err != nil {
				return err
			}
			rows, _ = tx.Query(ctx, newest)
			if all, err = pgx.CollectRows(rows, pgx.RowTo[string]); err == nil && len(all) == 0 {
				all = []string{""}
				all[0], err = s.newKey(ctx, tx, org, s.Now())
			}
		}
		if err == nil {
			sealed = all[0]
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the key of passes: %w", err)
	}
	text, err := s.keys.OpenText(keyPurpose, sealed)
	if err != nil {
		return nil, fault.From(fault.Internal, err, "the key of passes does not open")
	}
	seed, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fault.New(fault.Internal, "the key of passes is none")
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func (s *Store) newKey(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) (string, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	sealed, err := s.keys.SealText(keyPurpose, base64.RawStdEncoding.EncodeToString(private.Seed()))
	if err != nil {
		return "", err
	}
	const insert = `insert into gatepass.signing_key (org, id, public, sealed, made_at) values ($1, $2, $3, $4, $5)`
	_, err = tx.Exec(ctx, insert, org, token.KeyID(public), []byte(public), sealed, now)
	return sealed, err
}

// Keys are the public keys by which an organisation's codes are known.
func (s *Store) Keys(ctx context.Context, org identity.Org) (keys token.Keys, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select public from gatepass.signing_key`)
		all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			return err
		}
		public := make([]ed25519.PublicKey, len(all))
		for i := range all {
			public[i] = all[i]
		}
		keys, err = token.NewKeys(public...)
		return err
	})
	return keys, err
}
