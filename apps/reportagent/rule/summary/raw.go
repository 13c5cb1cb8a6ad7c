package summary

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// rawPrefix begins the key under which a raw table stands where charts do. No chart has such a key: its category would be a folder of
// that name, and those hold charts.
const rawPrefix = "raw:"

// RawKey is the key of a raw table, by its name.
func RawKey(view string) string { return rawPrefix + view }

// RawName is the name of the raw table that a key is of; false for a chart's key.
func RawName(key string) (string, bool) { return strings.CutPrefix(key, rawPrefix) }

// unsaid are the ids of a fact out of a raw table that no sentence has to name.
func unsaid() []string { return []string{ChartID, "view", "measure", fact.YearID} }

// RawProfile is what the verifier must know of a raw table: the scenarios and things that the facts of a book are about. There is nothing
// else to go by: nobody has read the table as a whole.
func RawProfile(key string, book *fact.Book) verify.Profile {
	p := verify.Profile{Name: key, Units: map[string][]string{},
		Forbid: []verify.Forbidden{{Kind: verify.Recommendation}, {Kind: verify.Forecast}}}
	v := vocabulary{}
	v.noun(ScenarioID, "scenario", "scenarios", "pathway", "pathways")
	for _, f := range book.Newest() {
		if f.Subject.IDs[ChartID] != key {
			continue
		}
		for dim, id := range f.Subject.IDs {
			if slices.Contains(unsaid(), dim) {
				continue
			}
			v.noun(dim, nouns(dim)...)
			v.member(dim, id)
		}
		if f.Unit != "" {
			p.Units[f.Unit] = []string{f.Unit}
		}
	}
	p.Dimensions = v.sorted()
	return p
}
