package console

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// proposalTitle is what a proposal leads with: whom it is about and what was found, or
// what would be done, the verb first, where it was made before findings were kept.
func proposalTitle(p *web.Page, v proposalView) string {
	switch {
	case v.found != nil:
		return foundTitle(p, *v.found)
	case v.doc.Question != "":
		return p.T("proposal.was_it_done", "act", actName(p, v.doc.Tool))
	case v.doc.Line != "":
		return toolLine(p, v.doc.Tool, v.doc.Line)
	}
	return headTitle(p, v.Proposal)
}

// toolLine is a tool's line in the reader's language, or as the tool has it.
func toolLine(p *web.Page, tool, line string) string {
	if text, ok := spoken(p, "line."+tool); ok {
		return text
	}
	return strings.TrimSuffix(line, ".")
}

// headTitle is the same for a proposal without its words.
func headTitle(p *web.Page, one review.Proposal) string {
	if one.Tool != "" {
		return actName(p, one.Tool)
	}
	return upperFirst(p.Word("proposal.kind.", one.Kind))
}

// actName is an act as a button names it.
func actName(p *web.Page, tool string) string { return upperFirst(p.Word("tool.", tool)) }

// deed is what would be done, as a button names it: where an application has a word
// for what one of the arguments chooses, that one. A person who picks among several
// presses what they picked.
func deed(p *web.Page, one review.Proposal) string {
	if text, given := chosen(p, one.Tool, one.Args); given {
		return text
	}
	return headTitle(p, one)
}

// chosen is what one of the arguments of a tool chooses, in its application's words.
func chosen(p *web.Page, tool string, raw json.RawMessage) (text string, given bool) {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return "", false
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if value, ok := args[name].(string); ok && value != "" && len(value) <= 60 {
			if text, given := spoken(p, "do."+tool+"."+name+"."+value); given {
				return text, true
			}
		}
	}
	return "", false
}

// reasonLabel asks for the reason of an answer. Where a yes needs one, it is for a filing
// or for something weighty.
func reasonLabel(p *web.Page, v proposalView) string {
	if v.answer == string(review.Approve) && v.class == review.Weighty {
		return p.T("proposal.reason.approve_weighty")
	}
	return p.T("proposal.reason." + v.answer)
}

// reasonHint says what follows from an answer that needs a reason, as the tool has
// it, or as it is with all.
func reasonHint(p *web.Page, v proposalView) string {
	if v.answer == string(review.Approve) && v.class == review.Weighty {
		return p.T("proposal.reason_hint.approve_weighty")
	}
	if text, given := spoken(p, "proposal.reason_hint."+v.answer+"."+v.Tool); given {
		return text
	}
	return p.T("proposal.reason_hint." + v.answer)
}

// faultWords says why an answer was not taken, in the page's words where it has some.
func faultWords(p *web.Page, err error) (text string, own bool) {
	if at, ok := fault.PlaceOf(err); ok {
		if key := "form.bad." + at.Code; p.T(key) != key {
			return p.T(key, "limit", at.Given), true
		}
	}
	_, reasoned := fault.ReasonOf(err)
	return words(p, err), reasoned
}

// primary is the word on the button that approves.
func primary(p *web.Page, v proposalView) string {
	name := deed(p, v.Proposal)
	switch {
	case v.doc.Question != "":
		return p.T("proposal.do.it_was")
	case v.Tool == "":
		return p.T("proposal.do.approve", "what", v.ID)
	case v.Required > 1:
		return p.T("proposal.do.sign", "what", name, "n", strconv.Itoa(len(v.voices())+1), "all", strconv.Itoa(v.Required))
	}
	return name
}

// rejection is the word on the button that rejects.
func rejection(p *web.Page, v proposalView) string {
	if v.doc.Question != "" {
		return p.T("proposal.do.it_was_not")
	}
	return p.T("proposal.do.reject")
}

