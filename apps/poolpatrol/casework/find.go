package casework

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/brief"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/tool"
)

// What a programme manager reads first, of the case as it stands when they are asked.

// findCancel is what was found about the rider whose membership would end.
func (a *Work) findCancel(ctx context.Context, tx pgx.Tx, e tool.Env, in cancelArgs) (finding.Finding, error) {
	r, err := a.riderOf(ctx, tx, e, fleet.EmployeeID(in.Employee))
	return brief.Cancel(r), err
}

// findReview is what was found about the rider who is answered.
func (a *Work) findReview(ctx context.Context, tx pgx.Tx, e tool.Env, in reviewArgs) (finding.Finding, error) {
	r, err := a.riderOf(ctx, tx, e, fleet.EmployeeID(in.Employee))
	return brief.Answer(r), err
}

func (a *Work) riderOf(ctx context.Context, tx pgx.Tx, e tool.Env, who fleet.EmployeeID) (r brief.Rider, err error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return r, err
	}
	x, _ := s.life.Subject(who)
	x.Employee = who
	return s.rider(ctx, x)
}

// findSettle is what the case is about that needs a person: those it still turns on.
func (a *Work) findSettle(ctx context.Context, tx pgx.Tx, e tool.Env, in settleArgs) (finding.Finding, error) {
	s, err := a.asking(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	v, err := s.van(ctx)
	v.Why, v.Again = lifecycle.Why(in.Why), string(in.Again)
	return brief.Settle(v), err
}

// Found is what a case is about while it goes on: what its page leads with where nobody is asked. Nil for a case that has ended, and
// for one of which nothing is left that does not pass.
func (a *Work) Found(ctx context.Context, one casefile.Case) (found *finding.Finding, err error) {
	err = a.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error {
		s, err := a.read(ctx, tx, one, a.now(), caseRow)
		if err != nil || s.life.State.Ended() {
			return err
		}
		v, err := s.van(ctx)
		if err == nil && len(v.Riders)+len(v.Findings) > 0 {
			f := brief.Settle(v)
			found = &f
		}
		return err
	})
	return found, err
}

// van is what the case still turns on: the van itself, and those of its riders about whom something is open.
func (s *step) van(ctx context.Context) (v brief.Van, err error) {
	v = brief.Van{ID: s.life.Vanpool, Link: programmePath("vanpools", string(s.life.Vanpool)), Findings: s.life.Van}
	if v.Verdicts, err = s.lastVerdicts(ctx, func(f check.Finding) bool { return f.Employee == "" }); err != nil {
		return v, err
	}
	for _, x := range s.life.Subjects {
		if !x.Open() {
			continue
		}
		r, err := s.rider(ctx, x)
		if err != nil {
			return v, err
		}
		v.Riders = append(v.Riders, r)
	}
	return v, nil
}

// programmePath is the path of a page of Pool Patrol.
func programmePath(what, id string) string { return "/poolpatrol/" + what + "/" + id }

// rider is somebody on the case, as the records have them.
func (s *step) rider(ctx context.Context, x lifecycle.Subject) (r brief.Rider, err error) {
	r = brief.Rider{ID: x.Employee, Van: s.life.Vanpool, Link: programmePath("employees", string(x.Employee)), Findings: x.Findings,
		Mail: x.Mail, Asked: len(x.Told) > 0, Unit: s.unit}
	known, err := addressee(ctx, s.tx, x.Employee)
	if err != nil {
		return r, fmt.Errorf("who %s is: %w", x.Employee, err)
	}
	r.Name = known.name
	if r.Verdicts, err = s.lastVerdicts(ctx, func(f check.Finding) bool { return f.Employee == x.Employee }); err != nil {
		return r, err
	}
	r.Replies, err = s.repliesOf(ctx, x.Employee)
	return r, err
}

// lastVerdicts are those of the newest audit of the case that found such a thing.
func (s *step) lastVerdicts(ctx context.Context, about func(check.Finding) bool) ([]check.Verdict, error) {
	runs, err := store.LooksOf(ctx, s.tx, s.run, s.file.ID)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		all, err := store.VerdictsIn(ctx, s.tx, run)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(v check.Verdict) bool { return slices.ContainsFunc(v.Findings, about) }) {
			return all, nil
		}
	}
	return nil, nil
}

// repliesOf is when somebody answered, by mail or on their own page, oldest first.
func (s *step) repliesOf(ctx context.Context, who fleet.EmployeeID) (all []time.Time, err error) {
	rows, _ := s.tx.Query(ctx, `select at from poolpatrol.answer where case_id = $1 and employee_id = $2`, s.file.ID, who)
	if all, err = pgx.CollectRows(rows, pgx.RowTo[time.Time]); err != nil {
		return nil, fmt.Errorf("what %s answered: %w", who, err)
	}
	mails, err := inbound.OfCase(ctx, s.tx, s.file.Org, s.file.ID)
	for _, m := range mails {
		if m.Sender == store.RiderType+":"+string(who) && m.State == inbound.Accepted && m.Kind != letter.Bounced {
			all = append(all, m.ReceivedAt)
		}
	}
	for i := range all {
		all[i] = all[i].In(s.rules.Zone)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all, err
}
