package audit

import (
	"bytes"
	"encoding/json"

	"github.com/gowebpki/jcs"

	"github.com/gavelhq/gavel/platform/fault"
)

// canonicalBody writes a body as RFC 8785 JSON and checks its bounds. Most
// bodies are ids and digests, and Go writes those in canonical form already; a
// look over the text is much cheaper than taking it apart, which is done for
// the rest.
func canonicalBody(v any) ([]byte, error) {
	if v == nil {
		return []byte("{}"), nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fault.New(fault.Invalid, "a record's body is not JSON: %w", err)
	}
	if len(body) > 4*maxBody { // before the work of putting it in order
		return nil, fault.New(fault.TooLarge, "a record's body has %d bytes; the most is %d", len(body), maxBody)
	}
	if body[0] != '{' {
		return nil, fault.New(fault.Invalid, "a record's body is a JSON object, not %.20q", body)
	}
	plain, err := look(body)
	if err == nil && !plain {
		if body, err = jcs.Transform(body); err != nil {
			return nil, fault.New(fault.Invalid, "a record's body is not JSON that others can read: %w", err)
		}
		_, err = look(body)
	}
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, fault.New(fault.TooLarge, "a record's body has %d bytes; the most is %d", len(body), maxBody)
	}
	return body, nil
}

// look goes once over valid JSON without spaces. It refuses what readers of
// JSON disagree about and what nobody could read, and reports whether the text
// is plainly canonical: members in order, text of ASCII that needs no escape.
// Text that is not may still be canonical.
func look(text []byte) (plain bool, err error) {
	l := looker{text: text, plain: true}
	if err := l.value(0); err != nil {
		return false, err
	}
	return l.plain, nil
}

type looker struct {
	text  []byte
	i     int
	plain bool
}

func (l *looker) value(depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Invalid, "a record's body is nested deeper than %d", maxDepth)
	}
	switch c := l.text[l.i]; c {
	case '{', '[':
		return l.members(depth, c+2) // the closing sign is two further in ASCII
	case '"':
		_, err := l.quoted()
		return err
	case 't', 'f', 'n':
		l.i = l.end()
		return nil
	default:
		return l.number()
	}
}

// members goes over what stands in braces or brackets.
func (l *looker) members(depth int, closing byte) error {
	l.i++
	last := []byte(nil)
	for l.text[l.i] != closing {
		if l.text[l.i] == ',' {
			l.i++
		}
		if closing == '}' {
			name, err := l.quoted()
			if err != nil {
				return err
			}
			l.plain = l.plain && (last == nil || bytes.Compare(last, name) < 0)
			last = name
			l.i++ // the colon
		}
		if err := l.value(depth + 1); err != nil {
			return err
		}
	}
	l.i++
	return nil
}

// quoted goes over a text and returns it with its quotes.
func (l *looker) quoted() ([]byte, error) {
	start := l.i
	for l.i++; l.text[l.i] != '"'; l.i++ {
		switch c := l.text[l.i]; {
		case c == '\\':
			if bytes.HasPrefix(l.text[l.i:], []byte(`\u0000`)) {
				return nil, fault.New(fault.Invalid, "a record's body holds a character that cannot be stored")
			}
			l.plain = false
			l.i++
		case c >= 0x7f:
			l.plain = false
		}
	}
	l.i++
	return l.text[start:l.i], nil
}

// number refuses all but whole numbers that a double holds exactly, at most
// 2^53-1 either way. JSON says nothing about the others, and readers differ.
func (l *looker) number() error {
	const most = "9007199254740991"
	start := l.i
	l.i = l.end()
	digits := bytes.TrimPrefix(l.text[start:l.i], []byte("-"))
	if bytes.ContainsAny(digits, ".eE") || len(digits) > len(most) || len(digits) == len(most) && string(digits) > most {
		return fault.New(fault.Invalid, "the number %.30s in a record's body may be read differently elsewhere", l.text[start:l.i]).
			WithNext("write it as text")
	}
	l.plain = l.plain && string(l.text[start:l.i]) != "-0"
	return nil
}

// end is where the word or number at this place ends: an object always ends
// with a brace.
func (l *looker) end() int { return l.i + bytes.IndexAny(l.text[l.i:], ",]}") }
