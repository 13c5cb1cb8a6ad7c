package seal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// rewrapBatch is how many keys move in one transaction: some milliseconds.
const rewrapBatch = 500

// A scope is where keys are moved: in one organisation, or in all of them.
type scope func(ctx context.Context, fn func(pgx.Tx) error) error

// Rewrap moves every data key, of all organisations, to the first master key and
// returns how many it moved. Envelopes and data keys do not change, and nobody
// waits: sealing and opening go on. It may be broken off and run again.
func (v *Vault) Rewrap(ctx context.Context, sys *postgres.System) (int, error) {
	return v.rewrap(ctx, sys.InTx)
}

func (v *Vault) rewrap(ctx context.Context, in scope) (int, error) {
	moved := 0
	var org, id string // the last key seen; they are taken in order
	for {
		var batch []keyRow
		err := in(ctx, func(tx pgx.Tx) (err error) {
			if batch, err = v.stale(ctx, tx, org, id); err != nil || len(batch) == 0 {
				return err
			}
			return v.moveAll(ctx, tx, batch)
		})
		if err != nil {
			return moved, fmt.Errorf("move keys to the master key %s: %w", v.masters.ring[0].id, err)
		}
		if len(batch) == 0 {
			return moved, nil
		}
		moved += len(batch)
		last := batch[len(batch)-1]
		org, id = string(last.Org), string(last.ID)
	}
}

// RecordRewrap is the kind of record that says data keys were moved to another
// master key: of an organisation, in its own log, or of the whole installation.
const RecordRewrap audit.Kind = "seal_keys"

// Rewrapped is what a rotation came to.
type Rewrapped struct {
	Master string         `json:"master"` // where the keys are now
	Moved  int            `json:"moved"`
	Left   map[string]int `json:"-"` // keys under each master key; those not in it are not needed any more
	Record audit.RecordID `json:"-"`
}

// RewrapBy moves the data keys of the actor's organisation, and of no other: how
// many another one has is not theirs to know. It needs the act key.rewrap.
func (v *Vault) RewrapBy(ctx context.Context, actor identity.Actor) (Rewrapped, error) {
	if err := v.may(actor, "key.rewrap"); err != nil {
		return Rewrapped{}, err
	}
	return v.rewrapIn(ctx, actor, func(ctx context.Context, fn func(pgx.Tx) error) error { return v.db.InOrg(ctx, actor.Org, fn) })
}

// RewrapAll is Rewrap for who runs the installation and has its own credential.
// Only then is it known that an old master key is not needed any more.
func (v *Vault) RewrapAll(ctx context.Context, sys *postgres.System) (Rewrapped, error) {
	return v.rewrapIn(ctx, identity.Gavel(audit.Installation), sys.InTx)
}

// rewrapIn moves keys and puts it on record, also where nothing had to be moved:
// that nothing is left under an old master key is worth knowing before it is
// destroyed.
func (v *Vault) rewrapIn(ctx context.Context, by identity.Actor, in scope) (Rewrapped, error) {
	done := Rewrapped{Master: v.masters.ring[0].id}
	var err error
	if done.Moved, err = v.rewrap(ctx, in); err != nil {
		return done, err
	}
	err = in(ctx, func(tx pgx.Tx) (err error) {
		if done.Left, err = usage(ctx, tx); err != nil {
			return err
		}
		done.Record, err = audit.Append(ctx, tx, audit.Record{At: v.now(), Kind: RecordRewrap, Actor: by, Subject: "master:" + done.Master,
			Body: done})
		return err
	})
	return done, err
}

// stale reads the next keys that are wrapped under another master key. The lock
// keeps them from being destroyed meanwhile; it does not stop who seals.
func (v *Vault) stale(ctx context.Context, tx pgx.Tx, org, id string) ([]keyRow, error) {
	const next = keyColumns + `
		where master <> $1 and (org, id) > ($2, $3)
		order by org, id limit $4 for no key update`
	rows, _ := tx.Query(ctx, next, v.masters.ring[0].id, org, id, rewrapBatch)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[keyRow])
}

func (v *Vault) moveAll(ctx context.Context, tx pgx.Tx, batch []keyRow) error {
	const move = `update gavel.seal_key set master = $3, wrapped = $4 where org = $1 and id = $2`
	b := &pgx.Batch{}
	for _, row := range batch {
		raw, err := v.masters.unwrap(row.wrapping())
		if err != nil {
			return err
		}
		w := v.masters.wrap(row.wrapping(), raw)
		clear(raw)
		b.Queue(move, row.Org, row.ID, w.master, w.wrapped)
	}
	return tx.SendBatch(ctx, b).Close()
}

// Usage is how many data keys are wrapped under each master key. One that is not
// in it is not needed any more.
func Usage(ctx context.Context, sys *postgres.System) (used map[string]int, err error) {
	err = sys.InTx(ctx, func(tx pgx.Tx) error {
		used, err = usage(ctx, tx)
		return err
	})
	return used, err
}

func usage(ctx context.Context, tx pgx.Tx) (map[string]int, error) {
	rows, _ := tx.Query(ctx, `select master, count(*) from gavel.seal_key where master is not null group by master`)
	used := map[string]int{}
	var id string
	var n int
	_, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		used[id] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count keys by master key: %w", err)
	}
	return used, nil
}
