package wire

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/model"
)

// A Draft is an answer being put together, from one piece or from many, within
// the bounds of package model. The zero value is an empty answer.
type Draft struct {
	// Stream is handed the text as it comes; nil for nobody.
	Stream func(text string)

	text  strings.Builder
	calls []call
	cut   bool
}

// A call is one wish of a model. Slot is where the vendor says it stands.
type call struct {
	slot     int64
	id, name string
	args     strings.Builder
}

// Text adds to the answer's text.
func (d *Draft) Text(s string) {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if room := model.MaxText - d.text.Len(); len(s) > room {
		d.cut = true
		s = clip(s, room)
	}
	d.text.WriteString(s)
	if d.Stream != nil && s != "" {
		d.Stream(s)
	}
}

// Call adds to the call in a slot. Servers that put all their calls into one
// slot tell them apart by id.
func (d *Draft) Call(slot int64, id, name, args string) {
	c := d.find(slot, id)
	if c == nil {
		return
	}
	if len(id) > model.MaxName || len(c.name)+len(name) > model.MaxName || c.args.Len()+len(args) > model.MaxArgs {
		d.cut = true
		return
	}
	if id != "" {
		c.id = strings.ToValidUTF8(id, "_")
	}
	if c.name != name { // some servers say the whole name with every piece
		c.name += strings.ToValidUTF8(name, "_")
	}
	c.args.WriteString(strings.ToValidUTF8(args, "\uFFFD"))
}

// find is the newest call of the slot, or a new one; nil if there are too many.
func (d *Draft) find(slot int64, id string) *call {
	for i := len(d.calls) - 1; i >= 0; i-- {
		if c := &d.calls[i]; c.slot == slot && (id == "" || c.id == "" || c.id == id) {
			return c
		}
	}
	if len(d.calls) == model.MaxCalls {
		d.cut = true
		return nil
	}
	if d.calls == nil {
		d.calls = make([]call, 0, model.MaxCalls) // a Builder must not move
	}
	d.calls = append(d.calls, call{slot: slot})
	return &d.calls[len(d.calls)-1]
}

// Full reports whether the answer has reached a bound, so that reading on is
// of no use.
func (d *Draft) Full() bool { return d.cut }

// Message is the answer and why it ended, given the vendor's reason. It holds
// calls if and only if the reason is WantsTool: an answer that was cut or
// refused asks for nothing, since nobody can tell what is missing from it.
func (d *Draft) Message(stop model.Stop) (model.Message, model.Stop) {
	m := model.Message{Role: model.Assistant}
	if d.text.Len() > 0 {
		m.Parts = []model.Part{{Text: d.text.String()}}
	}
	switch {
	case d.cut:
		return m, model.TooLong
	case stop == model.TooLong || stop == model.Refused:
		return m, stop
	case len(d.calls) == 0:
		return m, model.Done
	}
	seen := map[string]bool{}
	for i := range d.calls {
		c := &d.calls[i]
		id := c.id
		for n := i + 1; id == "" || seen[id]; n++ { // ours, where a model gives none or one twice
			id = fmt.Sprintf("call_%d", n)
		}
		seen[id] = true
		m.Calls = append(m.Calls, model.Call{ID: id, Name: cmp.Or(c.name, "unnamed"), Args: cmp.Or(c.args.String(), "{}")})
	}
	return m, model.WantsTool
}

// clip is the first n bytes of s or a little less: no character is cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}

// Tokens is a count as reported, brought into sense: a server may say anything,
// and sums of money are made of it.
func Tokens(n int64) int64 {
	const most = 1 << 30
	return min(max(n, 0), most)
}

// Count is a usage as reported, brought into sense.
func Count(input, cached, output int64) model.Usage {
	input = Tokens(input)
	return model.Usage{Input: input, Cached: min(Tokens(cached), input), Output: Tokens(output)}
}

// Word is a short text from outside fit for an identity, a log or an error:
// printable ASCII without spaces, at most 128 bytes.
func Word(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, clip(strings.ToValidUTF8(s, ""), 128))
}
