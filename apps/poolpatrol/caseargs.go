package poolpatrol

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/form"
)

// The arguments of what people decide. Each type says its own form: what can be
// picked is picked and not typed, and what the case itself says cannot be edited.

// A settlement is what a person may choose for a case that code cannot take further.
type settlement lifecycle.Choice

// JSONSchema lists them, the mildest first.
func (settlement) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(lifecycle.LookAgain), string(lifecycle.WasReached), string(lifecycle.GrantUntil), string(lifecycle.WasRight), string(lifecycle.AskToCancel)},
		Description: "exception: accept it until a day; false_positive: nothing was wrong; re_audit: look again; proceed: ask for cancellations; reached: the rider was told in another way."}
}

// A whyAsked is what brought a case before a person.
type whyAsked lifecycle.Why

// JSONSchema says that it is the case's to say.
func (whyAsked) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "What brought the case here."}
}

// JSONSchema says that it is the case's to say.
func (whyAgain) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "Why it is asked once more.",
		Enum: []any{string(againRejected), string(againSentBack), string(againExpired), string(againFailed), string(againUndone), string(againLooked), string(againNotLooked)}}
}

// A saidThen is what was said to the question before this one: by a person who said
// no, or by the act that could not be done.
type saidThen string

// JSONSchema says that it is the case's to say.
func (saidThen) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "What was said to the question before."}
}

// A stepKey is the step of the case that asks. It keeps one question apart from the
// next, and says nothing to a person.
type stepKey string

// JSONSchema says that it is the case's to say, and not shown.
func (stepKey) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The step of the case that asks.", Extra: map[string]any{form.HiddenWord: true}}
}

// A replyCount is how many replies there were when something was asked.
type replyCount int

// JSONSchema says that it is the case's to say.
func (replyCount) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Description: "How many replies there were when it was asked."}
}

// checksFailed are the checks that somebody does not pass.
type checksFailed []check.Name

// JSONSchema says that all of the list is the case's to say: no row of it is edited,
// added or dropped.
func (checksFailed) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", ReadOnly: true, Items: &jsonschema.Schema{Type: "string", ReadOnly: true}, Description: "What does not pass."}
}

// A theVan and a theRider are whom it is about, where nobody chooses that.
type (
	theVan   fleet.VanpoolID
	theRider fleet.EmployeeID
)

// JSONSchema says that it is the case's to say.
func (theVan) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The van."}
}

// JSONSchema says that it is the case's to say.
func (theRider) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "The rider it is about."}
}
