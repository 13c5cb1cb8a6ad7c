package selector

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxMembers is how many values of an object or a list are shown.
const maxMembers = 60

// Members shows what an object or a list in a JSON document holds, down to its values:
// their names as pointers from it, and the values as they stand there. A document that
// JSON refuses must not come here.
func Members(r io.Reader, pointer string) (*Excerpt, error) {
	path, err := parsePointer(pointer)
	if err != nil {
		return nil, err
	}
	b, err := text(r)
	if err != nil {
		return nil, err
	}
	w := &walk{dec: json.NewDecoder(b), want: path, out: Excerpt{Header: []string{"name", "value"}, Column: -1, Total: 2, In: pointer}}
	w.dec.UseNumber()
	if err := w.value(nil); err != nil && !errors.Is(err, errShown) {
		return nil, fault.From(fault.Invalid, err, "the document cannot be read")
	}
	if !w.seen {
		return nil, fault.New(fault.NotFound, "nothing stands at %.120q in the document", pointer)
	}
	return &w.out, nil
}

// errShown ends a walk that has shown enough.
var errShown = errors.New("what was wanted is shown")

// A walk reads a document value by value.
type walk struct {
	dec  *json.Decoder
	want []string
	seen bool
	out  Excerpt
}

// value reads the value at a path, and takes in what lies below the one wanted.
func (w *walk) value(path []string) error {
	wanted := len(path) == len(w.want) // value is only asked for paths on the way there or below
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	w.seen = w.seen || wanted
	switch t {
	case json.Delim('{'), json.Delim('['):
		err = w.members(path, t == json.Delim('['))
	default:
		if len(path) >= len(w.want) {
			w.add(path, t)
		}
	}
	if err == nil && (wanted || len(w.out.Rows) == maxMembers) {
		err = errShown
	}
	return err
}

func (w *walk) members(path []string, list bool) error {
	for i := 0; w.dec.More(); i++ {
		name := strconv.Itoa(i)
		if !list {
			t, err := w.dec.Token()
			if err != nil {
				return err
			}
			name, _ = t.(string)
		}
		if n := len(path); n < len(w.want) && w.want[n] != name {
			var beside json.RawMessage
			if err := w.dec.Decode(&beside); err != nil {
				return err
			}
			continue
		}
		if err := w.value(append(path[:len(path):len(path)], name)); err != nil {
			return err
		}
	}
	_, err := w.dec.Token() // the end of it
	return err
}

// add shows a value by its name below the one wanted.
func (w *walk) add(path []string, value json.Token) {
	text := fmt.Sprint(value)
	if value == nil {
		text = "null"
	}
	name := strings.Join(path[len(w.want):], " / ")
	w.out.Rows = append(w.out.Rows, Row{Number: len(w.out.Rows) + 1, Cells: []string{shown(name), shown(text)}})
}
