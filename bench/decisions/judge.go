package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/review"
)

// A verdict is what a sight comes to.
type verdict struct {
	asks, once   int // proposals, and those that were decided once
	lost         int
	actedTwice   int
	withoutLeave int
	why          []string // of each of those
	odd          []string // what else is not as it should be

	approved, rejected, sentBack int
	undone, inStead, carriedOut  int
	waited                       []time.Duration // of what left the house: from its approval to the other side
}

// A matter is one proposal with all that belongs to it.
type matter struct {
	ask
	proposalRow
	decisions []decisionRow // without undoings
	undoings  []decisionRow
	acts      []actRow
	effects   []agenttest.Effect
}

// judge holds every ask against the record, the other side's log and what people
// were told.
func judge(asks []ask, s sight, heard []told) verdict {
	v := verdict{asks: len(asks)}
	matters := v.gather(asks, s)
	byID := map[string]*matter{}
	for _, a := range asks {
		m := matters[a.word()]
		if m == nil {
			v.lose("%s was never asked", a.word())
			continue
		}
		byID[m.ID] = m
		v.judgeDecisions(m)
		v.judgeActs(m)
	}
	v.judgeTold(byID, s, heard)
	for _, d := range s.decisions {
		v.judgeRecord(d, s)
	}
	for _, c := range s.unfinished {
		v.lose("the case %s", c)
	}
	if s.undelivered > 0 || s.running > 0 {
		v.note("%d messages are still in the outbox, and %d workflows still run", s.undelivered, s.running)
	}
	return v
}

// gather puts together what belongs to each ask, by its word, and notes what
// belongs to none.
func (v *verdict) gather(asks []ask, s sight) map[string]*matter {
	wanted, found, byID := map[string]ask{}, map[string]*matter{}, map[string]*matter{}
	for _, a := range asks {
		wanted[a.word()] = a
	}
	for _, p := range s.proposals {
		a, ok := wanted[p.Word]
		if !ok || found[p.Word] != nil {
			v.note("%s asks for %q, which nobody wants, or once more", p.ID, p.Word)
			continue
		}
		m := &matter{ask: a, proposalRow: p}
		found[p.Word], byID[p.ID] = m, m
	}
	for _, d := range s.decisions {
		m := byID[d.Proposal]
		switch {
		case m == nil:
			v.note("the decision %s is about %s, which is none of ours", d.ID, d.Proposal)
		case d.Verdict == string(review.Undo):
			m.undoings = append(m.undoings, d)
		default:
			m.decisions = append(m.decisions, d)
		}
	}
	for _, a := range s.acts {
		m := byID[a.Proposal]
		if m == nil {
			v.trespass("the act %s has no proposal of ours", a.Key)
			continue
		}
		m.acts = append(m.acts, a)
	}
	for _, e := range s.effects {
		v.carriedOut++
		m := found[e.Word]
		if m == nil {
			v.trespass("%s %q was carried out, and nobody was asked", e.What, e.Word)
			continue
		}
		m.effects = append(m.effects, e)
	}
	return found
}

// verdictOf is the answer that leads to a state.
var verdictOf = map[string]string{string(review.Approved): string(review.Approve), string(review.Rejected): string(review.Reject),
	string(review.SentBack): string(review.SendBack)}

// judgeDecisions asks whether a proposal was decided, once.
func (v *verdict) judgeDecisions(m *matter) {
	switch m.State {
	case string(review.Approved):
		v.approved++
	case string(review.Rejected):
		v.rejected++
	case string(review.SentBack):
		v.sentBack++
	}
	ended := false
	for _, d := range m.decisions {
		ended = ended || d.ID == m.EndedBy && d.Verdict == verdictOf[m.State]
		if d.OnBehalf != "" {
			v.inStead++
		}
	}
	if !ended {
		v.lose("%s, %s: is %s by the decision %q, and its decisions are %v", m.ID, m.Word, m.State, m.EndedBy, m.decisions)
		return
	}
	if why := m.tooMany(); why != "" {
		v.why = append(v.why, fmt.Sprintf("decided twice: %s, %s: %s", m.ID, m.Word, why))
		return
	}
	v.once++
}

