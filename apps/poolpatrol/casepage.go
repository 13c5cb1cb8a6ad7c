package poolpatrol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// Bounds of somebody's own page.
const (
	linkPurpose = "poolpatrol-rider"
	maxLink     = 400                 // bytes of a token that is looked at
	pageOutlast = 30 * 24 * time.Hour // how long the page outlasts its case
	maxAnswers  = 20                  // of one person on one case; whoever has more to say is talked to
)

// recordAnswer is the kind of the records of answers in the log. They hold no word
// of what was said.
const recordAnswer log.Kind = "poolpatrol_answer"

// A ticket is whose page an address opens: one person's on one case. It is sealed,
// so that the address says nothing about them and a forged one costs no query.
type ticket struct {
	org  identity.Org
	file casefile.CaseID
	who  fleet.EmployeeID
}

// name is what visits are counted by.
func (t ticket) name() string { return string(t.file) + "/" + string(t.who) }

// pageFor is the address of somebody's own page; empty where nobody has said at
// which address this server is.
func (a *app) pageFor(file casefile.Case, who fleet.EmployeeID) (string, error) {
	if a.public == "" {
		return "", nil
	}
	token, err := a.keys.SealText(linkPurpose, strings.Join([]string{string(file.Org), string(file.ID), string(who)}, " "))
	if err != nil {
		return "", fmt.Errorf("make the address of a page: %w", err)
	}
	return a.public + answerPath(token), nil
}

func answerPath(token string) string { return answerAt + "?k=" + url.QueryEscape(token) }

// errNoPage is all that is ever said of an address that opens nothing: it was
// forged, has ended, or is about somebody who was erased.
func errNoPage() error {
	return fault.New(fault.NotFound, "this link opens nothing, or nothing any more").
		WithNext("check that you have the whole of it, or ask the office that wrote to you")
}

// readTicket opens a token that was sealed here. It asks no database.
func (a *app) readTicket(token string) (t ticket, err error) {
	if len(token) > maxLink {
		return t, errNoPage()
	}
	text, err := a.keys.OpenText(linkPurpose, token)
	parts := strings.Split(text, " ")
	if err != nil || len(parts) != 3 {
		return t, errNoPage()
	}
	t = ticket{file: casefile.CaseID(parts[1]), who: fleet.EmployeeID(parts[2])}
	if t.org, err = identity.ParseOrg(parts[0]); err != nil {
		return t, errNoPage()
	}
	return t, nil
}

// A riderVisit is what somebody's own page shows: of the case only what is theirs.
type riderVisit struct {
	ticket

	ref      string
	state    lifecycle.State
	me       lifecycle.Subject
	deadline time.Time // by when they are asked to answer; zero while no clock runs
	looking  bool      // the van is looked at again at a moment that is set
	due      time.Time // that moment, where they said themselves that the records change; else zero
	ended    time.Time
	zone     *time.Location
	own      post.Own  // what we hold about them that the case is about
	asOf     time.Time // when it was looked at
	portal   string    // where records are corrected, contact and appeal; empty where nobody has said
	contact  string
	appeal   string
	answers  []riderAnswer // theirs, the newest first
}

// A riderAnswer is one that somebody gave on their page.
type riderAnswer struct {
	ID       string
	Employee fleet.EmployeeID
	post.Said
	At       time.Time
	ErasedAt *time.Time
}

// visit reads what a ticket opens now. It changes nothing.
func (a *app) visit(ctx context.Context, t ticket) (v riderVisit, err error) {
	err = a.store.db.InOrg(ctx, t.org, func(tx pgx.Tx) error {
		if v, err = readVisit(ctx, tx, t, a.now()); err != nil {
			return err
		}
		v.answers, err = answersIn(ctx, tx, `case_id = $2 and employee_id = $3`, t.file, t.who)
		return err
	})
	if err != nil {
		return riderVisit{}, fmt.Errorf("open somebody's page: %w", err)
	}
	return v, nil
}

