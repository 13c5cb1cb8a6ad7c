package seal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A plan is what erasing a subject would destroy.
type plan struct {
	subject Subject
	keys    []KeyID
	objects []blob.Digest
	others  []string // other subjects with data under the same keys
	cases   []string
	exports []Exported
	earlier *past
}

// A past is an erasure that was done before.
type past struct {
	N      int
	At     time.Time
	Record audit.RecordID
}

// Preview says what erasing a subject would destroy and could not reach, without
// doing it, and which holds stand in the way. The erasers are run and undone, so
// that what they say they would blank is what they would.
func (v *Vault) Preview(ctx context.Context, actor identity.Actor, s Subject) (e Erasure, holds []Hold, err error) {
	if err := v.may(actor, "subject.read"); err != nil {
		return Erasure{}, nil, err
	}
	if err := s.check(); err != nil {
		return Erasure{}, nil, err
	}
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		at := v.now().UTC().Truncate(time.Microsecond)
		p, err := makePlan(ctx, tx, actor.Org, s)
		if err != nil {
			return err
		}
		did, err := v.tryErasers(ctx, tx, actor.Org, &p, at)
		if err != nil {
			return err
		}
		e = p.erasure(actor, Request{Subject: s}, did.rows, at)
		holds, err = activeHolds(ctx, tx, actor.Org, append(p.targets(), caseTargets(did.cases)...), at)
		return err
	})
	return e, holds, err
}

// tryErasers says what the erasers would do, and does nothing.
func (v *Vault) tryErasers(ctx context.Context, tx pgx.Tx, org identity.Org, p *plan, at time.Time) (reached, error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return reached{}, err
	}
	did, err := v.runErasers(ctx, inner, org, p.subject, at)
	if err == nil {
		p.exports, err = exportsAbout(ctx, inner, org, p.subject)
	}
	return did, errors.Join(err, inner.Rollback(ctx))
}

// makePlan finds the keys, locks them, and then reads what lies under them: who
// was sealing under one of them has finished, and who comes later waits.
func makePlan(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) (p plan, err error) {
	p.subject = s
	if p.keys, err = lockKeys(ctx, tx, org, s); err != nil {
		return p, fmt.Errorf("find keys: %w", err)
	}
	if p.objects, err = objectsUnder(ctx, tx, org, p.keys); err != nil {
		return p, fmt.Errorf("find sealed objects: %w", err)
	}
	if p.others, p.cases, err = concernedBy(ctx, tx, org, s, p.keys); err != nil {
		return p, fmt.Errorf("find who else is concerned: %w", err)
	}
	p.earlier, err = latest(ctx, tx, org, s)
	return p, err
}

func lockKeys(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) ([]KeyID, error) {
	const live = `
		select id from gavel.seal_key
		where org = $1 and destroyed_at is null
		  and (owner = $2 or id in (select key from gavel.sealed where org = $1 and subject = $2))
		order by id for update`
	rows, _ := tx.Query(ctx, live, org, s.String())
	return pgx.CollectRows(rows, pgx.RowTo[KeyID])
}

func objectsUnder(ctx context.Context, tx pgx.Tx, org identity.Org, keys []KeyID) ([]blob.Digest, error) {
	const under = `select object from gavel.sealed where org = $1 and key = any($2) group by object order by object collate "C"`
	rows, _ := tx.Query(ctx, under, org, keys)
	return pgx.CollectRows(rows, pgx.RowTo[blob.Digest])
}

func concernedBy(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject, keys []KeyID) (others, cases []string, err error) {
	const concerned = `
		select coalesce(array_agg(distinct subject) filter (where subject <> $3), '{}'),
		       coalesce(array_agg(distinct case_id) filter (where case_id <> ''), '{}')
		from gavel.sealed where org = $1 and key = any($2)`
	err = tx.QueryRow(ctx, concerned, org, keys, s.String()).Scan(&others, &cases)
	return others, cases, err
}

func latest(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) (*past, error) {
	const last = `select n, at, record_id from gavel.erasure where org = $1 and subject = $2 order by n desc limit 1`
	rows, _ := tx.Query(ctx, last, org, s.String())
	p, err := pgx.CollectOneRow(rows, pgx.RowToAddrOfStructByPos[past])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return p, err
}

// targets are all that a hold could be on.
func (p plan) targets() []string {
	all := append([]string{p.subject.String()}, p.others...)
	for _, c := range p.cases {
		all = append(all, Target{Case: c}.String())
	}
	return all
}

// erasure is the plan carried out.
func (p plan) erasure(actor identity.Actor, req Request, rows []Reached, at time.Time) Erasure {
	list := &strings.Builder{}
	for _, d := range p.objects {
		fmt.Fprintln(list, d)
	}
	return Erasure{
		Subject: p.subject, At: at, By: actor.ID, Ground: req.Ground, Reference: req.Reference,
		Keys: len(p.keys), Others: len(p.others), Rows: rows,
		Objects: len(p.objects), ObjectsDigest: sha256.Sum256([]byte(list.String())),
		Listed:  p.objects[:min(len(p.objects), mostListed)],
		Exports: len(p.exports), Unreached: p.exports[:min(len(p.exports), mostExports)],
	}
}

// ErasureOf reads what was last erased for a subject.
func (v *Vault) ErasureOf(ctx context.Context, actor identity.Actor, s Subject) (e Erasure, err error) {
	if err := v.may(actor, "subject.read"); err != nil {
		return Erasure{}, err
	}
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		last, err := latest(ctx, tx, actor.Org, s)
		if err != nil {
			return err
		}
		if last == nil {
			return fault.New(fault.NotFound, "nothing was erased for %s", s)
		}
		e, err = readErasure(ctx, tx, s, last.Record)
		return err
	})
	return e, err
}

// readErasure is what the log says about an erasure.
func readErasure(ctx context.Context, tx pgx.Tx, s Subject, id audit.RecordID) (Erasure, error) {
	entry, err := audit.Get(ctx, tx, id)
	if err != nil {
		return Erasure{}, err
	}
	e := Erasure{Subject: s, At: entry.Record.At, By: entry.Record.Actor.ID, Record: id}
	body, _ := entry.Record.Body.(json.RawMessage) // what package audit reads a body as
	if err := json.Unmarshal(body, &e); err != nil {
		return Erasure{}, fmt.Errorf("read record %s: %w", id, err)
	}
	return e, nil
}
