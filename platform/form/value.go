package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fault"
)

// JSON is the value that the fields hold, in canonical form (RFC 8785). Where a
// field has a problem it fails as Invalid, and the fields say which.
func (f *Form) JSON() (json.RawMessage, error) {
	v, in := f.Root.value()
	if n := f.Problems(); n > 0 || !in {
		return nil, fault.New(fault.Invalid, "%d fields are not filled in as they should be", max(n, 1)).
			Because("form_fields_wrong", "n", strconv.Itoa(max(n, 1)))
	}
	text, err := jcs.Transform([]byte(compact(v)))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "what was filled in cannot be written as JSON")
	}
	if len(text) > maxJSON {
		return nil, fault.New(fault.TooLarge, "what was filled in has %d bytes; the most is %d", len(text), maxJSON).
			Because("form_too_long", "n", strconv.Itoa(maxJSON))
	}
	return text, nil
}

// value is what a field holds, and whether it is there. What is wrong is noted
// on the field.
func (f *Field) value() (v any, in bool) {
	if f.Problem != nil {
		return nil, true
	}
	switch {
	case f.Is == Out:
		return nil, false
	case f.Is == Null:
		return nil, true
	case f.Kind == Group:
		all := map[string]any{}
		for i := range f.Fields {
			if v, in := f.Fields[i].value(); in {
				all[f.Fields[i].Name] = v
			}
		}
		return all, true
	case f.Kind == List:
		all := make([]any, 0, len(f.Fields))
		for i := range f.Fields {
			v, _ := f.Fields[i].value()
			all = append(all, v)
		}
		if f.based && f.base != nil && compact(all) == compact(f.base) {
			return f.base, true
		}
		f.Problem = lengthProblem(f.Limits, len(all))
		return all, true
	}
	v, problem := f.scalar()
	f.Problem = problem
	return v, true
}

// scalar is what a field without others inside it holds.
func (f *Field) scalar() (any, *Problem) {
	if f.Kind.Picks() {
		return f.picked()
	}
	text := lines(f.Text)
	if f.based && f.base != nil && text == lines(drawn(f.Kind, f.base, true)) {
		return f.base, nil // nobody touched it: as it was, to the byte
	}
	switch f.Kind {
	case Whole, Number:
		return f.number(strings.TrimSpace(text))
	case Date:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return nil, &Problem{Code: BadDate}
		}
		return text, nil
	case JSON:
		return f.json(text)
	}
	return f.text(text)
}

// picked is the option of a field that was chosen.
func (f *Field) picked() (any, *Problem) {
	for i, o := range f.Options {
		switch {
		case !o.Chosen:
		case f.Kind == Bool:
			return o.Value == "true", nil
		default:
			return f.schema.Enum[i], nil
		}
	}
	return nil, &Problem{Code: BadChoice}
}

func (f *Field) text(text string) (any, *Problem) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, &Problem{Code: BadText}
	}
	if problem := lengthProblem(f.Limits, utf8.RuneCountInString(text)); problem != nil {
		return nil, problem
	}
	if f.Limits.Pattern != "" {
		if form, err := regexp.Compile(f.Limits.Pattern); err == nil && !form.MatchString(text) {
			return nil, &Problem{BadPattern, f.Limits.Pattern}
		}
	}
	return text, nil
}

func lengthProblem(l Limits, n int) *Problem {
	switch {
	case l.MinLength != nil && n < *l.MinLength:
		return &Problem{BadShort, strconv.Itoa(*l.MinLength)}
	case l.MaxLength != nil && n > *l.MaxLength:
		return &Problem{BadLong, strconv.Itoa(*l.MaxLength)}
	}
	return nil
}

