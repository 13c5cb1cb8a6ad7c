package web

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Address is a path with a query of names and values, without those that are empty.
func Address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// maxPlain bounds one value of an address, in bytes.
const maxPlain = 200

// Plain refuses values of an address that no page of ours writes and that the
// database could not read: too long, broken, or with control characters.
func Plain(values ...string) error {
	for _, v := range values {
		if len(v) > maxPlain || !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
			return fault.New(fault.Invalid, "this address holds what no page of ours writes").WithNext("begin the list anew").
				Because("address_odd")
		}
	}
	return nil
}

// Said is what was wrong and what to do about it, in sentences, as they were written
// where the error was made: in English.
func Said(err error) string {
	text, next := fault.Words(err)
	if next == "" {
		return Sentence(text)
	}
	return Sentence(text) + " " + Sentence(next)
}

// Sentence makes one of words: a capital first, a full stop last.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(first)) + s[size:]
	if strings.ContainsAny(s[len(s)-1:], ".?!") || strings.HasSuffix(s, "।") {
		return s
	}
	return s + "."
}
