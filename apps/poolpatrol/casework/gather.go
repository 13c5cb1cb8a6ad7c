package casework

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
)

// gather finds what has happened that the case does not know of yet, in the record
// itself: mails that ended, mails that came, decisions, and what became of the
// people and the van. Whoever wakes a case need not say why, and nothing is lost
// with a signal.
func (s *step) gather(ctx context.Context) (all []happening, err error) {
	for _, look := range []func(context.Context) ([]happening, error){s.mailsEnded, s.mailsCame, s.pageAnswers, s.decisions, s.records,
		s.passes} {
		some, err := look(ctx)
		if err != nil {
			return nil, fmt.Errorf("what has happened to %s: %w", s.file.Ref, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

// mailsEnded are letters that were taken or could not be delivered.
func (s *step) mailsEnded(ctx context.Context) ([]happening, error) {
	mails, err := notify.OfCaseIn(ctx, s.tx, s.file.Org, s.file.ID)
	if err != nil {
		return nil, err
	}
	var all []happening
	for _, m := range slices.Backward(mails) {
		kind := post.Kind(m.Kind)
		e := lifecycle.Event{Kind: lifecycle.Sent, At: s.at, Employee: store.EmployeeOf(m.Recipient), Letter: kind}
		if m.State != notify.Sent {
			e.Kind = lifecycle.MailBounced // also where nobody can say: no clock runs against who may not have been reached
		}
		noted, err := s.isNoted(ctx, "mail:"+m.ID)
		if err != nil {
			return nil, err
		}
		if m.EndedAt != nil && !noted && (m.State == notify.Sent || kind.Asks()) {
			all = append(all, happening{"mail:" + m.ID, e})
		}
	}
	return all, nil
}

// mailsCame are replies and bounces that belong to the case. That a reply is there
// is known at once, also of one that nobody believes yet: silence is only what
// nobody broke. What it says is read once it is believed.
func (s *step) mailsCame(ctx context.Context) ([]happening, error) {
	mails, err := inbound.OfCase(ctx, s.tx, s.file.Org, s.file.ID)
	if err != nil {
		return nil, err
	}
	var all []happening
	for _, m := range mails {
		who := store.EmployeeOf(m.Sender)
		noted, err := s.isNoted(ctx, "in:"+m.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case m.State == inbound.Discarded:
			if noted && !s.noted["out:"+m.ID] {
				all = append(all, happening{"out:" + m.ID, lifecycle.Event{Kind: lifecycle.Dismissed, At: s.at}})
			}
			continue
		case m.Kind == letter.Bounced && m.State == inbound.Accepted && !noted:
			all = append(all, happening{"in:" + m.ID, lifecycle.Event{Kind: lifecycle.MailBounced, At: s.at, Employee: who,
				Letter: post.First}})
		case m.Kind != letter.Bounced && !noted:
			all = append(all, happening{"in:" + m.ID, lifecycle.Event{Kind: lifecycle.Arrived, At: s.at, Employee: who}})
		}
		if m.Kind != letter.Bounced && m.State == inbound.Accepted { // once: by its key
			if err := s.leave(ctx, lifecycle.Action{Kind: readReply, Key: "in:" + m.ID, Employee: who}); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// decisions are requests that people said no to. What they said yes to is carried
// out by its tool, which tells the case itself.
func (s *step) decisions(ctx context.Context) ([]happening, error) {
	asked, err := s.asked(ctx, "")
	if err != nil {
		return nil, err
	}
	var all []happening
	for _, q := range slices.Backward(asked) {
		choice := map[string]lifecycle.Choice{toolCancel: lifecycle.RejectCancel, toolReview: lifecycle.RejectDraft}[q.Proposal.Tool]
		if q.Proposal.State != review.Rejected || choice == "" || q.args.Employee == nil {
			continue
		}
		noted, err := s.isNoted(ctx, "proposal:"+q.Proposal.ID)
		if err != nil {
			return nil, err
		}
		if noted {
			continue
		}
		by, err := s.decider(ctx, q.Made.ActorID, q.Made.Roles)
		if err != nil {
			return nil, err
		}
		all = append(all, happening{"proposal:" + q.Proposal.ID, lifecycle.Event{Kind: lifecycle.Decided, At: s.at,
			Decision: &lifecycle.Decision{
				Choice: choice, Employee: q.about(), Reason: q.Made.Reason, Seen: s.life.Inbound, By: by}}})
	}
	return all, nil
}

// decider is who decided, with the people they may not decide about: themselves,
// who they report to and who reports to them. Their mailbox says who of the
// employees they are.
func (s *step) decider(ctx context.Context, id string, roles []identity.Role) (lifecycle.Decider, error) {
	email, err := signin.EmailOf(ctx, s.tx, s.file.Org, id)
	if err != nil {
		return lifecycle.Decider{}, err
	}
	const ties = `with me as (select e.id, e.manager_id from poolpatrol.employee e where lower(e.email) = lower($1) and $1 <> '')
		select id from me union select manager_id from me where manager_id is not null union select e.id from poolpatrol.employee e
		join me on e.manager_id = me.id`
	rows, _ := s.tx.Query(ctx, ties, email)
	all, err := pgx.CollectRows(rows, pgx.RowTo[fleet.EmployeeID])
	return lifecycle.Decider{Actor: identity.Actor{Kind: identity.Person, ID: id, Org: s.file.Org, Roles: roles}, Ties: all}, err
}

// records are what became of the van and of the people on the case.
func (s *step) records(ctx context.Context) ([]happening, error) {
	const van = `select status, changed_at from poolpatrol.vanpool where id = $1`
	var status fleet.Standing
	var changed time.Time
	if err := s.tx.QueryRow(ctx, van, s.life.Vanpool).Scan(&status, &changed); err != nil {
		return nil, err
	}
	if status == fleet.Inactive {
		return []happening{{"van:" + string(status), lifecycle.Event{Kind: lifecycle.VanClosed, At: s.at}}}, nil
	}
	var all []happening
	if changed.After(s.life.Opened) {
		all = append(all, happening{"data_changed:" + string(s.life.Vanpool) + ":" + changed.UTC().Format(time.RFC3339Nano),
			lifecycle.Event{Kind: lifecycle.Changed, At: s.at}})
	}
	const people = `select e.id, e.changed_at, r.removed_on is null and r.employee_id is not null,
			e.status = 'on_leave' or exists (select from poolpatrol.away a where a.employee_id = e.id and a.from_day <= $3::date
			and coalesce(a.until_day, 'infinity') >= $3::date)
		from poolpatrol.employee e left join poolpatrol.rider r on r.vanpool_id = $2 and r.employee_id = e.id
		where e.id = any($1) order by e.id`
	var ids []string
	for _, x := range s.life.Subjects {
		if x.Standing == lifecycle.SubjectOpen || x.Standing == lifecycle.CancelPending {
			ids = append(ids, string(x.Employee))
		}
	}
	rows, _ := s.tx.Query(ctx, people, ids, s.life.Vanpool, s.today().String())
	var id fleet.EmployeeID
	var rides, away bool
	_, err := pgx.ForEachRow(rows, []any{&id, &changed, &rides, &away}, func() error {
		all = append(all, s.presenceOf(id, changed, rides, away)...)
		return nil
	})
	return all, err
}

// presenceOf are the events that the records of one person on the case make.
func (s *step) presenceOf(id fleet.EmployeeID, changed time.Time, rides, away bool) (all []happening) {
	event := func(kind lifecycle.EventKind, key string) {
		all = append(all, happening{string(kind) + ":" + string(id) + ":" + key, lifecycle.Event{Kind: kind, At: s.at, Employee: id}})
	}
	x, _ := s.life.Subject(id)
	if !rides {
		event(lifecycle.RiderGone, "gone")
		return all
	}
	if x.Away != away {
		kind := lifecycle.CameBack
		if away {
			kind = lifecycle.WentAway
		}
		event(kind, fmt.Sprint(s.life.Steps))
	}
	if changed.After(s.life.Opened) {
		event(lifecycle.Changed, changed.UTC().Format(time.RFC3339Nano))
	}
	return all
}

// passes are looks at the van since the one the case rests on.
func (s *step) passes(ctx context.Context) ([]happening, error) {
	const newest = `select r.id, r.outcome, coalesce(n.records_at, r.at) from poolpatrol.audit_run r join poolpatrol.pass p on p.id = r.pass
		left join poolpatrol.snapshot n on n.id = p.snapshot
		where r.vanpool_id = $2 and p.kind <> 're_audit' and r.at > $3
			and r.at > coalesce((select max(seen.at) from poolpatrol.audit_run seen join poolpatrol.case_event e on e.case_id = $1
			and e.key = 'run:' || seen.id), '-infinity')
		order by r.at`
	rows, _ := s.tx.Query(ctx, newest, s.file.ID, s.life.Vanpool, s.life.Opened)
	type look struct {
		ID, Outcome string
		Taken       time.Time
	}
	looks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[look])
	if err != nil || len(looks) == 0 {
		return nil, err
	}
	l := looks[len(looks)-1] // the newest says it all
	// On records that became too old before the case heard of it nobody is written to,
	// and nobody cleared: as if the van could not be looked at.
	e := lifecycle.Event{Kind: lifecycle.Audited, At: s.at, Failed: l.Outcome == "error" || audit.Fresh(l.Taken, s.at) != nil}
	if l.Outcome == "failed" && !e.Failed {
		verdicts, err := store.VerdictsIn(ctx, s.tx, l.ID)
		if err != nil {
			return nil, err
		}
		e.Findings = s.judged(audit.Run{Verdicts: verdicts})
		s.run = l.ID
		if slices.ContainsFunc(e.Findings, s.isNew) {
			if err := s.ground(ctx, l.ID, verdicts); err != nil {
				return nil, err
			}
		}
	}
	return []happening{{"run:" + l.ID, e}}, nil
}

// isNew reports whether a finding is about somebody who is not on the case yet, or of a
// check that says something new of somebody who is. While people are asked about a
// case a pass changes nothing about those on it.
func (s *step) isNew(f check.Finding) bool {
	x, there := s.life.Subject(f.Employee)
	if f.Employee == "" || !there {
		return f.Employee != ""
	}
	listens := x.Standing == lifecycle.SubjectOpen && (s.life.State == lifecycle.Open || s.life.State == lifecycle.PendingReply)
	return listens && !slices.Contains(x.FailedChecks(), f.Check)
}

// pageAnswers are answers that people on the case gave on their pages. Each is a
// reply that came and, its two answers being read by code, was read; words beside
// them bring the case before a person.
func (s *step) pageAnswers(ctx context.Context) ([]happening, error) {
	const given = `select a.id, a.employee_id, a.held, a.wish, a.body from poolpatrol.answer a where a.case_id = $1
			and not exists (select from poolpatrol.case_event e where e.case_id = $1 and e.key = 'page:' || a.id) order by a.at, a.id`
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
