package console

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// stepSentence says in one sentence what a step was and what came of it.
func stepSentence(p *web.Page, agentName string, s agent.Step) string {
	asked := p.T("story.asked", "agent", p.Word("agent.", agentName), "model", modelWords(p, s))
	switch {
	case s.Compact:
		return p.T("story.compact", "asked", asked)
	case s.State == agent.Failed || s.State == agent.OutOfBudget:
		return p.T("story.failed", "asked", asked, "reason", s.Reason)
	case len(s.Calls) > 0:
		return p.T("story.wanted", "asked", asked, "calls", callsWords(p, s.Calls))
	case s.Repair:
		return p.T("story.repair", "asked", asked)
	case s.State == agent.WaitingReply:
		return p.T("story.replied", "asked", asked)
	}
	return p.T("story.answered", "asked", asked)
}

// modelWords is who answered and at what length.
func modelWords(p *web.Page, s agent.Step) string {
	name := s.Model.Model
	if name == "" {
		name = s.Route
	}
	return p.T("story.model", "name", name, "tokens", web.Numeral(s.Usage.Total()))
}

func callsWords(p *web.Page, calls []agent.StepCall) string {
	all := make([]string, len(calls))
	for i, c := range calls {
		all[i] = p.T("story.call", "tool", toolWords(p, c), "became", becameWords(p, c))
	}
	return strings.Join(all, "; ")
}

func toolWords(p *web.Page, c agent.StepCall) string {
	if c.Why == "no_such_tool" {
		return p.T("story.no_tool")
	}
	return p.Word("tool.", c.Tool)
}

// becameWords says what became of a call.
func becameWords(p *web.Page, c agent.StepCall) string {
	switch {
	case c.Verdict == "refused":
		return p.T("story.refused", "why", p.Word("story.why.", c.Why))
	case c.Verdict == "read" && c.Why != "":
		return p.T("story.read_failed")
	case c.Verdict == "read":
		return p.T("story.read")
	case c.Child != nil:
		return p.T("story.child", "state", p.T("run.state."+string(c.Child.State)))
	case c.Verdict == "agent":
		return p.T("story.child_due")
	case c.Act != nil:
		return actWords(p, c)
	case c.Proposal != nil:
		return proposalWords(p, *c.Proposal)
	}
	return p.T("story.act.planned")
}

// actWords says how an act stands, and on whose word it is done.
func actWords(p *web.Page, c agent.StepCall) string {
	words := p.T("story.act." + string(c.Act.State))
	if c.Act.State == effect.Planned && c.Act.NotBefore != nil {
		words = p.T("story.act.undo", "time", p.Moment(*c.Act.NotBefore))
	}
	if c.Proposal == nil {
		return words
	}
	return p.T("story.decided", "proposal", c.Proposal.ID, "state", p.T("story.proposal."+string(c.Proposal.State)), "act", words)
}

func proposalWords(p *web.Page, one agent.CallProposal) string {
	if one.State == review.Open {
		return p.T("story.waits", "proposal", strings.Join(append([]string{one.ID}, one.Also...), ", "), "whom", whom(p, one.Deciders,
			one.Whom))
	}
	return p.T("story.ended", "proposal", one.ID, "state", p.T("story.proposal."+string(one.State)))
}

// whom names whose decision something is.
func whom(p *web.Page, deciders []identity.Role, confirms string) string {
	if confirms != "" {
		return p.T("run.whom.self")
	}
	words := make([]string, 0, len(deciders))
	for _, role := range deciders { // what went on to those who could decide it anyway names them twice
		if word := p.T("run.whom." + string(role)); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, p.T("run.whom.or"))
}

// dot is the class and icon of a step in the story.
func dot(s agent.Step) (class, icon string) {
	switch {
	case s.State == agent.Failed || s.State == agent.OutOfBudget:
		return "bad", "stop"
	case s.State == agent.Done:
		return "ok", "tick"
	}
	for _, c := range s.Calls {
		switch {
		case c.Act != nil && (c.Act.State == effect.Failed || c.Act.State == effect.Unknown):
			return "bad", "stop"
		case c.Verdict == "refused" || c.Verdict == "read" && c.Why != "":
			return "warn", "slash"
		case c.Proposal != nil && c.Proposal.State == review.Open:
			return "warn", "user"
		}
	}
	if len(s.Calls) > 0 {
		return "", "tool"
	}
	return "", "model"
}

// stateLook is the class and icon of a run's state.
func stateLook(r agent.Run) (class, icon, key string) {
	state := r.State
	if len(r.Waiting) > 0 && !state.Ended() {
		state = agent.WaitingPerson
	}
	key = "run.state." + string(state)
	switch state {
	case agent.Done:
		return "ok", "check", key
	case agent.Failed, agent.OutOfBudget:
		return "bad", "stop", key
	case agent.Stopped, agent.Held:
		return "warn", "slash", key
	case agent.WaitingPerson:
		return "warn", "user", key
	case agent.WaitingReply:
		return "info", "chat", key
	}
	return "info", "dot", key
}

// nowWords says what a run is at.
func nowWords(p *web.Page, r agent.Run) string {
	at := p.T("runs.step", "n", strconv.Itoa(r.Seq))
	switch {
	case r.State.Ended():
		if r.Reason != "" {
			return at + " · " + r.Reason
		}
		return at
	case len(r.Now) > 0:
		names := make([]string, len(r.Now))
		for i, name := range r.Now {
			names[i] = p.Word("tool.", name)
		}
		return at + " · " + strings.Join(names, ", ")
	}
	return at
}

// costWords is what was spent: money where a price is known, tokens always.
func costWords(p *web.Page, s agent.Spending) string {
	tokens := p.T("runs.tokens", "n", web.Numeral(s.In+s.Out))
	if s.Cost == nil || s.Currency == "" {
		return tokens
	}
	return money(*s.Cost, s.Currency) + " · " + tokens
}

// money is a sum in millionths of a currency, to the hundredth, or to the
// millionth where it is less.
func money(millionths int64, currency string) string {
	whole, rest := millionths/1_000_000, millionths%1_000_000
	if whole == 0 && rest > 0 && rest < 10_000 {
		return fmt.Sprintf("%s 0.%06d", currency, rest)
	}
	return fmt.Sprintf("%s %s.%02d", currency, web.Numeral(whole), rest/10_000)
}

// took is a length of time as short as its size allows.
func took(p *web.Page, d time.Duration) string {
	switch {
	case d < time.Second:
		return p.T("took.ms", "n", strconv.FormatInt(d.Milliseconds(), 10))
	case d < time.Minute:
		return p.T("took.seconds", "n", strconv.FormatFloat(d.Seconds(), 'f', 1, 64))
	}
	return p.Span(d)
}

// stepMeta is the line under a step's sentence.
func stepMeta(p *web.Page, currency string, s agent.Step) string {
	parts := []string{p.T("story.step", "n", strconv.Itoa(s.Seq)), second(p, s.At), took(p, s.Took)}
	if s.Money > 0 && currency != "" {
		parts = append(parts, money(s.Money, currency))
	}
	if s.Usage.Estimated {
		parts = append(parts, p.T("story.estimated"))
	}
	return strings.Join(parts, " · ")
}
