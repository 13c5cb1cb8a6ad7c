package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/review"
)

// Ours reports whether a list's own token can be one: tokens are made of ids and
// names, and a database takes no others.
func Ours(after string) bool {
	return utf8.ValidString(after) && !strings.ContainsFunc(after, unicode.IsControl)
}

// NotOurs refuses a page token that somebody made.
func NotOurs() error {
	return fault.New(fault.Invalid, "page_token is not one of ours").WithNext("begin the list anew, without page_token").
		Because("no_such_page_of_list")
}

// A Waiting is whom an open case waits for.
type Waiting string

// Whom cases wait for. An ended one waits for nobody.
const (
	WaitRider   Waiting = "rider"             // was written to, and the clock runs
	WaitManager Waiting = "programme_manager" // decides
	WaitRecords Waiting = "records"           // another look at the van is under way, or is left until the records have changed
	WaitNobody  Waiting = "nobody"            // the first letters are on their way
)

// Waitings lists them in the order people look at them.
func Waitings() []Waiting { return []Waiting{WaitManager, WaitRider, WaitRecords, WaitNobody} }

// LongAsked is how long a question may be before people until the case is overdue:
// when it goes on to others.
const LongAsked = 72 * time.Hour

// Columns of the case c, as of $1, where people have been asked about $2 for long.
const (
	waitingOf = `case when c.ended_at is not null then '' when c.state in ('hitl_review', 'pre_cancel') then 'programme_manager'
		when c.state = 're_audit' or c.life ? 'due_at' then 'records' when c.state = 'pending_reply' then 'rider' else 'nobody' end`
	overdueOf = `(c.ended_at is null and (coalesce(c.deadline_at < $1, false) or c.id = any ($2)))`
)

// longAsked are the cases about which people were asked long ago: what $2 is.
func longAsked(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) ([]string, error) {
	return review.WaitingSince(ctx, tx, org, programme.Name, now.Add(-LongAsked))
}

// A CaseFilter is what narrows the list of cases.
type CaseFilter struct {
	State   lifecycle.State `query:"state" enum:"open,pending_reply,re_audit,hitl_review,pre_cancel,resolved,cancelled"`
	Van     fleet.VanpoolID `query:"vanpool_id" page:"van" maxLength:"15" pattern:"^(VP-[0-9]{3,12})?$"`
	Waiting Waiting         `query:"waiting_on" page:"waiting" enum:"rider,programme_manager,records,nobody"`
	Overdue bool            `query:"overdue" doc:"Only those that are."`
	Open    bool            `query:"open" doc:"Only those that have not ended."`
	Ended   bool            `query:"ended" doc:"Only those that ended in the last 90 days."`
}

// A CaseRow is a case in a list.
type CaseRow struct {
	ID       casefile.CaseID
	Ref      string
	Vanpool  fleet.VanpoolID
	State    lifecycle.State
	Why      lifecycle.Why       // before a person: what brought it there
	Ending   lifecycle.SubReason // how it ended
	Waiting  Waiting
	Overdue  bool // the deadline has passed, or people have been asked for long
	Checks   []string
	People   int
	OpenedAt time.Time
	Deadline *time.Time
	EndedAt  *time.Time
}

const caseColumns = `c.id, c.ref, c.vanpool_id, c.state, coalesce(c.life->>'why', ''), coalesce(c.life->>'sub_reason', ''), ` + waitingOf +
	`, ` + overdueOf + `,
	c.failed_checks, (select count(*) from poolpatrol.case_subject s where s.org = c.org and s.case_id = c.id)::int, c.opened_at,
	c.deadline_at, c.ended_at`

// Cases lists cases, the newest first. next is where the following page begins,
// empty on the last.
func (s *Store) Cases(ctx context.Context, actor identity.Actor, f CaseFilter, after string,
	limit int) (all []CaseRow, next string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	const page = `select ` + caseColumns + ` from poolpatrol.case c
		where c.org = $3 and ($4 = '' or c.state = $4) and ($5 = '' or c.vanpool_id = $5) and ($6 = '' or ` + waitingOf + ` = $6)
			and (not $7 or ` + overdueOf + `) and (not $8 or c.ended_at is null) and (not $12 or c.ended_at >= $1::timestamptz - $13::interval)
			and ($9::timestamptz is null or (c.opened_at, c.id) < ($9, $10))
		order by c.opened_at desc, c.id desc limit $11`
	now := s.clock.Now()
	return list.Part(after, limit, CaseRow.place, func(from list.Cursor, most int) (rows []CaseRow, err error) {
		err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
			long, err := longAsked(ctx, tx, actor.Org, now)
			if err != nil {
				return err
			}
			found, _ := tx.Query(ctx, page, now, long, actor.Org, f.State, f.Van, f.Waiting, f.Overdue, f.Open, from.Moment(), from.ID,
				most, f.Ended, LookBack)
			rows, err = pgx.CollectRows(found, pgx.RowToStructByPos[CaseRow])
			return err
		})
		return rows, err
	})
}

// place is where a case stands in the list.
func (r CaseRow) place() list.Cursor { return list.Cursor{At: r.OpenedAt, ID: string(r.ID)} }

