package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/tool"
)

// againstRecord is why a call is refused of which the record knows nothing.
const againstRecord = "record"

// bindArgs is checked arguments with what is read-only in them as the record has it. A
// tool that fails in an unforeseen way has not computed them.
func bindArgs(ctx context.Context, db *postgres.DB, tl tool.Tool, e tool.Env, args json.RawMessage) (bound json.RawMessage, err error) {
	if !tl.Bound() {
		return args, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", tl.FullName(), p)
		}
	}()
	err = db.InOrg(ctx, e.Org, func(tx pgx.Tx) error {
		bound, err = tl.Bind(ctx, tx, e, args)
		return err
	})
	return bound, err
}

// maybeLater is an error that another try may mend; what is refused for good is told the
// model instead.
func maybeLater(err error) error {
	if fault.KindOf(err).Retryable() {
		return err
	}
	return nil
}

// bind computes what is read-only in the arguments of a call from outside any run, and
// asks policy about the call as it is then. One that names no case is bound to none: its
// tool says whether it needs one.
func (k *taking) bind(ctx context.Context) error {
	if !k.tool.Bound() {
		return nil
	}
	bound, err := bindArgs(ctx, k.DB, k.tool, k.env(), k.ruling.args)
	if err != nil {
		return fmt.Errorf("propose %s: %w", k.tool.FullName(), err)
	}
	k.ruling.args, k.ruling.Args = bound, act.Digest(bound)
	return k.askPolicy(ctx)
}

// env is what is known of a call from outside any run.
func (k *taking) env() tool.Env {
	e := tool.Env{Org: k.actor.Org, App: k.tool.App, Case: string(k.in.ID), Call: k.id, Key: actKey(k.id, carriedCall),
		Actor: k.actor, At: k.at}
	if k.actor.Kind == identity.Person {
		e.For = k.actor
	}
	return e
}

// findOf is what people read first about a call that they are asked about.
func findOf(ctx context.Context, db *postgres.DB, tl tool.Tool, e tool.Env, args json.RawMessage) (found finding.Finding, err error) {
	err = db.InOrg(ctx, e.Org, func(tx pgx.Tx) error {
		found, err = guardedFind(ctx, tx, tl, e, args)
		return err
	})
	return found, err
}

// guardedFind is the same in a transaction that is there. A tool that fails in an
// unforeseen way has found nothing.
func guardedFind(ctx context.Context, tx pgx.Tx, tl tool.Tool, e tool.Env, args json.RawMessage) (found finding.Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v", tl.FullName(), p)
		}
	}()
	return tl.Find(ctx, tx, e, args)
}

// bound settles what a recorded call of a bound tool was about, which nothing here can
// compute any more: what the record said then. Where people were asked, or it ran, that
// has to be what the model wrote with nothing else changed.
func (s *stepReplay) bound(ctx context.Context, tx pgx.Tx, r, was ruling) (ruling, error) {
	if was.Why == againstRecord && r.Args != "" && (r.tool.Bound() || r.Verdict == asks) {
		return r.refuse(againstRecord, ""), nil
	}
	if !r.tool.Bound() || r.Args == "" || r.Args == was.Args {
		return r, nil
	}
	s.given("what the record said of its arguments")
	r.Args = was.Args
	const asked = `select coalesce((select args from gavel.proposal where key = $1), (select args from gavel.act where key = $1))`
	var args *string
	if err := tx.QueryRow(ctx, asked, actKey(s.facts.ID, r.Call)).Scan(&args); err != nil || args == nil {
		return r, err
	}
	if !r.tool.SameFree(r.args, json.RawMessage(*args)) || act.Digest([]byte(*args)) != was.Args {
		s.wrong("call %s is not what the model wrote with what the record said", r.Call)
	}
	return r, nil
}

// holds refuses an act whose read-only arguments are not what the record says any more:
// nobody has approved what would run. A write looks for itself, in the transaction it
// writes in.
func (e *effect) holds(ctx context.Context) error {
	if !e.tool.Bound() {
		return nil
	}
	_, err := e.guarded(func() (json.RawMessage, error) {
		return nil, e.books.db.InOrg(ctx, e.env.Org, func(tx pgx.Tx) error { return e.tool.Holds(ctx, tx, e.env, e.claim.Act.Args) })
	})
	return err
}

// personEdited reports whether what was carried out is not what the model of a call
// asked for. What the record says in its place is nobody's edit.
func (t *turn) personEdited(call string, a act.Act) bool {
	asked, tl := t.argsOf(call)
	switch {
	case asked == nil:
		return false
	case tl.Bound():
		return a.Args != nil && !tl.SameFree(asked, a.Args)
	}
	return act.Digest(asked) != a.ArgsSHA256
}
