package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A SpendBy says by what spending is told apart.
type SpendBy string

// What there is to tell it apart by.
const (
	ByRoute SpendBy = "route"
	ByApp   SpendBy = "app"
	ByAgent SpendBy = "agent" // "app/agent"
)

// Periods are the beginnings of the three periods that spending is shown for.
// Month bounds the other two.
type Periods struct{ Today, Week, Month time.Time }

// PeriodsAt are today, seven days and thirty, today among them, by the zone of
// now.
func PeriodsAt(now time.Time) Periods {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	return Periods{Today: today, Week: today.AddDate(0, 0, -6), Month: today.AddDate(0, 0, -29)}
}

// A SpendRow is what one route, application or agent has cost.
type SpendRow struct {
	Key      string
	Model    string // that answered last, by its vendor's name; only ByRoute
	Currency string // empty where no price was known
	Today    PeriodSpend
	Week     PeriodSpend
	Month    PeriodSpend
	P50, P95 time.Duration // of a turn, its look-ups included, over the month
	Failed   int64         // runs that failed or used their budget up, over the month
}

// A PeriodSpend is what was spent in a period. Money is in millionths of the
// row's currency and leaves out the Unpriced calls.
type PeriodSpend struct{ Calls, Tokens, Money, Unpriced int64 }

// mostSpend bounds the rows: there are as many as agents and routes.
const mostSpend = 500

// Spend sums what an organisation's turns have cost since the beginning of a
// month. What was paid in two currencies is two rows.
func (s *Store) Spend(ctx context.Context, actor identity.Actor, by SpendBy, p Periods) (rows []SpendRow, err error) {
	if err := s.rules.May(actor, "admin.read"); err != nil {
		return nil, err
	}
	sql, known := spendSQL[by]
	if !known {
		return nil, fault.New(fault.Invalid, "spending is told apart by route, app or agent, not by %.20q", by)
	}
	err = s.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		found, _ := tx.Query(ctx, sql, p.Today, p.Week, p.Month, mostSpend) // CollectRows reports Query's error too
		rows, err = pgx.CollectRows(found, scanSpend)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sum what was spent: %w", err)
	}
	return rows, nil
}

// spendSQL has the question for each way of telling apart.
var spendSQL = map[SpendBy]string{
	ByRoute: fmt.Sprintf(spendQuery, `s.model ->> 'route'`, `convert_from(a.body, 'utf8')::json ->> 'route'`),
	ByApp:   fmt.Sprintf(spendQuery, `r.app`, `r.app`),
	ByAgent: fmt.Sprintf(spendQuery, `r.app || '/' || r.agent`, `r.app || '/' || r.agent`),
}

