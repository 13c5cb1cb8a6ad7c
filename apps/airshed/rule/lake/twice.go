package lake

import (
	"bytes"
	"encoding/json"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxFields is how many fields one row may have, known ones and others.
const maxFields = 200

// once refuses an object with a field twice, as the decoder understands names, which
// is whatever their case: of two values it would silently take the last, and others
// who read the same file the first. raw is JSON that was found well formed.
func once(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	var names [][]byte
	depth, name := 0, false // name: a text here would be a field's name
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			depth++
			name = depth == 1
		case '}', ']':
			depth--
		case ',':
			name = depth == 1
		case '"':
			end := endOfText(raw, i)
			if name {
				field := raw[i+1 : end]
				if err := another(&names, field, raw[i:end+1]); err != nil {
					return err
				}
				name = false
			}
			i = end
		}
	}
	return nil
}

// endOfText is where the text that begins at a place ends.
func endOfText(raw []byte, i int) int {
	for i++; i < len(raw)-1 && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// another adds a field's name, and refuses one that is there.
func another(names *[][]byte, name, quoted []byte) error {
	if bytes.IndexByte(name, '\\') >= 0 {
		var plain string
		if err := json.Unmarshal(quoted, &plain); err != nil {
			return fault.From(fault.Invalid, err, "a field's name cannot be read")
		}
		name = []byte(plain)
	}
	for _, n := range *names {
		if bytes.EqualFold(n, name) {
			return fault.New(fault.Invalid, "%.40q is there twice", name)
		}
	}
	if len(*names) == maxFields {
		return fault.New(fault.Invalid, "there are more than %d fields", maxFields)
	}
	*names = append(*names, name)
	return nil
}
