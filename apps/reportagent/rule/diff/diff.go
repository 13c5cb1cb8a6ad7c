// Package diff is for what changed between two versions of a text, word by word.
package diff

import (
	"regexp"
	"slices"
	"strings"
)

// An Op says what became of a piece of text.
type Op string

// What becomes of text.
const (
	Same  Op = "same"
	Gone  Op = "gone"
	Added Op = "added"
)

// A Piece is text with one fate.
type Piece struct {
	Op   Op     `json:"op" enum:"same,gone,added"`
	Text string `json:"text"`
}

// most words of which the longest common ones are searched; longer texts are compared paragraph by paragraph.
const most = 2000

var wordForm = regexp.MustCompile(`\s+|[^\s]+`)

// Words compares two texts. The pieces that are the same or gone make the old one, those that are the same or added the new one.
func Words(old, now string) []Piece {
	a, b := wordForm.FindAllString(old, -1), wordForm.FindAllString(now, -1)
	var out []Piece
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < len(a)-begin && end < len(b)-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	out = add(out, Same, a[:begin]...)
	out = append(out, middle(a[begin:len(a)-end], b[begin:len(b)-end])...)
	return legible(merged(add(out, Same, a[len(a)-end:]...)))
}

// legible joins changes between which only blanks are the same: word for word they cannot be read.
func legible(all []Piece) (out []Piece) {
	for len(all) > 0 {
		n := 0
		for n < len(all) && (all[n].Op != Same || n > 0 && n+1 < len(all) && all[n+1].Op != Same && strings.TrimSpace(all[n].Text) == "") {
			n++
		}
		if n == 0 {
			out, all = append(out, all[0]), all[1:]
			continue
		}
		gone, added := "", ""
		for _, p := range all[:n] {
			if p.Op != Added {
				gone += p.Text
			}
			if p.Op != Gone {
				added += p.Text
			}
		}
		if strings.TrimSpace(gone) == "" || strings.TrimSpace(added) == "" {
			out = append(out, all[:n]...)
		} else {
			out = append(out, Piece{Gone, gone}, Piece{Added, added})
		}
		all = all[n:]
	}
	return out
}

func add(out []Piece, op Op, words ...string) []Piece {
	if len(words) == 0 {
		return out
	}
	return append(out, Piece{op, strings.Join(words, "")})
}

// middle compares words by the longest sequence that both have.
func middle(a, b []string) (out []Piece) {
	if len(a) > most || len(b) > most {
		return add(add(nil, Gone, a...), Added, b...)
	}
	long := make([][]uint16, len(a)+1)
	for i := range long {
		long[i] = make([]uint16, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = add(out, Same, a[i])
			i, j = i+1, j+1
		case long[i+1][j] >= long[i][j+1]:
			out = add(out, Gone, a[i])
			i++
		default:
			out = add(out, Added, b[j])
			j++
		}
	}
	return add(add(out, Gone, a[i:]...), Added, b[j:]...)
}

// merged joins neighbours with one fate.
func merged(all []Piece) (out []Piece) {
	for _, p := range all {
		if n := len(out); n > 0 && out[n-1].Op == p.Op {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}
