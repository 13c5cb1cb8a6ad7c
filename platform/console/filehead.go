package console

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

// readHead reads how the case stands: by its application's word where it has one,
// and otherwise from what every case has.
func (c *Console) readHead(r *http.Request, actor identity.Actor, f *caseFile) error {
	ctx, p := r.Context(), c.site.Page(r)
	for _, part := range c.Parts[f.App] {
		if part.Standing == nil {
			continue
		}
		said, err := part.Standing(ctx, p, f.Case)
		if err != nil {
			return err
		}
		f.standing.take(said)
	}
	if err := c.readGround(r, actor, f); err != nil {
		return err
	}
	first, err := c.cases.Entries(ctx, actor.Org, f.ID, casefile.EntryQuery{Before: 2, Limit: 1})
	if err != nil {
		return err
	}
	if len(first) == 1 {
		f.opener = first[0].ActorName
	}
	if f.gates == nil {
		if f.gates, err = c.openIn(r, string(f.ID)); err != nil {
			return err
		}
	}
	if err := errors.Join(c.readFoundOf(r, f), c.readLead(r, actor, f)); err != nil {
		return err
	}
	var acts []effect.Act
	if c.Acts != nil && f.State != casefile.Closed {
		if acts, err = c.Acts.OfCase(ctx, actor.Org, string(f.ID)); err != nil {
			return err
		}
	}
	if f.standing.Next == nil {
		f.standing.Next = nextByItself(p, f.Case, f.gates, acts)
	}
	if f.standing.Stages == nil {
		f.standing.Stages, err = c.ownStages(r, p, actor, f)
	}
	if c.Concerns != nil && err == nil {
		f.heard, err = c.Concerns.Objections(ctx, actor, f.ID)
	}
	return err
}

// take adds what another part says; what was said first counts.
func (s *Standing) take(said Standing) {
	if s.Owner == "" {
		s.Owner = said.Owner
	}
	if s.Found == nil {
		s.Found = said.Found
	}
	if s.Verdict == nil {
		s.Verdict = said.Verdict
	}
	if s.Next == nil {
		s.Next = said.Next
	}
	if s.Stages == nil {
		s.Stages = said.Stages
	}
	s.Missing = append(s.Missing, said.Missing...)
}

// nextByItself is the nearest thing that happens in a case although nobody does
// anything; nil if nothing does. It says only what timers of the platform do.
func nextByItself(p *web.Page, one casefile.Case, gates []review.Proposal, acts []effect.Act) *Next {
	var next *Next
	add := func(at time.Time, n Next) {
		if n.At = at; at.After(p.Now) && (next == nil || at.Before(next.At)) {
			next = &n
		}
	}
	for _, g := range gates {
		at, unless := web.ProposalPath(g.ID, ""), p.T("next.decided")
		if g.RemindedAt.IsZero() {
			add(g.RemindAt, Next{What: p.T("next.reminder", "id", g.ID), Unless: unless, Path: at})
		}
		if g.EscalatedAt.IsZero() {
			add(g.EscalateAt, Next{What: p.T("next.escalates", "id", g.ID, "whom", whom(p, g.EscalateTo, "")), Unless: unless, Path: at})
		}
		add(g.ExpiresAt, Next{What: p.T("next.expires", "id", g.ID), Unless: unless, Path: at})
	}
	for _, a := range acts {
		if a.State == effect.Planned && a.NotBefore != nil {
			add(*a.NotBefore, Next{What: p.T("next.act", "act", actName(p, a.Tool)), Unless: p.T("next.undone"),
				Path: undoAddress(one.ID, a)})
		}
	}
	if one.App == casefile.General().App && one.State != casefile.Closed && one.DueAt != nil {
		add(*one.DueAt, Next{What: p.T("next.closes"), Unless: p.T("next.closed")})
	}
	return next
}

// undoAddress is where an act is taken back that has not begun; empty where it is
// nobody's decision.
func undoAddress(id casefile.CaseID, a effect.Act) string {
	if a.Proposal == "" {
		return ""
	}
	return addTo(web.ProposalPath(a.Proposal, "?answer=undo"), "back", caseAddress(id, ""))
}

// longWait is how long nothing must happen to be drawn as a gap.
const longWait = time.Hour

