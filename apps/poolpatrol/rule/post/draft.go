package post

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDraft bounds an answer that a model drafts, in characters.
const MaxDraft = 2000

var (
	someID   = regexp.MustCompile(`(?i)\b(?:(?:EMP|VP)[\s\p{Pd}_.]*\d+|CASE[\s\p{Pd}_.]*[0-9A-F]{8}|SHIFT_[A-Z0-9_]+)`)
	idGap    = regexp.MustCompile(`[\s\p{Pd}_.]+`)
	someLink = regexp.MustCompile(`(?i)https?://|www\.|[^\s@]+@[^\s@]+\.[a-z]`)
)

// Drafted is an answer that a model drafted, if it is fit to be put before a
// person: of a sane length, without a link or an address, and naming nothing but
// what the recipient may read of (own ids). What it promises the person sees.
func Drafted(body string, own ...string) (string, bool) {
	body = strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n"))
	if n := utf8.RuneCountInString(body); n == 0 || n > MaxDraft || someLink.MatchString(body) {
		return "", false
	}
	if strings.ContainsFunc(body, func(r rune) bool {
		return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) || r == utf8.RuneError
	}) {
		return "", false
	}
	for _, id := range someID.FindAllString(body, -1) {
		if !slices.Contains(own, strings.ToUpper(idGap.ReplaceAllString(id, "-"))) {
			return "", false
		}
	}
	return body, true
}
