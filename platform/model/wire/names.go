package wire

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// plainName is what every vendor accepts as a name of a tool or id of a call.
var plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Names are the tools' names as a vendor accepts them, and the way back. Ours
// may hold a dot ("poolpatrol.get_shift"); theirs may not.
type Names struct{ theirs, ours map[string]string }

// NewNames prepares the names of a request's tools.
func NewNames(tools []model.ToolSpec) (Names, error) {
	n := Names{theirs: map[string]string{}, ours: map[string]string{}}
	for _, t := range tools {
		theirs := Plain(t.Name)
		if other, ok := n.ours[theirs]; ok {
			return Names{}, fault.New(fault.Invalid, "the tools %q and %q have one name, %q, for a model", other, t.Name, theirs)
		}
		n.theirs[t.Name], n.ours[theirs] = theirs, t.Name
	}
	return n, nil
}

// Theirs is a name for the vendor. A call in the conversation may name a tool
// that is not offered any more.
func (n Names) Theirs(ours string) string {
	if theirs, ok := n.theirs[ours]; ok {
		return theirs
	}
	return Plain(ours)
}

// Ours is the name of a call as the request said it; a name that the model
// made up stays as it is.
func (n Names) Ours(theirs string) string {
	if ours, ok := n.ours[theirs]; ok {
		return ours
	}
	return theirs
}

// Plain is a name or id that every vendor accepts: itself where it can be.
func Plain(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	plain := strings.Map(func(r rune) rune {
		if r < 128 && plainName.MatchString(string(r)) {
			return r
		}
		return '_'
	}, name)
	if strings.Count(name, ".") == strings.Count(plain, "_")-strings.Count(name, "_") && len(plain) <= 64 {
		return plain // only dots went
	}
	return fmt.Sprintf("%.50s_%.12s", plain, blob.Sum([]byte(name)).String())
}

// Object is a call's arguments as a JSON object, which vendors insist on when
// they are shown a conversation. What a model wrote wrongly is shown as text.
func Object(args string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &object) == nil && object != nil {
		return json.RawMessage(args)
	}
	text, err := json.Marshal(map[string]string{"unreadable_arguments": args})
	if err != nil {
		return json.RawMessage(`{}`) // a string always marshals
	}
	return text
}
