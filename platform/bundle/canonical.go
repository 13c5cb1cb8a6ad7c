package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fault"
)

// canonical writes a value as RFC 8785 JSON: the one spelling it has in a
// bundle.
func canonical(v any) ([]byte, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	text, err := jcs.Transform(plain)
	if err != nil {
		return nil, fmt.Errorf("write canonical JSON: %w", err)
	}
	return text, nil
}

// Decode reads one JSON value of a bundle into v, a pointer to the type that was
// written. It refuses fields that v does not have and every spelling but the
// canonical one, so that two readers cannot read two things.
func Decode(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fault.New(fault.Invalid, "is not JSON of the known form")
	}
	again, err := canonical(v)
	if err != nil || !bytes.Equal(again, text) {
		return fault.New(fault.Invalid, "is not spelt canonically")
	}
	return nil
}
