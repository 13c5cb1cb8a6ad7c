// Package keep ends what an organisation keeps no longer: photos after a month, names after a year, conversations that fell silent. Passes,
// what happened to them and the log stay: afterwards they say of nobody who it was.
//
// Read Keeper.Sweep. What is erased is erased by package seal, with a record, and not while a legal hold is on it.
package keep

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Config is what a Keeper stands on.
type Config struct {
	Store  *store.Store
	Vault  *seal.Vault   // nil: nothing is sealed, and nothing erased
	Orders *agent.Orders // give the agents of silent conversations up
}

// A Keeper ends what is kept no longer. It is opened once.
type Keeper struct{ c Config }

// Open tells a keeper what it stands on.
func (k *Keeper) Open(c Config) { k.c = c }

// Swept is what came of a look.
type Swept struct {
	Photos int `json:"photos"`
	Names  int `json:"names"`
	Talks  int `json:"talks"`
	Silent int `json:"silent"`
	Held   int `json:"held"` // under a legal hold: they are tried again
}

// Sweep ends what is kept no longer at a moment. Done again it ends nothing more.
func (k *Keeper) Sweep(ctx context.Context, org identity.Org, at time.Time) (swept Swept, err error) {
	if swept.Silent, err = k.silent(ctx, org, at); err != nil {
		return swept, err
	}
	if k.c.Vault == nil {
		return swept, nil
	}
	setup, err := k.c.Store.Setup(ctx, org)
	if err != nil {
		return swept, err
	}
	for _, one := range []struct {
		kind string
		old  func(context.Context, identity.Org, time.Time, string) ([]string, error)
		keep time.Duration
		n    *int
	}{
		{store.PhotoType, k.c.Store.OldPhotos, setup.PhotosKept(), &swept.Photos},
		{store.TalkType, k.c.Store.OldTalks, setup.PhotosKept(), &swept.Talks},
		{store.HolderType, k.c.Store.OldHolders, setup.NamesKept(), &swept.Names},
	} {
		err := k.all(ctx, org, one.kind, &swept, one.n, func(after string) ([]string, error) {
			return one.old(ctx, org, at.Add(-one.keep), after)
		})
		if err != nil {
			return swept, err
		}
	}
	return swept, nil
}

// silent ends the conversations in which nobody has written for too long: the agent first, so that what fails before the memory is gone
// is done again.
func (k *Keeper) silent(ctx context.Context, org identity.Org, at time.Time) (n int, err error) {
	all, err := k.c.Store.SilentTalks(ctx, org, at)
	if err != nil {
		return 0, err
	}
	for _, t := range all {
		if err := k.c.Orders.End(ctx, identity.Gavel(org), t.Run); err != nil && !fault.Is(err, fault.Conflict) {
			return n, err
		}
		if err := k.c.Store.In(ctx, org, func(tx pgx.Tx) error { return store.EndTalk(ctx, tx, t.ID, at) }); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// all erases everything of a kind that has had its time, a part at a time.
func (k *Keeper) all(ctx context.Context, org identity.Org, kind string, swept *Swept, n *int,
	next func(after string) ([]string, error)) error {
	after := ""
	for {
		ids, err := next(after)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			_, err := k.c.Vault.Expire(ctx, org, seal.Subject{Type: kind, ID: id})
			switch {
			case fault.Is(err, fault.Conflict):
				swept.Held++
			case err != nil:
				return err
			default:
				*n++
			}
		}
		after = ids[len(ids)-1]
	}
}

// Steps are the activities of the keeper.
type Steps struct{ keeper *Keeper }

// Steps are those of a keeper.
func (k *Keeper) Steps() *Steps { return &Steps{k} }

// KeepDue says whether it is time to look.
func (s *Steps) KeepDue(ctx context.Context, in timetable.Input, at time.Time) (store.KeepTurn, error) {
	return s.keeper.c.Store.KeepDue(ctx, in.Org, at.UTC().Truncate(time.Microsecond))
}

// KeepSweep looks.
func (s *Steps) KeepSweep(ctx context.Context, in timetable.Input, at time.Time) (Swept, error) {
	return s.keeper.Sweep(ctx, in.Org, at.UTC().Truncate(time.Microsecond))
}
