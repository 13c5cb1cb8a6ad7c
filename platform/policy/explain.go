package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Stated policy is one as it stands in its file.
type Stated struct {
	ID     string `json:"id"`
	Set    string `json:"set"` // as Rules.Sets names it: "platform", "poolpatrol", "poolpatrol/acts"
	File   string `json:"file"`
	Line   int    `json:"line"`
	Effect string `json:"effect"` // permit or forbid
	Text   string `json:"text"`
	Says   string `json:"says"` // what it has to do with the question
}

// An Explanation says why somebody may or may not do something. Only the answer
// counts as one: to explain is to ask.
type Explanation struct {
	What    string   `json:"what"` // "case.close", "poolpatrol.send_letter"
	Word    Word     `json:"word"`
	Digest  string   `json:"digest"`  // of the set that was asked
	Before  []string `json:"before"`  // what settles it before any policy is asked
	Because []Stated `json:"because"` // the policies that decided
	Nearest []Stated `json:"nearest"` // where none permits it: those that permit it to others, or otherwise
	Errors  []string `json:"errors"`
}

func explain(what string, word Word) Explanation {
	return Explanation{What: what, Word: word, Before: []string{}, Because: []Stated{}, Nearest: []Stated{}, Errors: []string{}}
}

// ExplainAct says why an actor may or may not do an act.
func (r *Rules) ExplainAct(a identity.Actor, act string) (Explanation, error) {
	what, known := r.act(act)
	if !known {
		return Explanation{}, fault.New(fault.NotFound, "no act is called %.60q", act).WithNext("see all of them: gavel policy table")
	}
	if !a.Known() {
		return Explanation{}, fault.New(fault.Invalid, "it is not said who would do it")
	}
	e := explain(act, No)
	answer := r.ask(a, what)
	e.Digest, e.Errors = answer.Digest, append(e.Errors, answer.Errors...)
	if answer.Call {
		e.Word = Yes
	}
	if err := r.May(a, act); err != nil && answer.Call {
		text, _ := fault.Words(err)
		e.Word, e.Before = No, append(e.Before, text)
	}
	e.Because = r.stated(what.set, answer)
	if !answer.Call {
		e.Nearest = r.nearest(what.set, view{action: do, anyRole: true, known: map[string]string{"act": act, "org": string(a.Org)}},
			func(role identity.Role) bool {
				a.Kind, a.Roles = identity.Person, []identity.Role{role}
				return r.ask(a, what).Call
			})
	}
	return e, nil
}

// ExplainCall says why a call of a tool runs, asks a person or is refused.
func (r *Rules) ExplainCall(q Question, t Tool) (Explanation, error) {
	if err := q.sound(); err != nil {
		return Explanation{}, fault.New(fault.Invalid, "nothing can be said: %s", err.Error())
	}
	e := explain(q.App+"."+q.Tool, No)
	answer := r.App(q.App).Ask(q)
	e.Digest, e.Errors = answer.Digest, append(e.Errors, answer.Errors...)
	e.Because = r.stated(q.App, answer)
	e.Word = t.outcome(answer)
	whose := q.roles()
	if q.Actor.Kind != identity.Machine && !slices.ContainsFunc(t.Roles, func(role identity.Role) bool {
		return slices.Contains(whose,
			role)
	}) {
		e.Word = No
		e.Before = append(e.Before, fmt.Sprintf("the tool is for %s", rolesInWords(t.Roles)))
	}
	if e.Word == Asks && answer.Unattended {
		e.Before = append(e.Before, fmt.Sprintf("the tool's own gate is %s: somebody is always asked", t.Gate))
	}
	if !answer.Call {
		v := q.view()
		v.action, v.anyRole, v.roles, v.scopes, v.args, v.fields = call, true, nil, nil, nil, fieldsOf(t.Schema)
		v.kind, v.who = "", nil
		e.Nearest = r.nearest(q.App, v, func(role identity.Role) bool { return r.App(q.App).Ask(q.as(role)).Call })
	}
	return e, nil
}

// outcome is what becomes of a call that was answered so, by somebody the tool is
// for and with nothing from outside in it.
func (t Tool) outcome(a Answer) Word {
	switch {
	case !a.Call:
		return No
	case a.Unattended && t.Gate == "off":
		return Yes
	}
	return Asks
}

// as is the same question for somebody of another role.
func (q Question) as(role identity.Role) Question {
	if q.Actor.Kind == identity.Agent && q.For.Known() {
		q.For.Roles = []identity.Role{role}
		return q
	}
	q.Actor.Kind, q.Actor.Roles = identity.Person, []identity.Role{role}
	return q
}

// stated are the policies that an answer names.
func (r *Rules) stated(set string, a Answer) []Stated {
	out := []Stated{}
	for _, p := range r.Set(set).listed() {
		id := string(p.id)
		failed := slices.ContainsFunc(a.Errors, func(e string) bool { return strings.HasPrefix(e, id+": ") })
		if !slices.Contains(a.Because, id) && !failed {
			continue
		}
		s := r.Set(set).state(set, p)
		s.Says = p.form.Effect + "s it"
		if failed {
			s.Says = "could not be evaluated, which is a no"
		}
		out = append(out, s)
	}
	return out
}

// nearest are the permits that speak of this act or tool, whoever asks and
// whatever the arguments, with the roles that they would let.
func (r *Rules) nearest(set string, v view, lets func(identity.Role) bool) []Stated {
	out := []Stated{}
	var roles []identity.Role
	for _, role := range identity.Roles() {
		if lets(role) {
			roles = append(roles, role)
		}
	}
	for _, p := range r.Set(set).listed() {
		if !p.form.permits() || !v.policy(p.form).couldBeTrue() {
			continue
		}
		s := r.Set(set).state(set, p)
		s.Says = "permits it otherwise; nobody by role alone"
		if len(roles) > 0 {
			s.Says = "permits it otherwise; as things are asked, to " + rolesInWords(roles)
		}
		out = append(out, s)
	}
	return out
}

func rolesInWords(roles []identity.Role) string {
	if len(roles) == 0 {
		return "nobody"
	}
	words := make([]string, len(roles))
	for i, role := range roles {
		words[i] = string(role)
	}
	return strings.Join(words, ", ")
}

// listed are the policies in order of id, of a set that may be nil.
func (s *Set) listed() []named {
	if s == nil {
		return nil
	}
	return s.policies
}

// state is a policy as it stands in its file.
func (s *Set) state(set string, p named) Stated {
	at := p.policy.Position()
	out := Stated{ID: string(p.id), Set: set, File: at.Filename, Line: at.Line, Effect: p.form.Effect}
	for _, f := range s.files {
		if f.Name == at.Filename && at.Offset <= len(f.Text) {
			out.Text = statement(f.Text[at.Offset:])
		}
	}
	return out
}

// statement is the text up to the semicolon that ends a policy, which is none in
// a text or a comment.
func statement(text []byte) string {
	for _, at := range wordForm.FindAllIndex(text, -1) {
		if string(text[at[0]:at[1]]) == ";" {
			return string(text[:at[1]])
		}
	}
	return string(text)
}
