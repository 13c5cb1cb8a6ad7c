package casework

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// atOnce is how many vans one step settles before the engine hears of it.
const atOnce = 200

// Settle sees to what follows from a pass: a case for every van that fails and has
// none, word to the case of every van that has one. done says that nothing is left.
// On records that have become too old meanwhile, because nothing ran for days, no
// case is opened: the next pass finds what is still so.
func (s *Steps) Settle(ctx context.Context, in store.PassInput) (done bool, err error) {
	a := s.work
	var left []unsettled
	var g store.Grounds
	var of passed
	var by audit.Policies
	err = a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		p, err := store.PassBy(ctx, tx, "id", in.Pass)
		if err != nil || p.State == job.Refused { // nothing follows from one that was called off
			return err
		}
		if by, err = term.Policies(ctx, tx, in.Org, p.Terms); err != nil {
			return err
		}
		of.Pass = p
		if left, err = leftOf(ctx, tx, in.Pass); err != nil || len(left) == 0 {
			return err
		}
		g, err = a.grounds(ctx, tx, in.Org, p.Snapshot)
		return err
	})
	if err != nil {
		return false, err
	}
	of.seats = offersIn(g.Book, by.Now, a.now())
	see := func(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled) error {
		return a.settle(ctx, tx, org, u, of)
	}
	if g.Book != nil && audit.Fresh(g.Book.Taken(), a.now()) != nil {
		a.log.WarnContext(ctx, "the records of a pass became too old before it was settled; it opens no case", slog.String("pass", in.Pass),
			slog.Int("vans", len(left)))
		see = a.tellCase
	}
	settled, err := a.settleAll(ctx, in, left, see)
	if done = err == nil && (len(left) < atOnce || settled == 0); done {
		a.shelf.drop()
	}
	return done, err
}

// passed is a pass that is settled, and the seats that were free then.
type passed struct {
	store.Pass

	seats *offer.Index
}

// An unsettled run is one of which nobody has seen yet what follows.
type unsettled struct {
	ID       string
	Vanpool  fleet.VanpoolID
	Verdicts []byte
}

func leftOf(ctx context.Context, tx pgx.Tx, pass string) ([]unsettled, error) {
	const left = `select r.id, r.vanpool_id, coalesce(r.verdicts, '[]') from poolpatrol.audit_run r where r.pass = $1 and not r.settled
		and (r.outcome = 'failed' or exists (select from poolpatrol.case c where c.vanpool_id = r.vanpool_id
		and c.state not in ('resolved', 'cancelled')))
		order by r.vanpool_id limit $2`
	rows, _ := tx.Query(ctx, left, pass, atOnce)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[unsettled])
}

// holdVan keeps others from opening a case of a van until the transaction ends: two
// passes may settle it at once.
func holdVan(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('poolpatrol.van/' || current_setting('gavel.org') || '/' || $1,
		0))`, string(van))
	return err
}

// tellCase tells the case that a van has, and opens none.
func (a *Work) tellCase(ctx context.Context, tx pgx.Tx, _ identity.Org, u unsettled) error {
	id, err := openCaseOf(ctx, tx, u.Vanpool)
	if err == nil && id != "" {
		err = a.wake(ctx, tx, id)
	}
	if err != nil {
		return fmt.Errorf("tell the case of %s: %w", u.Vanpool, err)
	}
	return markSettled(ctx, tx, u.ID, id)
}

func markSettled(ctx context.Context, tx pgx.Tx, run string, id casefile.CaseID) error {
	_, err := tx.Exec(ctx, `update poolpatrol.audit_run set settled = true, case_id = nullif($2, '') where id = $1`, run, string(id))
	return err
}

// settle opens a van's case, or tells the one it has.
func (a *Work) settle(ctx context.Context, tx pgx.Tx, org identity.Org, u unsettled, of passed) error {
	if err := holdVan(ctx, tx, u.Vanpool); err != nil {
		return err
	}
	id, err := openCaseOf(ctx, tx, u.Vanpool)
	if err == nil && id == "" {
		id, err = a.openCase(ctx, tx, org, u, of)
	} else if err == nil {
		err = a.wake(ctx, tx, id)
	}
	if err != nil {
		return fmt.Errorf("settle %s: %w", u.Vanpool, err)
	}
	return markSettled(ctx, tx, u.ID, id)
}

func openCaseOf(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) (casefile.CaseID, error) {
	rows, _ := tx.Query(ctx, `select id from poolpatrol.case where vanpool_id = $1 and state not in ('resolved', 'cancelled')`, van)
	id, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[casefile.CaseID])
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// wake tells a case that there is something to look at.
func (a *Work) wake(ctx context.Context, tx pgx.Tx, id casefile.CaseID) error {
	file, err := casefile.Lock(ctx, tx, id)
	if err != nil || file.State == casefile.Closed {
		return err
	}
	return a.cases.Rouse(ctx, tx, file)
}

// settling is how many vans are settled at a time. Each waits for the disk when its
// transaction ends; the others work meanwhile. It leaves most of the connections of a
// process to everything else.
const settling = 4

// A settler sees to what follows from one run.
type settler func(context.Context, pgx.Tx, identity.Org, unsettled) error

// settleAll sees to what follows from some runs, each in a transaction of its own,
// and says of how many that was done. The error is one that another try may not
// meet; a van that cannot be settled keeps no other from it.
func (a *Work) settleAll(ctx context.Context, in store.PassInput, left []unsettled, settle settler) (int, error) {
	var settled atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(settling)
	for _, u := range left {
		all.Go(func() error {
			err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error { return settle(ctx, tx, in.Org, u) })
			switch {
			case err == nil:
				settled.Add(1)
			case ctx.Err() != nil:
				return ctx.Err()
			case fault.KindOf(err).Retryable():
				return err
			default:
				a.log.ErrorContext(ctx, "what an audit found was not looked into", slog.String("pass", in.Pass),
					slog.String("van", string(u.Vanpool)), slog.Any("error", err))
			}
			return nil
		})
	}
	err := all.Wait()
	return int(settled.Load()), err
}
