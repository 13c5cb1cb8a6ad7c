package mind

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// What a model writes of each call. Who decides is not among it, and neither is a file: they are filled in. What a person has not said
// is left out, so that they are asked; code says what is missing, in the person's language, and not a schema.
type (
	nothing struct {
		Case string `json:"case" inject:"case"`
	}
	createArgs struct {
		PersonName   *string `json:"person_name,omitempty" jsonschema:"whom the pass is for, as the person wrote it; leave it out if they have not"`
		Description  *string `json:"description,omitempty" jsonschema:"what it is for, in the person's words; leave it out if they have not said"`
		IsReturnable *bool   `json:"is_returnable,omitempty" jsonschema:"whether they come back; leave it out if the person has not said"`
		Case         string  `json:"case" inject:"case"`
	}
	listArgs struct {
		Status statusWord `json:"status,omitempty"`
		Case   string     `json:"case" inject:"case"`
	}
	passArgs struct {
		PassNumber passNumber `json:"pass_number,omitempty"`
		Case       string     `json:"case" inject:"case"`
	}
	refArgs struct {
		PassID string `json:"pass_id,omitempty" jsonschema:"the pass's id or its number"`
		Case   string `json:"case" inject:"case"`
	}
	scanArgs struct {
		PassNumber passNumber `json:"pass_number,omitempty"`
		Photo      string     `json:"photo,omitempty" jsonschema:"the id of a photo that was handed in, att_…; never a path"`
		Case       string     `json:"case" inject:"case"`
	}
	noticeArgs struct {
		NotificationID string `json:"notification_id,omitempty" jsonschema:"the notice's id, as a list gave it"`
		Case           string `json:"case" inject:"case"`
	}
	// cardArgs are those of what a person confirms: what the model names, and what the database says of it.
	cardArgs struct {
		PassNumber  passNumber `json:"pass_number"`
		Reason      string     `json:"reason,omitempty" jsonschema:"why, if the person said"`
		PersonName  fixed      `json:"person_name,omitempty"`
		Description fixed      `json:"description,omitempty"`
		Status      fixed      `json:"status,omitempty"`
		ValidFrom   fixed      `json:"valid_from,omitempty"`
		ValidUntil  fixed      `json:"valid_until,omitempty"`
		Version     fixedInt   `json:"version,omitempty"`
		Case        string     `json:"case" inject:"case"`
	}
)

// A passNumber is a number of a pass.
type passNumber string

// JSONSchema says its form.
func (passNumber) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: jsonschema.Ptr(40),
		Description: "The pass's number, as GP-2026-0001 (" + number.Form + ")."}
}

// A statusWord is one of the statuses.
type statusWord string

// JSONSchema lists them.
func (statusWord) JSONSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string", Description: "Only passes in this status."}
	for _, one := range pass.Statuses() {
		s.Enum = append(s.Enum, string(one))
	}
	return s
}

// What the record says of a pass on a card.
type (
	fixed    string
	fixedInt int
)

// JSONSchema says that it is the record's to say.
func (fixed) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "As the record has it."}
}

// JSONSchema says that it is the record's to say.
func (fixedInt) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Description: "Which version of the pass was shown."}
}

// asMap is what a model wrote, by the names of the first design.
func asMap(in any) map[string]any {
	text, err := json.Marshal(in)
	if err != nil {
		return nil
	}
	var out map[string]any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	delete(out, "case")
	return out
}
