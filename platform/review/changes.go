package review

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Change is one difference between two sets of arguments.
type Change struct {
	Path   string          `json:"path"`             // JSON pointer (RFC 6901)
	Before json.RawMessage `json:"before,omitempty"` // nil where it was not there
	After  json.RawMessage `json:"after,omitempty"`  // nil where it is not there any more
}

// maxChanges bounds a list of differences; a longer one ends there.
const maxChanges = 1_000

// Changes lists what a person changed: the leaves in which two JSON documents
// differ, in the order of their paths. Lists are compared place by place.
func Changes(before, after json.RawMessage) ([]Change, error) {
	a, err := tree(before)
	if err != nil {
		return nil, err
	}
	b, err := tree(after)
	if err != nil {
		return nil, err
	}
	var d differ
	d.compare("", a, b)
	return d.found, nil
}

// Edited lists what was changed before a proposal was approved; nothing unless it
// was, or once its words are erased.
func (p Proposal) Edited() []Change {
	if p.State != Edited || p.Args == nil || p.FinalArgs == nil {
		return nil
	}
	found, err := Changes(p.Args, p.FinalArgs)
	if err != nil {
		return nil // both were checked when they were stored
	}
	return found
}

// tree is a JSON document with its numbers as they are spelt.
func tree(text json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, fault.New(fault.Invalid, "arguments are not JSON: %w", err)
	}
	return v, nil
}

type differ struct{ found []Change }

// absent is what is not there.
type absent struct{}

func (d *differ) compare(path string, a, b any) {
	if len(d.found) >= maxChanges {
		return
	}
	am, aIs := a.(map[string]any)
	bm, bIs := b.(map[string]any)
	if aIs && bIs {
		for _, k := range slices.Sorted(maps.Keys(merged(am, bm))) {
			d.compare(path+"/"+pointer.Replace(k), member(am, k), member(bm, k))
		}
		return
	}
	al, aIs := a.([]any)
	bl, bIs := b.([]any)
	if aIs && bIs {
		for i := range max(len(al), len(bl)) {
			d.compare(path+"/"+strconv.Itoa(i), item(al, i), item(bl, i))
		}
		return
	}
	before, after := spell(a), spell(b)
	if !bytes.Equal(before, after) {
		d.found = append(d.found, Change{Path: path, Before: before, After: after})
	}
}

var pointer = strings.NewReplacer("~", "~0", "/", "~1")

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func item(l []any, i int) any {
	if i < len(l) {
		return l[i]
	}
	return absent{}
}

func spell(v any) json.RawMessage {
	if _, gone := v.(absent); gone {
		return nil
	}
	text, _ := json.Marshal(v) // it was JSON a moment ago
	return text
}
