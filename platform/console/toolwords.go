package console

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// spoken is the text for a key that an application may or may not give.
func spoken(p *web.Page, key string) (text string, given bool) {
	text = p.T(key)
	return text, text != key
}

// fieldWord is what a tool calls one of its arguments: its own word for it, the
// word that all have for it, or its name.
func fieldWord(p *web.Page, tool, name string) string {
	if text, ok := spoken(p, "field."+tool+"."+name); ok {
		return upperFirst(text)
	}
	return upperFirst(p.Word("field.", name))
}

// valueWord is a value of an argument as people read it; false where it says
// enough by itself.
func valueWord(p *web.Page, tool, name, value string) (string, bool) {
	if value == "" || len(value) > 60 { // a word of an enum is short
		return "", false
	}
	if text, ok := spoken(p, "value."+tool+"."+name+"."+value); ok {
		return text, true
	}
	return spoken(p, "value."+name+"."+value)
}

// worded is fields of a tool's arguments in the page's words: how they are called,
// what they take, what can be picked, and what nobody can change. What is typed stays
// as it is.
func worded(p *web.Page, tool string, fields []forms.Field) []forms.Field {
	all := slices.Clone(fields)
	for i := range all {
		wordField(p, tool, all[i].Name, &all[i])
	}
	return all
}

func wordField(p *web.Page, tool, name string, f *forms.Field) {
	if f.Title == "" && f.Name != "" {
		f.Title = fieldWord(p, tool, f.Name)
	}
	if text, ok := spoken(p, "hint."+tool+"."+name); ok && f.Name != "" {
		f.Hint = text
	}
	if text, ok := valueWord(p, tool, name, f.Text); ok && f.Fixed {
		f.Text = text
	}
	f.Options = slices.Clone(f.Options)
	for i, o := range f.Options {
		if text, ok := valueWord(p, tool, name, o.Label); ok {
			f.Options[i].Label = text
		}
	}
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		inner := f.Fields[i].Name
		if inner == "" { // a row is of what its list is of
			inner = name
		}
		wordField(p, tool, inner, &f.Fields[i])
	}
}

// fixed are the fields that nobody edits, and free are the others.
func fixed(fields []forms.Field) []forms.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f forms.Field) bool { return !f.Fixed })
}

// shownField reports whether a field is there, and is for people to read.
func shownField(f forms.Field) bool { return f.Is != forms.Out && !f.Hidden }

func free(fields []forms.Field) []forms.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f forms.Field) bool { return f.Fixed })
}

// changeWord is a side of a change in the page's words; false where it says enough
// by itself.
func changeWord(p *web.Page, tool string, c forms.Change, s forms.Side) (string, bool) {
	if s.Type != "string" {
		return "", false
	}
	for i := len(c.Path) - 1; i >= 0; i-- {
		if c.Path[i].Name != "" {
			return valueWord(p, tool, c.Path[i].Name, s.Text)
		}
	}
	return "", false
}

var (
	movedStatus = regexp.MustCompile(`\b([a-z][a-z_]*) → ([a-z][a-z_]*)(?: \(([a-z][a-z_]*)\))?`)
	calledTool  = regexp.MustCompile(`^[a-z][a-z0-9]*\.([a-z][a-z0-9_]*)$`)
)

// entryWords is the text of an entry in the page's words where it holds codes: a
// status that became another, and why; the tool that people are asked about. What a
// person or an agent wrote is shown to the letter.
func entryWords(p *web.Page, e casefile.Entry) string {
	if m := calledTool.FindStringSubmatch(e.Text); m != nil && e.Kind == "proposed" { // written by code, whoever asked
		return actName(p, m[1])
	}
	if e.ActorKind != identity.System {
		return e.Text
	}
	return movedStatus.ReplaceAllStringFunc(aboutWords(p, e.Text), func(found string) string {
		m := movedStatus.FindStringSubmatch(found)
		from, known := spoken(p, "status."+m[1])
		if !known {
			return found
		}
		said := from + " → " + p.Word("status.", m[2])
		if m[3] != "" {
			said += " (" + p.Word("value.why.", m[3]) + ")"
		}
		return said
	})
}

// aboutWords is the text of an entry of which the first words, up to a colon or the
// end of a sentence, are a list of what it is about, with those of them in the page's
// words that an application has some for.
func aboutWords(p *web.Page, text string) string {
	head := text
	if end := strings.IndexAny(text, ":."); end >= 0 {
		head = text[:end]
	}
	if len(head) > 200 { // a list is short; what is long is a sentence
		return text
	}
	about := strings.Split(head, ", ")
	for i, word := range about {
		if said, given := spoken(p, "about."+strings.ReplaceAll(word, " ", "_")); given {
			about[i] = said
		}
	}
	return strings.Join(about, ", ") + text[len(head):]
}
