package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

// loggedTurn is the body of a turn's record, as turn.record writes it.
type loggedTurn struct {
	Case   string          `json:"case"`
	Seq    int             `json:"seq"`
	Spec   string          `json:"spec"`
	Before string          `json:"before"`
	Head   string          `json:"head"`
	Model  json.RawMessage `json:"model"`
	Calls  json.RawMessage `json:"calls"`
	State  State           `json:"state"`
}

func loggedOf(p bundle.Proven) (body loggedTurn, ok bool) {
	raw, _ := p.Record.Body.(json.RawMessage)
	return body, p.Record.Kind == audit.ModelCall && json.Unmarshal(raw, &body) == nil
}

// A roll is the section, read.
type roll struct {
	r     *bundle.Reader
	runs  map[string]bundledRun
	steps map[string][]bundledStep // by run, in order
}

func verifyRuns(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("every step is the one in the log",
		"each turn of each run was recorded when it was taken: which prompt, after what, who answered, which calls it wanted and what "+
			"was ruled on each",
		"that a model said the same to anyone else; how long it took, what it cost and why a run stopped between turns rest on the "+
			"manifest's signature")
	runs, err := bundle.ReadLines[bundledRun](r, runsFile)
	if err != nil {
		c.Found(r.Path(runsFile), "%s cannot be read: %s.", r.Path(runsFile), words(err))
		return
	}
	steps, err := bundle.ReadLines[bundledStep](r, stepsFile)
	if err != nil {
		c.Found(r.Path(stepsFile), "%s cannot be read: %s.", r.Path(stepsFile), words(err))
		return
	}
	l := &roll{r: r, runs: map[string]bundledRun{}, steps: map[string][]bundledStep{}}
	for _, one := range runs {
		if _, twice := l.runs[one.ID]; twice {
			c.Found(r.Path(runsFile), "Run %.40s of %s is there twice.", one.ID, r.Path(runsFile))
		}
		l.runs[one.ID] = one
	}
	for _, s := range steps {
		l.steps[s.Run] = append(l.steps[s.Run], s)
		if _, ok := l.runs[s.Run]; !ok {
			c.Found(r.Path(stepsFile), "Step %d of run %.40s (%s) belongs to no run in %s.", s.Seq, s.Run, r.Path(stepsFile),
				r.Path(runsFile))
		}
	}
	if !slices.IsSortedFunc(steps, l.order(runs)) {
		c.Found(r.Path(stepsFile), "The steps of %s stand out of order.", r.Path(stepsFile))
	}
	for _, one := range runs {
		l.checkSteps(c, one)
		l.checkRun(c, one)
	}
	l.missing(c)
	l.checkCalls(rep)
	c.Saw("%d runs, %d steps", len(runs), len(steps))
	leftOver(r, rep, func(name string) bool { return name == runsFile || name == stepsFile })
}

// order is that of the steps: run by run, as the runs stand.
func (l *roll) order(runs []bundledRun) func(a, b bundledStep) int {
	place := map[string]int{}
	for i, one := range runs {
		place[one.ID] = i
	}
	return func(a, b bundledStep) int {
		if n := place[a.Run] - place[b.Run]; n != 0 {
			return n
		}
		return a.Seq - b.Seq
	}
}

// checkSteps compares each step of a run with its record.
func (l *roll) checkSteps(c *bundle.Check, run bundledRun) {
	path, before := l.r.Path(stepsFile), ""
	for i, s := range l.steps[run.ID] {
		if s.Seq != i {
			c.Found(path, "Step %d of run %s (%s) stands where step %d belongs.", s.Seq, run.ID, path, i)
			return
		}
		if wrong := l.step(run, s, before); wrong != "" {
			c.Found(path, "Step %d of run %s (%s) %s.", s.Seq, run.ID, path, wrong)
		}
		before = inLog(s.Head)
	}
}

// step says how a step differs from its record, or nothing.
func (l *roll) step(run bundledRun, s bundledStep, before string) string {
	p, ok := l.r.Record(s.Record)
	if !ok {
		return fmt.Sprintf("rests on record %.40s, which is not proven in this bundle", s.Record)
	}
	body, ok := loggedOf(p)
	switch {
	case !ok || p.Record.Subject != run.ID || body.Case != l.r.Manifest().Case || body.Seq != s.Seq:
		return fmt.Sprintf("rests on record %s, which is about something else", p.ID)
	case body.Spec != inLog(run.Spec):
		return fmt.Sprintf("was taken with another prompt than its run names, by record %s", p.ID)
	case body.Before != before || body.Head != inLog(s.Head):
		return fmt.Sprintf("has another place in the transcript than record %s says", p.ID)
	case !bytes.Equal(body.Model, s.Model):
		return fmt.Sprintf("was answered by another model, or at another cost, than record %s says", p.ID)
	case !bytes.Equal(body.Calls, s.Calls):
		return fmt.Sprintf("has other calls, or other rulings on them, than record %s says", p.ID)
	case !p.Record.At.Equal(s.At) || p.Record.Actor.ID != run.actor() || p.Record.App != run.App:
		return fmt.Sprintf("was taken at another time, or by another agent, than record %s says", p.ID)
	}
	return ""
}

