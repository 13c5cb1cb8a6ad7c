package tool

import (
	"fmt"
	"slices"
)

// Choices are the outcomes of a tool that has several: one argument picks among them, and
// each has arguments of its own. A page shows them as what can be done, each with its
// fields, in place of a form of everything. The zero value is one outcome.
type Choices struct {
	Arg string // the argument that picks
	All []Choice
}

// A Choice is one outcome.
type Choice struct {
	Value  string   // of the argument that picks
	Fields []string // arguments that belong to it, texts all of them, in the order of a page
	Must   []string // those of them that it cannot do without
}

// Find is a choice by its value.
func (c Choices) Find(value string) (Choice, bool) {
	i := slices.IndexFunc(c.All, func(one Choice) bool { return one.Value == value })
	if i < 0 {
		return Choice{}, false
	}
	return c.All[i], true
}

// Fields are the arguments that belong to any of the choices, each once.
func (c Choices) Fields() (all []string) {
	for _, one := range c.All {
		for _, name := range one.Fields {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// badChoices lists what the choices say that the arguments do not have.
func (t Tool) badChoices() (wrong []string) {
	if t.Choices.Arg == "" && len(t.Choices.All) == 0 {
		return nil
	}
	if t.in.schema == nil {
		return []string{"chooses among arguments that it has not"}
	}
	picks := t.in.schema.Properties[t.Choices.Arg]
	if picks == nil || len(picks.Enum) == 0 || picks.ReadOnly || len(t.Choices.All) < 2 {
		return []string{fmt.Sprintf("chooses by %q, which is no argument with several values", t.Choices.Arg)}
	}
	for _, one := range t.Choices.All {
		if !slices.Contains(picks.Enum, any(one.Value)) {
			wrong = append(wrong, fmt.Sprintf("has a choice %q that its argument does not take", one.Value))
		}
		for _, name := range one.Fields {
			if p := t.in.schema.Properties[name]; p == nil || !takes(p, "string") || p.ReadOnly || slices.Contains(t.in.schema.Required,
				name) {
				wrong = append(wrong, fmt.Sprintf("has a choice %q with the field %q, which is no text that may be left out", one.Value,
					name))
			}
		}
		for _, name := range one.Must {
			if !slices.Contains(one.Fields, name) {
				wrong = append(wrong, fmt.Sprintf("has a choice %q that needs %q and has no such field", one.Value, name))
			}
		}
	}
	return wrong
}
