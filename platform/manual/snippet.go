package manual

import "strings"

// A span is a piece of a line of what was found; the words that were searched for
// are marked.
type span struct {
	text   string
	marked bool
}

// How much of a section is shown, in bytes: some words before the first that was
// searched for, and what follows.
const (
	lead    = 70
	excerpt = 240
)

// show fills in what the list shows of a hit.
func (h *hit) show(q query) {
	h.title = marked(h.page.title, q)
	for i, pl := range h.places {
		h.places[i].heading = marked(pl.section.heading, q)
		h.places[i].text = marked(around(pl.section.text, q), q)
	}
}

// around is the part of a text in which the words first stand, cut between words.
func around(text string, q query) string {
	from := 0
	for t := range tokens(text) {
		if q.matches(t.word) {
			from = max(0, t.from-lead)
			break
		}
	}
	before, after := "", ""
	if from > 0 {
		if at := strings.IndexByte(text[from:], ' '); at >= 0 {
			from += at + 1
		}
		before = "… "
	}
	to := len(text)
	if to-from > excerpt {
		if at := strings.LastIndexByte(text[from:from+excerpt], ' '); at > 0 {
			to = from + at
		} else {
			to = from + excerpt
		}
		after = " …"
	}
	return strings.ToValidUTF8(before+text[from:to]+after, "")
}

// marked is a text in spans.
func marked(text string, q query) []span {
	var all []span
	at := 0
	for t := range tokens(text) {
		if !q.matches(t.word) {
			continue
		}
		if t.from > at {
			all = append(all, span{text: text[at:t.from]})
		}
		all = append(all, span{text[t.from:t.to], true})
		at = t.to
	}
	if at < len(text) {
		all = append(all, span{text: text[at:]})
	}
	return all
}
