package filing

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// What the case itself says on a filing and on a notice: it is computed when people are
// asked, when one of them is about to approve, and when it is carried out.

// bindSend is a filing as the case has it: its newest draft, in this attempt. Whoever
// names another draft means something that is not filed any more, and is told so. What
// this very act has put to the commission before is what it is about, whatever came since.
func (c *Clerk) bindSend(ctx context.Context, tx pgx.Tx, e tool.Env, in sendArgs) (sendArgs, error) {
	m, err := c.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	begun, err := store.BegunBy(ctx, tx, m.in.Case, e.Key)
	switch {
	case err != nil:
		return in, err
	case begun != nil:
		in.Report = reportRef{ID: caseSaid(begun.ReportID), SHA256: caseSaid(begun.JSON)}
		return in, nil
	case m.draft == nil:
		return in, fault.New(fault.Conflict, "case %s has no report yet", m.file.Ref).WithNext("wait for its first draft")
	case e.Proposal == "" && in.Report.SHA256 != "" && in.Report.SHA256 != caseSaid(m.draft.JSON):
		return in, fault.New(fault.Conflict, "this is not the newest draft of report %s", m.draft.ReportID).
			WithNext("see the report on the case's page")
	}
	in.Report = reportRef{ID: caseSaid(m.draft.ReportID), SHA256: caseSaid(m.draft.JSON)}
	in.Attempt = attemptNo(m.attempt)
	return in, nil
}

// bindNotice is a notice as the case has it: to the office of a state that the filed
// report names, in the report's words. People who ask again for one notice leave the
// others as they are: a notice that is before people keeps its attempt.
func (c *Clerk) bindNotice(ctx context.Context, tx pgx.Tx, e tool.Env, in noticeArgs) (noticeArgs, error) {
	m, err := c.asking(ctx, tx, e)
	if err != nil {
		return in, err
	}
	switch {
	case !m.filed():
		return in, fault.New(fault.Conflict, "the report of case %s is not filed: nobody is told of it", m.file.Ref).
			WithNext("have it filed first")
	case c.post == nil:
		return in, fault.New(fault.Unavailable, "no mail goes out from here")
	}
	if m.told, err = m.tellingsIn(ctx, tx); err != nil {
		return in, err
	}
	i := slices.IndexFunc(m.told, func(t telling) bool { return t.notice.State == string(in.State) })
	if i < 0 {
		return in, fault.New(fault.Conflict, "the filed report does not name %.60s, or no office there is known", in.State).
			WithNext("gavel airshed office list")
	}
	now := m.noticeOf(m.told[i])
	if e.Proposal != "" && in.Attempt <= now.Attempt {
		now.Attempt = in.Attempt
	}
	return now, nil
}

// asking is the case that people are asked about.
func (c *Clerk) asking(ctx context.Context, tx pgx.Tx, e tool.Env) (*matter, error) {
	if e.Case == "" {
		return nil, fault.New(fault.Invalid, "say which case it is about").WithNext("name a case of Airshed")
	}
	m := &matter{clerk: c, in: casefile.Input{Org: e.Org, Case: casefile.CaseID(e.Case), Clock: c.store.Clock()}, at: c.store.Now()}
	return m, m.read(ctx, tx)
}

// noticeOf is a notice as people are asked about it.
func (m *matter) noticeOf(t telling) noticeArgs {
	return noticeArgs{State: caseSaid(t.notice.State), ReportID: caseSaid(m.file.Ref), Office: caseSaid(t.office.Name),
		Address: caseSaid(t.office.Mailbox), Language: caseSaid(t.office.Language),
		Subject: caseSaid(t.notice.Subject), Body: caseSaid(strings.Join(t.notice.Body, "\n\n")), Attempt: attemptNo(m.attempt)}
}
