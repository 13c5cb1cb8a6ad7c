package filing

import (
	"context"
	"net/url"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/tool"
)

// findSend is what the report found that would be filed: of that draft, and of no other.
func (c *Clerk) findSend(ctx context.Context, tx pgx.Tx, e tool.Env, in sendArgs) (finding.Finding, error) {
	m, err := c.asking(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	d, err := store.DraftBy(ctx, tx, m.in.Case, string(in.Report.SHA256))
	switch {
	case err != nil:
		return finding.Finding{}, err
	case d == nil:
		return finding.Finding{}, fault.New(fault.Conflict, "the case has no such report").WithNext("see the report on the case's page")
	}
	r, err := c.reportOf(ctx, e.Org, *d)
	return r.Found(m.episodePage()), err
}

// findNotice is what the filed report says of the state that would be told.
func (c *Clerk) findNotice(ctx context.Context, tx pgx.Tx, e tool.Env, in noticeArgs) (finding.Finding, error) {
	m, err := c.asking(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	if m.filing == nil {
		return finding.Finding{}, fault.New(fault.Conflict, "the report of case %s is not filed: nobody is told of it", m.file.Ref)
	}
	d, err := store.DraftN(ctx, tx, m.in.Case, m.filing.N)
	if err != nil || d == nil {
		return finding.Finding{}, fault.From(fault.Conflict, err, "the filed report of case %s is not kept", m.file.Ref)
	}
	r, err := c.reportOf(ctx, e.Org, *d)
	return r.FoundFor(string(in.State), string(in.Office), m.episodePage()), err
}

// episodePage is the path of the page of the case's episode.
func (m *matter) episodePage() string {
	return "/airshed/episodes/" + url.PathEscape(string(m.episode.Key))
}
