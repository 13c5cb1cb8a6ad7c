package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// The bounds of what a policy is shown of one call.
const (
	maxJSON  = 1 << 20 // bytes
	maxDepth = 32
	maxNodes = 20_000
)

// fromMap turns an app's attributes into a record, by way of their JSON.
func fromMap(m map[string]any) (cedar.Record, error) {
	if len(m) == 0 {
		return cedar.Record{}, nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return cedar.Record{}, errors.New("an attribute cannot be written as JSON")
	}
	return fromJSON(text)
}

// fromJSON turns a JSON object into a record. Nothing at all is the empty one.
//
// Cedar has no null: a member that is null is left out, and `has` tells; a null
// in a list is refused. A list becomes a set, so order and repetition are lost.
// A whole number that fits 64 bits is a long, other numbers are decimals where
// four digits after the point hold them exactly, and text where not. A policy
// that compares such a text as a number fails, which is a no.
func fromJSON(text []byte) (cedar.Record, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return cedar.Record{}, nil
	}
	if len(text) > maxJSON {
		return cedar.Record{}, fmt.Errorf("more than %d bytes", maxJSON)
	}
	r := reader{dec: json.NewDecoder(bytes.NewReader(text))}
	r.dec.UseNumber()
	v, err := r.value(0)
	if err != nil {
		return cedar.Record{}, err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return cedar.Record{}, errors.New("more than one JSON value")
	}
	record, ok := v.(cedar.Record)
	if !ok {
		return cedar.Record{}, errors.New("not a JSON object")
	}
	return record, nil
}

// A reader walks a JSON text token by token, which is how it sees a name that
// is there twice.
type reader struct {
	dec   *json.Decoder
	nodes int
}

// value reads the next value; nil is JSON's null.
func (r *reader) value(depth int) (cedar.Value, error) {
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		return nil, errors.New("too deep or too many values")
	}
	token, err := r.dec.Token()
	if err != nil {
		return nil, errors.New("not JSON")
	}
	switch t := token.(type) {
	case nil:
		return nil, nil
	case bool:
		return cedar.Boolean(t), nil
	case string:
		return cedar.String(t), nil
	case json.Number:
		return number(t.String()), nil
	case json.Delim:
		if t == '{' {
			return r.object(depth)
		}
		return r.list(depth)
	}
	return nil, errors.New("not JSON")
}

func (r *reader) object(depth int) (cedar.Value, error) {
	m := cedar.RecordMap{}
	seen := map[string]bool{}
	for r.dec.More() {
		token, err := r.dec.Token()
		name, ok := token.(string)
		if err != nil || !ok {
			return nil, errors.New("not JSON")
		}
		if seen[name] {
			return nil, errors.New("a name is there twice")
		}
		seen[name] = true
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if v != nil {
			m[cedar.String(name)] = v
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, errors.New("not JSON")
	}
	return cedar.NewRecord(m), nil
}

func (r *reader) list(depth int) (cedar.Value, error) {
	var all []cedar.Value
	for r.dec.More() {
		v, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if v == nil {
			return nil, errors.New("a list holds null")
		}
		all = append(all, v)
	}
	if _, err := r.dec.Token(); err != nil {
		return nil, errors.New("not JSON")
	}
	return cedar.NewSet(all...), nil
}

// number is a JSON number as a long, a decimal or, where neither holds it
// exactly, as its own text. 1, 1.0 and 10e-1 are the same long.
func number(text string) cedar.Value {
	digits, exponent, ok := scientific(text)
	if !ok {
		return cedar.String(text)
	}
	if exponent >= 0 {
		if n, err := strconv.ParseInt(digits+strings.Repeat("0", exponent), 10, 64); err == nil {
			return cedar.Long(n)
		}
		return cedar.String(text)
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", max(0, 4+exponent)), 10, 64)
	if err != nil || exponent < -4 {
		return cedar.String(text)
	}
	d, err := cedar.NewDecimal(n, -4)
	if err != nil {
		return cedar.String(text)
	}
	return d
}

// scientific is a JSON number as digits times a power of ten, with no zero at
// the end of the digits. It is not ok for powers no policy could mean.
func scientific(text string) (digits string, exponent int, ok bool) {
	mantissa, power, has := strings.Cut(strings.ToLower(text), "e")
	if has {
		n, err := strconv.Atoi(power)
		if err != nil || math.Abs(float64(n)) > 400 {
			return "", 0, false
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	exponent -= len(fraction)
	short := strings.TrimRight(digits, "0")
	if short == "" || short == "-" {
		return "0", 0, true
	}
	exponent += len(digits) - len(short)
	return short, exponent, exponent <= 400
}
