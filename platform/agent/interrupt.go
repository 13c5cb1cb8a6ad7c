package agent

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
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/outbox"
)

// Interrupt has an agent that talks with a person stop its answer, on the caller's word: whether the actor may was asked before, of the
// caller's own act. turn is the one under way, as it was shown. The request to the model is cancelled, what was said by then is the
// answer, and the word is the person's again. What is not under way any more is not stopped.
func (o *Orders) Interrupt(ctx context.Context, actor identity.Actor, run string, turn int) error {
	if err := CheckRunID(run); err != nil {
		return err
	}
	if turn < 0 || turn > maxTurns {
		return fault.New(fault.Invalid, "a run has no turn %d", turn)
	}
	const known = `select exists (select from gavel.run_interrupt where run_id = $1 and turn = $2)`
	const insert = `insert into gavel.run_interrupt (org, run_id, turn, actor_id, at, record) values ($1, $2, $3, $4, $5, $6)
		on conflict do nothing`
	return o.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var again bool
		if err := tx.QueryRow(ctx, known, run, turn).Scan(&again); err != nil || again {
			return err
		}
		now := o.Clock.Now()
		record, err := audit.Append(ctx, tx, audit.Record{At: now, Kind: OrderRecord, Actor: actor, Subject: run, Body: struct {
			Do   string `json:"do"`
			Turn int    `json:"turn"`
		}{"interrupt", turn}})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insert, actor.Org, run, turn, actor.ID, now, string(record))
		return err
	})
}

// underWay is the turn that a run takes, or would take next.
func (o *Orders) underWay(ctx context.Context, org identity.Org, run string) (turn int, err error) {
	const next = `select coalesce((select seq + 1 from gavel.run where id = $1), 0)`
	err = o.DB.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, next, run).Scan(&turn) })
	if err != nil {
		return 0, fmt.Errorf("how far run %s is: %w", run, err)
	}
	return turn, nil
}

// endUnborn gives up a conversation whose first turn is not on record yet: its workflow is told, and reads it when that turn is over.
func (o *Orders) endUnborn(ctx context.Context, org identity.Org, run string) error {
	input, err := json.Marshal(order{Run: run, Do: orderCancel})
	if err != nil {
		return err
	}
	return o.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		return outbox.AddSignal(ctx, tx, org, conversationID(org, run), outbox.Signal{Name: OrderSignal, Input: input})
	})
}

// listenEvery is how often a turn looks whether its person has stopped it, in real time.
const listenEvery = 250 * time.Millisecond

var errInterrupted = errors.New("the person stopped the answer")

// aloud asks a model that talks with a person, who may stop it. What it had said by then is its answer; what that cost is counted from
// the bytes, because no vendor tells of an answer that was not read to its end.
func (t *turn) aloud(ctx context.Context, route model.Route, req model.Request) (model.Response, error) {
	stopped := model.Response{Stop: model.Done, Message: model.Message{Role: model.Assistant},
		Identity: model.Identity{Provider: route.Provider, Model: route.Model}}
	var err error
	if t.stopped, err = t.interrupted(ctx); err != nil || t.stopped {
		return stopped, err
	}
	var heard strings.Builder
	say := func(string) {}
	if t.stream != nil {
		say = t.stream(t.facts.Org, t.facts.ID, t.listener(), t.in.Seq)
	}
	req.Stream = func(text string) {
		heard.WriteString(text)
		say(text)
	}
	ctx, halt := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		t.watch(ctx, halt)
	}()
	answer, err := t.call(ctx, route, req)
	t.stopped = err != nil && errors.Is(context.Cause(ctx), errInterrupted)
	halt(nil)
	<-watched
	if !t.stopped {
		return answer, err
	}
	if text := strings.ToValidUTF8(heard.String(), "\uFFFD"); text != "" {
		stopped.Message.Parts = []model.Part{{Text: text}}
	}
	stopped.Usage = req.Estimate(stopped.Message)
	return stopped, nil
}

// watch cancels the request once the person has stopped it.
func (t *turn) watch(ctx context.Context, halt context.CancelCauseFunc) {
	for ctx.Err() == nil {
		pause, over := context.WithTimeout(ctx, listenEvery)
		<-pause.Done()
		over()
		if yes, err := t.interrupted(ctx); err == nil && yes {
			halt(errInterrupted)
			return
		}
	}
}

// interrupted reports whether the person has stopped what this turn is part of: since they said so no turn has handed them the word.
func (t *turn) interrupted(ctx context.Context) (yes bool, err error) {
	const word = `select exists (select from gavel.run_interrupt i where i.run_id = $1 and i.turn <= $2 and not exists (
		select from gavel.step s where s.run_id = i.run_id and s.seq >= i.turn and s.outcome ->> 's' = 'waiting_reply'))`
	err = t.books.db.InOrg(ctx, t.facts.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, word, t.facts.ID, t.in.Seq).Scan(&yes)
	})
	if err != nil {
		return false, fmt.Errorf("whether turn %d of %s was stopped: %w", t.in.Seq, t.facts.ID, err)
	}
	return yes, nil
}

// stoppedNote is what a model is told, later, of an answer of its own that the person stopped.
const stoppedNote = "[The person stopped this answer here.]"

// told is a node's answer as the model is told it.
func (n node) told() model.Message {
	if !n.Stopped {
		return n.Answer
	}
	return model.Message{Role: model.Assistant, Parts: []model.Part{{Text: strings.TrimSpace(n.Answer.Text() + " " + stoppedNote)}}}
}
