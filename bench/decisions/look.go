package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
)

// A sight is what is left when all is over: the record, and the other side's log.
type sight struct {
	proposals   []proposalRow
	decisions   []decisionRow
	acts        []actRow
	delegations map[string]delegationRow
	effects     []agenttest.Effect
	unfinished  []string // cases that are not closed as done
	undelivered int      // messages in the outbox
	running     int64    // workflows
}

// The rows as they are judged.
type (
	proposalRow struct {
		ID, Word, Key, State, EndedBy string
		Required                      int
	}
	decisionRow struct {
		ID, Proposal, Verdict, Actor, OnBehalf, Delegation string
		At                                                 time.Time
		Logged                                             bool // the log says the same
	}
	actRow        struct{ Key, Proposal, State string }
	delegationRow struct {
		ID, From, To string
		Starts, Ends time.Time
		EndedAt      *time.Time
	}
)

// settlesWithin is how long what is still on its way may take: a message whose
// dispatcher was killed is free again after half a minute.
const settlesWithin = 2 * time.Minute

// settle waits until nothing is on its way to the engine and nothing runs there.
// What does not settle is in the sight.
func (g *ground) settle(ctx context.Context) error {
	for end := time.Now().Add(settlesWithin); time.Now().Before(end); {
		waiting, running, err := g.unsettled(ctx)
		if err != nil {
			return err
		}
		if waiting == 0 && running == 0 {
			return nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return nil
}

func (g *ground) unsettled(ctx context.Context) (waiting int, running int64, err error) {
	rows, _ := g.sys.Query(ctx, `select count(*) from gavel.outbox`)
	if waiting, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int]); err != nil {
		return 0, 0, fmt.Errorf("look into the outbox: %w", err)
	}
	n, err := g.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: g.place.Namespace, Query: `ExecutionStatus = "Running"`})
	if err != nil {
		return 0, 0, fmt.Errorf("count what runs: %w", err)
	}
	return waiting, n.GetCount(), nil
}

// look reads everything there is.
func (g *ground) look(ctx context.Context) (s sight, err error) {
	s.effects = g.other.Log()
	if s.undelivered, s.running, err = g.unsettled(ctx); err != nil {
		return s, err
	}
	const proposals = `select id, args::json ->> 'word', key, state, coalesce(ended_by, ''), required from gavel.proposal`
	if s.proposals, err = all[proposalRow](ctx, g, proposals); err != nil {
		return s, err
	}
	const decisions = `select d.id, d.proposal, d.verdict, d.actor_id, d.on_behalf, d.delegation, d.at,
			exists (select from gavel.record r where r.org = d.org and r.id = d.record_id and r.kind = 'decision'
			and r.actor_id = d.actor_id
				and r.json::jsonb -> 'body' @> jsonb_build_object('decision', d.id, 'proposal', d.proposal, 'verdict', d.verdict))
		from gavel.decision d`
	if s.decisions, err = all[decisionRow](ctx, g, decisions); err != nil {
		return s, err
	}
	if s.acts, err = all[actRow](ctx, g, `select key, coalesce(proposal, ''), state from gavel.act`); err != nil {
		return s, err
	}
	given, err := all[delegationRow](ctx, g, `select id, from_id, to_id, starts_at, ends_at, ended_at from gavel.delegation`)
	if err != nil {
		return s, err
	}
	s.delegations = map[string]delegationRow{}
	for _, d := range given {
		s.delegations[d.ID] = d
	}
	notes, err := all[struct{ Key, Word string }](ctx, g, `select substr(key, 7), body from gavel.case_entry
		where kind = 'enrol'`) // after "enrol:"
	if err != nil {
		return s, err
	}
	for _, n := range notes {
		s.effects = append(s.effects, agenttest.Effect{What: note, Key: n.Key, Word: n.Word})
	}
	rows, _ := g.sys.Query(ctx, `select key || ' is ' || state || ' ' || status from gavel.case where state <> 'closed'
		or status <> 'done'`)
	s.unfinished, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return s, err
}

// all reads rows.
func all[T any](ctx context.Context, g *ground, sql string) ([]T, error) {
	rows, _ := g.sys.Query(ctx, sql)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	return found, nil
}