var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (f *Field) number(text string) (any, *Problem) {
	if len(text) > 400 || !numberForm.MatchString(text) {
		return nil, &Problem{Code: BadNumber}
	}
	n := json.Number(text)
	value, _ := n.Float64() // an overflow is not exact
	switch {
	case !Exactly(n):
		return nil, &Problem{Code: BadExact}
	case f.Kind == Whole && !isWhole(n):
		return nil, &Problem{Code: BadWhole}
	case f.Limits.Min != nil && value < *f.Limits.Min:
		return nil, &Problem{BadLow, trim(*f.Limits.Min)}
	case f.Limits.Max != nil && value > *f.Limits.Max:
		return nil, &Problem{BadHigh, trim(*f.Limits.Max)}
	}
	return n, nil
}

func trim(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// json is what a field of JSON holds. Where no schema says what it may be, it
// keeps the type it has.
func (f *Field) json(text string) (any, *Problem) {
	_, v, problem := parse(text)
	if problem == nil && (f.schema == nil || bare(f.schema)) && f.based && f.base != nil && typeOf(v) != typeOf(f.base) {
		problem = &Problem{BadType, typeOf(f.base)}
	}
	if problem != nil {
		return nil, problem
	}
	return v, nil
}

// parse reads one JSON value that can be kept as it is written: no name twice,
// no number that a double does not hold, no depth without end.
func parse(text string) (canonical []byte, v any, problem *Problem) {
	if len(text) > maxJSON {
		return nil, nil, &Problem{BadLong, strconv.Itoa(maxJSON)}
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, nil, &Problem{Code: BadJSON}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) || !utf8.ValidString(text) {
		return nil, nil, &Problem{Code: BadJSON}
	}
	if problem := sound(v, 0); problem != nil {
		return nil, nil, problem
	}
	canonical, err := jcs.Transform([]byte(text))
	if err != nil { // a name twice, or half a character
		return nil, nil, &Problem{Code: BadJSON}
	}
	dec = json.NewDecoder(bytes.NewReader(canonical))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, nil, &Problem{Code: BadJSON}
	}
	return canonical, v, nil
}

func sound(v any, depth int) *Problem {
	if depth > maxNested {
		return &Problem{BadLong, strconv.Itoa(maxNested)}
	}
	switch v := v.(type) {
	case json.Number:
		if !Exactly(v) {
			return &Problem{Code: BadExact}
		}
	case []any:
		for _, item := range v {
			if problem := sound(item, depth+1); problem != nil {
				return problem
			}
		}
	case map[string]any:
		for _, item := range v {
			if problem := sound(item, depth+1); problem != nil {
				return problem
			}
		}
	}
	return nil
}

// maxWhole is the largest whole number that JSON carries safely; maxDigits is
// what a double keeps of a fraction.
const (
	maxWhole  = 1<<53 - 1
	maxDigits = 15
)

// Exactly reports whether a double holds a number as it is written, which is
// all that canonical form keeps of it: no more digits than it can tell apart, and
// not a number so small that it becomes nothing.
func Exactly(n json.Number) bool {
	f, err := n.Float64()
	if err != nil {
		return false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(n.String()), "e")
	digits := strings.Trim(strings.Replace(strings.TrimPrefix(mantissa, "-"), ".", "", 1), "0")
	if f == 0 {
		return digits == ""
	}
	whole := f == float64(int64(f)) && f >= -maxWhole && f <= maxWhole
	return len(digits) <= maxDigits || whole && !strings.ContainsAny(n.String(), ".eE")
}

func isWhole(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f >= -maxWhole && f <= maxWhole && f == float64(int64(f))
}

// lines is a text as forms carry it: a browser sends every end of a line as
// CR LF, and shows it the same.
func lines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// compact is a value on one line, pretty the same for a person to edit. Neither
// can fail for what parse made.
func compact(v any) string { return encode(v, "") }

func pretty(v any) string {
	if text := encode(v, "  "); len(text) <= maxJSON/4 {
		return text
	}
	return compact(v) // indented it might be more than a field takes
}

func encode(v any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if enc.Encode(v) != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
