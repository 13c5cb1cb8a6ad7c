package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Pulse is how the runs of an organisation are doing, for who looks after them:
// counts and money, and no word of anybody.
type Pulse struct {
	States map[State]int // of runs that go on, or ended badly since the moment; over MostPulse means more
	Spent  []Spending    // of the runs that began since the moment, by currency; Cost is nil where prices are unknown
}

// MostPulse is where counting stops.
const MostPulse = 1_000

// Pulse counts runs, and what those have cost that began since a moment.
func (s *Store) Pulse(ctx context.Context, actor identity.Actor, since time.Time) (p Pulse, err error) {
	if err := s.rules.May(actor, "run.read"); err != nil {
		return p, err
	}
	const states = `select k.state, (select count(*) from (
				select from gavel.run r where r.org = $1 and r.state = k.state
				and (r.ended_at is null or r.ended_at >= $3 and not ` + givenUp + `) limit $4) counted)
		from unnest($2::text[]) k(state)`
	const spent = `select coalesce(sum(calls), 0)::bigint, coalesce(sum(tokens_in), 0)::bigint, coalesce(sum(tokens_out), 0)::bigint,
			case when count(*) = count(cost) then sum(cost)::bigint end, currency
		from gavel.run where org = $1 and started_at >= $2 group by currency order by currency limit 10`
	watched := []string{string(Running), string(WaitingPerson), string(WaitingReply), string(Held), string(Stopped), string(Failed),
		string(OutOfBudget)}
	p.States = map[State]int{}
	err = s.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, states, actor.Org, watched, since, MostPulse+1)
		var state State
		var n int
		if _, err := pgx.ForEachRow(rows, []any{&state, &n}, func() error { p.States[state] = n; return nil }); err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, spent, actor.Org, since)
		p.Spent, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Spending])
		return err
	})
	if err != nil {
		return Pulse{}, fmt.Errorf("how runs are doing: %w", err)
	}
	return p, nil
}
