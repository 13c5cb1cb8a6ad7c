package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Number is a tagged number of a report, as it stands there.
type Number struct {
	Fact    fact.ID `json:"fact"`
	Version int     `json:"version"`
	Show    string  `json:"show,omitempty"` // the token's options: "|abs|1"
	Value   string  `json:"value"`
	Text    string  `json:"text"` // what the reader sees
}

// tagForm is a number as package render writes it. What is spelt otherwise was
// not written by it.
var tagForm = regexp.MustCompile(`^<data class="[a-z ]{1,40}" value="([^"<>]{1,200})" data-fact="(F[1-9][0-9]{0,8})" data-version="([1-9][0-9]{0,8})"(?: data-show="([a-z0-9|]{1,40})")?>([^<>]{1,400})</data>$`)

// Numbers lists the tagged numbers of a report in their order, and counts the
// tags that were not written by package render. It looks no further than one
// past MaxNumbers.
func Numbers(page []byte) (numbers []Number, odd int) {
	for len(numbers)+odd <= MaxNumbers {
		at := bytes.Index(page, []byte("<data"))
		if at < 0 {
			break
		}
		page = page[at:]
		end := bytes.Index(page, []byte("</data>"))
		if end < 0 {
			return numbers, odd + 1
		}
		tag := page[:end+len("</data>")]
		if inner := bytes.LastIndex(tag, []byte("<data")); inner > 0 { // one that was never closed
			odd++
			page = page[inner:]
			continue
		}
		page = page[len(tag):]
		m := tagForm.FindSubmatch(tag)
		if m == nil {
			odd++
			continue
		}
		version, _ := strconv.Atoi(string(m[3])) // nine digits at most
		plain := func(b []byte) string { return html.UnescapeString(string(b)) }
		numbers = append(numbers, Number{Fact: fact.ID(m[2]), Version: version, Show: plain(m[4]), Value: plain(m[1]), Text: plain(m[5])})
	}
	return numbers, odd
}

// maxDifferences bounds the list: after so many, more tell nothing new.
const maxDifferences = 50

// differences says how the numbers of a copy differ from those that left. The
// places of one fact are compared in their order, so that one number left out
// does not make all that follow it wrong.
func differences(was, is []Number, odd int) (said []string, more int) {
	add := func(format string, args ...any) {
		if len(said) == maxDifferences {
			more++
			return
		}
		said = append(said, fmt.Sprintf(format, args...))
	}
	before, after := byFact(was), byFact(is)
	for _, id := range factsOf(was, is) {
		a, b := before[id], after[id]
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				add("%s said %s, and this copy says %s.", placed(id, i, len(a)), seen(a[i], b[i]), seen(b[i], a[i]))
			}
		}
		if gone := len(a) - len(b); gone > 0 {
			add("%s stood in %s, and %s missing from this copy.", id, places(len(a)), these(gone))
		} else if gone < 0 {
			add("%s stood in %s, and this copy has it in %s.", id, places(len(a)), places(len(b)))
		}
	}
	if len(said) == 0 && !slices.Equal(was, is) {
		add("The numbers are those that left, in another order.")
	}
	if odd > 0 {
		add("%s in this copy not tagged as our reports tag them.", numbersAre(odd))
	}
	return said, more
}

func byFact(all []Number) map[fact.ID][]Number {
	m := map[fact.ID][]Number{}
	for _, n := range all {
		m[n.Fact] = append(m[n.Fact], n)
	}
	return m
}

// factsOf lists the facts of both, by number.
func factsOf(lists ...[]Number) []fact.ID {
	var ids []fact.ID
	for _, n := range slices.Concat(lists...) {
		ids = append(ids, n.Fact)
	}
	slices.SortFunc(ids, func(a, b fact.ID) int { return a.Number() - b.Number() })
	return slices.Compact(ids)
}

// placed names one of the places of a fact.
func placed(id fact.ID, i, of int) string {
	if of < 2 {
		return string(id)
	}
	return fmt.Sprintf("%s, place %d of %d,", id, i+1, of)
}

// seen is a number as the reader sees it, and behind it what they do not see
// where that is what differs.
func seen(n, other Number) string {
	var hidden []string
	if n.Value != other.Value {
		hidden = append(hidden, "value "+quoted(n.Value))
	}
	if n.Version != other.Version {
		hidden = append(hidden, "version "+strconv.Itoa(n.Version))
	}
	if n.Show != other.Show {
		hidden = append(hidden, "shown as "+quoted(n.Show))
	}
	if len(hidden) == 0 {
		return quoted(n.Text)
	}
	return quoted(n.Text) + " (" + strings.Join(hidden, ", ") + ")"
}

// quoted makes text that may come from a stranger's file safe to show: any blank
// is a plain one, and nothing turns the direction of writing.
func quoted(s string) string {
	return "“" + strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf) || r == utf8.RuneError:
			return '?'
		}
		return r
	}, s) + "”"
}

func places(n int) string {
	switch n {
	case 0:
		return "no place"
	case 1:
		return "1 place"
	}
	return strconv.Itoa(n) + " places"
}

func these(n int) string {
	if n == 1 {
		return "1 is"
	}
	return strconv.Itoa(n) + " are"
}

func numbersAre(n int) string {
	if n == 1 {
		return "1 number is"
	}
	return strconv.Itoa(n) + " numbers are"
}
