// Package mask takes out of somebody's words what says who they are, before a
// model is shown them: names and home addresses that the records know, mail
// addresses, telephone numbers, and links, which may open a page of theirs. Who is meant stays readable, by the id of an employee.
package mask

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Person is somebody whose name or home may stand in the words.
type Person struct {
	ID      fleet.EmployeeID
	Name    string
	Address string // of their home; may be empty
}

// shortest is the length of a part of a name that is looked for by itself, in
// characters: shorter ones are words of most languages.
const shortest = 3

var (
	link    = regexp.MustCompile(`(?i)\bhttps?://\S+`)
	mailbox = regexp.MustCompile(`[^\s<>()\[\],;:"]+@[^\s<>()\[\],;:"]+`)
	digits  = regexp.MustCompile(`\+?[\d(][\d\s().\-/]{5,}\d`)
	ourID   = regexp.MustCompile(`(?i)\b(?:EMP-|VP-|CASE-|SHIFT_)[0-9A-Z_]+`)
)

// Words masks a text.
func Words(text string, people ...Person) string {
	text = link.ReplaceAllString(text, "[link]")
	text = mailbox.ReplaceAllString(text, "[address]")
	text = outside(ourID, text, func(s string) string {
		return digits.ReplaceAllStringFunc(s, func(n string) string {
			if len(strings.Map(onlyDigits, n)) < 7 {
				return n
			}
			return "[number]"
		})
	})
	for _, home := range homes(people) {
		text = home.ReplaceAllString(text, "[home]")
	}
	for _, n := range names(people) {
		text = n.mask(text)
	}
	return text
}

func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}

// outside changes what stands between the matches of a form.
func outside(form *regexp.Regexp, text string, change func(string) string) string {
	var b strings.Builder
	last := 0
	for _, at := range form.FindAllStringIndex(text, -1) {
		b.WriteString(change(text[last:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		last = at[1]
	}
	b.WriteString(change(text[last:]))
	return b.String()
}

// homes are the addresses to look for, whole and by their first line.
func homes(people []Person) (all []*regexp.Regexp) {
	for _, p := range people {
		whole := strings.Join(strings.Fields(strings.ToValidUTF8(p.Address, "")), " ")
		street, _, _ := strings.Cut(whole, ",")
		for _, text := range []string{whole, strings.TrimSpace(street)} {
			if utf8.RuneCountInString(text) >= 2*shortest {
				all = append(all, regexp.MustCompile(`(?i)`+strings.ReplaceAll(regexp.QuoteMeta(text), " ", `[\s,]+`)))
			}
		}
	}
	return all
}

// marks are our own words for what was masked; they are nobody's name.
var marks = []string{"emp", "link", "home", "address", "number"}

// A name is something to look for, and what stands for it.
type name struct {
	form *regexp.Regexp
	id   fleet.EmployeeID
}

// names are whole names first, then their parts, the longest first, so that of two
// people called Ana the one whose surname stands beside it is meant.
func names(people []Person) []name {
	type wanted struct {
		text string
		id   fleet.EmployeeID
	}
	var all []wanted
	for _, p := range people {
		whole := strings.Join(strings.Fields(strings.ToValidUTF8(p.Name, "")), " ")
		if whole == "" || slices.Contains(marks, strings.ToLower(whole)) {
			continue
		}
		all = append(all, wanted{whole, p.ID})
		for _, part := range strings.FieldsFunc(whole, func(r rune) bool { return r == ' ' || r == '-' }) {
			if utf8.RuneCountInString(part) >= shortest && part != whole && !slices.Contains(marks, strings.ToLower(part)) {
				all = append(all, wanted{part, p.ID})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b wanted) int { return len(b.text) - len(a.text) })
	out := make([]name, len(all))
	for i, w := range all {
		form := strings.ReplaceAll(regexp.QuoteMeta(w.text), " ", `\s+`)
		out[i] = name{regexp.MustCompile(`(?i)` + form), w.id}
	}
	return out
}

// mask replaces the name where it stands as a word of its own.
func (n name) mask(text string) string {
	var b strings.Builder
	last := 0
	for _, at := range n.form.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if at[0] < last || inWord(before) || inWord(after) {
			continue
		}
		b.WriteString(text[last:at[0]])
		b.WriteString("[" + string(n.id) + "]")
		last = at[1]
	}
	b.WriteString(text[last:])
	return b.String()
}

// inWord reports whether a letter beside a name makes it part of another word.
func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}