// aboutTo is the first line of the decision bar: the act, whom it reaches, and in
// whose name.
func aboutTo(p *web.Page, v proposalView) string {
	switch {
	case v.doc.Question != "":
		return p.T("proposal.about.question")
	case v.Tool == "":
		if text, given := spoken(p, "proposal.follows."+v.Kind); given {
			return text // what follows at once from an answer, by its kind
		}
		return p.T("proposal.about.none", "what", proposalTitle(p, v))
	}
	return p.T("proposal.about."+v.Effect, "what", deed(p, v.Proposal), "as", asWhom(p, v))
}

// asWhom names in whose name it is done.
func asWhom(p *web.Page, v proposalView) string {
	who := p.T("proposal.as_org", "org", p.Org.Name)
	if v.OnBehalfOf != "" {
		who += p.T("proposal.as_for", "who", v.OnBehalfOf)
	}
	return who
}

// reversible says whether and how long it can be undone.
func reversible(p *web.Page, v proposalView) string {
	switch {
	case v.Tool == "":
		return ""
	case v.Undo > 0 && p.Fast():
		return p.T("proposal.undo_for_here", "span", p.T("span.minutes", "n", strconv.Itoa(int((v.Undo-p.Passes(ClickTime)).Minutes()))),
			"n", wholeSeconds(p.Lasts(v.Undo)-ClickTime))
	case v.Undo > 0:
		return p.T("proposal.undo_for", "span", shortSpan(p, v.Undo))
	}
	return p.T("proposal.undo_none." + v.Effect)
}

// shortSpan is a length of time to the second.
func shortSpan(p *web.Page, d time.Duration) string {
	if d < time.Minute {
		return p.T("proposal.seconds", "n", strconv.Itoa(int(d.Seconds())))
	}
	return p.Span(d)
}

// consequence is the icon and message of what a yes does.
func consequence(one review.Proposal) (icon, key string) {
	does, icon := "none", "unknown"
	switch one.Effect {
	case effect.Outside:
		does, icon = one.Effect, "send"
	case effect.Write:
		does, icon = one.Effect, "routine"
	case effect.Read:
		does, icon = one.Effect, "eye"
	}
	return icon, "proposal.effect." + does
}

// proposalLook is the class, icon and message of a proposal's state.
func proposalLook(one review.Proposal) (class, icon, key string) {
	key = "proposal.state." + string(one.State)
	switch one.State {
	case review.Open:
		return "warn", "user", key
	case review.Approved, review.Edited:
		return "ok", "check", key
	case review.Rejected, review.SentBack:
		return "bad", "slash", key
	}
	return "plain", "clock", key
}

// afterwards says what became of an approval, and what comes next.
func afterwards(p *web.Page, v proposalView) (class, icon, happened, means string) {
	switch {
	case v.act == nil:
		return "info", "lock", p.T("after.recorded"), p.T("after.recorded_text")
	case v.act.State == effect.Planned && v.held(p.Now):
		return "info", "clock", p.T("after.held", "time", second(p, *v.act.NotBefore)), p.T("after.held_text")
	case v.act.State == effect.Planned && v.away:
		return "warn", "stale", p.T("after.away"), p.T("after.away_text")
	case v.act.State == effect.Done:
		return "ok", "check", p.T("after.done", "time", p.Moment(*v.act.EndedAt)), ""
	case v.act.State == effect.Failed || v.act.State == effect.Unknown:
		return "bad", "stop", p.T("after." + string(v.act.State)), p.T("after." + string(v.act.State) + "_text")
	case v.act.State == effect.OnHold:
		return "warn", "slash", p.T("after.on_hold"), p.T("after.on_hold_text")
	case v.act.State == effect.Undone:
		return "warn", "undo", p.T("after.undone"), p.T("after.undone_text")
	}
	return "info", "dot", p.T("after." + string(v.act.State)), ""
}

