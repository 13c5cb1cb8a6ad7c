package console

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// Bounds of what the sheet shows beside its notes.
const (
	maxDrafts   = 5   // proposals with all their words
	maxRuns     = 8   // whose steps are read
	stepsPerRun = 100 // the newest
)

// A block is what stands at one place of the note sheet: a numbered note, a step
// of an agent that failed, or routine that is folded away.
type block struct {
	note *sheetNote
	fail *sheetStep
	fold []sheetLine
}

// A sheetNote is a numbered, permanent note.
type sheetNote struct {
	casefile.Entry
	made *review.Made // the decision that it tells of; nil for none
}

// noteBy is who wrote a note, an agent by the name its application gives it.
func noteBy(p *web.Page, n sheetNote) string {
	if n.ActorKind == identity.Agent {
		return upperFirst(p.Word("agent.", n.ActorName))
	}
	return n.ActorName
}

// A sheetStep is one step of an agent.
type sheetStep struct {
	run  agent.Run
	step agent.Step
}

// A sheetLine is a note or a step, in the order of time.
type sheetLine struct {
	at   time.Time
	note *sheetNote
	step *sheetStep
}

// readSheet reads one page of the sheet, with what agents did meanwhile and what
// waits for a decision.
func (c *Console) readSheet(r *http.Request, actor identity.Actor, f *caseFile) error {
	if err := c.readNotes(r, actor, f); err != nil {
		return err
	}
	if f.ground.facts == nil { // a region that is fetched alone
		if err := c.readGround(r, actor, f); err != nil {
			return err
		}
	}
	steps, err := c.readSteps(r, actor, f)
	if err != nil {
		return err
	}
	made, err := c.decisionsIn(r, actor, f)
	if err != nil {
		return err
	}
	f.blocks = blocks(f.notes, made, steps)
	if f.before > 0 {
		return nil // drafts stand at the end of the file
	}
	return c.readDrafts(r, actor, f)
}

func (c *Console) decisionsIn(r *http.Request, actor identity.Actor, f *caseFile) ([]review.Made, error) {
	decided := slices.ContainsFunc(f.notes, func(e casefile.Entry) bool { return e.Kind == "decision" })
	if !decided || c.Reviews == nil || c.Rules.May(actor, "proposal.read") != nil {
		return nil, nil
	}
	return c.Reviews.DecisionsIn(r.Context(), actor, string(f.ID))
}

// readDrafts reads the words of what waits for a decision.
func (c *Console) readDrafts(r *http.Request, actor identity.Actor, f *caseFile) (err error) {
	if f.gates == nil {
		if f.gates, err = c.openIn(r, string(f.ID)); err != nil {
			return err
		}
	}
	for _, g := range f.gates[:min(len(f.gates), maxDrafts)] {
		v := proposalView{one: f.Case}
		if v.Proposal, err = c.Reviews.Get(r.Context(), actor, g.ID); err != nil {
			return err
		}
		v.open(c.Editing)
		f.drafts = append(f.drafts, v)
	}
	return nil
}

// readSteps reads what agents did in the time that the page of the sheet covers.
func (c *Console) readSteps(r *http.Request, actor identity.Actor, f *caseFile) ([]sheetStep, error) {
	if c.Runs == nil || len(f.notes) == 0 || c.Rules.May(actor, "run.read") != nil {
		return nil, nil
	}
	runs, _, err := c.Runs.List(r.Context(), actor.Org, agent.Query{Case: string(f.ID), All: true, Limit: maxRuns})
	if err != nil {
		return nil, err
	}
	var all []sheetStep
	for _, run := range runs {
		steps, err := c.Runs.Steps(r.Context(), actor.Org, run.ID, 0, stepsPerRun)
		if err != nil {
			return nil, err
		}
		for _, s := range steps {
			if f.covers(s.At) {
				all = append(all, sheetStep{run, s})
			}
		}
	}
	return all, nil
}

// covers reports whether a moment lies in the time of the notes shown: the first
// page begins at the beginning, the newest goes on to now.
func (f caseFile) covers(at time.Time) bool {
	first, last := f.notes[0], f.notes[len(f.notes)-1]
	return (first.Seq <= 1 || !at.Before(first.At)) && (f.before == 0 || !at.After(last.At))
}

