package table

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Unit is what a row says it is measured in. Some rows name several, and do not say which is theirs.
type Unit struct {
	names []string
}

// numpyForm is how Python prints a list of names: ['TWh' 'Mt CO₂-e'].
var (
	numpyForm = regexp.MustCompile(`^\[\s*(?:'[^']*'|"[^"]*")(?:[\s,]+(?:'[^']*'|"[^"]*"))*\s*\]$`)
	quoteForm = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// ParseUnit reads a unit as a file writes it.
func ParseUnit(s string) Unit {
	s = strings.TrimSpace(s)
	if !numpyForm.MatchString(s) {
		if s == "" {
			return Unit{}
		}
		return Unit{[]string{s}}
	}
	var u Unit
	for _, q := range quoteForm.FindAllString(s, -1) {
		if name := strings.TrimSpace(q[1 : len(q)-1]); name != "" && !slices.Contains(u.names, name) {
			u.names = append(u.names, name)
		}
	}
	return u
}

// String is the unit; of several, "TWh or Mt CO₂-e".
func (u Unit) String() string { return strings.Join(u.names, " or ") }

// Mixed reports whether it is not known which of several units it is.
func (u Unit) Mixed() bool { return len(u.names) > 1 }

// Share reports whether values are parts of a whole already: their sum says nothing, and their growth is no growth.
func (u Unit) Share() bool {
	if len(u.names) != 1 {
		return false
	}
	return isFraction(u.names[0]) || slices.Contains([]string{"%", "percent", "per cent", "pct"}, strings.ToLower(u.names[0]))
}

func isFraction(u string) bool {
	return slices.Contains([]string{"fraction", "share"}, strings.ToLower(strings.TrimSpace(u)))
}

// percent is the platform's spelling of per cent.
func (u Unit) percent() Unit {
	if u.Share() && !isFraction(u.names[0]) {
		return Unit{[]string{fact.Percent}}
	}
	return u
}

func year(y int) string {
	if y == 0 {
		return ""
	}
	return strconv.Itoa(y)
}
