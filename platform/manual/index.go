package manual

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
)

// What a word is worth where it stands. A title says what a page is about, a
// heading what a section is; in a text it counts how often, up to a limit.
const (
	inTitle   = 1000
	inHeading = 100
	mostTimes = 20
)

// Bounds of what is shown.
const (
	maxPages    = 30
	maxSections = 3 // of one page
)

// An index knows which word stands in which section.
type index struct {
	entries []entry
	words   []string // sorted, for beginnings of words
	where   map[string]*mentions
}

// An entry is a section of a page.
type entry struct {
	page    *page
	section *section
}

// mentions say in which entries a word stands, in their order.
type mentions []mention

// A mention says that a word stands in an entry, and how.
type mention struct{ entry, times, head int }

// worth is what a mention counts.
func (m mention) worth() int { return m.head + min(m.times, mostTimes) }

// newIndex reads every section.
func newIndex(lib *library) *index {
	ix := &index{where: map[string]*mentions{}}
	for _, s := range lib.shelves {
		for _, pg := range s.pages {
			for i := range pg.sections {
				ix.add(entry{pg, &pg.sections[i]})
			}
		}
	}
	ix.words = slices.Sorted(maps.Keys(ix.where))
	return ix
}

func (ix *index) add(e entry) {
	head := inHeading
	if e.section == &e.page.sections[0] {
		head = inTitle
	}
	ix.entries = append(ix.entries, e)
	for t := range tokens(e.section.text) {
		ix.mention(t.word).times++
	}
	for t := range tokens(e.section.heading) {
		ix.mention(t.word).head += head
	}
}

// mention is that of a word in the newest entry.
func (ix *index) mention(word string) *mention {
	all := ix.where[word]
	if all == nil {
		all = &mentions{}
		ix.where[strings.Clone(word)] = all // not a part of the whole text
	}
	newest := len(ix.entries) - 1
	if n := len(*all); n == 0 || (*all)[n-1].entry != newest {
		*all = append(*all, mention{entry: newest})
	}
	return &(*all)[len(*all)-1]
}

// found are the pages that hold all words, the best first.
type found struct {
	pages []hit
	all   int // how many there are; more than are shown, perhaps
}

// A hit is a page that was found, and where in it.
type hit struct {
	page   *page
	title  []span
	places []place
	worth  int
}

// A place is a section with the words, as the list shows it.
type place struct {
	section *section
	heading []span
	text    []span
}

// find looks for the pages that hold every word.
func (ix *index) find(q query) found {
	if len(q.words) == 0 {
		return found{}
	}
	t := newTally(ix)
	for i, word := range q.words {
		t.count(ix.worth(word, i == len(q.words)-1))
	}
	var hits []hit
	for from := 0; from < len(ix.entries); {
		pg := ix.entries[from].page
		to := from + len(pg.sections)
		if t.pages[pg] == len(q.words) {
			hits = append(hits, hit{page: pg, worth: t.worth[pg], places: ix.places(t, from, to, len(q.words))})
		}
		from = to
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.worth, a.worth) })
	all := found{pages: hits[:min(len(hits), maxPages)], all: len(hits)}
	for i := range all.pages {
		all.pages[i].show(q)
	}
	return all
}

// worth is what a word is worth in each entry; nothing where it is not. A whole
// word is worth twice what a beginning is.
func (ix *index) worth(word string, beginning bool) []int {
	found := make([]int, len(ix.entries))
	if all := ix.where[word]; all != nil {
		for _, m := range *all {
			found[m.entry] = 2 * m.worth()
		}
	}
	if !beginning {
		return found
	}
	for at := sort.SearchStrings(ix.words, word); at < len(ix.words) && strings.HasPrefix(ix.words[at], word); at++ {
		for _, m := range *ix.where[ix.words[at]] {
			found[m.entry] = max(found[m.entry], m.worth())
		}
	}
	return found
}

// A tally counts how many of the words an entry and a page have, and what they are
// worth there.
type tally struct {
	ix      *index
	words   []int // by entry
	entries []int // worth, by entry
	pages   map[*page]int
	worth   map[*page]int
}

func newTally(ix *index) *tally {
	return &tally{ix: ix, words: make([]int, len(ix.entries)), entries: make([]int, len(ix.entries)), pages: map[*page]int{},
		worth: map[*page]int{}}
}

// count adds one word.
func (t *tally) count(worth []int) {
	best := map[*page]int{}
	for e, n := range worth {
		if n == 0 {
			continue
		}
		t.words[e]++
		t.entries[e] += n
		pg := t.ix.entries[e].page
		best[pg] = max(best[pg], n)
	}
	for pg, n := range best {
		t.pages[pg]++
		t.worth[pg] += n
	}
}

// places are the sections of a page that hold all words, the best first; where the
// words stand apart, the one section that says most.
func (ix *index) places(t *tally, from, to, words int) []place {
	var whole []int
	best := from
	for e := from; e < to; e++ {
		if t.words[e] == words {
			whole = append(whole, e)
		}
		if t.entries[e] > t.entries[best] {
			best = e
		}
	}
	if len(whole) == 0 {
		whole = []int{best}
	}
	slices.SortStableFunc(whole, func(a, b int) int { return cmp.Compare(t.entries[b], t.entries[a]) })
	var all []place
	for _, e := range whole[:min(len(whole), maxSections)] {
		all = append(all, place{section: ix.entries[e].section})
	}
	return all
}
