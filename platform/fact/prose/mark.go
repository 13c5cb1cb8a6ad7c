package prose

import (
	"strconv"

	"github.com/gavelhq/gavel/platform/fact/lexicon"
)

// mark turns the lexemes of a sentence into nodes. Where several readings start
// at one place the longest wins, and a subject's name before a common word.
func (r *Reader) mark(lex []lexeme) []Node {
	var out []Node
	for i := 0; i < len(lex); {
		nodes, end := r.nodesAt(lex, i)
		if u, uEnd := find(r.units, lex, i); uEnd > i && len(nodes) > 0 {
			nodes[0].Unit, nodes[0].UnitEnd, nodes[0].HasUnit = u.id, lex[uEnd-1].end, true
		}
		out = append(out, nodes...)
		i = end
	}
	return out
}

func (r *Reader) nodesAt(lex []lexeme, i int) ([]Node, int) {
	l := lex[i]
	node := func(k Kind, end int) Node {
		return Node{Kind: k, Start: l.start, End: lex[end-1].end, Text: l.fold}
	}
	if l.kind == Cited || l.kind == Broken {
		n := node(l.kind, i+1)
		n.Token = l.token
		return []Node{n}, i + 1
	}
	_, allowEnd := find(r.allow, lex, i)
	named, nameEnd := find(r.names, lex, i)
	entry, phraseEnd := r.phrase(lex, i)
	if allowEnd > max(nameEnd, i) {
		return []Node{node(Allowed, allowEnd)}, allowEnd
	}
	if nameEnd > i && nameEnd >= phraseEnd {
		n := node(named.kind, nameEnd)
		n.Dim, n.ID = named.dim, named.id
		return []Node{n}, nameEnd
	}
	if nodes, end := figures(lex, i); end > i {
		return nodes, end
	}
	if end := allowedAt(lex, i); end > i {
		return []Node{node(Allowed, end)}, end
	}
	if l.digit {
		return r.digits(lex, i)
	}
	if phraseEnd > i {
		n := node(Word, phraseEnd)
		n.Sense, n.Arg = entry.Sense, entry.Arg
		return []Node{n}, phraseEnd
	}
	return []Node{node(l.kind, i+1)}, i + 1
}

// phrase is the longest phrase of the lexicon at i; hyphens are passed over.
func (r *Reader) phrase(lex []lexeme, i int) (lexicon.Entry, int) {
	var words []string
	var ends []int
	for j := i; j < len(lex) && len(words) < lexicon.Longest; j++ {
		if lex[j].raw == "-" && j > i {
			continue
		}
		if lex[j].kind != Word || j > i && lex[j].breakHere {
			break
		}
		words, ends = append(words, lex[j].fold), append(ends, j+1)
	}
	e := r.lex.Find(words)
	if e.Sense == lexicon.Bound && e.Words > 1 && words[e.Words-1] == "than" {
		if next := ends[e.Words-1]; next >= len(lex) || lex[next].kind != Cited {
			e = r.lex.Find(words[:1]) // "more than Buildings" compares; "more than {{F1}}" does not
		}
	}
	if e.Words == 0 {
		return e, i
	}
	return e, ends[e.Words-1]
}

// digits reads what holds a digit and is not allowed so far: a year of the data,
// or a free number with its points and commas.
func (r *Reader) digits(lex []lexeme, i int) ([]Node, int) {
	l := lex[i]
	end := i + 1
	for end+1 < len(lex) && !lex[end].space && !lex[end+1].space && lex[end+1].digit && oneOf(lex[end].raw, ".", ",", "/", ":", "٫") {
		end += 2
	}
	n := Node{Kind: Number, Start: l.start, End: lex[end-1].end, Text: l.fold}
	y, err := strconv.Atoi(l.raw)
	if end == i+1 && err == nil && len(l.raw) == 4 && r.years[y] {
		n.Kind, n.Arg = Year, y
	}
	return []Node{n}, end
}

func oneOf(s string, list ...string) bool {
	for _, x := range list {
		if s == x {
			return true
		}
	}
	return false
}
