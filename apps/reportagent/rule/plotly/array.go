package plotly

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Array is a list of values. Two dimensions are kept as rows one after the other.
type Array struct {
	Items []Item
	Rows  int // 0 for a plain list
}

// An Item is one value: text, and whether it is a number. NaN, infinities and null are Empty.
type Item struct {
	Text   string
	Number bool
	Empty  bool
}

// UnmarshalJSON reads a list, a single value, or typed bytes.
func (a *Array) UnmarshalJSON(b []byte) error {
	*a = Array{}
	switch b[0] {
	case '{':
		return a.typed(b)
	case '[':
		var raw []json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			return err
		}
		for _, r := range raw {
			i, err := item(r)
			if err != nil {
				return err
			}
			a.Items = append(a.Items, i)
		}
		return nil
	}
	i, err := item(b)
	if err == nil && !i.Empty {
		a.Items = []Item{i}
	}
	return err
}

func item(raw json.RawMessage) (Item, error) {
	switch {
	case string(raw) == "null":
		return Item{Empty: true}, nil
	case raw[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return Item{Text: s}, err
	case raw[0] == '{' || raw[0] == '[':
		return Item{}, fault.New(fault.Invalid, "an array holds a value of another form: %.40s", raw)
	case raw[0] == 't' || raw[0] == 'f':
		return Item{Text: string(raw)}, nil
	}
	return Item{Text: string(raw), Number: true}, nil
}

// sizes are the types of values, and how many bytes one has.
var sizes = map[string]int{"i1": 1, "u1": 1, "i2": 2, "u2": 2, "i4": 4, "u4": 4, "f4": 4, "f8": 8}

// typed reads {"dtype":"f8","bdata":"…","shape":"2, 3"}: little-endian values in base64.
func (a *Array) typed(b []byte) error {
	var t struct {
		DType string          `json:"dtype"`
		BData string          `json:"bdata"`
		Shape json.RawMessage `json:"shape"`
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return err
	}
	size := sizes[t.DType]
	if size == 0 {
		return fault.New(fault.Invalid, "an array has the type %.20q: i1, u1, i2, u2, i4, u4, f4 and f8 are read", t.DType)
	}
	data, err := base64.StdEncoding.DecodeString(t.BData)
	if err != nil || len(data)%size != 0 {
		return fault.New(fault.Invalid, "an array of type %s has %d bytes, or is not base64", t.DType, len(data))
	}
	for i := 0; i < len(data); i += size {
		a.Items = append(a.Items, value(t.DType, data[i:i+size]))
	}
	return a.shape(t.Shape)
}

// shape reads "rows, columns", which must be as many as there are values.
func (a *Array) shape(raw json.RawMessage) error {
	text := strings.Trim(string(raw), `"[]() `)
	if text == "" || text == "null" {
		return nil
	}
	n := 1
	var sides []int
	for _, side := range strings.Split(text, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(side))
		if err != nil || v < 0 || v > MaxBytes {
			return fault.New(fault.Invalid, "an array has the shape %.40q", text)
		}
		sides = append(sides, v)
		n *= v
	}
	if n != len(a.Items) || len(sides) > 2 {
		return fault.New(fault.Invalid, "an array of %d values has the shape %.40q", len(a.Items), text)
	}
	if len(sides) == 2 {
		a.Rows = sides[0]
	}
	return nil
}

func value(dtype string, b []byte) Item {
	switch dtype {
	case "i1":
		return whole(int64(int8(b[0])))
	case "u1":
		return whole(int64(b[0]))
	case "i2":
		return whole(int64(int16(binary.LittleEndian.Uint16(b))))
	case "u2":
		return whole(int64(binary.LittleEndian.Uint16(b)))
	case "i4":
		return whole(int64(int32(binary.LittleEndian.Uint32(b))))
	case "u4":
		return whole(int64(binary.LittleEndian.Uint32(b)))
	case "f4":
		return floating(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32)
	}
	return floating(math.Float64frombits(binary.LittleEndian.Uint64(b)), 64)
}

func whole(n int64) Item { return Item{Text: strconv.FormatInt(n, 10), Number: true} }

// floating is the shortest decimal that is this float again; a negative zero has no sign.
func floating(f float64, bits int) Item {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Item{Empty: true}
	}
	form := byte('f')
	if size := math.Abs(f); f != 0 && (size < 1e-6 || size >= 1e15) {
		form = 'e'
	}
	return Item{Text: Zero(strconv.FormatFloat(f, form, -1, bits)), Number: true}
}
