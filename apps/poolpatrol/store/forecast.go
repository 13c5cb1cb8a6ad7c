package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Forecast is what an audit of every van would lead to if it began now, for who is about
// to ask for one.
type Forecast struct {
	Vans    int // that are looked at
	Riders  int // in them
	Failed  int // vans with which something is wrong
	Going   int // of those, vans whose case is open already and is told
	Cases   int // that would be opened
	Letters int // to riders, that would be sent with nobody asked
}

// Forecast rehearses an audit and counts what follows from it by the rules of cases. It
// writes nothing. The records may change before the audit begins, and then it finds
// something else.
func (s *Store) Forecast(ctx context.Context, actor identity.Actor) (f Forecast, err error) {
	found, err := s.Rehearse(ctx, actor)
	if err != nil {
		return f, err
	}
	f.Vans, f.Failed = found.Planned(), len(found.Failed)
	vans := make([]fleet.VanpoolID, len(found.Failed))
	for i, run := range found.Failed {
		vans[i] = run.Vanpool
	}
	var going map[fleet.VanpoolID]bool
	var earlier map[fleet.VanpoolID][]lifecycle.Case
	var rules lifecycle.Rules // the zone of a van's site decides about days, and none of them is counted here
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const riders = `select count(distinct r.employee_id) from poolpatrol.rider r
			join poolpatrol.vanpool v on v.org = r.org and v.id = r.vanpool_id where r.removed_on is null and v.status = 'active'`
		if err := tx.QueryRow(ctx, riders).Scan(&f.Riders); err != nil {
			return fmt.Errorf("count riders: %w", err)
		}
		t, err := term.Of(ctx, tx, actor.Org, found.Terms)
		if err != nil {
			return err
		}
		rules = t.Rules(found.Terms, nil)
		if going, err = withCase(ctx, tx, vans); err != nil {
			return err
		}
		earlier, err = casesBefore(ctx, tx, vans)
		return err
	})
	if err != nil {
		return f, err
	}
	for _, run := range found.Failed {
		if going[run.Vanpool] {
			f.Going++
			continue
		}
		of := lifecycle.Found{Vanpool: run.Vanpool, Findings: run.Findings(), At: found.At, Earlier: earlier[run.Vanpool]}
		_, todo, opens := lifecycle.Begin(of, rules)
		if !opens {
			continue
		}
		f.Cases++
		for _, a := range todo {
			if a.Kind == lifecycle.SendMail {
				f.Letters++
			}
		}
	}
	return f, nil
}

// withCase are those of some vans that have an open case.
func withCase(ctx context.Context, tx pgx.Tx, vans []fleet.VanpoolID) (map[fleet.VanpoolID]bool, error) {
	const open = `select vanpool_id from poolpatrol.case where vanpool_id = any($1) and state not in ('resolved', 'cancelled')`
	rows, _ := tx.Query(ctx, open, vans)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[fleet.VanpoolID])
	if err != nil {
		return nil, fmt.Errorf("find vans with a case: %w", err)
	}
	all := map[fleet.VanpoolID]bool{}
	for _, id := range ids {
		all[id] = true
	}
	return all, nil
}

// mostEarlier is how many ended cases of a van count when the next one is opened.
const mostEarlier = 20

// casesBefore are the ended cases of some vans, of each the newest first.
func casesBefore(ctx context.Context, tx pgx.Tx, vans []fleet.VanpoolID) (map[fleet.VanpoolID][]lifecycle.Case, error) {
	const ended = `select c.vanpool_id, c.life from unnest($1::text[]) v(id) cross join lateral (
			select vanpool_id, life, ended_at from poolpatrol.case where vanpool_id = v.id and ended_at is not null
			order by ended_at desc limit $2) c
		order by c.vanpool_id, c.ended_at desc`
	rows, _ := tx.Query(ctx, ended, vans, mostEarlier)
	all := map[fleet.VanpoolID][]lifecycle.Case{}
	var van fleet.VanpoolID
	var life []byte
	_, err := pgx.ForEachRow(rows, []any{&van, &life}, func() error {
		var c lifecycle.Case
		if err := json.Unmarshal(life, &c); err != nil {
			return err
		}
		all[van] = append(all[van], c)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read earlier cases: %w", err)
	}
	return all, nil
}

// CasesBefore are the ended cases of one van, the newest first.
func CasesBefore(ctx context.Context, tx pgx.Tx, van fleet.VanpoolID) ([]lifecycle.Case, error) {
	all, err := casesBefore(ctx, tx, []fleet.VanpoolID{van})
	return all[van], err
}
