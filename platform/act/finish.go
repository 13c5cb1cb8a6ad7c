package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Finish writes down how a claimed act ended, in one transaction with its
// record. in, if set, is the effect itself, a write in that same transaction: it
// is done exactly if the act is, and what it returns is the result.
//
// Only the holder of the latest fence may finish; anyone else is told Conflict
// and changes nothing, in included. A holder whose lease is over may still
// finish while nobody has taken over: what is known to have happened is better
// written down than forgotten. Finishing again under the same fence changes
// nothing and returns the end that is there.
//
// If in fails, nothing of it stays and its error is returned. The act is then
// still claimed: finish it as Failed, or GiveBack the claim for another try.
func (s *Store) Finish(ctx context.Context, org identity.Org, key string, fence int64, end End,
	in func(pgx.Tx) (json.RawMessage, error)) (a Act, err error) {
	if err := end.check(in != nil); err != nil {
		return Act{}, err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if a, err = lock(ctx, tx, org, key); err != nil {
			return err
		}
		switch {
		case a.Fence != fence || fence == 0 || a.State == Planned || a.State == OnHold || a.State == Undone:
			return fault.New(fault.Conflict, "act %s is no longer yours to finish", key)
		case a.State.Ended():
			return nil // our own end, whose answer was lost on the way
		}
		if in != nil {
			if end.Result, err = in(tx); err != nil {
				return err
			}
		}
		if a, err = a.end(ctx, tx, end, now); err != nil || end.Then == nil {
			return err
		}
		return end.Then(tx, a)
	})
	if err != nil {
		return Act{}, fmt.Errorf("finish act %s: %w", key, err)
	}
	return a, nil
}

func (e *End) check(inside bool) error {
	switch {
	case e.State != Done && e.State != Failed && e.State != Unknown:
		return fault.New(fault.Invalid, "an act ends as done, failed or unknown, not %.20q", e.State)
	case inside && (e.State != Done || e.Result != nil):
		return fault.New(fault.Invalid, "an effect in the transaction ends as done, with its own result")
	}
	e.Reason = cut(strings.ToValidUTF8(strings.ReplaceAll(e.Reason, "\x00", ""), "\uFFFD"), maxReason)
	return nil
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// end brings a locked act to its end, with its record, in one round trip.
func (a Act) end(ctx context.Context, tx pgx.Tx, end End, at time.Time) (Act, error) {
	if n := len(end.Result); n > maxResult {
		return a, fault.New(fault.TooLarge, "the result of act %s has %d bytes; the most is %d", a.Key, n, maxResult)
	}
	if end.Result != nil && !json.Valid(end.Result) {
		return a, fault.New(fault.Invalid, "the result of act %s is not JSON", a.Key)
	}
	a.State, a.Reason, a.EndedAt = end.State, end.Reason, &at
	var result *string
	if end.Result != nil {
		text := string(end.Result)
		result, a.Result, a.ResultSHA256 = &text, end.Result, Digest(end.Result)
	}
	const update = `
		update gavel.act set state = $3, lease_until = null, result = $4, result_sha256 = nullif($5, ''), reason = $6, ended_at = $7
		where org = $1 and key = $2`
	var b pgx.Batch
	b.Queue(update, string(a.Org), a.Key, string(a.State), result, a.ResultSHA256, a.Reason, at)
	if _, err := audit.AppendLater(&b, record(a, at, stepOf(a))); err != nil {
		return a, err
	}
	return a, tx.SendBatch(ctx, &b).Close()
}

// GiveBack ends a claim whose holder knows for certain that nothing was done:
// the next Begin is Mine at once, without waiting for the lease. A claim that is
// no longer the caller's is left alone.
func (s *Store) GiveBack(ctx context.Context, org identity.Org, key string, fence int64) error {
	const update = `
		update gavel.act set state = 'planned', lease_until = null, reason = ''
		where org = $1 and key = $2 and fence = $3 and state = 'running'`
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, update, org, key, fence)
		return err
	})
	if err != nil {
		return fmt.Errorf("give back act %s: %w", key, err)
	}
	return nil
}

// Release gives a claim up without saying what happened: the next Begin is told
// so at once, Unsure where the effect is outside. A claim that is no longer the
// caller's is left alone.
func (s *Store) Release(ctx context.Context, org identity.Org, key string, fence int64) error {
	const update = `
		update gavel.act set lease_until = '-infinity'
		where org = $1 and key = $2 and fence = $3 and state = 'running'`
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, update, org, key, fence)
		return err
	})
	if err != nil {
		return fmt.Errorf("release act %s: %w", key, err)
	}
	return nil
}

// Undo calls off an act that has not begun, in the transaction of the decision
// to do so, whose id goes into the record. Undoing again changes nothing; an act
// that has begun or ended otherwise is a Conflict.
func (s *Store) Undo(ctx context.Context, tx pgx.Tx, org identity.Org, key, decision string) (Act, error) {
	a, err := lock(ctx, tx, org, key)
	switch {
	case err != nil:
		return Act{}, err
	case a.State == Undone:
		return a, nil
	case a.State == Running:
		return Act{}, fault.New(fault.Conflict, "too late to undo: it is being carried out now").Because("undo_running")
	case a.State.Ended():
		return Act{}, fault.New(fault.Conflict, "too late to undo: it has ended as %s", a.State).
			Because("undo_ended", "act_state", string(a.State))
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	a.State, a.EndedAt = Undone, &now
	const update = `update gavel.act set state = 'undone', ended_at = $3 where org = $1 and key = $2`
	var b pgx.Batch
	b.Queue(update, string(org), key, now)
	body := stepOf(a)
	body.Decision = decision
	if _, err := audit.AppendLater(&b, record(a, now, body)); err != nil {
		return Act{}, err
	}
	return a, tx.SendBatch(ctx, &b).Close()
}

// lock reads an act and keeps others from changing it until the transaction
// ends.
func lock(ctx context.Context, tx pgx.Tx, org identity.Org, key string) (Act, error) {
	const one = `select ` + actColumns + ` from gavel.act where org = $1 and key = $2 for update`
	rows, _ := tx.Query(ctx, one, org, key)
	a, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Act])
	if errors.Is(err, pgx.ErrNoRows) {
		return Act{}, noSuchAct(key)
	}
	return a, err
}

func noSuchAct(key string) error {
	return fault.New(fault.NotFound, "no act is called %.120q", key)
}
