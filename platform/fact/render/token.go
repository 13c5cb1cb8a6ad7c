// Package render is for turning a text that cites facts into one that shows
// them: every token becomes a number in the house style, tagged with the fact it
// came from, and nothing else is a number's source.
//
// Parse knows the grammar of tokens, Renderer substitutes, and Tokens leads a
// rendered page back to the text it was made from, so that a report can be
// checked against its facts by a stranger.
package render

import (
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Token names a fact in a text and how to show it. Its only form is
//
//	"{{" "F"digits [ "|abs" ] [ "|" decimals ] [ "|nounit" ] "}}"
//
// with the options in this order, no blanks, no leading zeros, and decimals from
// 0 to fact.MaxDecimals.
type Token struct {
	ID fact.ID
	fact.Options
}

// String is the token as it is written in a text.
func (t Token) String() string { return "{{" + string(t.ID) + t.suffix() + "}}" }

// suffix is the options as the token writes them.
func (t Token) suffix() string {
	s := ""
	if t.Abs {
		s += "|abs"
	}
	if t.Set {
		s += "|" + strconv.Itoa(t.Decimals)
	}
	if t.NoUnit {
		s += "|nounit"
	}
	return s
}

// A Piece is a stretch of a text: plain words, a token, or something that opens
// like a token and is none.
type Piece struct {
	Start, End int // bytes in the text
	Text       string
	Token      Token
	Kind       PieceKind
}

// PieceKind says what a Piece is.
type PieceKind uint8

// The kinds of piece.
const (
	Words PieceKind = iota
	Fact
	Broken // stands where a token should and does not follow the grammar
)

// maxTokenBytes is the longest token there can be: {{F999999999|abs|12|nounit}}.
const maxTokenBytes = 28

// Parse splits a text into pieces. Joined again, their texts are the text. Braces
// that come in pairs and hold no token are Broken, as is a pair that never closes:
// a reader would see them on the page.
func Parse(text string) []Piece {
	var out []Piece
	words := 0
	for i := 0; i+1 < len(text); {
		pair := text[i : i+2]
		if pair != "{{" && pair != "}}" {
			i++
			continue
		}
		if i > words {
			out = append(out, Piece{Start: words, End: i, Text: text[words:i]})
		}
		p := open(text, i)
		out = append(out, p)
		i, words = p.End, p.End
	}
	if words < len(text) {
		out = append(out, Piece{Start: words, End: len(text), Text: text[words:]})
	}
	return out
}

// open reads the token at i, where a pair of braces stands.
func open(text string, i int) Piece {
	if text[i] == '{' {
		end := strings.Index(text[i:min(len(text), i+maxTokenBytes)], "}}")
		if end >= 0 {
			p := Piece{Start: i, End: i + end + 2, Text: text[i : i+end+2], Kind: Broken}
			if t, ok := ParseToken(p.Text); ok {
				p.Token, p.Kind = t, Fact
				return p
			}
			if !strings.Contains(p.Text[2:], "{{") {
				return p
			}
		}
	}
	return Piece{Start: i, End: i + 2, Text: text[i : i+2], Kind: Broken}
}

// ParseToken reads one token and nothing around it.
func ParseToken(s string) (Token, bool) {
	body, ok := strings.CutPrefix(s, "{{")
	body, closed := strings.CutSuffix(body, "}}")
	parts := strings.Split(body, "|")
	t := Token{ID: fact.ID(parts[0])}
	if !ok || !closed || len(parts) > 4 || t.ID.Number() == 0 {
		return Token{}, false
	}
	rest := parts[1:]
	if len(rest) > 0 && rest[0] == "abs" {
		t.Abs, rest = true, rest[1:]
	}
	if len(rest) > 0 && rest[0] != "nounit" {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 || n > fact.MaxDecimals || strconv.Itoa(n) != rest[0] {
			return Token{}, false
		}
		t.Decimals, t.Set, rest = n, true, rest[1:]
	}
	if len(rest) > 0 && rest[0] == "nounit" {
		t.NoUnit, rest = true, rest[1:]
	}
	return t, len(rest) == 0
}
