package search

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Source is one kind of thing that an application has and people search for: its vans,
// its stations, the people in its records. The finder asks it within the organisation of
// whoever searches, and only where they may read what it finds.
type Source struct {
	Kind Kind   // named after its application: "poolpatrol.van"; its heading is the message search.kind.poolpatrol.van
	Act  string // what one must be allowed to do to find them
	// Find gives at most Query.Most that fit, the best first: the address of each, and what a
	// line says of it. The finder writes the kind in.
	Find func(ctx context.Context, tx pgx.Tx, q Query) ([]Hit, error)
}

// A Query is what somebody searches for, as a source is asked it.
type Query struct {
	Org   identity.Org
	Text  string   // as it was typed, without the spaces around it
	Words []string // the same in lower case, cut at marks: each must begin a word of what is found
	Most  int
}

// Args are the arguments of a source's statement: @org, @text, @words and @most.
func (q Query) Args() pgx.NamedArgs {
	return pgx.NamedArgs{"org": string(q.Org), "text": q.Text, "words": q.Words, "most": q.Most}
}

// marks are what words of records are cut at, besides spaces.
const marks = `-.,/()_:;@'"&+#`

// Fits is the condition of a source's statement that every word somebody typed begins a
// word of a text, which is an SQL expression: Fits("v.id || ' ' || s.name"). It reads every
// row of the organisation, which is a list of thousands and no log.
func Fits(text string) string {
	return `not exists (select from unnest(@words::text[]) typed where strpos(' ' || translate(lower(` + text + `), '` +
		strings.ReplaceAll(marks, `'`, `''`) + `', '` + strings.Repeat(" ", len(marks)) + `'), ' ' || typed) = 0)`
}

// maxWords bounds what is searched for together.
const maxWords = 8

// wordsOf takes a text apart as people search for it.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(norm.NFC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	return words[:min(len(words), maxWords)]
}

// ofApps asks the applications, as far as the actor may read what they have.
func (f *Finder) ofApps(ctx context.Context, tx pgx.Tx, actor identity.Actor, text string) (all []Hit, err error) {
	q := Query{Org: actor.Org, Text: text, Words: wordsOf(text), Most: MaxHits}
	if len(q.Words) == 0 || objectID(text) != "" {
		return nil, nil
	}
	for _, s := range f.sources {
		if f.rules.May(actor, s.Act) != nil {
			continue
		}
		hits, err := s.Find(ctx, tx, q)
		if err != nil {
			return nil, err
		}
		for _, h := range hits[:min(len(hits), MaxHits)] {
			h.Kind, h.At = s.Kind, h.At.UTC()
			all = append(all, h)
		}
	}
	return all, nil
}

// inOrder puts what applications have behind the cases, and before all a kind of which
// something was named by its id.
func inOrder(own, theirs []Hit) []Hit {
	after := slices.IndexFunc(own, func(h Hit) bool { return h.Kind != Case })
	if after < 0 {
		after = len(own)
	}
	all := slices.Concat(own[:after], theirs, own[after:])
	named := map[Kind]bool{}
	for _, h := range all {
		named[h.Kind] = named[h.Kind] || h.Exact
	}
	slices.SortStableFunc(all, func(a, b Hit) int {
		switch {
		case named[a.Kind] == named[b.Kind]:
			return 0
		case named[a.Kind]:
			return -1
		}
		return 1
	})
	return all
}
