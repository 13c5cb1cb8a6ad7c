package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// A till asks a model for one item, and keeps every answer before it is handed on: who asks
// the same again, after a crash or in another experiment, is given that one.
type till struct {
	s     *Store
	org   identity.Org
	e     Experiment
	rep   int
	route model.Route

	mu   sync.Mutex // a subject may ask for several answers at once
	paid spent
}

// spent is what an item has used.
type spent struct {
	Calls, Kept    int
	Tokens, Micros int64
	Worth          int64 // what its answers cost when they were paid for
}

// Generate is a model's answer, paid for once.
func (t *till) Generate(ctx context.Context, req model.Request) (model.Response, error) {
	k, err := key(t.e, t.rep, req)
	if err != nil {
		return model.Response{}, err
	}
	there, worth, ok, err := t.kept(ctx, k)
	if err != nil {
		return there, err
	}
	if ok {
		t.note(spent{Kept: 1, Tokens: there.Usage.Total(), Worth: worth})
		return there, nil
	}
	answer, err := t.route.Ask.Generate(ctx, req)
	if err != nil {
		return answer, err
	}
	var micros int64
	if t.route.Price != nil {
		micros = t.route.Price.Cost(answer.Usage)
	}
	t.note(spent{Calls: 1, Tokens: answer.Usage.Total(), Micros: micros, Worth: micros})
	return answer, t.keep(ctx, k, answer, micros)
}

func (t *till) note(s spent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.paid.Calls += s.Calls
	t.paid.Kept += s.Kept
	t.paid.Tokens += s.Tokens
	t.paid.Micros += s.Micros
	t.paid.Worth += s.Worth
}

func (t *till) kept(ctx context.Context, k string) (r model.Response, worth int64, ok bool, err error) {
	var text string
	err = t.s.DB.InOrg(ctx, t.org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select response, micros from gavel.paid_answer where key = $1`, k).Scan(&text, &worth)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return r, 0, false, nil
	case err != nil:
		return r, 0, false, fmt.Errorf("look for a kept answer: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, 0, false, fmt.Errorf("read a kept answer: %w", err)
	}
	return r, worth, true, nil
}

// keep commits an answer. Who is told to stop meanwhile still keeps it: it is paid for.
func (t *till) keep(ctx context.Context, k string, r model.Response, micros int64) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	err = t.s.DB.InOrg(context.WithoutCancel(ctx), t.org, func(tx pgx.Tx) error {
		const add = `insert into gavel.paid_answer (org, key, response, micros, at) values ($1, $2, $3, $4, $5) on conflict do nothing`
		_, err := tx.Exec(context.WithoutCancel(ctx), add, t.org, k, string(text), micros, t.s.Clock.Now())
		return err
	})
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	return nil
}
