package page

import (
	"context"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/web"
)

// part is what the page of a case shows of ours: how it stands, what happens by
// itself and when, and its life so far.
func (g *Pages) part() console.Part { return console.Part{Standing: g.standing} }

func (g *Pages) standing(ctx context.Context, p *web.Page, one casefile.Case) (console.Standing, error) {
	life, next, there, err := g.store.Life(ctx, one)
	if err != nil || !there {
		return console.Standing{}, err
	}
	s := console.Standing{Owner: p.T("pool.case.owner"), Stages: stages(p, life)}
	if !next.IsZero() {
		s.Next = &console.Next{What: p.T("pool.case.next." + string(life.State)), At: next, Unless: p.T("pool.case.unless")}
	}
	if p.May(programme.ActRead) { // it names people, and where they live
		s.Found, err = g.work.Found(ctx, one)
	}
	return s, err
}

// foundNote is the van, and what does not pass as long as anything does not.
func foundNote(p *web.Page, c lifecycle.Case) string {
	if names := checkNames(p, c.FailedChecks()); names != "" {
		return string(c.Vanpool) + ": " + names
	}
	return string(c.Vanpool)
}

// stages are the life of a case: what is behind it, where it stands, what may come.
func stages(p *web.Page, c lifecycle.Case) []console.Stage {
	all := []console.Stage{{Name: p.T("pool.case.found"), Reach: console.Reached, At: c.Opened, Note: foundNote(p, c)}}
	now := console.Stage{Name: p.Word("status.", string(c.State)), Reach: console.Current}
	switch {
	case c.State.Ended():
		now.Reach, now.At, now.Note = console.Reached, c.EndedAt, p.Word("pool.case.sub.", string(c.SubReason))
		return append(all, now)
	case c.State == lifecycle.PendingReply:
		now.Due = c.Deadline
	case c.State == lifecycle.Review:
		now.Note = p.Word("value.why.", string(c.Why))
	}
	return append(all, now, console.Stage{Name: p.T("pool.case.end")})
}