func readVisit(ctx context.Context, tx pgx.Tx, t ticket, now time.Time) (v riderVisit, err error) {
	const one = `select c.ref, c.life, r.id, r.at, coalesce(o.portal, ''), coalesce(o.contact, ''), coalesce(o.appeal, '')
		from poolpatrol.case c join poolpatrol.audit_run r on r.id = c.audit_run left join poolpatrol.office o on o.org = c.org
		where c.id = $1 and not exists (select from poolpatrol.employee e where e.id = $2 and e.erased_at is not null)`
	v.ticket = t
	var life []byte
	var run string
	err = tx.QueryRow(ctx, one, t.file, t.who).Scan(&v.ref, &life, &run, &v.asOf, &v.portal, &v.contact, &v.appeal)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, errNoPage()
	}
	if err != nil {
		return v, err
	}
	var c lifecycle.Case
	if err := json.Unmarshal(life, &c); err != nil {
		return v, fmt.Errorf("read the life of %s: %w", t.file, err)
	}
	mine, ok := c.Subject(t.who)
	if !ok || c.State.Ended() && now.After(c.EndedAt.Add(pageOutlast)) {
		return v, errNoPage()
	}
	v.state, v.me, v.deadline, v.looking, v.ended = c.State, mine, c.Deadline, !c.Due.IsZero(), c.EndedAt
	rules, err := rulesOf(ctx, tx, c.Vanpool)
	if err != nil {
		return v, err
	}
	v.zone = rules.Zone
	if v.due, err = dueFor(ctx, tx, t, c, rules); err != nil {
		return v, err
	}
	v.own = post.Own{Case: fleet.CaseID(v.ref), Vanpool: c.Vanpool, Employee: t.who}
	return v, v.hold(ctx, tx, run)
}

// dueFor is until when the records are waited for that somebody said will change. The
// clock is the case's: where another said so it is none of theirs, and zero.
func dueFor(ctx context.Context, tx pgx.Tx, t ticket, c lifecycle.Case, rules lifecycle.Rules) (time.Time, error) {
	if c.Due.IsZero() || c.DueTrigger != lifecycle.ByUpdate {
		return time.Time{}, nil
	}
	const said = `select exists (select from poolpatrol.case_event where case_id = $1 and refused = '' and at >= $3
		and event->>'kind' = 'replied' and event->>'employee_id' = $2 and event->>'bucket' = 'update')`
	var theirs bool
	begun := c.Due.Add(-rules.Grace).Truncate(time.Second)
	if err := tx.QueryRow(ctx, said, t.file, t.who, begun).Scan(&theirs); err != nil || !theirs {
		return time.Time{}, err
	}
	return c.Due, nil
}

// hold notes what their letters say that we hold about them, and as of when.
func (v *riderVisit) hold(ctx context.Context, tx pgx.Tx, run string) error {
	if !v.asks() {
		return nil
	}
	own, at, err := lastFound(ctx, tx, run, v.file, v.own)
	if fault.Is(err, fault.Invalid) {
		return nil // nothing that may be told: a person writes to them
	}
	if err == nil {
		v.own, v.asOf = own, at
	}
	return err
}

// asks reports whether anything is still asked of them: the case is open and turns
// on them.
func (v riderVisit) asks() bool {
	return !v.state.Ended() && (v.me.Standing == lifecycle.SubjectOpen || v.me.Standing == lifecycle.CancelPending)
}

// mostAnswers bounds how many answers are read at once: more than a van's riders may
// give on one case.
const mostAnswers = 1000

// answersIn reads answers, the newest first. Arguments begin with $2.
func answersIn(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]riderAnswer, error) {
	rows, _ := tx.Query(ctx, `select id, employee_id, held, wish, body, at, erased_at from poolpatrol.answer where `+where+` order by at desc, id limit $1`, append([]any{mostAnswers}, args...)...)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (one riderAnswer, err error) {
		err = row.Scan(&one.ID, &one.Employee, &one.Held, &one.Wish, &one.Text, &one.At, &one.ErasedAt)
		return one, err
	})
}

var formForm = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// answer takes what somebody says on their page: a row, an entry of the case, a
// record, and word to the case, which finds it as it finds a mail. A form that is
// sent again is the same answer.
func (a *app) answer(ctx context.Context, t ticket, said post.Said, form string) error {
	said, err := said.Check()
	if err != nil {
		return err
	}
	if !formForm.MatchString(form) {
		return fault.New(fault.Invalid, "this form is none of ours").WithNext("open the page again, and answer there")
	}
	at := a.now()
	err = a.store.db.InOrg(ctx, t.org, func(tx pgx.Tx) error {
		file, err := casefile.Lock(ctx, tx, t.file)
		if fault.Is(err, fault.NotFound) {
			return errNoPage()
		}
		if err != nil {
			return err
		}
		v, err := readVisit(ctx, tx, t, at)
		if err != nil {
			return err
		}
		if !v.asks() {
			return fault.New(fault.Conflict, "this has been settled, and nothing more is asked of you").WithNext("turn to the office that wrote to you")
		}
		id, err := keepAnswer(ctx, tx, t, said, form, at)
		if err != nil || id == "" {
			return err
		}
		return a.tellAnswer(ctx, tx, file, t, said, id, at)
	})
	if err != nil {
		return fmt.Errorf("take an answer: %w", err)
	}
	return nil
}

