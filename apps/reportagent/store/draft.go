package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// DraftName is the workflow that writes drafts.
const DraftName = "ReportDraft"

// DraftJob is the writing of drafts: of each report one at a time.
var DraftJob = job.Kind{App: Name, Name: "draft", Prefix: "DRAFT", Workflow: DraftName, Act: ActWrite, Read: ActRead,
	Pages: "/reportagent/drafts"}

// A DraftInput says what is to be drafted.
type DraftInput struct {
	Org         identity.Org `json:"org"`
	Report      string       `json:"report"`
	Job         string       `json:"job"`
	Section     string       `json:"section,omitempty"`      // this one only
	OnlyChanged bool         `json:"only_changed,omitempty"` // leave sections that rest on what they rested on
}

// What a drafting is at, in a word.
const (
	DoingKeep = "keeping"
	DoingPlan = "planning"
	DoingText = "writing"
)

// An Outcome is what became of a section in a drafting.
type Outcome struct {
	Job     string
	Section string
	Status  report.Status
	Why     string
	Dropped int
	At      time.Time
}

const outcomeColumns = `job, section, status, why, dropped, at`

// StartDraft begins a drafting of a report, or gives the one that is at it.
func (s *Store) StartDraft(ctx context.Context, actor identity.Actor, in DraftInput, key string) (j job.Job, err error) {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return j, err
	}
	if _, err := s.Kept(); err != nil {
		return j, err
	}
	in.Org, in.Job = actor.Org, DraftJob.NewID()
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := ReportIn(ctx, tx, in.Report); err != nil {
			return err
		}
		b, err := job.Start(ctx, tx, DraftJob, job.Order{ID: in.Job, Key: key, About: in.Report, Actor: actor, At: s.Now(), Input: in,
			Body: map[string]any{"report": in.Report, "section": in.Section}})
		j = b.Job
		return err
	})
	return j, err
}

// Job is a drafting, for who may read reports.
func (s *Store) Job(ctx context.Context, actor identity.Actor, id string) (j job.Job, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return j, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = job.Get(ctx, tx, DraftJob, id)
		return err
	})
	return j, err
}

// Work says how far a drafting is, and whether it goes on: one that somebody has called off is ended.
func (s *Store) Work(ctx context.Context, tx pgx.Tx, in DraftInput, p job.Progress) (goOn bool, err error) {
	j, err := job.Report(ctx, tx, DraftJob, in.Org, in.Job, p)
	if err != nil || j.State != job.Running {
		return false, err
	}
	if end, off := j.CalledOff(); off {
		end.At = s.Now()
		return false, job.Finish(ctx, tx, DraftJob, in.Org, in.Job, end)
	}
	return true, nil
}

// EndDraft ends a drafting.
func (s *Store) EndDraft(ctx context.Context, tx pgx.Tx, in DraftInput, state job.State, why string) error {
	return job.Finish(ctx, tx, DraftJob, in.Org, in.Job, job.End{State: state, Reason: Cut(why, 1000), At: s.Now(),
		Body: map[string]any{"report": in.Report, "reason": Cut(why, 1000)}})
}

// AddOutcome notes what became of a section, once for each drafting.
func AddOutcome(ctx context.Context, tx pgx.Tx, org identity.Org, report string, o Outcome) error {
	const insert = `insert into reportagent.outcome (org, report, ` + outcomeColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict do nothing`
	_, err := tx.Exec(ctx, insert, org, report, o.Job, o.Section, o.Status, Cut(o.Why, 1000), o.Dropped, o.At)
	return err
}

// OutcomesOfJob are what became of the sections of a drafting so far, by section.
func OutcomesOfJob(ctx context.Context, tx pgx.Tx, id string) (map[string]Outcome, error) {
	rows, _ := tx.Query(ctx, `select `+outcomeColumns+` from reportagent.outcome where job = $1`, id)
	return bySection(pgx.CollectRows(rows, pgx.RowToStructByPos[Outcome]))
}

// outcomesOf is what became of each section of a report in the newest drafting that came to it.
func outcomesOf(ctx context.Context, tx pgx.Tx, report string) (map[string]Outcome, error) {
	const newest = `select distinct on (section) ` + outcomeColumns + ` from reportagent.outcome where report = $1
		order by section, at desc`
	rows, _ := tx.Query(ctx, newest, report)
	return bySection(pgx.CollectRows(rows, pgx.RowToStructByPos[Outcome]))
}

func bySection(all []Outcome, err error) (map[string]Outcome, error) {
	out := map[string]Outcome{}
	for _, o := range all {
		out[o.Section] = o
	}
	return out, err
}
