package content

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/review"
)

// actStepOf reads a record about an act of the case.
func actStepOf(r *bundle.Reader, p bundle.Proven) (step actStep, ok bool) {
	if p.Record.Kind != audit.Act || p.Record.Subject != r.Manifest().Case {
		return step, false
	}
	raw, _ := p.Record.Body.(json.RawMessage)
	return step, json.Unmarshal(raw, &step) == nil
}

// A course is what the log says about one act: how it was planned, and how it
// ended, if it did.
type course struct {
	planned, ended         *bundle.Proven
	plannedStep, endedStep actStep
}

func coursesOf(r *bundle.Reader) map[string]course {
	all := map[string]course{}
	for _, p := range r.Records() {
		step, ok := actStepOf(r, p)
		if !ok {
			continue
		}
		c := all[step.Key]
		switch {
		case step.Step == act.Planned && c.planned == nil:
			c.planned, c.plannedStep = &p, step
		case step.Step.Ended():
			c.ended, c.endedStep = &p, step
		}
		all[step.Key] = c
	}
	return all
}

// A register is what acts are held against.
type register struct {
	r         *bundle.Reader
	texts     *reading
	proposals map[string]proposed
	decisions map[string]decided
	tests     map[string]string // proposals that were tests, by the key of an act that no other would become
	erased    blankets
}

func verifyActs(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("nothing was done without authority",
		"each act has its approval by a person, or the record that policy let it run; its arguments are those that were approved, and "+
			"it ended as the log says",
		"that the other side did what it said; why an act failed rests on the manifest's signature")
	path := r.Path(actsFile)
	acts, err := bundle.ReadLines[done](r, actsFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return
	}
	g := newRegister(r)
	gone := &tally{rep: rep, path: path}
	courses := coursesOf(r)
	seen, used := map[string]bool{}, map[string]bool{}
	for _, a := range acts {
		rec, wrong := g.erased.judge(a.EndedAt, a.ErasedAt, a.Args, a.Result, a.Reason)
		if wrong == "" {
			wrong = g.wrong(a, courses[a.Key])
		}
		switch {
		case seen[a.Key] || a.Proposal != "" && used[a.Proposal]:
			c.Found(path, "Act %.120s (%s) is there twice, or its proposal has been used before.", a.Key, path)
		case wrong != "":
			c.Found(path, "Act %.120s (%s) %s.", a.Key, path, wrong)
		case a.ErasedAt != nil:
			gone.gone("The arguments and result of act "+a.Key, rec)
		}
		seen[a.Key], used[a.Proposal] = true, true
	}
	g.missing(c, courses, seen, used)
	c.Saw("%d acts", len(acts))
	strangers(r, rep, g.texts.knows(actsFile))
}

