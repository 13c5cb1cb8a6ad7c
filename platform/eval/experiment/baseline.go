package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Pin says which experiment others of its set are compared with, from now on, and why.
func (s *Store) Pin(ctx context.Context, actor identity.Actor, id, reason string) error {
	if err := s.Rules.May(actor, ActRun); err != nil {
		return err
	}
	if reason == "" || len(reason) > 2000 {
		return fault.New(fault.Invalid, "say in a few words why %s is the one to compare with", id)
	}
	return s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		e, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		j, err := job.Get(ctx, tx, Job, id)
		if err != nil {
			return err
		}
		if j.State != job.Done {
			return fault.New(fault.Conflict, "%s has not ended well: nobody can be compared with it", id)
		}
		const pin = `insert into gavel.baseline (org, set_name, n, experiment, reason, pinned_by, pinned_at)
			select $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6 from gavel.baseline where set_name = $2`
		if _, err := tx.Exec(ctx, pin, actor.Org, e.Set, e.ID, reason, actor.ID, s.Clock.Now()); err != nil {
			return fmt.Errorf("pin %s: %w", id, err)
		}
		return nil
	})
}

// Baseline is the experiment that others of a set are compared with; ok is false where
// nobody has said.
func (s *Store) Baseline(ctx context.Context, actor identity.Actor, set string) (id string, ok bool, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return "", false, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		const newest = `select experiment from gavel.baseline where set_name = $1 order by n desc limit 1`
		err := tx.QueryRow(ctx, newest, set).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	return id, ok, err
}

// A Judgement is a score that a person or a judge gives an item.
type Judgement struct {
	Experiment string
	Seq, Rep   int
	Metric     string
	Judge      string // route of a model that judged; empty: the actor did
	Value      *float64
	Label      string
	Hit        *bool
	Note       string
}

// Score adds a judgement. Nothing is changed: who thinks again adds another, and the newest
// counts. Whoever may see an item may say what it is worth, under their own name.
func (s *Store) Score(ctx context.Context, actor identity.Actor, j Judgement) error {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return err
	}
	kind, given := "boolean", 0
	for name, is := range map[string]bool{"boolean": j.Hit != nil, "numeric": j.Value != nil, "categorical": j.Label != ""} {
		if is {
			kind, given = name, given+1
		}
	}
	if given != 1 {
		return fault.New(fault.Invalid, "a score is one of the three: yes or no, a number, a label")
	}
	source, who, hits, of := "person", actor.ID, 0, 0
	if j.Judge != "" {
		source, who = "judge", j.Judge
	}
	if j.Hit != nil {
		of = 1
		if *j.Hit {
			hits = 1
		}
	}
	return s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		e, err := find(ctx, tx, j.Experiment)
		if err != nil {
			return err
		}
		if j.Judge != "" && j.Judge == e.Route {
			return fault.New(fault.Refused, "route %s was tested, and cannot judge itself", e.Route)
		}
		const add = `insert into gavel.score (org, experiment, seq, rep, metric, source, who, n, kind, hits, parts, value, label, note, at)
			select $1, $2, $3, $4, $5, $6, $7, coalesce(max(n), 0) + 1, $8, $9, $10, $11, $12, $13, $14 from gavel.score
			where experiment = $2 and seq = $3 and rep = $4 and metric = $5 and source = $6 and who = $7`
		_, err = tx.Exec(ctx, add, actor.Org, j.Experiment, j.Seq, j.Rep, j.Metric, source, who, kind, hits, of, j.Value, j.Label, j.Note,
			s.Clock.Now())
		if err != nil {
			return fmt.Errorf("score item %d of %s: %w", j.Seq, j.Experiment, err)
		}
		return nil
	})
}
