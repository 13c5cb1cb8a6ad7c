package console

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
)

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
}

var placed = []string{"tool", "line", "effect", "args", "agent", "role", "said", "taint", "case", "question", "act", "by", "via"}

var factToken = regexp.MustCompile(`\{\{(F[1-9][0-9]{0,8})(?:\|[a-z0-9]+)*\}\}`)

func citedIn(doc json.RawMessage) []fact.ID {
	var all []fact.ID
	for _, m := range factToken.FindAllSubmatch(doc, -1) {
		if id := fact.ID(m[1]); !slices.Contains(all, id) && len(all) < maxCited {
			all = append(all, id)
		}
	}
	return all
}

func (v *proposalView) open(editing func(review.Proposal) (Editing, bool)) {
	if v.Shown == nil {
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(v.Shown, &members) != nil || json.Unmarshal(v.Shown, &v.doc) != nil {
		v.doc = shownDoc{}
		v.rest, _ = forms.New(nil, v.Shown)
		return
	}
	var schema json.RawMessage
	if editing != nil {
		if e, ok := editing(v.Proposal); ok {
			v.editing, schema = &e, e.Schema
		}
	}
	args := v.doc.Args
	if args == nil {
		args = v.Args
	}
	v.args, _ = forms.New(schema, args) // of what was proposed, which was checked then
	for _, name := range placed {
		delete(members, name)
	}
	if len(members) > 0 {
		rest, err := json.Marshal(members)
		if err == nil {
			v.rest, _ = forms.New(nil, rest)
		}
	}
}