// checkRun compares a run with its own steps, and with the run that asked for
// it.
func (l *roll) checkRun(c *bundle.Check, run bundledRun) {
	path, steps := l.r.Path(runsFile), l.steps[run.ID]
	if len(steps) == 0 {
		c.Found(path, "Run %.40s (%s) has no step.", run.ID, path)
		return
	}
	var used answered
	for _, s := range steps {
		var who answered
		_ = json.Unmarshal(s.Model, &who) // compared with the record above
		used.Usage = used.Usage.Add(who.Usage)
	}
	last := steps[len(steps)-1]
	p, _ := l.r.Record(last.Record)
	body, _ := loggedOf(p)
	switch {
	case run.Seq != last.Seq || run.Head != last.Head || run.Calls != int64(len(steps)):
		c.Found(path, "Run %s (%s) is at step %d, and its last step in %s is %d.", run.ID, path, run.Seq, l.r.Path(stepsFile), last.Seq)
	case run.TokensIn != used.Usage.Input || run.TokensOut != used.Usage.Output:
		c.Found(path, "Run %s (%s) counts other tokens than its steps.", run.ID, path)
	case body.State.Ended() && run.State != body.State, run.State == Done && body.State != Done:
		c.Found(path, "Run %s (%s) is %.20s; record %s says %s.", run.ID, path, run.State, p.ID, body.State)
	case run.State.Ended() != (run.EndedAt != nil), !run.StartedAt.Equal(steps[0].At):
		c.Found(path, "Run %s (%s) began or ended at another time than its steps.", run.ID, path)
	case !l.descends(run):
		c.Found(path, "Run %s (%s) was not asked for by call %.20s of run %.40s.", run.ID, path, run.Call, run.Parent)
	}
}

// descends reports whether a run is at the top of its tree, or was asked for by
// a call of its parent.
func (l *roll) descends(run bundledRun) bool {
	if run.Parent == "" {
		return run.Root == run.ID && run.Call == ""
	}
	for _, s := range l.steps[run.Parent] {
		asked := func(r ruling) bool { return r.Call == run.Call && r.Verdict == delegates && r.Tool == run.Agent }
		if slices.ContainsFunc(s.rulings(), asked) {
			return l.runs[run.Parent].Root == run.Root
		}
	}
	return false
}

// missing finds turns that the log has and the section has not.
func (l *roll) missing(c *bundle.Check) {
	for _, p := range l.r.Records() {
		body, ok := loggedOf(p)
		if !ok || body.Case != l.r.Manifest().Case {
			continue
		}
		here := func(s bundledStep) bool { return s.Record == p.ID }
		if !slices.ContainsFunc(l.steps[p.Record.Subject], here) {
			c.Found(l.r.Path(stepsFile), "Step %d of run %.40s, of record %s, is missing from %s.", body.Seq, p.Record.Subject, p.ID,
				l.r.Path(stepsFile))
		}
	}
}

// checkCalls checks that what was ruled on a call is what became of it: one that
// a person was to decide is a proposal, one that policy let run is an act, and
// no other is either.
func (l *roll) checkCalls(rep *bundle.Report) {
	c := rep.Check("what became of each call is here",
		"a call that a person was to decide is among the proposals, one that policy let run is among the acts, with the arguments that "+
			"were ruled on",
		"what a call that only looked was told, beyond the transcript")
	proposals, acts := l.keyed("decisions", "proposals.ndjson"), l.keyed("acts", "acts.ndjson")
	path, n := l.r.Path(stepsFile), 0
	for _, steps := range l.steps {
		for _, s := range steps {
			for _, r := range s.rulings() {
				n++
				key := actKey(s.Run, r.Call)
				switch {
				case r.Verdict == asks && !slices.Contains(proposals[key], r.Args):
					c.Found(path, "Call %s of run %s (%s) was to be decided by a person, and that proposal is not in "+
						"decisions/proposals.ndjson.", r.Call, s.Run, path)
				case r.Verdict == runs && !slices.Contains(acts[key], r.Args):
					c.Found(path, "Call %s of run %s (%s) was let run, and that act is not in acts/acts.ndjson.", r.Call, s.Run, path)
				case r.Verdict != runs && r.Verdict != asks && len(acts[key])+len(proposals[key]) > 0:
					c.Found(path, "Call %s of run %s (%s) was %s, and there is an act or a proposal of it all the same.", r.Call, s.Run,
						path, r.Verdict)
				}
			}
		}
	}
	c.Saw("%d calls", n+checkOutside(l.r, c, proposals))
}

// keyed are the arguments' digests of another section's lines, by the key of the
// act. A test would become the same act as the real proposal beside it.
func (l *roll) keyed(section, name string) map[string][]string {
	found := map[string][]string{}
	lines, err := l.r.In(section).RawLines(name)
	if err != nil {
		return found // that section's to report
	}
	for _, line := range lines {
		var one struct {
			Key  string `json:"act"`
			Args string `json:"args_sha256"`
		}
		if json.Unmarshal(line, &one) == nil {
			found[one.Key] = append(found[one.Key], one.Args)
		}
	}
	return found
}
