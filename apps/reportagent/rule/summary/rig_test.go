package summary_test

import (
	"flag"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// seeds is how many made-up runs are judged; each takes some seconds.
var seeds = flag.Uint64("seeds", 1, "made-up runs to judge")

func discover(t testing.TB, files map[string][]byte) *catalogue.Catalogue {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: content}
	}
	c, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func summarise(t testing.TB, book *fact.Book, ch *catalogue.Chart) *summary.Summary {
	t.Helper()
	s, err := summary.Summarise(book, ch)
	if err != nil {
		t.Fatalf("%s: %v", ch.Key, err)
	}
	return s
}

// one sums up a single chart that a test writes by hand.
func one(t testing.TB, csv, spec string) (*fact.Book, *summary.Summary) {
	t.Helper()
	files := map[string][]byte{"a/x.csv": []byte(csv)}
	if spec != "" {
		files["plot_specs.json"] = []byte(spec)
	}
	book := fact.NewBook("case_x")
	return book, summarise(t, book, &discover(t, files).Charts[0])
}
