package console

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
)

// A shownDoc is the part of what was shown that the page has a place for.
type shownDoc struct {
	Tool     string          `json:"tool"`
	Line     string          `json:"line"`
	Effect   string          `json:"effect"`
	Args     json.RawMessage `json:"args"`
	Agent    string          `json:"agent"`
	Role     string          `json:"role"`
	Said     string          `json:"said"`
	Taint    bool            `json:"taint"`
	Case     string          `json:"case"`
	Question string          `json:"question"`
	Act      string          `json:"act"`
	By       string          `json:"by"`
	Via      string          `json:"via"` // the door by which another program asked
	Verdict  json.RawMessage `json:"verdict"`
	Finding  json.RawMessage `json:"finding"`
}

// placed are the members of a shown document that stand somewhere on the page.
var placed = []string{"tool", "line", "effect", "args", "agent", "role", "said", "taint", "case", "question", "act", "by", "via", "verdict",
	"finding"}

var factToken = regexp.MustCompile(`\{\{(F[1-9][0-9]{0,8})(?:\|[a-z0-9]+)*\}\}`)

// citedIn lists the facts that a document cites, each once.
func citedIn(doc json.RawMessage) []fact.ID {
	var all []fact.ID
	for _, m := range factToken.FindAllSubmatch(doc, -1) {
		if id := fact.ID(m[1]); !slices.Contains(all, id) && len(all) < maxCited {
			all = append(all, id)
		}
	}
	return all
}

// open takes the shown document apart. What the page has no place of its own for
// is shown as fields of the types it has: nothing that was shown is left out.
func (v *proposalView) open(editing func(review.Proposal) (Editing, bool)) {
	if v.Shown == nil {
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(v.Shown, &members) != nil || json.Unmarshal(v.Shown, &v.doc) != nil {
		v.doc = shownDoc{}
		v.rest = v.draw(nil, v.Shown)
		return
	}
	var schema json.RawMessage
	if editing != nil {
		if e, ok := editing(v.Proposal); ok {
			v.editing, schema = &e, e.Schema
		}
	}
	place := placed
	v.verdict, v.found = readVerdict(v.doc.Verdict), readFound(v.doc.Finding)
	if v.verdict == nil || v.found == nil { // one that is none is shown as it stands
		place = slices.DeleteFunc(slices.Clone(placed), func(name string) bool {
			return name == "verdict" && v.verdict == nil || name == "finding" && v.found == nil
		})
	}
	args := v.doc.Args
	if args == nil {
		args = v.Args
	}
	v.args = v.draw(schema, args)
	for _, name := range place {
		delete(members, name)
	}
	if len(members) > 0 {
		rest, err := json.Marshal(members)
		if err == nil {
			v.rest = v.draw(nil, rest)
		}
	}
}

// draw is a document as fields: by its schema, or else by the types it has. One
// that is neither is shown as it stands: nobody decides on what they cannot see.
func (v *proposalView) draw(schema, doc json.RawMessage) *forms.Form {
	for _, by := range []json.RawMessage{schema, nil} {
		if form, err := forms.New(by, doc); err == nil {
			return form
		}
	}
	var text bytes.Buffer
	if json.Indent(&text, doc, "", "  ") != nil {
		text.Write(doc)
	}
	v.plain = append(v.plain, text.String())
	return nil
}
