package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/model"
)

// maxRepairs is how often an answer of the wrong form is sent back before the
// run fails.
const maxRepairs = 2

// answerForm reads the schema of an agent's answer.
func answerForm(schema json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("the schema of its answer: %w", err)
	}
	form, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema of its answer: %w", err)
	}
	return form, nil
}

// checkAnswer says what is wrong with a final answer, in words for the model;
// empty means it will do.
func checkAnswer(s Spec, m model.Message) string {
	said := strings.TrimSpace(m.Text())
	if said == "" {
		return "You answered nothing."
	}
	if s.Answer == nil {
		return ""
	}
	form, err := answerForm(s.Answer)
	if err != nil {
		return err.Error()
	}
	one, err := jcs.Transform([]byte(said)) // refuses a name that stands twice
	if err != nil {
		return "Your answer is not one JSON value."
	}
	var plain any
	if err := json.Unmarshal(one, &plain); err != nil {
		return "Your answer is not JSON."
	}
	if err := form.Validate(plain); err != nil {
		return fmt.Sprintf("Your answer does not have the form asked for: %.500v", err)
	}
	return ""
}

// handedOn is a final answer as it is handed on: in canonical form where it has
// one, so that nothing travels beside what was checked.
func handedOn(s Spec, m model.Message) (string, error) {
	if s.Answer == nil {
		return m.Text(), nil
	}
	one, err := jcs.Transform([]byte(strings.TrimSpace(m.Text())))
	return string(one), err
}

// enumAnswer reports whether an agent's answer can only be one of the words in
// its schema, so that nothing it read can travel in it. Such an agent, without
// tools, does not taint whoever set it to work.
func enumAnswer(s Spec) bool {
	if s.Answer == nil || len(s.Tools) > 0 || len(s.Agents) > 0 {
		return false
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(s.Answer, &schema); err != nil {
		return false
	}
	return closed(&schema)
}

// closed reports whether a schema admits fixed values only.
func closed(s *jsonschema.Schema) bool {
	switch {
	case s == nil || s.AnyOf != nil || s.OneOf != nil || s.AllOf != nil || s.Ref != "" || s.PatternProperties != nil:
		return false
	case len(s.Enum) > 0 || s.Const != nil || s.Type == "boolean":
		return true
	case s.Type != "object" || !reflect.DeepEqual(s.AdditionalProperties, &jsonschema.Schema{Not: &jsonschema.Schema{}}):
		return false
	}
	for _, p := range s.Properties {
		if !closed(p) {
			return false
		}
	}
	return true
}
