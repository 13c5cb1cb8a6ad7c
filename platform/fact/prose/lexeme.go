package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/render"
)

// A lexeme is the smallest thing read: a word, a mark, a token.
type lexeme struct {
	kind       Kind // Word, Punct, Cited or Broken
	start, end int
	fold, raw  string
	digit      bool // holds a digit of any script
	space      bool // a blank stands before it
	line       bool // first of its line
	breakHere  bool // a new block starts before it
	token      render.Token
}

// lexemes splits a text. The tail 's is left out, so that "Industry's" names
// Industry; "doesn't" stays one word.
func lexemes(text string) []lexeme {
	var out []lexeme
	space, line, block := true, true, false
	for _, p := range render.Parse(text) {
		if p.Kind != render.Words {
			kind := Cited
			if p.Kind == render.Broken {
				kind = Broken
			}
			out = append(out, lexeme{kind: kind, start: p.Start, end: p.End, raw: p.Text, token: p.Token, space: space, line: line,
				breakHere: block})
			space, line, block = false, false, false
			continue
		}
		for i := 0; i < len(p.Text); {
			r, n := utf8.DecodeRuneInString(p.Text[i:])
			if r == '\n' {
				block = block || opensBlock(p.Text[i+1:], i+1 == len(p.Text) && p.End == len(text))
				line = true
			}
			if unicode.IsSpace(r) || lexicon.FoldRune(r) < 0 && !unicode.IsMark(r) {
				space = space || unicode.IsSpace(r)
				i += n
				continue
			}
			l := lexemeAt(p.Text, i)
			i += l.end
			l.start, l.end = p.Start+i-l.end, p.Start+i
			l.space, l.line, l.breakHere = space, line, block
			space, line, block = false, false, false
			if l.raw != "" {
				out = append(out, l)
			}
		}
	}
	return out
}

// opensBlock reports whether the line that starts here begins a new block: an
// empty line, a list item, a heading, a table row.
func opensBlock(rest string, end bool) bool {
	rest = strings.TrimLeft(rest, " \t")
	if rest == "" {
		return end
	}
	c := rest[0]
	if strings.IndexByte("\n\r-*#|>+", c) >= 0 {
		return true
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	return digits > 0 && digits < len(rest) && (rest[digits] == '.' || rest[digits] == ')')
}

// lexemeAt reads one lexeme; its end is its length in bytes.
func lexemeAt(s string, i int) lexeme {
	end, digit := i, false
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !wordRune(r) && !(r == '\u200c' || r == '\u200d' || r == '\u00ad') {
			break
		}
		digit = digit || unicode.IsNumber(r)
		end += n
	}
	if end > i {
		if n := contraction(s[i:end], s[end:]); n > 0 {
			end += n
		}
		raw := s[i:end]
		return lexeme{kind: Word, end: end - i, raw: raw, fold: lexicon.Fold(raw), digit: digit}
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == '\'' || r == '’' {
		if tail := s[i+n:]; strings.HasPrefix(tail, "s") && (len(tail) == 1 || !isWordAt(tail[1:])) {
			return lexeme{end: n + 1}
		}
	}
	raw := s[i : i+n]
	return lexeme{kind: Punct, end: n, raw: raw, fold: lexicon.Fold(raw), digit: unicode.IsNumber(r)}
}

func isWordAt(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && wordRune(r)
}

// contraction is the length of "'t" after a word that ends in n.
func contraction(word, rest string) int {
	if !strings.HasSuffix(word, "n") {
		return 0
	}
	for _, tail := range []string{"'t", "’t"} {
		if strings.HasPrefix(rest, tail) && !isWordAt(rest[len(tail):]) {
			return len(tail)
		}
	}
	return 0
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r))
}

// sentences cuts lexemes where a sentence or a block ends.
func sentences(lex []lexeme) [][]lexeme {
	var out [][]lexeme
	from := 0
	for i := range lex {
		if i > from && lex[i].breakHere {
			out = append(out, lex[from:i])
			from = i
		}
		if endsSentence(lex, i) {
			out = append(out, lex[from:i+1])
			from = i + 1
		}
	}
	if from < len(lex) {
		out = append(out, lex[from:])
	}
	return out
}

func endsSentence(lex []lexeme, i int) bool {
	switch lex[i].raw {
	case "।", "॥", "?", "!":
		return true
	case ".":
	default:
		return false
	}
	if i+1 == len(lex) {
		return true
	}
	if !lex[i+1].space {
		return false
	}
	if i == 0 || lex[i-1].kind != Word || lex[i].space {
		return true
	}
	return !abbreviation(lex, i-1)
}

// abbreviation reports whether the word before a full stop is one that goes on:
// "s. 63", "No. 95", "Fig. 2", or the number of a list item.
func abbreviation(lex []lexeme, i int) bool {
	switch lex[i].fold {
	case "s", "ss", "no", "nos", "fig", "figs", "vs", "dr", "mr", "mrs", "ms", "st", "art", "r", "cl", "para", "ch", "approx", "ca", "cf",
		"eg", "ie", "smt":
		return true
	}
	return lex[i].line && lex[i].digit && len(lex[i].fold) <= 3
}
