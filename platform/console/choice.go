package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A choice is one outcome of a proposal that has several, as the bar shows it: a button,
// and before it the fields that belong to it.
type choice struct {
	value    string
	proposed bool // it is what was proposed
	open     bool // its fields are shown: it was pressed, and something is missing
	problem  *forms.Problem
	fields   []choiceField
}

// A choiceField is one field of a choice. Names of the same argument differ from choice to
// choice, so that what is typed for one is not sent for another.
type choiceField struct {
	name, arg, kind string // kind: date, pick or text
	options         []forms.Option
	value           string
	must            bool
	problem         *forms.Problem
}

// The kinds of fields of a choice.
const (
	choiceDate = "date"
	choicePick = "pick"
	choiceText = "text"
)

// maxChoiceText bounds what is typed into a field of a choice, in characters.
const maxChoiceText = 2000

// choiceName is what a field of a choice is called in its form.
func choiceName(value, arg string) string { return "c/" + value + "/" + arg }

// readChoices finds the outcomes that the reader may choose among, with what they typed
// into the form where it came back.
func (c *Console) readChoices(r *http.Request, v *proposalView, typed url.Values) error {
	if v.editing == nil || v.editing.Choices.Arg == "" || !v.mayAnswer(review.Edit) || !v.mayAnswer(review.Approve) {
		return nil
	}
	args, dates := members(v.Args), datesIn(v.editing.Schema)
	picks, err := c.picksFor(r, *v)
	if err != nil {
		return err
	}
	for _, one := range v.editing.Choices.All {
		its := choice{value: one.Value, proposed: text(args[v.editing.Choices.Arg]) == one.Value}
		for _, arg := range one.Fields {
			f := choiceField{name: choiceName(one.Value, arg), arg: arg, kind: choiceText, must: slices.Contains(one.Must, arg)}
			if f.value = typed.Get(f.name); its.proposed && typed == nil {
				f.value = text(args[arg])
			}
			switch options, given := picks[arg]; {
			case given:
				f.kind, f.options = choicePick, options
			case slices.Contains(dates, arg):
				f.kind = choiceDate
			}
			its.fields = append(its.fields, f)
		}
		v.choices = append(v.choices, its)
	}
	return nil
}

// picksFor asks the application what can be picked for the arguments of a proposal.
func (c *Console) picksFor(r *http.Request, v proposalView) (map[string][]forms.Option, error) {
	all := map[string][]forms.Option{}
	for _, part := range c.Parts[v.App] {
		if part.Picks == nil {
			continue
		}
		some, err := part.Picks(r.Context(), v.one, v.Proposal)
		if err != nil {
			return nil, err
		}
		for arg, options := range some {
			all[arg] = options
		}
	}
	return all, nil
}

// members are the arguments of a proposal by name.
func members(args json.RawMessage) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(args, &all) != nil {
		return nil
	}
	return all
}

// text is an argument that is a text; empty for any other.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// datesIn names the arguments that a schema says are dates.
func datesIn(schema json.RawMessage) (all []string) {
	var s struct {
		Properties map[string]struct{ Format string }
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	for name, p := range s.Properties {
		if p.Format == "date" {
			all = append(all, name)
		}
	}
	return all
}

// chooseProposal takes the outcome that a person pressed, with its fields. What is wrong
// with them is said beside each, all at once, and nothing is decided then.
func (c *Console) chooseProposal(w http.ResponseWriter, r *http.Request) error {
	d, err := c.sentDecision(r)
	if err != nil {
		return err
	}
	v, err := c.readToDecide(r, r.PathValue("id"))
	if err != nil {
		return err
	}
	picked, ok := v.choice(r.PostForm.Get("choice"))
	if !ok {
		return fault.New(fault.Conflict, "%s has no such outcome, or not any more; nothing was done", v.ID).
			WithNext("read it again, then decide").Because("outcome_gone", "id", v.ID)
	}
	args, wrong := v.choose(picked, r.PostForm)
	if len(wrong) == 0 {
		err = c.settleChoice(r, v, &args)
	}
	if at, placed := fault.PlaceOf(err); placed {
		wrong = map[string]forms.Problem{at.Field: {Code: at.Code, Limit: at.Given}}
	} else if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return c.chooseAgain(w, r, picked.value, wrong)
	}
	if d.Verdict, d.Edit = review.Approve, nil; effect.Digest(args) != v.ArgsSHA256 {
		d.Verdict, d.Edit = review.Edit, args
	}
	return c.conclude(w, r, d, func() ([]evidence.Move, error) { return c.decideAs(r, d) })
}

