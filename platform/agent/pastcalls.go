package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// A pastCall is one that came from outside any run and that people decide.
type pastCall struct {
	ID, Case, App, Tool string
	By                  identity.Actor
	At                  time.Time
	Args                []byte // nil once erased
	Record              string // its record's JSON
}

// calls reads those, newest first.
func (l *lookBack) calls(ctx context.Context, since time.Time) error {
	const all = `
		select c.id, c.case_id, c.app, c.tool, c.by_kind, c.by_id, c.roles, c.scopes, c.at, p.args, r.json
		from gavel.call c
			join gavel.proposal p on p.org = c.org and p.key = c.id || '/' || $4
			join gavel.record r on r.org = c.org and r.id = c.record
		where c.org = $1 and c.id >= $2 order by c.id desc limit $3`
	var found []pastCall
	err := l.books.db.InOrg(ctx, l.org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, l.org, firstID("call_", since), MostPastCalls+1, carriedCall)
		var err error
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c pastCall, err error) {
			return c, row.Scan(&c.ID, &c.Case, &c.App, &c.Tool, &c.By.Kind, &c.By.ID, &c.By.Roles, &c.By.Scopes, &c.At, &c.Args, &c.Record)
		})
		return err
	})
	if err != nil {
		return err
	}
	if len(found) > MostPastCalls {
		found, l.out.Partial = found[:MostPastCalls], true
	}
	for _, c := range found {
		if err := l.call(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// call puts one of them into a question, as question does for a new one.
func (l *lookBack) call(ctx context.Context, c pastCall) error {
	var record struct {
		Body struct {
			Calls []ruling `json:"calls"`
		} `json:"body"`
	}
	if err := json.Unmarshal([]byte(c.Record), &record); err != nil || len(record.Body.Calls) != 1 || record.Body.Calls[0].Policy == nil {
		return fmt.Errorf("record of call %s: it does not say what was ruled (%w)", c.ID, err)
	}
	c.By.Org = l.org
	p := policy.Past{Call: c.ID, Case: c.Case, At: c.At.UTC(), Outsider: true, Steered: true,
		Question: policy.Question{Actor: c.By, App: c.App, Tool: c.Tool, Case: c.Case, Taint: true}}
	if c.By.Kind == identity.Person {
		p.Question.For = c.By
	}
	switch {
	case !l.words:
		p.NoArgs = whyNotYours
	case c.Args == nil:
		p.NoArgs = whyErased
	}
	return l.add(ctx, p, record.Body.Calls[0], c.Args)
}

// unkept counts the calls from outside that left nothing but a record. Beyond
// the bound it stops counting.
func (l *lookBack) unkept(ctx context.Context, since time.Time) error {
	const count = `select count(*) from (
		select from gavel.record where org = $1 and id >= $2 and kind = any ($3)
			and json::jsonb -> 'body' ? 'via' and json::jsonb #>> '{body,calls,0,verdict}' <> 'ask' limit $4) as found`
	var n int
	err := l.books.db.InOrg(ctx, l.org, func(tx pgx.Tx) error {
		kinds := []string{string(audit.Policy), string(audit.Refusal)}
		return tx.QueryRow(ctx, count, l.org, firstID("rec_", since), kinds, MostPastCalls).Scan(&n)
	})
	if err == nil && n > 0 {
		l.out.Untold = append(l.out.Untold, policy.Untold{Why: whyOutside, Calls: n})
	}
	return err
}
