package selector

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A token is a value of JSON as it was read. Its kind is its first character,
// '0' for every number.
type token struct {
	kind byte
	text string // a number as it is written; a string without quotes and escapes
	cut  bool   // longer than is kept
}

// A scanner reads the grammar of RFC 8259, a byte at a time. The standard
// library's reader holds a value of any length in memory and lets the last of
// two equal names win, so it does not serve here; a fuzz test holds this one to
// its opinion of what is valid.
type scanner struct {
	r     *bufio.Reader
	line  int
	depth int
}

func (s *scanner) bad(format string, args ...any) error {
	e := fault.New(fault.Invalid, format, args...)
	e.Text = "line " + strconv.Itoa(s.line) + " of the document is not JSON: " + e.Text
	return e
}

// next is one byte; the end of the document is an error in itself.
func (s *scanner) next() (byte, error) {
	c, err := s.r.ReadByte()
	switch {
	case err == nil:
		if c == '\n' {
			s.line++
		}
		return c, nil
	case errors.Is(err, io.EOF):
		return 0, s.bad("it ends too early")
	}
	return 0, reading(err)
}

// blank skips white space and peeks; io.EOF at the end of the document.
func (s *scanner) blank() (byte, error) {
	for {
		c, err := s.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return 0, io.EOF
			}
			return 0, reading(err)
		}
		if c == '\n' {
			s.line++
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, s.r.UnreadByte()
		}
	}
}

// peek is the next byte that is not white space.
func (s *scanner) peek() (byte, error) {
	c, err := s.blank()
	if err == io.EOF {
		return 0, s.bad("it ends too early")
	}
	return c, err
}

// nested reads a list or an object, its first byte peeked already.
func (s *scanner) nested(read func() error) error {
	if s.depth++; s.depth > MaxDepth {
		return fault.New(fault.TooLarge, "the document is nested deeper than %d", MaxDepth)
	}
	if _, err := s.next(); err != nil {
		return err
	}
	err := read()
	s.depth--
	return err
}

// name reads up to a member's value: separator, name, colon. The name itself is
// kept if asked for.
func (s *scanner) name(first, keep bool) (name token, end bool, err error) {
	end, err = s.separator(first, '}')
	if err != nil || end {
		return token{}, end, err
	}
	c, err := s.peek()
	if err != nil {
		return token{}, false, err
	}
	if c != '"' {
		return token{}, false, s.bad("%q where a name should begin", c)
	}
	if name, err = s.str(keep); err != nil {
		return token{}, false, err
	}
	if c, err = s.peek(); err != nil {
		return token{}, false, err
	}
	if c != ':' {
		return token{}, false, s.bad("%q where a colon should stand", c)
	}
	_, err = s.next()
	return name, false, err
}

// element reads up to a list's next element.
func (s *scanner) element(first bool) (end bool, err error) { return s.separator(first, ']') }

func (s *scanner) separator(first bool, closing byte) (end bool, err error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	switch {
	case c == closing:
		_, err := s.next()
		return true, err
	case first:
		return false, nil
	case c != ',':
		return false, s.bad("%q where a comma or %q should stand", c, closing)
	}
	if _, err := s.next(); err != nil {
		return false, err
	}
	if c, err = s.peek(); err == nil && c == closing {
		err = s.bad("a comma before %q", closing)
	}
	return false, err
}

// scalar reads a value that has no parts; c is its first byte, not yet read.
func (s *scanner) scalar(c byte, keep bool) (token, error) {
	switch {
	case c == '"':
		return s.str(keep)
	case c == '-' || digit(c):
		return s.number(keep)
	case c == 't':
		return token{kind: c, text: "true"}, s.word("true")
	case c == 'f':
		return token{kind: c, text: "false"}, s.word("false")
	case c == 'n':
		return token{kind: c, text: "null"}, s.word("null")
	}
	return token{}, s.bad("%q where a value should begin", c)
}