// missing finds what the log or a proposal has and the section has not. seen are
// the keys of its acts, used the proposals that they name.
func (g *register) missing(c *bundle.Check, courses map[string]course, seen, used map[string]bool) {
	path := g.r.Path(actsFile)
	for _, key := range slices.Sorted(maps.Keys(courses)) {
		if !seen[key] {
			c.Found(path, "Act %.120s, of the log's records about the case, is missing from %s.", key, path)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(g.proposals)) {
		if p := g.proposals[id]; p.Tool != "" && p.FinalSHA256 != "" && p.Test == nil && !used[id] {
			c.Found(path, "Proposal %s was approved, and its act %.120s is missing from %s.", id, p.Act, path)
		}
	}
}

func newRegister(r *bundle.Reader) *register {
	g := &register{r: r, texts: newReading(r), proposals: map[string]proposed{}, decisions: map[string]decided{},
		tests: map[string]string{}, erased: blanketsOf(r, act.ErasedActs)}
	// What cannot be read is found out by the section it belongs to; here it is as
	// if it were not there.
	proposals, _ := bundle.ReadLines[proposed](r.In(decisionsName), proposalsFile)
	real := map[string]bool{} // a test would become the act of the real proposal it was made of
	for _, p := range proposals {
		g.proposals[p.ID] = p
		real[p.Act] = real[p.Act] || p.Test == nil
	}
	for _, p := range proposals {
		if !real[p.Act] {
			g.tests[p.Act] = p.ID
		}
	}
	decisions, _ := bundle.ReadLines[decided](r.In(decisionsName), decisionsFile)
	for _, d := range decisions {
		g.decisions[d.ID] = d
	}
	return g
}

// wrong says what is wrong with an act, or nothing.
func (g *register) wrong(a done, c course) string {
	if id, test := g.tests[a.Key]; test || g.proposals[a.Proposal].Test != nil {
		return fmt.Sprintf("comes from proposal %.20s, which was a test: nothing may come of it", cmp.Or(id, a.Proposal))
	}
	if a.ErasedAt == nil {
		if !g.texts.is(a.Args, a.ArgsSHA256) {
			return "has other arguments than their SHA-256 says"
		}
		if a.ResultSHA256 != "" && !g.texts.is(a.Result, a.ResultSHA256) || a.ResultSHA256 == "" && a.Result != "" {
			return "has another result than its SHA-256 says"
		}
	}
	if c.planned == nil {
		return "is in no record of the log in this bundle"
	}
	p, s := c.planned.Record, c.plannedStep
	if s.ArgsSHA256 != a.ArgsSHA256 || s.Tool != a.Tool || s.Effect != a.Effect || s.Proposal != a.Proposal || s.Record != a.Record ||
		p.App != a.App || p.Actor.ID != a.By.ID || p.Actor.Kind != a.By.Kind || !p.At.Equal(a.PlannedAt) {
		return fmt.Sprintf("is not what record %s says was authorised", c.planned.ID)
	}
	if wrong := g.authority(a, *c.planned); wrong != "" {
		return wrong
	}
	return g.end(a, c)
}

// authority says why nobody could have authorised an act, or nothing.
func (g *register) authority(a done, planned bundle.Proven) string {
	if (a.Proposal == "") == (a.Record == "") {
		return "names no authority, or two"
	}
	if a.Record != "" {
		return ruledAs(g.r, a.Record, a.Run, ruledCall{Call: a.Call, Tool: a.Tool, ArgsSHA256: a.ArgsSHA256, Verdict: verdictAct})
	}
	p, ok := g.proposals[a.Proposal]
	switch {
	case !ok:
		return fmt.Sprintf("names proposal %.20s, which is not in the bundle", a.Proposal)
	case p.State != review.Approved && p.State != review.Edited:
		return fmt.Sprintf("names proposal %s, which is %s", p.ID, p.State)
	case p.Act != a.Key || p.FinalSHA256 != a.ArgsSHA256 || p.App != a.App || p.Tool != a.Tool || p.Effect != a.Effect || p.Run != a.Run ||
		p.Call != a.Call:
		return fmt.Sprintf("is not what proposal %s was approved for", p.ID)
	}
	decision, ok := g.decisions[p.EndedBy]
	approved, proven := g.r.Record(decision.Record)
	switch {
	case !ok || !proven || decision.Proposal != p.ID:
		return fmt.Sprintf("names proposal %s, and the decision on it is not in the bundle", p.ID)
	case decision.Actor.ID != a.By.ID:
		return fmt.Sprintf("was authorised by somebody else than who decided %s", p.ID)
	case approved.Seq > planned.Seq:
		return fmt.Sprintf("was planned before %s was approved", p.ID)
	}
	return ""
}

// end says how an act's end differs from the log, or nothing.
func (g *register) end(a done, c course) string {
	if !a.State.Ended() {
		if c.ended != nil {
			return fmt.Sprintf("is %s here and has ended as %s, by record %s", a.State, c.endedStep.Step, c.ended.ID)
		}
		return ""
	}
	if c.ended == nil || a.EndedAt == nil {
		return fmt.Sprintf("is %s, and no record of the log in this bundle says so", a.State)
	}
	s := c.endedStep
	switch {
	case s.Step != a.State || s.ResultSHA256 != a.ResultSHA256 || s.Fence != a.Fence || s.ArgsSHA256 != a.ArgsSHA256 ||
		!c.ended.Record.At.Equal(*a.EndedAt):
		return fmt.Sprintf("did not end as record %s says", c.ended.ID)
	case c.ended.Seq <= c.planned.Seq:
		return "ended before it was authorised"
	case a.State == act.Done && a.NotBefore != nil && a.EndedAt.Before(*a.NotBefore):
		return "was done while it could still be undone"
	}
	if d := g.decisions[s.Decision]; a.State == act.Undone && (d.Verdict != review.Undo || d.Proposal != a.Proposal) {
		return fmt.Sprintf("was called off by decision %.80s, which is not in the bundle", s.Decision)
	}
	return ""
}