// due is by when an answer is wanted; zero for never.
func (v proposalView) due() time.Time {
	if v.DueAt.IsZero() {
		return v.ExpiresAt
	}
	return v.DueAt
}

// held reports whether the act waits for its undo window to close.
func (v proposalView) held(now time.Time) bool {
	return v.act != nil && v.act.NotBefore != nil && now.Before(*v.act.NotBefore)
}

// fieldLabel is what a field of a form is called.
func fieldLabel(p *web.Page, f forms.Field) string {
	switch {
	case f.Title != "":
		return f.Title
	case f.Name != "":
		return upperFirst(p.Word("field.", f.Name))
	}
	return p.T("form.value")
}

// fieldHint is what a field takes, in words.
func fieldHint(p *web.Page, f forms.Field) string {
	var all []string
	if f.Hint != "" {
		all = append(all, f.Hint)
	}
	switch f.Kind {
	case forms.Whole, forms.Number, forms.JSON:
		all = append(all, p.T("form.wants."+string(f.Kind)))
	}
	l := f.Limits
	number := func(v *float64) string { return strconv.FormatFloat(*v, 'f', -1, 64) }
	for _, limit := range []struct {
		set  bool
		key  string
		text func() string
	}{
		{l.Min != nil, "at_least", func() string { return number(l.Min) }},
		{l.Max != nil, "at_most", func() string { return number(l.Max) }},
		{l.MinLength != nil && *l.MinLength > 0 && f.Kind != forms.List, "min_length", func() string { return strconv.Itoa(*l.MinLength) }},
		{l.MaxLength != nil && f.Kind != forms.List, "max_length", func() string { return strconv.Itoa(*l.MaxLength) }},
		{l.MinLength != nil && *l.MinLength > 0 && f.Kind == forms.List, "min_rows", func() string { return strconv.Itoa(*l.MinLength) }},
		{l.MaxLength != nil && f.Kind == forms.List, "max_rows", func() string { return strconv.Itoa(*l.MaxLength) }},
		{l.Pattern != "", "pattern", func() string { return l.Pattern }},
	} {
		if limit.set {
			all = append(all, p.T("form.limit."+limit.key, "n", limit.text()))
		}
	}
	return strings.Join(all, " · ")
}

// problemWords says what is wrong with a field and what to do about it.
func problemWords(p *web.Page, problem forms.Problem) string {
	return p.T("form.bad."+problem.Code, "limit", problem.Limit)
}

// optionWords is an option as people read it.
func optionWords(p *web.Page, o forms.Option) string {
	if o.Label != "" {
		return o.Label
	}
	return p.T("form.option." + strings.TrimSuffix(o.Value, "*"))
}

// sideWords is a value of a difference that is no text: what is not there, and
// what has no value, are said.
func sideWords(p *web.Page, s forms.Side) string {
	switch {
	case s.Is == forms.Out:
		return p.T("form.option.out")
	case s.Is == forms.Null:
		return p.T("form.option.null")
	case s.Type == "string" && s.Text == "":
		return p.T("form.empty")
	case s.Type == "boolean":
		return p.T("form.option." + s.Text)
	}
	return ""
}

// pathWords is where a change is.
func pathWords(p *web.Page, tool string, path []forms.Step) string {
	all := make([]string, len(path))
	for i, s := range path {
		if s.Row > 0 {
			all[i] = p.T("form.row", "n", strconv.Itoa(s.Row))
		} else {
			all[i] = fieldWord(p, tool, s.Name)
		}
	}
	if len(all) == 0 {
		return p.T("form.whole")
	}
	return strings.Join(all, " › ")
}

// chosenWords is the option of a field that is chosen.
func chosenWords(p *web.Page, f forms.Field) string {
	if i := slices.IndexFunc(f.Options, func(o forms.Option) bool { return o.Chosen }); i >= 0 {
		return optionWords(p, f.Options[i])
	}
	return ""
}
