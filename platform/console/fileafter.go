package console

import (
	"cmp"
	"net/http"
	"slices"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of what the page follows: acts in all, and those in sight that went as
// they should. The rest is on the note sheet.
const (
	maxStrips   = 10
	calmInSight = 2
)

// A strip is what came of one act: authorised, held, done, and what the
// application knows after that.
type strip struct {
	effect.Act
	stages []Stage
	undo   *undoOffer // nil where it cannot be called off, or not by the reader
}

// readStrips reads what came of the newest acts that somebody authorised or that
// did not end well.
func (c *Console) readStrips(r *http.Request, actor identity.Actor, f *caseFile) error {
	if c.Acts == nil {
		return nil
	}
	acts, err := c.Acts.OfCase(r.Context(), actor.Org, string(f.ID))
	if err != nil {
		return err
	}
	acts = slices.DeleteFunc(acts, func(a effect.Act) bool {
		calm := a.State != effect.Failed && a.State != effect.Unknown
		// letters have a list of their own
		return calm && (a.Proposal == "" && a.Effect != effect.Outside || a.Tool == notify.ToolName && c.Post != nil)
	})
	p := c.site.Page(r)
	for _, a := range acts[:min(len(acts), maxStrips)] {
		s := strip{Act: a, stages: actStages(p, a)}
		if s.undo, err = c.readUndo(r, f.ID, a); err != nil {
			return err
		}
		for _, part := range c.Parts[f.App] {
			if part.After == nil {
				continue
			}
			more, err := part.After(r.Context(), p, f.Case, a)
			if err != nil {
				return err
			}
			s.stages = append(s.stages, more...)
		}
		f.strips = append(f.strips, s)
	}
	slices.SortStableFunc(f.strips, func(a, b strip) int { return cmp.Compare(a.urgency(), b.urgency()) })
	return nil
}

// urgency orders strips: what did not end well, what has not ended, what has.
func (s strip) urgency() int {
	switch {
	case s.failed():
		return 0
	case !s.State.Ended():
		return 1
	}
	return 2
}

// inSight is how many strips are not folded: all that call for somebody, and some
// of those that do not.
func (f caseFile) inSight() int {
	n := 0
	for _, s := range f.strips {
		if s.urgency() < 2 {
			n++
		}
	}
	return min(max(n, calmInSight), len(f.strips))
}

// actStages is the life of an act by its own states.
func actStages(p *web.Page, a effect.Act) []Stage {
	first := Stage{Name: p.T("act.stage.unattended"), Reach: Reached, At: a.PlannedAt}
	if a.Proposal != "" {
		first.Name = p.T("act.stage.approved")
	}
	all := []Stage{first}
	if a.NotBefore != nil {
		held := Stage{Name: p.T("act.stage.held"), Reach: Reached, Note: p.T("act.stage.until", "time", second(p, *a.NotBefore))}
		if a.State == effect.Planned && p.Now.Before(*a.NotBefore) {
			held.Reach = Current
		}
		all = append(all, held)
	}
	return append(all, lastStage(p, a))
}

// lastStage is where an act stands, or how it ended.
func lastStage(p *web.Page, a effect.Act) Stage {
	done := "done"
	if a.Effect == effect.Outside {
		done = "sent"
	}
	s := Stage{Name: p.T("act.stage." + done)}
	switch a.State {
	case effect.Done:
		s.Reach = Reached
	case effect.Failed, effect.Unknown:
		s.Name, s.Reach, s.Bad = p.T("act.stage."+string(a.State)), Reached, true
	case effect.Undone:
		s.Name, s.Reach = p.T("act.stage.undone"), Reached
	case effect.OnHold:
		s.Name, s.Reach = p.T("act.stage.on_hold"), Current
	case effect.Running:
		s.Name, s.Reach = p.T("act.stage.running"), Current
	case effect.Planned:
		if a.NotBefore == nil || !p.Now.Before(*a.NotBefore) {
			s.Name, s.Reach = p.T("act.stage.due"), Current
		}
	}
	if a.EndedAt != nil {
		s.At = *a.EndedAt
	}
	return s
}

// failed reports whether an act is over and did not end well.
func (s strip) failed() bool { return s.State == effect.Failed || s.State == effect.Unknown }

// readPanels asks the application for its own parts of the page.
func (c *Console) readPanels(r *http.Request, _ identity.Actor, f *caseFile) error {
	p := c.site.Page(r)
	for _, part := range c.Parts[f.App] {
		if part.Panel == nil {
			continue
		}
		panel, err := part.Panel(r.Context(), p, f.Case)
		if err != nil {
			return err
		}
		if panel != nil {
			f.panels = append(f.panels, panel)
		}
	}
	return nil
}

// readBar chooses what the reader is asked to decide: what the address names, or
// the first they may decide, or the first there is.
func (c *Console) readBar(r *http.Request, actor identity.Actor, f *caseFile) error {
	if len(f.gates) == 0 {
		return nil
	}
	if len(f.drafts) == 0 { // an older page of the sheet: what it rests on is not in sight
		return nil
	}
	v, err := c.readToDecide(r, f.inQuestion(actor).ID)
	if err != nil {
		return err
	}
	v.back = caseAddress(f.ID, "")
	f.bar = &v
	return nil
}
