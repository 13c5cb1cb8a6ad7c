package policy

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cedar-policy/cedar-go"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Question is whether an actor may call a tool. What a policy sees of it:
//
//	principal  Person::"…", Agent::"…", Machine::"…" or System::"…", in Role::"…"; principal.id is the id as text
//	action     Action::"call" or Action::"call_unattended"
//	resource   Case::"case_…", with the attributes in Resource
//	context    tool "app.name", app, effect, taint, org, roles, scopes, on_behalf_of, args
//
// An agent that acts for someone is in that one's roles and in none of its own:
// it can never do more than whoever it acts for. By itself it has its own.
type Question struct {
	Actor     identity.Actor  // a person, or an agent (ID "agent:<app>/<name>")
	For       identity.Actor  // on whose behalf an agent acts; zero if nobody
	App, Tool string          // context.app, and context.tool as "<app>.<tool>"
	Effect    string          // read, write or outside
	Case      string          // the resource; may be empty
	Resource  map[string]any  // the app's own attributes of the case or row
	Args      json.RawMessage // a JSON object; nothing counts as {}
	Taint     bool            // whether the run has read text from outside
}

// What an Answer's Because holds where no policy decided. Ids have no spaces, so
// neither can be mistaken for one.
const (
	NoPermit = "no matching permit"
	Failed   = "could not be evaluated"
)

// An Answer says what policy lets happen. The zero Answer refuses.
type Answer struct {
	Call       bool     `json:"call"`       // it may be called
	Unattended bool     `json:"unattended"` // and with nobody asked; never without Call
	Digest     string   `json:"digest"`     // of the set that was asked
	Because    []string `json:"because"`    // ids of the policies that decided both questions, or NoPermit, or Failed
	Errors     []string `json:"errors,omitempty"`
}

// The two questions about a tool, and the one about an act.
var (
	do         = cedar.NewEntityUID("Action", "do")
	call       = cedar.NewEntityUID("Action", "call")
	unattended = cedar.NewEntityUID("Action", "call_unattended")
)

// Ask puts both questions. It never fails open: whatever cannot be understood or
// evaluated, in any policy that applies, is a no. (Cedar itself passes over a
// forbid it cannot evaluate.) Errors name policies and attributes, never values,
// so an answer may be recorded.
func (s *Set) Ask(q Question) Answer {
	a := Answer{Digest: s.Digest()}
	if s == nil {
		a.Because = []string{NoPermit}
		return a
	}
	req, entities, err := q.request()
	if err != nil {
		a.Because, a.Errors = []string{Failed}, []string{err.Error()}
		return a
	}
	a.Call = s.put(call, req, entities, &a)
	a.Unattended = s.put(unattended, req, entities, &a) && a.Call
	return a
}

// put asks one of the two questions and notes why it was answered so.
func (s *Set) put(action cedar.EntityUID, req cedar.Request, entities cedar.EntityMap, a *Answer) bool {
	req.Action = action
	decision, why := cedar.Authorize(policies(s.all), entities, req)
	for _, e := range why.Errors {
		a.note(&a.Errors, string(e.PolicyID)+": "+discreet(e.Message))
	}
	allowed := decision == cedar.Allow
	switch {
	case allowed && len(why.Errors) > 0:
		a.note(&a.Because, Failed)
		return false
	case len(why.Reasons) == 0 && len(why.Errors) > 0:
		a.note(&a.Because, Failed)
	case len(why.Reasons) == 0:
		a.note(&a.Because, NoPermit)
	}
	for _, r := range why.Reasons {
		a.note(&a.Because, string(r.PolicyID))
	}
	return allowed
}

// note adds a line once.
func (a *Answer) note(list *[]string, line string) {
	if !slices.Contains(*list, line) {
		*list = append(*list, line)
	}
}

// policies lets an iterator stand for a set of policies.
type policies func() iter.Seq2[cedar.PolicyID, *cedar.Policy]

// All is the iterator.
func (p policies) All() iter.Seq2[cedar.PolicyID, *cedar.Policy] { return p() }