// blocks lays notes and steps out by time. Routine that stands together is folded;
// what failed never is, nor what a person wrote.
func blocks(notes []casefile.Entry, made []review.Made, steps []sheetStep) []block {
	lines := make([]sheetLine, 0, len(notes)+len(steps))
	for _, e := range notes {
		lines = append(lines, sheetLine{at: e.At, note: &sheetNote{Entry: e, made: madeBy(e, made)}})
	}
	for i := range steps {
		lines = append(lines, sheetLine{at: steps[i].step.At, step: &steps[i]})
	}
	slices.SortStableFunc(lines, func(a, b sheetLine) int {
		if a.note != nil && b.note != nil {
			return cmp.Compare(a.note.Seq, b.note.Seq)
		}
		return a.at.Compare(b.at)
	})
	var all []block
	var fold []sheetLine
	flush := func() {
		if len(fold) == 1 && fold[0].note != nil {
			all = append(all, block{note: fold[0].note})
		} else if len(fold) > 0 {
			all = append(all, block{fold: fold})
		}
		fold = nil
	}
	for _, l := range lines {
		if l.routine() {
			fold = append(fold, l)
			continue
		}
		flush()
		all = append(all, block{note: l.note, fail: l.step})
	}
	flush()
	return all
}

// routine reports whether a line may be folded away.
func (l sheetLine) routine() bool {
	if l.step != nil {
		class, icon := dot(l.step.step)
		return class != "bad" && icon != "slash"
	}
	if l.note.ActorKind == identity.Person {
		return false
	}
	return l.note.Kind == "taken_up" || l.note.Kind == "evidence"
}

// madeBy is the decision that an entry tells of.
func madeBy(e casefile.Entry, made []review.Made) *review.Made {
	if e.Kind != "decision" {
		return nil
	}
	for i, m := range made {
		if m.At.Equal(e.At) && strings.HasPrefix(e.Text, m.Proposal+": ") {
			return &made[i]
		}
	}
	return nil
}

// foldWords says what is folded: how much, and of what.
func foldWords(p *web.Page, fold []sheetLine) string {
	var turns, reads, acts, notes int
	for _, l := range fold {
		if l.note != nil {
			notes++
			continue
		}
		turns++
		for _, c := range l.step.step.Calls {
			if c.Verdict == "read" {
				reads++
			} else {
				acts++
			}
		}
	}
	var parts []string
	for _, one := range []struct {
		key string
		n   int
	}{{"turns", turns}, {"reads", reads}, {"acts", acts}, {"notes", notes}} {
		if one.n > 0 {
			parts = append(parts, p.T("fold."+one.key, "n", web.Numeral(int64(one.n))))
		}
	}
	return p.T("fold.routine", "n", web.Numeral(int64(len(fold))), "what", strings.Join(parts, ", "))
}

var proposalStart = regexp.MustCompile(`^(P-[1-9][0-9]{0,17}): (.*)$`)

// noteLabel says what an entry did, in a line above its words; empty for a plain
// note.
func noteLabel(p *web.Page, n sheetNote) string {
	switch m := proposalStart.FindStringSubmatch(n.Text); {
	case m == nil:
		return kindLabel(p, n.Entry)
	case n.made != nil:
		return p.T("proposal.said." + string(n.made.Verdict))
	case n.Kind == "proposal":
		return p.T("entry.ended", "what", p.Word("story.proposal.", m[2]))
	}
	return kindLabel(p, n.Entry)
}

// noteWords are the words of an entry as the sheet shows them.
func noteWords(p *web.Page, n sheetNote) string {
	switch {
	case n.Kind == "closed" || n.Kind == "proposal" && proposalStart.MatchString(n.Text):
		return ""
	case n.made != nil:
		return n.made.Reason
	}
	return entryWords(p, n.Entry)
}

// noteProposal is the proposal that an entry is about; empty for none.
func noteProposal(n sheetNote) string {
	if m := proposalStart.FindStringSubmatch(n.Text); m != nil && (n.Kind == "decision" || n.Kind == "proposal" || n.Kind == "proposed") {
		return m[1]
	}
	return ""
}

// stepAddress is a step on its run's page.
func stepAddress(s sheetStep) string { return runAddress(s.run.ID, "#step-"+strconv.Itoa(s.step.Seq)) }
