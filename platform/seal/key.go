package seal

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// ErrErased says that the key was destroyed, on the day in the fault's words.
// What was sealed under it is gone for everyone.
var ErrErased = errors.New("the key is destroyed")

func erased(at time.Time) error {
	return fault.From(fault.NotFound, ErrErased, "this was erased on %s", at.UTC().Format(time.DateOnly))
}

// A keyRow is a data key as its table holds it.
type keyRow struct {
	Org         identity.Org
	ID          KeyID
	Owner       string
	Master      *string
	Wrapped     []byte
	DestroyedAt *time.Time
}

const keyColumns = `select org, id, owner, master, wrapped, destroyed_at from gavel.seal_key`

// unwrap is the data key itself, or ErrErased. The caller clears it after use.
func (v *Vault) unwrap(row keyRow) ([]byte, error) {
	if row.DestroyedAt != nil {
		return nil, erased(*row.DestroyedAt)
	}
	return v.masters.unwrap(row.wrapping())
}

func (r keyRow) wrapping() wrapping {
	return wrapping{org: r.Org, key: r.ID, owner: r.Owner, master: *r.Master, wrapped: r.Wrapped}
}

func readKeys(ctx context.Context, tx pgx.Tx, org identity.Org, ids map[KeyID]bool) (map[KeyID]keyRow, error) {
	rows, _ := tx.Query(ctx, keyColumns+` where org = $1 and id = any($2)`, org, slices.Collect(maps.Keys(ids)))
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyRow])
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	keys := map[KeyID]keyRow{}
	for _, k := range found {
		keys[k.ID] = k
	}
	return keys, nil
}

// keyFor finds the matter's key or makes it. From here to the end of the
// transaction nobody can erase one of the subjects or destroy the key: an
// erasure waits, or we wait for it and are refused.
func (v *Vault) keyFor(ctx context.Context, tx pgx.Tx, org identity.Org, m Matter) (KeyID, []byte, error) {
	if err := admit(ctx, tx, org, m.names()); err != nil {
		return "", nil, err
	}
	owner := m.owner()
	row, found, err := keyOf(ctx, tx, org, owner)
	if err != nil {
		return "", nil, err
	}
	if !found {
		made, raw, err := v.mint(ctx, tx, org, owner)
		if made != "" || err != nil {
			return made, raw, err
		}
		// Somebody made it at the same moment, and has committed.
		if row, found, err = keyOf(ctx, tx, org, owner); err != nil || !found {
			return "", nil, fmt.Errorf("find the key of %s that was just made: %w", owner, err)
		}
	}
	raw, err := v.unwrap(row)
	return row.ID, raw, err
}

// Classes of advisory locks; any two numbers nobody else uses.
const (
	subjectLocks = 0x7365616c // "seal": held shared by who seals, alone by who erases
	orgLocks     = 0x7365616d // held alone by who erases or changes a hold in an organisation
)

// lockNumber is the lock of a subject. Two that share a number wait for each
// other now and then, and that is all.
func lockNumber(org identity.Org, name string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(string(org) + "\n" + name)) // a hash's Write never fails
	return int32(h.Sum32())
}

// admit refuses subjects who were erased and keeps the others from being erased
// until the transaction ends. The lock is a statement of its own: what is read
// in the next one is what an erasure that held it has committed.
func admit(ctx context.Context, tx pgx.Tx, org identity.Org, names []string) error {
	numbers := make([]int32, len(names))
	for i, name := range names {
		numbers[i] = lockNumber(org, name)
	}
	slices.Sort(numbers)
	b := &pgx.Batch{}
	b.Queue(`select pg_advisory_xact_lock_shared($1, n) from unnest($2::int[]) n`, int32(subjectLocks), numbers)
	b.Queue(`select current_setting('transaction_isolation'),
		(select min(at) from gavel.erasure where org = $1 and subject = any($2))`, org, names)
	results := tx.SendBatch(ctx, b)
	_, err := results.Exec()
	var isolation string
	var at *time.Time
	if err == nil {
		err = results.QueryRow().Scan(&isolation, &at)
	}
	if err = errors.Join(err, results.Close()); err != nil {
		return fmt.Errorf("look for erasures: %w", err)
	}
	switch {
	case isolation != "read committed":
		return fault.New(fault.Internal, "sealing in a transaction that is %s could miss an erasure", isolation)
	case at != nil:
		return erased(*at)
	}
	return nil
}

// keyOf reads an owner's key, and keeps it from being destroyed meanwhile.
func keyOf(ctx context.Context, tx pgx.Tx, org identity.Org, owner string) (keyRow, bool, error) {
	rows, _ := tx.Query(ctx, keyColumns+` where org = $1 and owner = $2 for key share`, org, owner)
	row, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[keyRow])
	if errors.Is(err, pgx.ErrNoRows) {
		return keyRow{}, false, nil
	}
	if err != nil {
		return keyRow{}, false, fmt.Errorf("read key: %w", err)
	}
	return row, true, nil
}

// mint makes a key for an owner. It returns none where another transaction made
// one first.
func (v *Vault) mint(ctx context.Context, tx pgx.Tx, org identity.Org, owner string) (KeyID, []byte, error) {
	at := v.now()
	raw := randomKey()
	w := v.masters.wrap(wrapping{org: org, key: KeyID(newID("key_", at)), owner: owner}, raw)
	const insert = `
		insert into gavel.seal_key (org, id, owner, master, wrapped, made_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (org, owner) do nothing`
	tag, err := tx.Exec(ctx, insert, org, w.key, owner, w.master, w.wrapped, at)
	if err != nil {
		return "", nil, fmt.Errorf("make key: %w", err)
	}
	if tag.RowsAffected() == 0 {
		clear(raw)
		return "", nil, nil
	}
	return w.key, raw, nil
}
