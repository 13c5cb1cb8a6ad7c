package pii

import "strings"

// Mask is a text with a word for its kind, "[mobile]", in place of all personal data that Find finds.
func Mask(text string) string { return Without(text, Find(text)) }

// Without is a text with a word for its kind in place of each span.
func Without(text string, spans []Span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s.Start])
		b.WriteByte('[')
		b.WriteString(string(s.Kind))
		b.WriteByte(']')
		last = s.End
	}
	b.WriteString(text[last:])
	return b.String()
}
