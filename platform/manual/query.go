package manual

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/platform/fault"
)

// MaxText bounds what is searched for, in bytes.
const MaxText = 200

// A query is what is searched for: every word must be there, and the last may be
// the beginning of one, since people stop typing when they see it.
type query struct {
	text  string // as it was typed
	words []string
}

// parseQuery reads what somebody typed. A query without words finds nothing; one
// that is too long is a fault, and comes back clipped.
func parseQuery(typed string) (query, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(typed, ""))
	if len(text) > MaxText {
		end := MaxText
		for !utf8.RuneStart(text[end]) {
			end--
		}
		return query{text: text[:end]}, fault.New(fault.Invalid, "what is searched for is over %d bytes", MaxText).
			WithNext("search for fewer words")
	}
	q := query{text: text}
	for t := range tokens(text) {
		q.words = append(q.words, t.word)
	}
	return q, nil
}

// matches reports whether a word is one of those that are searched for.
func (q query) matches(word string) bool {
	for i, want := range q.words {
		if word == want || i == len(q.words)-1 && strings.HasPrefix(word, want) {
			return true
		}
	}
	return false
}

// A token is a word in a text and where it stands, in bytes.
type token struct {
	word     string // folded
	from, to int
}

// tokens are the words of a text: letters and digits. What code joins with points,
// hyphens or underscores is several words, so that each of them finds it.
func tokens(s string) iter.Seq[token] {
	return func(yield func(token) bool) {
		from := -1
		for i, r := range s {
			switch in := inWord(r); {
			case in && from < 0:
				from = i
			case !in && from >= 0:
				if !yield(token{fold(s[from:i]), from, i}) {
					return
				}
				from = -1
			}
		}
		if from >= 0 {
			yield(token{fold(s[from:]), from, len(s)})
		}
	}
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// fold makes words equal that differ in case or in accents only. The signs of
// Devanagari are vowels, not accents, and stay.
func fold(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	bare := strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(word))
	return norm.NFC.String(bare)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