// spendQuery sums turns, and counts beside them the runs that came to a bad end:
// a turn that could not be taken at all has no step.
const spendQuery = `
	with turn as (
		select %[1]s as key, s.at, s.took_ms, r.currency, s.model ->> 'model' as model,
			coalesce((s.model #>> '{usage,input}')::bigint, 0) + coalesce((s.model #>> '{usage,output}')::bigint, 0) as tokens,
			coalesce((s.outcome #>> '{u,m}')::bigint, 0) as money, r.currency = '' as unpriced
		from gavel.step s join gavel.run r on r.org = s.org and r.id = s.run_id
		where s.at >= $3
	), bad as (
		select %[2]s as key, count(*) as runs
		from gavel.run r join gavel_sys.agent_spec a on a.sha256 = r.spec
		where r.state in ('failed', 'out_of_budget') and r.ended_at >= $3
		group by 1
	), spent as (
		select key, currency, (array_agg(model order by at desc))[1] as model,
			count(*) filter (where at >= $1) as c1, coalesce(sum(tokens) filter (where at >= $1), 0)::bigint as t1,
			coalesce(sum(money) filter (where at >= $1), 0)::bigint as m1, count(*) filter (where at >= $1 and unpriced) as u1,
			count(*) filter (where at >= $2) as c7, coalesce(sum(tokens) filter (where at >= $2), 0)::bigint as t7,
			coalesce(sum(money) filter (where at >= $2), 0)::bigint as m7, count(*) filter (where at >= $2 and unpriced) as u7,
			count(*) as c30, sum(tokens)::bigint as t30, sum(money)::bigint as m30, count(*) filter (where unpriced) as u30,
			percentile_disc(0.5) within group (order by took_ms) as p50, percentile_disc(0.95) within group (order by took_ms) as p95
		from turn group by key, currency
	)
	select coalesce(key, ''), coalesce(model, ''), coalesce(currency, ''), coalesce(c1, 0), coalesce(t1, 0), coalesce(m1, 0),
	coalesce(u1, 0),
		coalesce(c7, 0), coalesce(t7, 0), coalesce(m7, 0), coalesce(u7, 0), coalesce(c30, 0), coalesce(t30, 0), coalesce(m30, 0),
		coalesce(u30, 0),
		coalesce(p50, 0), coalesce(p95, 0), coalesce(runs, 0)
	from spent full join bad using (key) order by m30 desc nulls last, t30 desc nulls last, 1, 3 limit $4`

func scanSpend(row pgx.CollectableRow) (r SpendRow, err error) {
	var p50, p95 int64
	at := func(p *PeriodSpend) []any { return []any{&p.Calls, &p.Tokens, &p.Money, &p.Unpriced} }
	into := append([]any{&r.Key, &r.Model, &r.Currency}, at(&r.Today)...)
	into = append(append(into, at(&r.Week)...), at(&r.Month)...)
	err = row.Scan(append(into, &p50, &p95, &r.Failed)...)
	r.P50, r.P95 = time.Duration(p50)*time.Millisecond, time.Duration(p95)*time.Millisecond
	return r, err
}

// A RunCost is what runs of one agent came to, those they set to work included.
type RunCost struct {
	App, Agent string
	Runs       int64
	OutOf      int64 // that used their budget up
	Calls      Spread
	Tokens     Spread
	Money      Spread // millionths of Currency
	Currency   string
}

// A Spread is the middle and the largest of some figures.
type Spread struct{ Median, Most int64 }

// RunCosts says what whole runs have cost since a time, by agent: the tops of
// trees, by when they began. It is what budgets are set by.
func (s *Store) RunCosts(ctx context.Context, actor identity.Actor, since time.Time) (costs []RunCost, err error) {
	if err := s.rules.May(actor, "admin.read"); err != nil {
		return nil, err
	}
	const sum = `
		with tree as (
			select t.app, t.agent, t.state, max(d.currency) as currency, sum(d.calls)::bigint as calls,
				sum(d.tokens_in + d.tokens_out)::bigint as tokens, coalesce(sum(d.cost), 0)::bigint as money
			from gavel.run t join gavel.run d on d.org = t.org and d.root = t.id and d.started_at >= $1
			where t.parent is null and t.started_at >= $1
			group by t.org, t.id, t.app, t.agent, t.state
		)
		select app, agent, count(*), count(*) filter (where state = 'out_of_budget'),
			percentile_disc(0.5) within group (order by calls), max(calls),
			percentile_disc(0.5) within group (order by tokens), max(tokens),
			percentile_disc(0.5) within group (order by money), max(money), max(currency)
		from tree group by app, agent order by app, agent limit $2`
	err = s.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sum, since, mostSpend)
		costs, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c RunCost, err error) {
			err = row.Scan(&c.App, &c.Agent, &c.Runs, &c.OutOf, &c.Calls.Median, &c.Calls.Most, &c.Tokens.Median, &c.Tokens.Most,
				&c.Money.Median, &c.Money.Most, &c.Currency)
			return c, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sum what runs cost: %w", err)
	}
	return costs, nil
}
