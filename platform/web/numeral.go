package web

import "strconv"

// Numeral writes a count with separators, 1,23,456: the organisation's zone does not
// tell which grouping its people use, and Indian grouping is used on every page.
func Numeral(n int64) string {
	text := strconv.FormatInt(n, 10)
	if len(text) <= 3 || n < 0 {
		return text
	}
	head, tail := text[:len(text)-3], text[len(text)-3:]
	for len(head) > 2 {
		head, tail = head[:len(head)-2], head[len(head)-2:]+","+tail
	}
	return head + "," + tail
}
