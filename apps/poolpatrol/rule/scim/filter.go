package scim

import (
	"encoding/json"
	"strings"
)

// An Attribute is one by which users are looked for.
type Attribute string

// The attributes.
const (
	ByID         Attribute = "id"
	ByUserName   Attribute = "username"
	ByExternalID Attribute = "externalid"
)

// A Filter looks for users of whom an attribute is a value. The zero Filter looks
// for all.
type Filter struct {
	By    Attribute
	Value string
}

// maxFilter bounds a filter, in bytes.
const maxFilter = 1024

// ParseFilter reads a filter: an attribute, "eq" and a string in quotes. That is
// what provisioning systems send to find somebody; everything else of the grammar is
// refused, and never guessed at.
func ParseFilter(s string) (Filter, error) {
	if s = strings.TrimSpace(s); s == "" {
		return Filter{}, nil
	}
	if len(s) > maxFilter {
		return Filter{}, refuse(InvalidFilter, "the filter has more than %d bytes", maxFilter)
	}
	name, rest, _ := strings.Cut(s, " ")
	op, text, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	by := Attribute(strings.ToLower(strings.TrimPrefix(strings.ToLower(name), strings.ToLower(CoreUser)+":")))
	if by != ByID && by != ByUserName && by != ByExternalID {
		return Filter{}, refuse(InvalidFilter, "users are looked for by userName, externalId or id")
	}
	if !strings.EqualFold(op, "eq") {
		return Filter{}, refuse(InvalidFilter, "users are looked for with eq and nothing else")
	}
	var value string
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, `"`) || json.Unmarshal([]byte(text), &value) != nil {
		return Filter{}, refuse(InvalidFilter, "the filter ends with one value in double quotes")
	}
	if value == "" || strings.ContainsRune(value, 0) {
		return Filter{}, refuse(InvalidFilter, "nobody is looked for by an empty value")
	}
	return Filter{By: by, Value: value}, nil
}
