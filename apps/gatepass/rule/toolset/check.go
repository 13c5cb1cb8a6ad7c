package toolset

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// A Fault is one thing that is wrong with a call, by a code.
type Fault struct {
	Param string
	Code  string
}

// The codes.
const (
	Missing   = "missing"   // the person is asked for it
	Malformed = "malformed" // it is there and has not the form that it should have; the person is asked again
	Unknown   = "unknown"   // the tool knows no such value; a model made it up
	NotYours  = "not_yours" // it is filled from who is signed in, and a model tried to
)

var (
	attachmentForm = regexp.MustCompile(`^att_[a-z0-9]{8,64}$`)
	passIDForm     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	plainIDForm    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// mostText is how long a text may be, in characters; the API has bounds of its own for each field.
const mostText = 500

// Check is everything that is wrong with a call, in the order in which it is asked for; nothing where it may be made.
func (t Tool) Check(args map[string]any) []Fault {
	var faults []Fault
	known := map[string]bool{}
	for _, p := range t.Params {
		known[p.Name] = true
		v, given := args[p.Name]
		blank := !given || v == nil || p.Form != Yes && empty(v)
		switch {
		case p.Injected && given:
			faults = append(faults, Fault{p.Name, NotYours})
		case p.Injected || blank && !p.Required:
		case blank:
			faults = append(faults, Fault{p.Name, Missing})
		case !p.Form.fits(v):
			faults = append(faults, Fault{p.Name, Malformed})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(args)) {
		if !known[n] {
			faults = append(faults, Fault{n, Unknown})
		}
	}
	return faults
}

// Asks is what a person must be asked before a call can be made, in order: what is missing, and what was not understood.
func (t Tool) Asks(args map[string]any) []string {
	var ask []string
	for _, f := range t.Check(args) {
		if f.Code == Missing || f.Code == Malformed {
			ask = append(ask, f.Param)
		}
	}
	return ask
}

// AskKey is where the words of a question for a value stand in the message files.
func AskKey(param string) string { return "gatepass.ask." + param }

func empty(v any) bool {
	s, isText := v.(string)
	return isText && strings.TrimSpace(s) == ""
}

// fits reports whether a value has a form. Nothing is turned into it: "yes" is no boolean, because a model that reads
// "maybe" as yes would write "yes", too.
func (f Form) fits(v any) bool {
	if f == Yes {
		_, is := v.(bool)
		return is
	}
	s, isText := v.(string)
	if !isText {
		return false
	}
	_, err := number.Parse(s)
	switch f {
	case PassNumber:
		return err == nil
	case PassRef:
		return err == nil || passIDForm.MatchString(s)
	case Status:
		return slices.Contains(pass.Statuses(), pass.Status(s))
	case Attachment:
		return attachmentForm.MatchString(s)
	case ID:
		return plainIDForm.MatchString(s)
	case Text:
		return len([]rune(s)) <= mostText
	}
	return false
}

// Collect is what is known of a call after a message: what was known, and what the message adds. A value that the tool has none for, or
// that is not the model's to give, is left out; one that is given again replaces what was there.
func (t Tool) Collect(pending, given map[string]any) map[string]any {
	out := map[string]any{}
	for _, from := range []map[string]any{pending, given} {
		for _, p := range t.Params {
			if v, ok := from[p.Name]; ok && v != nil && !p.Injected && !(p.Form != Yes && empty(v)) {
				out[p.Name] = v
			}
		}
	}
	return out
}

// Filled is a call as it is sent: what was collected, and what is known of who is signed in, which nothing else can say.
func (t Tool) Filled(args map[string]any, who pass.Actor) map[string]any {
	out := t.Collect(nil, args)
	for _, p := range t.Params {
		if p.Injected && p.Name == "name" {
			out[p.Name] = who.Name
		}
	}
	return out
}

// Read is the arguments of a call as a model wrote them; false where they are no JSON object.
func Read(text []byte) (map[string]any, bool) {
	var args map[string]any
	err := json.Unmarshal(text, &args)
	return args, err == nil && args != nil
}
