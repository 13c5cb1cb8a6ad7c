package act

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const actColumns = `key, org, case_id, run, call, app, tool, effect, agent, args, args_sha256,
	coalesce(proposal, ''), coalesce(policy_record, ''), by_kind, by_id, not_before, planned_at, state, fence,
	result, coalesce(result_sha256, ''), reason, ended_at, erased_at`

// Get reads an act. One of another organisation is not found.
func (s *Store) Get(ctx context.Context, org identity.Org, key string) (a Act, err error) {
	const one = `select ` + actColumns + ` from gavel.act where org = $1 and key = $2`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, org, key)
		a, err = pgx.CollectOneRow(rows, pgx.RowToStructByPos[Act])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Act{}, noSuchAct(key)
	}
	return a, err
}

// maxKeys bounds how many are asked for at once.
const maxKeys = 500

// ByKeys reads acts by their keys. What is not there is left out.
func (s *Store) ByKeys(ctx context.Context, org identity.Org, keys ...string) (map[string]Act, error) {
	if len(keys) > maxKeys {
		return nil, fault.New(fault.TooLarge, "at most %d acts are read at once, not %d", maxKeys, len(keys))
	}
	var found map[string]Act
	var look pgx.Batch
	look.Queue(byKeys, org, keys).Query(func(rows pgx.Rows) (err error) {
		found, err = collectByKey(rows)
		return err
	})
	err := s.db.Look(ctx, org, &look)
	return found, err
}

const byKeys = `select ` + actColumns + ` from gavel.act where org = $1 and key = any ($2)`

// ByKeysIn is Store.ByKeys in the caller's transaction.
func ByKeysIn(ctx context.Context, tx pgx.Tx, org identity.Org, keys ...string) (map[string]Act, error) {
	rows, _ := tx.Query(ctx, byKeys, org, keys) // what reads the rows reports Query's error too
	return collectByKey(rows)
}

func collectByKey(rows pgx.Rows) (map[string]Act, error) {
	acts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Act])
	found := make(map[string]Act, len(acts))
	for _, a := range acts {
		found[a.Key] = a
	}
	return found, err
}

// OfCase reads the newest 200 acts of a case, newest first.
func (s *Store) OfCase(ctx context.Context, org identity.Org, caseID string) (acts []Act, err error) {
	const page = `select ` + actColumns + ` from gavel.act where org = $1 and case_id = $2 order by planned_at desc, key limit 200`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, org, caseID)
		acts, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Act])
		return err
	})
	return acts, err
}

// Blank removes the words of a case's acts that have ended: arguments, result
// and reason. Digests stay. It returns how many acts it blanked; those that have
// not ended keep their words, since they are still to be carried out.
func Blank(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string, at time.Time) (blanked, left int, err error) {
	const update = `
		with blanked as (
			update gavel.act set args = null, result = null, reason = '', erased_at = $3
			where org = $1 and case_id = $2 and ended_at is not null and erased_at is null
			returning 1)
		select (select count(*) from blanked), (select count(*) from gavel.act where org = $1 and case_id = $2 and ended_at is null)`
	err = tx.QueryRow(ctx, update, org, caseID, at).Scan(&blanked, &left)
	return blanked, left, err
}