// ownStages is the life of a case that no application tells: opened, where it
// stands, closed, with the wait since the last note.
func (c *Console) ownStages(r *http.Request, p *web.Page, actor identity.Actor, f *caseFile) ([]Stage, error) {
	stages := []Stage{{Name: p.T("stage.opened"), Reach: Reached, At: f.OpenedAt}}
	if f.State == casefile.Closed {
		end := Stage{Name: p.T("stage.closed"), Reach: Reached, Note: p.Word("status.", f.Status)}
		if f.ClosedAt != nil {
			end.At, end.Wait = *f.ClosedAt, waitWords(p, "took", f.ClosedAt.Sub(f.OpenedAt))
		}
		return append(stages, end), nil
	}
	newest, err := c.cases.Entries(r.Context(), actor.Org, f.ID, casefile.EntryQuery{Limit: 1})
	if err != nil {
		return nil, err
	}
	now := Stage{Name: p.Word("status.", f.Status), Reach: Current}
	if f.WaitingFor != "" {
		now.Note = p.T("stage.for", "whom", p.Word("waiting.", f.WaitingFor))
	}
	if len(f.gates) > 0 {
		now.Name, now.Note = p.T("stage.decision"), upperFirst(whom(p, f.gates[0].Deciders, confirmer(f.gates[0])))
	}
	if len(newest) == 1 {
		now.Wait = waitWords(p, "waited", p.Now.Truncate(time.Minute).Sub(newest[0].At))
	}
	if f.DueAt != nil {
		now.Due = *f.DueAt
	}
	return append(stages, now, Stage{Name: p.T("stage.closed")}), nil
}

// waitWords is a wait that is worth a word; empty for a short one.
func waitWords(p *web.Page, how string, d time.Duration) string {
	if d < longWait {
		return ""
	}
	return p.T("stage."+how, "span", p.Span(d))
}

// stageLook is how far a stage has come, and its icon.
func stageLook(s Stage) (state ui.StageState, icon string) {
	switch {
	case s.Bad:
		return ui.StageDone, "stop"
	case s.Reach == Reached:
		return ui.StageDone, "check"
	case s.Reach == Current:
		return ui.StageNow, "dot"
	}
	return ui.StageTodo, "ring"
}

// rail is the life of a case: what was, what is, what is to come; a long wait is a
// gap with its name.
func rail(p *web.Page, stages []Stage) ui.Stages {
	life := ui.Stages{Label: p.T("case.life", "zone", p.Zone())}
	for _, s := range stages {
		if s.Wait != "" {
			life.List = append(life.List, ui.Stage{State: ui.StageWait, Name: s.Wait})
		}
		state, _ := stageLook(s)
		one := ui.Stage{State: state, Name: s.Name, When: stageWhen(p, "", s)}
		if !s.Due.IsZero() {
			one.Clock = p.Due(s.Due)
		}
		life.List = append(life.List, one)
	}
	return life
}

// stageWhen is when a stage was reached and what there is to say of it, after a
// word.
func stageWhen(p *web.Page, word string, s Stage) string {
	parts := []string{word}
	if !s.At.IsZero() {
		parts = append(parts, p.Moment(s.At))
	}
	parts = slices.DeleteFunc(append(parts, s.Note), func(part string) bool { return part == "" })
	return strings.Join(parts, " ")
}

// tally is how much speaks for what was found, against it, and what is not known, as the
// finding that leads the page says; without one, what the pieces of evidence speak for.
func (f caseFile) tally(p *web.Page) ui.Tally {
	var lead *finding.Finding
	if f.lead != nil {
		lead = &f.lead.found
	} else if len(f.gates) > 0 {
		if one, ok := f.found[f.inQuestion(p.Actor).ID]; ok {
			lead = &one
		}
	}
	if lead == nil {
		lead = f.standing.Found
	}
	if lead == nil {
		return ui.Tally{For: f.ground.count(evidence.For), Against: f.ground.count(evidence.Against),
			Unknown: f.ground.count(evidence.Unknown)}
	}
	t := ui.Tally{For: len(lead.For), Against: len(lead.Against), Unknown: len(lead.Unknown)}
	if f.unheard() > 0 {
		t.Against++ // as the finding itself says since it came
	}
	return t
}

// awaited reports whether the reader is one of those whose decision is awaited.
func (f caseFile) awaited(p *web.Page) bool {
	for _, g := range f.gates {
		if mayNotDecide(p.Actor, proposalView{Proposal: g}) == "" {
			return true
		}
	}
	return false
}

// unheard are the objections that nobody has answered.
func (f caseFile) unheard() int {
	n := 0
	for _, o := range f.heard {
		if o.AnsweredAt == nil && o.ErasedAt == nil {
			n++
		}
	}
	return n
}
