package experiment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Config is what experiments stand on.
type Config struct {
	DB     *postgres.DB
	Clock  durable.Clock
	Rules  *policy.Rules
	Sets   Sets
	Routes model.Routes
}

// A Store keeps experiments.
type Store struct{ Config }

// NewStore makes one.
func NewStore(c Config) *Store { return &Store{c} }

// maxRepeats bounds how often a case is asked.
const maxRepeats = 100

// Start begins an experiment, or gives the one that is at the same. The key is the asker's:
// the same again is the same experiment.
func (s *Store) Start(ctx context.Context, actor identity.Actor, p Plan, key string) (e Experiment, j job.Job, err error) {
	if err := s.Rules.May(actor, ActRun); err != nil {
		return e, j, err
	}
	set, ok := s.Sets[p.Set]
	if !ok {
		return e, j, fault.New(fault.NotFound, "there is no set %.60q", p.Set).WithNext("gavel eval list").
			Because("nothing_called", "id", p.Set)
	}
	e, cases, err := s.plan(p, set)
	if err != nil {
		return e, j, err
	}
	e.ID, e.By, e.At = Job.NewID(), actor.ID, s.Clock.Now()
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		b, err := job.Start(ctx, tx, Job, job.Order{ID: e.ID, Key: key, About: e.about(), Actor: actor, At: e.At,
			Input: Input{Org: actor.Org, ID: e.ID},
			Body:  map[string]any{"set": e.Set, "dataset": e.Dataset.SHA256, "subject": e.Subject, "route": e.Route, "repeats": e.Repeats}})
		if j = b.Job; err != nil || !b.Started {
			return err
		}
		if err := keepDataset(ctx, tx, actor.Org, e.Dataset, cases, actor.ID, e.At); err != nil {
			return err
		}
		return insert(ctx, tx, actor.Org, e)
	})
	if err != nil || j.ID == e.ID {
		return e, j, err
	}
	e, err = s.get(ctx, actor.Org, j.ID)
	return e, j, err
}

// about is what an experiment is at: two who ask for the same at once are given one.
func (e Experiment) about() string {
	return digest([]byte(fmt.Sprint(e.Set, "\n", e.Dataset.SHA256, "\n", e.Subject, "\n", e.Route, "\n", e.Repeats, "\n", e.Fresh)))
}

// plan says what is to be measured, in full.
func (s *Store) plan(p Plan, set eval.Set) (e Experiment, cases []eval.Case, err error) {
	e = Experiment{Name: p.Name, Set: p.Set, Subject: set.Subject, Repeats: max(1, p.Repeats), Fresh: p.Fresh, Budget: p.Budget}
	if e.Name == "" || len(e.Name) > 200 || e.Repeats > maxRepeats || p.Budget.Micros < 0 || p.Budget.Calls < 0 {
		return e, nil, fault.New(fault.Invalid, "an experiment has a short name, at most %d repeats, and a budget of nought or more",
			maxRepeats)
	}
	if e.Dataset, cases, err = eval.Load(set.Files); err != nil {
		return e, nil, fmt.Errorf("set %s: %w", p.Set, err)
	}
	e.Cases = len(cases)
	if route, has := s.Routes[set.Route]; has {
		e.Route, e.Provider, e.Model = set.Route, route.Provider, route.Model
	}
	e.Evaluator, err = set.Evaluator(p.Set)
	return e, cases, err
}

const columns = `id, name, set_name, dataset, version, digest, cases, evaluator, subject, route, provider, model, repeats, fresh,
	micros_at_most, calls_at_most, asked_by, asked_at`

func insert(ctx context.Context, tx pgx.Tx, org identity.Org, e Experiment) error {
	const add = `insert into gavel.experiment (org, ` + columns + `)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`
	_, err := tx.Exec(ctx, add, org, e.ID, e.Name, e.Set, e.Dataset.Name, e.Dataset.Version, e.Dataset.SHA256, e.Cases, e.Evaluator,
		e.Subject, e.Route, e.Provider, e.Model, e.Repeats, e.Fresh, e.Budget.Micros, e.Budget.Calls, e.By, e.At)
	if err != nil {
		return fmt.Errorf("add experiment %s: %w", e.ID, err)
	}
	return nil
}

func scan(row pgx.CollectableRow) (e Experiment, err error) {
	err = row.Scan(&e.ID, &e.Name, &e.Set, &e.Dataset.Name, &e.Dataset.Version, &e.Dataset.SHA256, &e.Cases, &e.Evaluator, &e.Subject,
		&e.Route, &e.Provider, &e.Model, &e.Repeats, &e.Fresh, &e.Budget.Micros, &e.Budget.Calls, &e.By, &e.At)
	return e, err
}

// find reads an experiment.
func find(ctx context.Context, tx pgx.Tx, id string) (Experiment, error) {
	rows, _ := tx.Query(ctx, `select `+columns+` from gavel.experiment where id = $1`, id)
	all, err := pgx.CollectRows(rows, scan)
	switch {
	case err != nil:
		return Experiment{}, fmt.Errorf("read experiment %.40q: %w", id, err)
	case len(all) == 0:
		return Experiment{}, fault.New(fault.NotFound, "no experiment is called %.40q", id).Because("nothing_called", "id", id)
	}
	return all[0], nil
}

func (s *Store) get(ctx context.Context, org identity.Org, id string) (e Experiment, err error) {
	err = s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		e, err = find(ctx, tx, id)
		return err
	})
	return e, err
}

// mostListed bounds a list of experiments.
const mostListed = 200

// List is the newest experiments of a set, or of all where it is empty.
func (s *Store) List(ctx context.Context, actor identity.Actor, set string) (all []Experiment, err error) {
	if err := s.Rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select `+columns+` from gavel.experiment where $1 in ('', set_name)
			order by asked_at desc, id limit $2`, set, mostListed)
		all, err = pgx.CollectRows(rows, scan)
		return err
	})
	return all, err
}
