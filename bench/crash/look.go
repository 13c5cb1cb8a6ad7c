package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
)

// A sight is what is left when all is over: the record, and the other side's
// log.
type sight struct {
	cases       map[casefile.CaseID]string        // state and status
	runs        map[casefile.CaseID][]agent.State // how each run of a case stands that none set to work
	acts        map[casefile.CaseID][]deed
	asked       map[string]bool // keys of acts that a person is asked about
	log         []agenttest.Effect
	steps       int   // turns on record
	broken      int   // runs whose turns do not follow one another
	undelivered int   // messages in the outbox
	running     int64 // workflows
}

// A deed is an act's row.
type deed struct {
	Case  casefile.CaseID
	Key   string
	Tool  string
	State act.State
	Fence int64 // how often it was claimed
}

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
	rows, err := g.sys.Query(ctx, `select count(*) from gavel.outbox`)
	if err != nil {
		return 0, 0, err
	}
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
	s = sight{cases: map[casefile.CaseID]string{}, runs: map[casefile.CaseID][]agent.State{}, acts: map[casefile.CaseID][]deed{},
		asked: map[string]bool{}, log: g.other.Log()}
	if s.undelivered, s.running, err = g.unsettled(ctx); err != nil {
		return s, err
	}
	var id casefile.CaseID
	var text string
	each := func(sql string, keep func()) error {
		rows, err := g.sys.Query(ctx, sql)
		if err == nil {
			_, err = pgx.ForEachRow(rows, []any{&id, &text}, func() error { keep(); return nil })
		}
		return err
	}
	if err := each(`select id, state || ' ' || status from gavel.case`, func() { s.cases[id] = text }); err != nil {
		return s, fmt.Errorf("read cases: %w", err)
	}
	if err := each(`select case_id, state from gavel.run where parent is null`, func() { s.runs[id] = append(s.runs[id], agent.State(text)) }); err != nil {
		return s, fmt.Errorf("read runs: %w", err)
	}
	const questions = `select p.case_id, a.key from gavel.proposal p join gavel.act a on a.org = p.org and p.key = a.key || '/unknown'
		where p.kind = 'act_unknown'`
	if err := each(questions, func() { s.asked[text] = true }); err != nil {
		return s, fmt.Errorf("read questions: %w", err)
	}
	const taken = `select count(*), (select count(*) from gavel.run r
		where (select count(*) from gavel.step s where s.run_id = r.id) <> r.seq + 1) from gavel.step`
	err = g.sys.InTx(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, taken).Scan(&s.steps, &s.broken) })
	if err != nil {
		return s, fmt.Errorf("count turns: %w", err)
	}
	rows, err := g.sys.Query(ctx, `select case_id, key, tool, state, fence from gavel.act`)
	if err != nil {
		return s, err
	}
	deeds, err := pgx.CollectRows(rows, pgx.RowToStructByPos[deed])
	for _, d := range deeds {
		s.acts[d.Case] = append(s.acts[d.Case], d)
	}
	return s, err
}
