package casework

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/offer"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// A happening is an event and what it was noticed by: the same key is the same
// event again.
type happening struct {
	key   string
	event lifecycle.Event
}

// A step is one case in the hands of a transaction: its row is locked until the
// transaction ends.
type step struct {
	work  *Work
	tx    pgx.Tx
	file  casefile.Case
	life  lifecycle.Case
	terms int64 // the version of the terms it began with
	rules lifecycle.Rules
	unit  fleet.Unit // in which distances are told
	run   string     // the audit it rests on
	at    time.Time
	more  []happening // what the step itself led to: a letter that could not be written

	questions []review.Question // to people, once they were read
	noted     map[string]bool   // keys of events, once they were read

	proposal string                           // the decision that is carried out; empty where none is
	seen     int                              // replies there were when it was asked for
	draft    reviewArgs                       // a mail as a person approved it
	offers   map[fleet.EmployeeID]offer.Offer // vans people would fit
	looked   string                           // the look that an approved cancellation rests on
}

// hold locks a case and reads it as it stands.
func (a *Work) hold(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (*step, error) {
	file, err := casefile.Lock(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	return a.read(ctx, tx, file, at, caseRow+" for update")
}

// caseRow reads how a case stands.
const caseRow = `select life, audit_run, terms_version from poolpatrol.case where id = $1`

// read reads a case as it stands. Who goes on to write it holds it instead.
func (a *Work) read(ctx context.Context, tx pgx.Tx, file casefile.Case, at time.Time, row string) (*step, error) {
	s := &step{work: a, tx: tx, file: file, at: at}
	var life []byte
	err := tx.QueryRow(ctx, row, file.ID).Scan(&life, &s.run, &s.terms)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.Conflict, "case %s is none of Pool Patrol's", file.Ref)
	}
	if err != nil {
		return nil, fmt.Errorf("read case %s: %w", file.ID, err)
	}
	if err := json.Unmarshal(life, &s.life); err != nil {
		return nil, fmt.Errorf("read the life of %s: %w", file.ID, err)
	}
	s.rules, s.unit, err = term.RulesOf(ctx, tx, file.Org, s.life.Vanpool, s.terms)
	return s, err
}

// take lets events happen to the case, in order, with whatever they lead to, and
// writes down how it stands.
func (s *step) take(ctx context.Context, events ...happening) error {
	for queue := events; len(queue) > 0; {
		h := queue[0]
		if err := s.happen(ctx, h); err != nil {
			return err
		}
		queue = append(queue[1:], s.more...)
		s.more = nil
	}
	return s.save(ctx)
}

// happen lets one event happen. One that is refused leaves the case as it is, and
// says so in its history.
func (s *step) happen(ctx context.Context, h happening) error {
	before := s.life.State
	next, todo, err := lifecycle.Step(s.life, h.event, s.rules)
	refused := ""
	if err != nil {
		if kind := fault.KindOf(err); kind == fault.Internal {
			return err
		}
		refused, _ = fault.Words(err)
		next, todo = s.life, nil
	}
	noted, err := s.note(ctx, h, next.Steps, refused)
	if err != nil || !noted {
		return err
	}
	s.life = next
	if h.event.Kind == lifecycle.Decided && refused == "" { // who decided has read what came
		if err := s.drop(ctx, readReply); err != nil {
			return err
		}
	}
	for _, a := range todo {
		if err := s.perform(ctx, a); err != nil {
			return fmt.Errorf("%s of %s: %w", a.Kind, s.file.Ref, err)
		}
	}
	return s.enter(ctx, h, before, refused)
}

