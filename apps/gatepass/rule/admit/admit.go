// Package admit is what becomes of a call that a model wants made, before anything is sent: it is for the role or it is not, it says
// everything or a person is asked, and what it says comes from somewhere. A model may choose a tool and word what is asked for. A number
// that nobody wrote, a pass that the message does not mean, and a yes that nobody said go no further.
//
// Read Rule.
package admit

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Talk is what is known of the conversation in which a call is wanted.
type Talk struct {
	Role        pass.Role
	Said        []string // what the person wrote, the newest last
	Scene       reference.Scene
	PendingTool string // that the pending parameters are for
}

// The codes of what is stopped here, beside those of toolset.
const (
	MadeUp    = "made_up"   // a pass that nobody wrote and no tool answered with
	NotMeant  = "not_meant" // the message means another pass, or none for sure
	NoSuch    = "no_such_tool"
	OtherRole = "role_forbidden"
)

// A Ruling is what becomes of a call. It is made as it stands in Args where Info is nil.
type Ruling struct {
	Tool    toolset.Tool
	Args    map[string]any
	Info    *toolset.ErrorInfo // why it is not made, as the model is told
	Code    string             // of that; empty where it is made
	Asks    []string           // what the person is asked, in order
	Pending map[string]any     // what is known of the call by now; kept until it can be made
	Choice  []reference.Ref    // of which passes one is meant, as far as that is known
}

// Rule says what becomes of a call.
func Rule(t Talk, name string, args map[string]any) Ruling {
	tool, err := toolset.Find(name, t.Role)
	if err != nil {
		code := NoSuch
		if fault.Is(err, fault.Refused) {
			code = OtherRole
		}
		words, _ := fault.Words(err)
		return Ruling{Tool: toolset.Tool{Name: name}}.stop(code, words, 403)
	}
	r := Ruling{Tool: tool}
	for _, f := range tool.Check(args) {
		if f.Code == toolset.NotYours || f.Code == toolset.Unknown {
			return r.stop(f.Code, f.Param+" is not yours to say: leave it out", 422, f.Param)
		}
	}
	asked := t.PendingTool == name && slices.Contains(tool.Asks(t.pending(name)), "is_returnable")
	r.Pending = t.spoken(name, tool.Collect(t.pending(name), args), asked)
	if r.Asks = tool.Asks(r.Pending); len(r.Asks) > 0 {
		return r.stop(toolset.Missing, "the person has not said everything: ask for what is missing, and fill nothing in",
			422, r.Asks...)
	}
	r.Args = r.Pending
	return r.grounded(t)
}

// pending is what is known of a call to a tool from before.
func (t Talk) pending(name string) map[string]any {
	if t.PendingTool != name {
		return nil
	}
	return t.Scene.Memory.PendingParameters
}

// spoken leaves of a call what somebody said. Whom a pass is for, whether they come back and what it is for are the person's words, and no
// word of a purpose or a reason is anybody else's. What
// begins something new, a name or a photo, stands in what they wrote last: words of before do not come to life because a tool answered
// with others.
func (t Talk) spoken(tool string, args map[string]any, asked bool) map[string]any {
	out, said, last := map[string]any{}, t.Said, t.Said[max(0, len(t.Said)-1):]
	begun := last
	if t.PendingTool == tool { // what is asked about began before
		begun = said
	}
	for name, v := range args {
		text, _ := v.(string)
		keep := true
		switch name {
		case "person_name":
			keep = reference.Said(text, begun)
		case "photo":
			keep = slices.ContainsFunc(last, func(one string) bool { return slices.Contains(strings.Fields(one), text) })
		case "description", "reason":
			keep = reference.Wrote(text, said)
		case "is_returnable":
			comes, known := reference.Returns(said, asked)
			keep = known && v == comes
		}
		if keep {
			out[name] = v
		}
	}
	return out
}

// grounded stops a call about a pass that comes from nowhere, and one that changes a pass which the last message does not mean.
func (r Ruling) grounded(t Talk) Ruling {
	ref, names := r.about()
	if !names {
		return r
	}
	known := reference.Grounded(ref.Number, t.Said, t.Scene)
	if ref.Number == "" {
		known = reference.GroundedID(ref.ID, t.Said, t.Scene)
	}
	if !known {
		return r.stop(MadeUp, "nobody wrote this pass and no tool answered with it: ask which pass is meant, or list them",
			404, "pass_number")
	}
	if r.Tool.Effect == toolset.Reads {
		return r
	}
	last := ""
	if len(t.Said) > 0 {
		last = t.Said[len(t.Said)-1]
	}
	ok, m := reference.Means(last, t.Scene, ref)
	if ok {
		return r
	}
	r.Choice = m.Choice
	if m.Sure() {
		r.Choice = []reference.Ref{m.Pass}
	}
	return r.stop(NotMeant, "the person did not say this pass: ask which one", 422, "pass_number")
}

// about is the pass that a call names.
func (r Ruling) about() (ref reference.Ref, names bool) {
	for _, p := range r.Tool.Params {
		text, _ := r.Args[p.Name].(string)
		if p.Form != toolset.PassNumber && p.Form != toolset.PassRef || text == "" {
			continue
		}
		if n, err := number.Parse(text); err == nil {
			return reference.Ref{Number: n}, true
		}
		return reference.Ref{ID: text}, true
	}
	return ref, false
}

// stop is a call that is not made.
func (r Ruling) stop(code, why string, status int, fields ...string) Ruling {
	info := toolset.Explain(toolset.Failure{Status: status, Code: code, Detail: why, Fields: fields})
	r.Args, r.Info, r.Code = nil, &info, code
	return r
}