// keepAnswer writes an answer down. It gives no id where the form was sent before.
func keepAnswer(ctx context.Context, tx pgx.Tx, t ticket, said post.Said, form string, at time.Time) (string, error) {
	const before = `select count(*), count(*) filter (where form = $3) from poolpatrol.answer where case_id = $1 and employee_id = $2`
	var all, same int
	if err := tx.QueryRow(ctx, before, t.file, t.who, form).Scan(&all, &same); err != nil || same > 0 {
		return "", err
	}
	if all >= maxAnswers {
		return "", fault.New(fault.TooMany, "you have answered %d times already", all).WithNext("a person of the programme reads what you said; turn to them")
	}
	const insert = `insert into poolpatrol.answer (org, id, case_id, employee_id, form, held, wish, body, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (org, id) do nothing`
	for range tries {
		id := newID("ANS")
		tag, err := tx.Exec(ctx, insert, t.org, id, t.file, t.who, form, said.Held, said.Wish, said.Text, at)
		if err != nil {
			return "", err
		}
		if tag.RowsAffected() == 1 {
			return id, nil
		}
	}
	return "", fault.New(fault.Unavailable, "no free name was found for an answer")
}

// tellAnswer puts an answer on record without its words, and wakes the case.
func (a *app) tellAnswer(ctx context.Context, tx pgx.Tx, file casefile.Case, t ticket, said post.Said, id string, at time.Time) error {
	who := identity.Actor{Kind: identity.Person, ID: "concerned:" + rider(t.who).String(), Name: "The rider, on their page", Org: t.org}
	text := fmt.Sprintf("%s, on their page: %s, %s", t.who, said.Held, said.Wish)
	if said.Text != "" {
		text += ", with words of their own"
	}
	_, _, err := casefile.Apply(ctx, tx, file.ID, casefile.Change{Key: "pp:" + id, WaitingFor: file.WaitingFor, Subjects: []seal.Subject{rider(t.who)},
		Entry: casefile.Entry{Kind: "pool_answered", At: at, ActorKind: who.Kind, ActorID: who.ID, ActorName: who.Name, Text: text}})
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, tx, log.Record{At: at, Kind: recordAnswer, App: Name, Actor: who, Subject: string(file.ID),
		Body: map[string]any{"answer": id, "held": string(said.Held), "wish": string(said.Wish), "words": said.Text != ""}})
	if err != nil {
		return err
	}
	return a.cases.Rouse(ctx, tx, file)
}

// pageAnswers are answers that people on the case gave on their pages. Each is a
// reply that came and, its two answers being read by code, was read; words beside
// them bring the case before a person.
func (s *step) pageAnswers(ctx context.Context) ([]happening, error) {
	const given = `select a.id, a.employee_id, a.held, a.wish, a.body from poolpatrol.answer a where a.case_id = $1` + unseen + `'page:' || a.id) order by a.at, a.id`
	rows, _ := s.tx.Query(ctx, given, s.file.ID)
	var all []happening
	var id string
	var who fleet.EmployeeID
	var said post.Said
	_, err := pgx.ForEachRow(rows, []any{&id, &who, &said.Held, &said.Wish, &said.Text}, func() error {
		all = append(all, happening{"page:" + id, lifecycle.Event{Kind: lifecycle.Arrived, At: s.at, Employee: who}},
			happening{"page-read:" + id, lifecycle.Event{Kind: lifecycle.Replied, At: s.at, Employee: who, Bucket: said.Bucket()}})
		return nil
	})
	return all, err
}

// eraseAnswers blanks what somebody said on their page. Which of the answers they
// chose stays, as that of a case does.
func eraseAnswers(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, at time.Time) (seal.Reach, error) {
	const blank = `update poolpatrol.answer set body = '', erased_at = $2 where employee_id = $1 and erased_at is null returning case_id`
	return reached(ctx, tx, "blank answers", blank, who, at)
}