// tooMany says which decisions should not both be there. Of those who must agree
// everybody has one voice; one no is enough.
func (m *matter) tooMany() string {
	yes, no := 0, 0
	voices := map[string]bool{}
	for _, d := range m.decisions {
		if d.Verdict == string(review.Approve) {
			yes++
		} else {
			no++
		}
		voices[d.Actor] = true
	}
	if m.Required != m.voices() {
		return fmt.Sprintf("%d voices are enough, want %d", m.Required, m.voices())
	}
	if len(voices) != len(m.decisions) {
		return "somebody decided it more than once"
	}
	if m.State == string(review.Approved) && yes == m.Required && no == 0 || m.State != string(review.Approved) && yes < m.Required &&
		no == 1 {
		return ""
	}
	return fmt.Sprintf("it is %s after %d approvals and %d refusals", m.State, yes, no)
}

// judgeActs asks whether what was decided is what happened.
func (v *verdict) judgeActs(m *matter) {
	approved, undone := m.State == string(review.Approved), len(m.undoings) > 0
	want := 0
	if approved {
		want = 1
	}
	if undone {
		v.undone++
	}
	if len(m.undoings) > 1 || undone && !approved {
		v.note("%s, %s: is %s and was undone %d times", m.ID, m.Word, m.State, len(m.undoings))
	}
	switch {
	case len(m.acts) < want:
		v.lose("%s, %s: was approved and has no act", m.ID, m.Word)
	case len(m.acts) > want && want == 0:
		v.trespass("%s, %s: is %s and has an act", m.ID, m.Word, m.State)
	case len(m.acts) > want:
		v.repeat("%s, %s: has %d acts", m.ID, m.Word, len(m.acts))
	}
	v.judgeEffects(m, approved && !undone)
}

func (v *verdict) judgeEffects(m *matter, leave bool) {
	if n := len(m.effects); n > 1 {
		for range n - 1 {
			v.repeat("%s, %s: was carried out %d times", m.ID, m.Word, n)
		}
	}
	for _, e := range m.effects {
		for _, d := range m.decisions {
			if d.ID == m.EndedBy && !e.At.IsZero() {
				v.waited = append(v.waited, e.At.Sub(d.At))
			}
		}
		if e.Key != m.Key || e.What != m.tool() {
			v.note("%s, %s: was carried out as %s under the key %s", m.ID, m.Word, e.What, e.Key)
		}
	}
	state := act.State("none")
	if len(m.acts) > 0 {
		state = act.State(m.acts[0].State)
	}
	switch {
	case leave && (len(m.effects) == 0 || state != act.Done):
		v.lose("%s, %s: was approved; its act is %s and was carried out %d times", m.ID, m.Word, state, len(m.effects))
	case !leave && len(m.effects) > 0:
		v.trespass("%s, %s: was carried out; it is %s, and was undone %d times", m.ID, m.Word, m.State, len(m.undoings))
	case len(m.undoings) > 0 && state != act.Undone:
		v.lose("%s, %s: was undone, and its act is %s", m.ID, m.Word, state)
	}
}

// words are all that was said about one decision.
type words struct {
	yes *told // the first that was heard
	nos []told
}

func wordsAbout(heard []told) map[string]*words {
	all := map[string]*words{}
	for _, t := range heard {
		w := all[t.decision]
		if w == nil {
			w = &words{}
			all[t.decision] = w
		}
		switch {
		case !t.yes:
			w.nos = append(w.nos, t)
		case w.yes == nil || t.heard.Before(w.yes.heard):
			w.yes = &t
		}
	}
	return all
}

