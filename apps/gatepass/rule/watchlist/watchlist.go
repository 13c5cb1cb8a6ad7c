// Package watchlist finds people on a list of names that somebody must look at first. Names are written in many ways: in
// another order, another script, another spelling. So a name is compared in three steps: the same once it is normalised; alike letter by
// letter; or alike by sound and not too unlike by letter. Only the first refuses anybody, and only where the list says so. The others
// ask a person, with the score beside it, and who was cleared once is not asked about again.
//
// Read List.Screen first; Normalise says what counts as the same name.
package watchlist

import (
	"cmp"
	"slices"
	"time"
)

// A Level is what a row of the list asks for.
type Level string

// The levels. A level that is not known is as strict as the strictest.
const (
	Hard Level = "hard" // this very name is refused
	Ask  Level = "ask"  // a person decides
)

// A Row is one person on the list.
type Row struct {
	ID      string
	Name    string
	Aliases []string
	Level   Level
	Until   time.Time // when it ends; zero for never
	Reason  string
}

// active reports whether a row still counts.
func (r Row) active(now time.Time) bool { return r.Until.IsZero() || !now.After(r.Until) }

// Thresholds are how alike two names must be for a person to be asked.
type Thresholds struct {
	Alike   float64 // by letter, whatever the sound
	Similar float64 // by letter, where they sound the same
}

// Standard is what was agreed: 0.85, or 0.6 for names that sound the same.
func Standard() Thresholds { return Thresholds{Alike: 0.85, Similar: 0.6} }

// A Cleared is that somebody looked at a name and a row and said: not the same person.
type Cleared struct {
	Row  string
	Name string // in any spelling that normalises to the same
}

// A List is the rows of an organisation and what was cleared, made ready to be looked through: a name is read once, and not
// once for every row.
type List struct {
	rows       []listed
	cleared    map[Cleared]bool // by normalised name
	thresholds Thresholds
}

type listed struct {
	Row
	names []spelling // its name first
}

// New makes a list ready.
func New(t Thresholds, rows []Row, cleared []Cleared) List {
	l := List{thresholds: t, cleared: make(map[Cleared]bool, len(cleared))}
	for _, r := range rows {
		entry := listed{Row: r}
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			entry.names = append(entry.names, read(name))
		}
		l.rows = append(l.rows, entry)
	}
	for _, c := range cleared {
		l.cleared[Cleared{c.Row, Normalise(c.Name)}] = true
	}
	return l
}

// A How is by what a name was found.
type How string

// The ways.
const (
	Exact    How = "exact"    // the same name, normalised
	Letters  How = "letters"  // alike by letter
	Phonetic How = "phonetic" // alike by sound, and not unlike by letter
)

// A Hit is one row that a name may be.
type Hit struct {
	Row   string
	Level Level
	Name  string // of the row: its name or the alias that was found
	How   How
	Score float64 // 0 to 1: the share of trigrams that both have; 1 for the same name
}

// A Verdict is what becomes of somebody whose name was looked for. The zero value is no verdict.
type Verdict string

// The verdicts.
const (
	Clear  Verdict = "clear"
	Look   Verdict = "ask" // a person looks first
	Refuse Verdict = "refuse"
)

// A Finding is what the list says of a name.
type Finding struct {
	Verdict Verdict
	Hits    []Hit // the best first
}

// Screen looks for a name on the list.
func (l List) Screen(name string, now time.Time) Finding {
	f := Finding{Verdict: Clear}
	who := read(name)
	if who.normal == "" {
		return f // nothing to compare; a pass needs a name anyway
	}
	for _, row := range l.rows {
		hit, found := l.best(who, row)
		if !found || !row.active(now) {
			continue
		}
		switch {
		case hit.How == Exact && row.Level != Ask:
			f.Verdict = Refuse
		case l.cleared[Cleared{row.ID, who.normal}]:
			continue
		case f.Verdict == Clear:
			f.Verdict = Look
		}
		f.Hits = append(f.Hits, hit)
	}
	slices.SortStableFunc(f.Hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row)) })
	return f
}

// best is how a row is most like somebody.
func (l List) best(who spelling, row listed) (best Hit, found bool) {
	for _, name := range row.names {
		how, score := l.thresholds.compare(who, name)
		if how != "" && (!found || score > best.Score) {
			best, found = Hit{Row: row.ID, Level: row.Level, Name: name.written, How: how, Score: score}, true
		}
	}
	return best, found
}

// compare says how two names are alike; no way where they are not.
func (t Thresholds) compare(a, b spelling) (How, float64) {
	if b.normal == "" {
		return "", 0
	}
	if a.normal == b.normal {
		return Exact, 1
	}
	score := similarity(a.grams, b.grams)
	switch {
	case score >= t.Alike:
		return Letters, score
	case score >= t.Similar && a.sound == b.sound:
		return Phonetic, score
	}
	return "", score
}

// Similarity is how alike two names are by letter, from 0 to 1: the share of their trigrams that both have, as
// pg_trgm counts them, so that a database may find the candidates.
func Similarity(a, b string) float64 { return similarity(read(a).grams, read(b).grams) }