// choice is one of the outcomes by its value.
func (v proposalView) choice(value string) (choice, bool) {
	i := slices.IndexFunc(v.choices, func(one choice) bool { return one.value == value })
	if i < 0 {
		return choice{}, false
	}
	return v.choices[i], true
}

// choose is the arguments of an outcome with what was typed, and which of its fields are
// missing. What belongs to the other outcomes is left out.
func (v proposalView) choose(picked choice, form url.Values) (json.RawMessage, map[string]forms.Problem) {
	args, wrong := members(v.Args), map[string]forms.Problem{}
	for _, arg := range v.editing.Choices.Fields() {
		delete(args, arg)
	}
	put := func(arg, value string) {
		raw, _ := json.Marshal(value) // a text
		args[arg] = raw
	}
	put(v.editing.Choices.Arg, picked.value)
	for _, f := range picked.fields {
		value := strings.TrimSpace(form.Get(f.name))
		switch {
		case value == "" && f.must:
			wrong[f.arg] = forms.Problem{Code: "missing"}
		case len([]rune(value)) > maxChoiceText:
			wrong[f.arg] = forms.Problem{Code: forms.BadLong, Limit: "2000"}
		case value != "":
			put(f.arg, value)
		}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, wrong
	}
	return raw, wrong
}

// settleChoice checks arguments as the store will, in the form it will keep.
func (c *Console) settleChoice(r *http.Request, v proposalView, args *json.RawMessage) (err error) {
	if v.editing.Check != nil {
		if *args, err = v.editing.Check(*args); err != nil {
			return err
		}
	}
	return c.foresee(r, v, *args)
}

// chooseAgain shows the proposal with the outcome open that was pressed, and what is
// wrong with its fields beside each.
func (c *Console) chooseAgain(w http.ResponseWriter, r *http.Request, value string, wrong map[string]forms.Problem) error {
	v, err := c.readProposal(r)
	if err != nil {
		return err
	}
	v.stand(url.Values{"back": {r.PostForm.Get("back")}, "next": {r.PostForm.Get("next")}})
	v.choices = nil
	if err := c.readChoices(r, &v, r.PostForm); err != nil {
		return err
	}
	for i := range v.choices {
		if v.choices[i].value != value {
			continue
		}
		v.choices[i].open = true
		for j := range v.choices[i].fields {
			if p, bad := wrong[v.choices[i].fields[j].arg]; bad {
				v.choices[i].fields[j].problem = &p
				delete(wrong, v.choices[i].fields[j].arg)
			}
		}
		for _, p := range wrong { // what is wrong with the outcome itself
			v.choices[i].problem = &p
		}
	}
	return c.showProposal(w, r, http.StatusUnprocessableEntity, v)
}

// choiceWords is an outcome as its button says it.
func choiceWords(p *web.Page, v proposalView, value string) string {
	if said, given := spoken(p, "do."+v.Tool+"."+v.editing.Choices.Arg+"."+value); given {
		return said
	}
	if said, given := valueWord(p, v.Tool, v.editing.Choices.Arg, value); given {
		return said
	}
	return upperFirst(strings.ReplaceAll(value, "_", " "))
}

// choiceHint says what a field of an outcome is for, where its application has words.
func choiceHint(p *web.Page, v proposalView, one choice, f choiceField) string {
	if said, given := spoken(p, "hint."+v.Tool+"."+one.value+"."+f.arg); given {
		return said
	}
	return ""
}