// note writes the event down. An event that was there already is none.
func (s *step) note(ctx context.Context, h happening, n int, refused string) (bool, error) {
	text, err := json.Marshal(h.event)
	if err != nil {
		return false, err
	}
	tag, err := s.tx.Exec(ctx, `insert into poolpatrol.case_event (org, case_id, n, key, event, refused, at)
		values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
		s.file.Org, s.file.ID, n, h.key, text, refused, h.event.At)
	if s.noted != nil {
		s.noted[h.key] = true
	}
	return err == nil && tag.RowsAffected() == 1, err
}

// save writes down how the case stands.
func (s *step) save(ctx context.Context) error {
	life, err := json.Marshal(s.life)
	if err != nil {
		return err
	}
	var deadline, ended *time.Time
	if !s.life.Deadline.IsZero() {
		deadline = &s.life.Deadline
	}
	if s.life.State.Ended() {
		ended = &s.life.EndedAt
	}
	checks := s.life.FailedChecks()
	_, err = s.tx.Exec(ctx, `update poolpatrol.case set life = $2, state = $3, failed_checks = $4, deadline_at = $5, ended_at = $6,
		audit_run = $7 where id = $1`,
		s.file.ID, life, s.life.State, check.Strings(checks), deadline, ended, s.run)
	if err != nil {
		return fmt.Errorf("write case %s: %w", s.file.Ref, err)
	}
	return s.saveSubjects(ctx)
}

func (s *step) saveSubjects(ctx context.Context) error {
	const put = `insert into poolpatrol.case_subject (org, case_id, employee_id, failed_checks, state, cancelled_at)
		values ($1, $2, $3, $4, $5, case when $5 = 'cancelled' then $6::timestamptz end)
		on conflict (org, case_id, employee_id) do update set failed_checks = excluded.failed_checks, state = excluded.state,
		cancelled_at = coalesce(case_subject.cancelled_at, excluded.cancelled_at)`
	var b pgx.Batch
	for _, x := range s.life.Subjects {
		b.Queue(put, s.file.Org, s.file.ID, x.Employee, check.Strings(x.FailedChecks()), x.Standing, s.at)
	}
	return s.tx.SendBatch(ctx, &b).Close()
}

// enter says in the case's history what happened and where the case stands now.
func (s *step) enter(ctx context.Context, h happening, before lifecycle.State, refused string) error {
	ch := casefile.Change{Key: "pp:" + h.key, Status: string(s.life.State), WaitingFor: waitingFor(s.life), State: fileState(s.life.State),
		Entry: entry(s.file.Org, "pool_"+s.entryKind(h), eventWords(h.event, before, s.life, refused), h.event.At)}
	if h.event.Employee != "" {
		ch.Subjects = []seal.Subject{store.Rider(h.event.Employee)}
	}
	changed, done, err := casefile.Apply(ctx, s.tx, s.file.ID, ch)
	if done {
		s.file = changed
	}
	return err
}

// entry is one that Gavel itself makes.
func entry(org identity.Org, kind, text string, at time.Time) casefile.Entry {
	g := identity.Gavel(org)
	return casefile.Entry{Kind: kind, At: at, ActorKind: g.Kind, ActorID: g.ID, ActorName: g.Name, Text: text}
}

// fileState is a case's state as every application's cases have it.
func fileState(s lifecycle.State) casefile.State {
	switch {
	case s.Ended():
		return casefile.Closed
	case s == lifecycle.Open || s == lifecycle.ReAudit:
		return casefile.Open
	}
	return casefile.Waiting
}

// waitingFor says whose move it is.
func waitingFor(c lifecycle.Case) string {
	switch c.State {
	case lifecycle.Open:
		return "the first mails to be taken"
	case lifecycle.PendingReply:
		if !c.Due.IsZero() {
			return "the records to follow"
		}
		return "a reply"
	case lifecycle.ReAudit:
		return "another look at the van"
	case lifecycle.Review, lifecycle.PreCancel:
		return "a programme manager"
	}
	return ""
}

// entryKind is what an entry about an event is called.
func (s *step) entryKind(h happening) string {
	if h.key == openedKey {
		return openedKey
	}
	return string(h.event.Kind)
}

// eventWords is an entry's text: whom and what it was about, and where that led. It
// names people by their ids alone.
func eventWords(e lifecycle.Event, before lifecycle.State, c lifecycle.Case, refused string) string {
	var about []string
	letter := ""
	if e.Letter != "" {
		letter = string(e.Letter) + " letter"
	}
	for _, word := range []string{string(e.Employee), letter, string(e.Bucket)} {
		if word != "" {
			about = append(about, word)
		}
	}
	if e.Decision != nil {
		about = append(about, string(e.Decision.Choice))
	}
	text := strings.Join(about, ", ")
	if text == "" {
		text = string(c.Vanpool)
	}
	switch {
	case refused != "":
		return text + ". Nothing came of it: " + refused
	case c.State == lifecycle.Review && c.State != before:
		return fmt.Sprintf("%s: %s → %s (%s)", text, before, c.State, c.Why)
	case c.State != before:
		return fmt.Sprintf("%s: %s → %s", text, before, c.State)
	}
	return text
}