// judgeTold asks whether people were told what is so: a yes is in force, a no is
// nowhere, and nobody was told both about one decision.
func (v *verdict) judgeTold(byID map[string]*matter, s sight, heard []told) {
	made, said := map[string]decisionRow{}, wordsAbout(heard)
	for _, d := range s.decisions {
		made[d.ID] = d
		if said[d.ID] == nil {
			v.note("%s: nobody was told about the decision %s", d.Proposal, d.ID)
		}
	}
	for id, w := range said {
		d, on := made[id]
		if w.yes != nil {
			v.judgeYes(byID[w.yes.proposal], d, *w.yes)
		}
		for _, n := range w.nos {
			if on && w.yes == nil || w.yes != nil && w.yes.contradicts(n) {
				v.note("%s: %s was told %d about %s, and it is on record: %t", n.proposal, n.person, n.status, id, on)
			}
		}
	}
}

// contradicts reports whether a yes and a no about one decision cannot both have
// been honest. Leave to decide may have come between two sendings.
func (t told) contradicts(n told) bool {
	return n.status != http.StatusForbidden || n.sent.After(t.heard)
}

// judgeYes asks whether a decision that was said to be taken is.
func (v *verdict) judgeYes(m *matter, d decisionRow, t told) {
	switch {
	case m == nil || d.ID != t.decision || d.Proposal != t.proposal || d.Actor != t.person || d.Verdict != t.verdict:
		v.lose("%s: %s was told %d about %s, %s, and the record has %+v", t.proposal, t.person, t.status, t.decision, t.verdict, d)
	case t.verdict != string(review.Undo) && m.Required == 1 && m.EndedBy != t.decision:
		v.lose("%s: %s was told %d about %s, and %s is in force", t.proposal, t.person, t.status, t.decision, m.EndedBy)
	}
}

// skew is how far apart two moments of one transaction and another can be read
// that waited for it.
const skew = 5 * time.Second

// judgeRecord asks whether the log says the same, and whether who decided in
// another's stead had leave.
func (v *verdict) judgeRecord(d decisionRow, s sight) {
	if !d.Logged {
		v.note("%s: the log does not have the decision %s", d.Proposal, d.ID)
	}
	if d.OnBehalf == "" {
		return
	}
	g := s.delegations[d.Delegation]
	if g.From != d.OnBehalf || g.To != d.Actor || d.At.Before(g.Starts) || !d.At.Before(g.Ends) || g.EndedAt != nil &&
		d.At.After(g.EndedAt.Add(skew)) {
		v.note("%s: %s decided in the stead of %s at %s under %+v", d.Proposal, d.Actor, d.OnBehalf, d.At, g)
	}
}

func (v *verdict) lose(format string, args ...any) {
	v.lost++
	v.why = append(v.why, "lost: "+fmt.Sprintf(format, args...))
}

func (v *verdict) repeat(format string, args ...any) {
	v.actedTwice++
	v.why = append(v.why, "acted twice: "+fmt.Sprintf(format, args...))
}

func (v *verdict) trespass(format string, args ...any) {
	v.withoutLeave++
	v.why = append(v.why, "without leave: "+fmt.Sprintf(format, args...))
}

func (v *verdict) note(format string, args ...any) {
	v.odd = append(v.odd, "odd: "+fmt.Sprintf(format, args...))
}

func (v *verdict) failed() bool { return v.once != v.asks || len(v.why)+len(v.odd) > 0 }

// maxReasons is how many reasons are printed.
const maxReasons = 40

func (v *verdict) print() {
	reasons := append(append([]string{}, v.why...), v.odd...)
	for i, r := range reasons {
		if i == maxReasons {
			fmt.Printf("and %d more\n", len(reasons)-i)
			break
		}
		fmt.Println(r)
	}
	fmt.Printf("%d proposals: %d decided once, %d lost, %d acted twice, %d acted without leave\n", v.asks, v.once, v.lost, v.actedTwice,
		v.withoutLeave)
}
