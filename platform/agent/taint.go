package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// tainted reports whether a tool's arguments that a model wrote, in a run that has
// read text from outside, hold anything but values the brief offered for the field
// they stand in. Every scalar counts, wherever it stands; keys are the schema's.
// Truth values count too: a mail must not be able to turn a switch.
func tainted(tool string, args []byte, o offers) bool {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return true
	}
	return taintedValue(tool, v, o)
}

func taintedValue(field string, v any, o offers) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			// A name with a dot could pass for a path; no schema has one.
			if strings.Contains(name, ".") || taintedValue(field+"."+name, member, o) {
				return true
			}
		}
		return false
	case []any:
		for _, item := range v {
			if taintedValue(field, item, o) {
				return true
			}
		}
		return false
	case string:
		return !o.cover(field, v)
	case json.Number:
		return !o.cover(field, v.String())
	case bool:
		return !o.cover(field, strconv.FormatBool(v))
	}
	return false // null says nothing
}
