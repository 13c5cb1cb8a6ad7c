package scim

import (
	"encoding/json"
	"strings"
)

// An addressed is a change of the one address that is held, in its turn.
type addressed struct {
	held *string // only where this is the address; nil: whichever it is
	to   string
}

// takeEmail takes an address, where a path's filter picks the one that is held.
func (c *Change) takeEmail(filter string, value any) error {
	held, ok := picksHeld(filter)
	if !ok {
		return nil
	}
	to, err := address(value)
	if err == nil {
		c.emails = append(c.emails, addressed{held, strings.TrimSpace(to)})
	}
	return err
}

// picksHeld reports whether a filter picks the address that is held, which is the
// primary and for work, and which one that must be for it; nil is whichever. What
// cannot be told picks nothing: an address at home must not replace that for work.
func picksHeld(filter string) (held *string, ok bool) {
	if strings.TrimSpace(filter) == "" {
		return nil, true
	}
	for one := range strings.SplitSeq(filter, " and ") {
		name, rest, _ := strings.Cut(strings.TrimSpace(one), " ")
		op, operand, _ := strings.Cut(strings.TrimSpace(rest), " ")
		var value any
		if op != "eq" || json.Unmarshal([]byte(operand), &value) != nil {
			return nil, false
		}
		s, isText := value.(string)
		switch {
		case name == "type" && s == "work", name == "primary" && (value == true || s == "true"):
		case name == "value" && isText && held == nil:
			held = &s
		default:
			return nil, false
		}
	}
	return held, true
}

// address is one of those that are sent: the primary, else that for work, else the
// first.
func address(value any) (string, error) {
	if s, ok := value.(string); ok || value == nil {
		return s, nil
	}
	all, ok := value.([]any)
	if !ok {
		all = []any{value}
	}
	best, rank := "", -1
	for _, one := range all {
		o, ok := one.(map[string]any)
		address, isText := o["value"].(string)
		if !ok || !isText {
			return "", refuse(InvalidValue, "emails are objects with a value")
		}
		r := 0
		if kind, _ := o["type"].(string); strings.EqualFold(kind, "work") {
			r = 1
		}
		if o["primary"] == true || o["primary"] == "true" || o["primary"] == "True" {
			r = 2
		}
		if r > rank {
			best, rank = address, r
		}
	}
	return best, nil
}