// A CaseView is one case with what it is about and what has happened to it.
type CaseView struct {
	CaseRow

	Life   lifecycle.Case
	Run    string // the newest audit that it rests on
	Policy string
	Terms  int64     // the version of the programme's terms it began with
	NextAt time.Time // when something happens by itself; zero where it waits for somebody
	Reason string    // in the words of the first system: shift_mismatch, location_mismatch or unknown

	OpenedBy string // the id of who had the audit begun that found it

	Events  []CaseEvent  // the newest first
	Letters []CaseLetter // the newest first
}

// A CaseEvent is something that happened to a case.
type CaseEvent struct {
	At       time.Time
	Kind     lifecycle.EventKind
	Employee fleet.EmployeeID
	Bucket   post.Bucket // of a reply that was read
	Refused  string      // why nothing came of it
}

// A CaseLetter is a letter of a case. Whom it went to is an id; what it says is
// sealed and not shown here.
type CaseLetter struct {
	ID       string
	Kind     string
	Employee fleet.EmployeeID
	Message  string // its mark, as MSG-12345678
	State    string
	QueuedAt time.Time
	EndedAt  *time.Time
}

var caseName = regexp.MustCompile(`^(CASE-[0-9A-F]{8}|case_[0-9A-HJKMNP-TV-Z]{26})$`)

// Case reads one case, by its id or what people call it.
func (s *Store) Case(ctx context.Context, actor identity.Actor, name string) (v CaseView, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return v, err
	}
	if !caseName.MatchString(name) {
		return v, fault.New(fault.Invalid, "case %.40q: use CASE- and eight of 0-9 and A-F", name).WithNext("see the list of cases").
			Because("no_case", "id", name)
	}
	now := s.clock.Now()
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		long, err := longAsked(ctx, tx, actor.Org, now)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, `select `+caseColumns+` from poolpatrol.case c where c.org = $3 and (c.id = $4 or c.ref = $4)
			order by c.opened_at desc limit 1`,
			now, long, actor.Org, name)
		if v.CaseRow, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[CaseRow]); err != nil {
			return err
		}
		return v.fill(ctx, tx, actor.Org)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return v, fault.New(fault.NotFound, "no case is called %.40q", name).WithNext("see the list of cases").
			Because("no_case", "id", name)
	}
	return v, err
}

// mostEvents bounds what is shown of one case.
const mostEvents = 200

// fill reads the rest of a case.
func (v *CaseView) fill(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	var life []byte
	if err := tx.QueryRow(ctx, `select life, audit_run, policy, terms_version, reason, coalesce((select p.asked_by
			from poolpatrol.audit_run r join poolpatrol.pass p on p.org = r.org and p.id = r.pass
			where r.org = c.org and r.case_id = c.id order by r.at, r.id limit 1), '') from poolpatrol.case c where id = $1`, v.ID).
		Scan(&life, &v.Run, &v.Policy, &v.Terms, &v.Reason, &v.OpenedBy); err != nil {
		return err
	}
	if err := json.Unmarshal(life, &v.Life); err != nil {
		return fmt.Errorf("read the life of %s: %w", v.Ref, err)
	}
	rules, _, err := term.RulesOf(ctx, tx, org, v.Vanpool, v.Terms)
	if err != nil {
		return err
	}
	if v.EndedAt == nil {
		v.NextAt = v.Life.Wake(rules)
	}
	const events = `select at, coalesce(event->>'kind', ''), coalesce(event->>'employee_id', ''), coalesce(event->>'bucket', ''), refused
		from poolpatrol.case_event
		where case_id = $1 order by at desc, n desc, key desc limit $2`
	rows, _ := tx.Query(ctx, events, v.ID, mostEvents)
	if v.Events, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CaseEvent]); err != nil {
		return fmt.Errorf("read what has happened to %s: %w", v.Ref, err)
	}
	mails, err := notify.OfCaseIn(ctx, tx, org, v.ID)
	for _, m := range mails {
		mark, _, _ := address.ParseMessageID(m.MessageID)
		v.Letters = append(v.Letters, CaseLetter{m.ID, m.Kind, EmployeeOf(m.Recipient), mark, string(m.State), m.QueuedAt, m.EndedAt})
	}
	return err
}

// A CaseLink leads to a case that is open.
type CaseLink struct {
	ID      casefile.CaseID
	Ref     string
	Vanpool fleet.VanpoolID
	State   string
}

// OpenCases are the cases that are open of a van, or that somebody is on: one of the
// two is named.
func (s *Store) OpenCases(ctx context.Context, actor identity.Actor, van fleet.VanpoolID,
	who fleet.EmployeeID) (all []CaseLink, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const list = `select c.id, c.ref, c.vanpool_id, c.state from poolpatrol.case c where c.state not in ('resolved', 'cancelled')
		and (c.vanpool_id = $1 or exists (select from poolpatrol.case_subject x where x.case_id = c.id and x.employee_id = $2
		and x.state in ('open', 'cancel_pending')))
		order by c.opened_at desc, c.id limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, van, who, record.MostRuns)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CaseLink])
		return err
	})
	return all, err
}
