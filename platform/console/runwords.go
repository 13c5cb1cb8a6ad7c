package console

import "strings"

// cutWords cuts a text to what a page shows, between letters.
func cutWords(text string) string {
	if len(text) <= shownWords {
		return text
	}
	return strings.ToValidUTF8(text[:shownWords], "")
}
