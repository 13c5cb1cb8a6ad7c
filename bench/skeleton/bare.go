package main

import (
	"context"
	"crypto/rand"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
)

// bare is the engine with nothing of ours above it: two local activities with a
// signal between them, each committing one row as wide as a case's entry. It
// uses our client and worker options, so that both sides are tuned alike.
type bare struct {
	g     *ground
	bells *bells
}

// row is as long as what an entry of a case holds.
const row = "case_01KBBBBBBBBBBBBBBBBBBBBBBB taken_up system gavel Gavel 2026-11-15T00:00:00Z a person to close it"

type bareSteps struct{ *bare }

func (s *bareSteps) Commit(ctx context.Context, id, step string) error {
	err := s.g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into public.gavel_bench_row (id, step, body) values ($1, $2, $3)
			on conflict do nothing`, id, step, row)
		return err
	})
	if err == nil {
		s.bells.ring(id + step)
	}
	return err
}

func bareWorkflow(ctx workflow.Context, id string) error {
	ctx = durable.Step(ctx)
	var steps *bareSteps
	if err := workflow.ExecuteLocalActivity(ctx, steps.Commit, id, "begin").Get(ctx, nil); err != nil {
		return err
	}
	workflow.GetSignalChannel(ctx, "close").Receive(ctx, nil)
	return workflow.ExecuteLocalActivity(ctx, steps.Commit, id, "end").Get(ctx, nil)
}

func (g *ground) bare(ctx context.Context) (contestant, error) {
	b := &bare{g: g, bells: newBells()}
	if err := g.bareTable(ctx); err != nil {
		return nil, err
	}
	g.work(durable.Work{
		App:        b.queue(),
		Workflows:  []durable.Workflow{{Name: "bare", Func: bareWorkflow}},
		Activities: []any{&bareSteps{b}},
	})
	return b, nil
}

func (g *ground) bareTable(ctx context.Context) error {
	address, err := postgres.WithDatabase(g.admin, g.name)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `
		create table public.gavel_bench_row (id text, step text, body text not null, primary key (id, step));
		grant usage on schema public to gavel_app;
		grant insert, select on public.gavel_bench_row to gavel_app`)
	return err
}

func (b *bare) name() string  { return "bare" }
func (b *bare) queue() string { return b.g.name + "-bare" }

func (b *bare) oneCase(ctx context.Context) error {
	id := b.queue() + "/north/" + rand.Text()
	_, err := b.g.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: b.queue()}, "bare", id)
	if err != nil {
		return err
	}
	if err := b.bells.wait(ctx, id+"begin"); err != nil {
		return err
	}
	if err := b.g.client.SignalWorkflow(ctx, id, "", "close", nil); err != nil {
		return err
	}
	return b.bells.wait(ctx, id+"end")
}