func (s *scanner) word(w string) error {
	for i := range len(w) {
		c, err := s.next()
		if err != nil {
			return err
		}
		if c != w[i] {
			return s.bad("%q in the middle of %s", c, w)
		}
	}
	return nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? as text.
func (s *scanner) number(keep bool) (token, error) {
	k := keeper{on: keep}
	c, err := s.next()
	if err != nil {
		return token{}, err
	}
	if c == '-' {
		k.add(c)
		if c, err = s.next(); err != nil {
			return token{}, err
		}
	}
	if !digit(c) {
		return token{}, s.bad("%q in a number", c)
	}
	k.add(c)
	if c != '0' {
		if _, err := s.digits(&k, false); err != nil {
			return token{}, err
		}
	}
	if err := s.tail(&k); err != nil {
		return token{}, err
	}
	return token{'0', k.b.String(), k.cut}, nil
}

// tail reads the fraction and the exponent of a number, if there are any.
func (s *scanner) tail(k *keeper) error {
	if c, ok := s.ahead(); ok && c == '.' {
		if _, err := s.digits(k, true); err != nil {
			return err
		}
	}
	c, ok := s.ahead()
	if !ok || c != 'e' && c != 'E' {
		return nil
	}
	_, _ = s.next() // peeked
	k.add(c)
	if c, ok := s.ahead(); ok && (c == '+' || c == '-') {
		_, _ = s.next() // peeked
		k.add(c)
	}
	n, err := s.digits(k, false)
	if err == nil && n == 0 {
		err = s.bad("an exponent without digits")
	}
	return err
}

// digits reads digits; with point, the point before them too, and at least one.
func (s *scanner) digits(k *keeper, point bool) (n int, err error) {
	if point {
		c, err := s.next()
		if err != nil {
			return 0, err
		}
		k.add(c)
	}
	for {
		c, ok := s.ahead()
		if !ok || !digit(c) {
			if point && n == 0 {
				err = s.bad("a point without digits after it")
			}
			return n, err
		}
		_, _ = s.next() // peeked
		k.add(c)
		n++
	}
}

// ahead peeks one byte; at the end, or at an error that the next read will
// report, there is none.
func (s *scanner) ahead() (byte, bool) {
	b, err := s.r.Peek(1)
	if err != nil {
		return 0, false
	}
	return b[0], true
}

// str reads a string with its quotes.
func (s *scanner) str(keep bool) (token, error) {
	k := keeper{on: keep}
	if _, err := s.next(); err != nil { // the opening quote
		return token{}, err
	}
	for {
		c, err := s.next()
		switch {
		case err != nil:
			return token{}, err
		case c == '"':
			return token{'"', k.b.String(), k.cut}, nil
		case c < 0x20:
			return token{}, s.bad("a control character in a text")
		case c != '\\':
			k.add(c)
		default:
			if err := s.escape(&k); err != nil {
				return token{}, err
			}
		}
	}
}

func (s *scanner) escape(k *keeper) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		k.add("\"\\/\b\f\n\r\t"[i])
		return nil
	}
	if c != 'u' {
		return s.bad("%q after a backslash", c)
	}
	r, err := s.hex4()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		r, err = s.pair(r, k)
	}
	k.addRune(r)
	return err
}

// pair reads the second half of a character that takes two escapes. A half
// without its other is U+FFFD, as elsewhere.
func (s *scanner) pair(high rune, k *keeper) (rune, error) {
	for {
		next, err := s.r.Peek(2)
		if err != nil || next[0] != '\\' || next[1] != 'u' {
			return utf8.RuneError, nil
		}
		_, _ = s.r.Discard(2) // peeked
		low, err := s.hex4()
		if err != nil {
			return utf8.RuneError, err
		}
		if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
			return r, nil
		}
		k.addRune(utf8.RuneError)
		if !utf16.IsSurrogate(low) {
			return low, nil
		}
		high = low
	}
}

func (s *scanner) hex4() (rune, error) {
	var r rune
	for range 4 {
		c, err := s.next()
		if err != nil {
			return 0, err
		}
		v := strings.IndexByte("0123456789abcdef", c|0x20)
		if v < 0 || c < '0' {
			return 0, s.bad("%q where a hex digit should stand", c)
		}
		r = r<<4 | rune(v)
	}
	return r, nil
}

// A keeper collects text up to its bound, if it is on.
type keeper struct {
	b       strings.Builder
	on, cut bool
}

func (k *keeper) add(c byte) {
	switch {
	case !k.on:
	case k.b.Len() >= MaxText:
		k.cut = true
	default:
		k.b.WriteByte(c)
	}
}

func (k *keeper) addRune(r rune) {
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		k.add(c)
	}
}
