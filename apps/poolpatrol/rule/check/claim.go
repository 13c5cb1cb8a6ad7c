package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/platform/fact/lexicon"
)

// claims are the ids and numbers of a text, each in one form however it was
// written.
type claims struct {
	ids, numbers map[string]bool
}

// The forms of ids and numbers, in a text that was folded.
var (
	idForm     = regexp.MustCompile(`\b(EMP|VP)[-_ #]{0,2}([0-9]+)\b|\b(CASE|RUN|THREAD|MSG)-([0-9A-F]{4,16})\b|\bSHIFT_[A-Z0-9_]+`)
	numberForm = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]+(?:[.,:][0-9]+)*`)
	groupForm  = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
	linkForm   = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://|\bwww\.|[^\s@]@[^\s@]|\]\(`)
)

// numberWords knows numbers that are written out.
var numberWords = sync.OnceValue(lexicon.New)

// claimsOf finds what texts claim.
func claimsOf(texts ...string) claims {
	c := claims{ids: map[string]bool{}, numbers: map[string]bool{}}
	for _, text := range texts {
		text = idForm.ReplaceAllStringFunc(foldText(text), func(id string) string {
			c.ids[oneForm(id)] = true
			return " "
		})
		text = numberForm.ReplaceAllStringFunc(text, func(n string) string {
			for _, one := range numbersOf(n) {
				c.numbers[one] = true
			}
			return " "
		})
		c.inWords(text)
	}
	return c
}

// foldText makes one sign of all that look alike: digits of every script, dashes,
// letters that are wide or raised. Signs that cannot be seen are left out, and
// letters are capitals.
func foldText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII:
			return unicode.ToUpper(r)
		case unicode.Is(unicode.Pd, r) || r == '\u2212':
			return '-'
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.Is(unicode.Zs, r):
			return ' '
		}
		if d, ok := digit(r); ok {
			return d
		}
		return unicode.ToUpper(r)
	}, norm.NFKC.String(s))
}

// digit is a decimal digit of any script as one of ours. Unicode has the ten of
// a script in a row.
func digit(r rune) (rune, bool) {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10, true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10, true
		}
	}
	return 0, false
}

// oneForm is an id as our records have it: EMP-1006, whether EMP 1006 or EMP_1006
// was written.
func oneForm(id string) string {
	if m := idForm.FindStringSubmatch(id); m != nil && m[1] != "" {
		return m[1] + "-" + m[2]
	}
	return id
}

// numbersOf is a number in one form: without needless noughts, and without commas
// between thousands. Other commas stand between several numbers.
func numbersOf(s string) []string {
	switch {
	case strings.Contains(s, "-"):
		return []string{s} // a date
	case groupForm.MatchString(s):
		s = strings.ReplaceAll(s, ",", "")
	case strings.Contains(s, ","):
		var all []string
		for _, one := range strings.Split(s, ",") {
			all = append(all, numbersOf(one)...)
		}
		return all
	}
	if strings.Count(s, ".") == 1 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	s = strings.TrimLeft(s, "0")
	if s == "" || s[0] < '0' || s[0] > '9' {
		s = "0" + s
	}
	return []string{s}
}

// inWords adds numbers that are written out. One that the table has no value for
// stands as its word.
func (c claims) inWords(text string) {
	words := strings.FieldsFunc(lexicon.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	for len(words) > 0 {
		found := numberWords().Find(words[:min(len(words), 6)])
		if found.Sense == lexicon.Count {
			said := strings.Join(words[:found.Words], " ")
			if found.Arg > 0 {
				said = strconv.Itoa(found.Arg)
			}
			c.numbers[said] = true
		}
		words = words[max(1, found.Words):]
	}
}

// counts adds how many findings there are, and how many people they and the
// evidence name: anybody can count those.
func (c claims) counts(v Verdict) {
	all, named := map[string]bool{}, map[string]bool{}
	for _, e := range v.Evidence() {
		if who := e.Data.Text("employee_id"); who != "" {
			all[who] = true
		}
	}
	for _, f := range v.Live() {
		named[string(f.Employee)] = true
	}
	for _, n := range []int{len(v.Live()), len(all), len(named)} {
		c.numbers[strconv.Itoa(n)] = true
	}
}

// invented is what others claim that these do not have, in order.
func (c claims) invented(others claims) []Override {
	var over []Override
	for _, id := range slices.Sorted(maps.Keys(others.ids)) {
		if !c.ids[id] {
			over = append(over, Override{InventedID, id[:min(len(id), 60)]})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(others.numbers)) {
		if !c.numbers[n] {
			over = append(over, Override{InventedNumber, n[:min(len(n), 60)]})
		}
	}
	return over
}

// values are the types and values of evidence, without the names they stand under.
func values(all []Evidence) string {
	var b strings.Builder
	for _, e := range all[:min(len(all), maxEvidence)] {
		fmt.Fprintln(&b, e.Type)
		for _, f := range e.Data {
			fmt.Fprintln(&b, f.Value)
		}
	}
	return b.String()
}

// written is a value as JSON, in which its ids and numbers stand as they are. A
// value that cannot be written claims nothing and knows nothing.
func written(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return b.String()
}
