package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// tainted reports whether arguments that a model wrote, in a run that has read
// text from outside, hold anything but values the brief offered. Every scalar
// counts, wherever it stands; keys are the schema's. Truth values count too: a
// mail must not be able to turn a switch.
func tainted(args []byte, offered map[string]bool) bool {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return true
	}
	return taintedValue(v, offered)
}

func taintedValue(v any, offered map[string]bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if taintedValue(member, offered) {
				return true
			}
		}
		return false
	case []any:
		for _, item := range v {
			if taintedValue(item, offered) {
				return true
			}
		}
		return false
	case string:
		return !offered[v]
	case json.Number:
		return !offered[v.String()]
	case bool:
		return !offered[strconv.FormatBool(v)]
	}
	return false // null says nothing
}