// discreet is what may be recorded of an evaluation error. Cedar's messages
// quote values in places, and values may be about people.
func discreet(message string) string {
	const missing = "does not have the attribute `"
	if _, name, ok := strings.Cut(message, missing); ok {
		return "there is no attribute " + strings.TrimSuffix(name, "`")
	}
	if strings.HasPrefix(message, "type error: expected") {
		return message // names types only
	}
	if strings.Contains(message, "overflow") {
		return "a number is too large"
	}
	return "a value could not be read"
}

// request is the question in Cedar's terms, still without its action.
func (q Question) request() (cedar.Request, cedar.EntityMap, error) {
	var none cedar.Request
	if err := q.sound(); err != nil {
		return none, nil, err
	}
	args, err := fromJSON(q.Args)
	if err != nil {
		return none, nil, fmt.Errorf("args: %w", err)
	}
	attributes, err := fromMap(q.Resource)
	if err != nil {
		return none, nil, fmt.Errorf("resource: %w", err)
	}
	roles := q.roles()
	principal := principalOf(q.Actor, roles)
	resource := cedar.NewEntityUID("Case", cedar.String(q.Case))
	return cedar.Request{Principal: principal.UID, Resource: resource, Context: cedar.NewRecord(cedar.RecordMap{
			"tool":         cedar.String(q.App + "." + q.Tool),
			"app":          cedar.String(q.App),
			"effect":       cedar.String(q.Effect),
			"taint":        cedar.Boolean(q.Taint),
			"org":          cedar.String(q.Actor.Org),
			"roles":        texts(roles),
			"scopes":       texts(scopesOf(q.Actor)),
			"on_behalf_of": cedar.String(q.For.ID),
			"args":         args,
		})}, cedar.EntityMap{
			principal.UID: principal,
			resource:      {UID: resource, Attributes: attributes},
		}, nil
}

// principalOf is an actor in Cedar's terms, in these roles.
func principalOf(a identity.Actor, roles []identity.Role) cedar.Entity {
	parents := make([]cedar.EntityUID, len(roles))
	for i, r := range roles {
		parents[i] = cedar.NewEntityUID("Role", cedar.String(r))
	}
	return cedar.Entity{UID: cedar.NewEntityUID(actorTypes[a.Kind], cedar.String(a.ID)), Parents: cedar.NewEntityUIDSet(parents...),
		Attributes: cedar.NewRecord(cedar.RecordMap{"id": cedar.String(a.ID)})}
}

// sound refuses questions that have no honest answer.
func (q Question) sound() error {
	nobody := q.For.Kind == "" && q.For.ID == ""
	switch {
	case !q.Actor.Known() || actorTypes[q.Actor.Kind] == "":
		return fmt.Errorf("nobody is asking")
	case !nobody && (!q.For.Known() || q.For.Kind == identity.Agent):
		return fmt.Errorf("it is not said for whom the agent acts")
	case !nobody && q.For.Org != q.Actor.Org:
		return fmt.Errorf("it acts for someone of another organisation")
	case !partForm.MatchString(q.App) || !partForm.MatchString(q.Tool):
		return fmt.Errorf("the tool has no name")
	case !slices.Contains(effects, q.Effect):
		return fmt.Errorf("the effect is not one of %s", strings.Join(effects, ", "))
	}
	return nil
}

// roles are the roles that count: a machine has none, whatever it says.
func (q Question) roles() []identity.Role {
	who := q.Actor
	if who.Kind == identity.Agent && q.For.Known() {
		who = q.For
	}
	if who.Kind == identity.Machine {
		return nil
	}
	return who.Roles
}

// scopesOf are what policies see of a token's scopes: each, and its verb alone,
// so that a policy can speak of all that propose. Only a machine has any.
func scopesOf(a identity.Actor) []string {
	if a.Kind != identity.Machine {
		return nil
	}
	var all []string
	for _, s := range a.Scopes {
		verb, _, _ := strings.Cut(s, ":")
		all = append(all, s, verb)
	}
	return all
}

// texts is a set of words in Cedar's terms.
func texts[T ~string](words []T) cedar.Set {
	all := make([]cedar.Value, len(words))
	for i, w := range words {
		all[i] = cedar.String(w)
	}
	return cedar.NewSet(all...)
}
