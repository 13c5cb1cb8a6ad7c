package summary_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/platform/fact"
)

// BenchmarkRun lists the made-up run and sums up all of its charts.
func BenchmarkRun(b *testing.B) {
	files := madeup.Make(1).Files()
	b.ReportAllocs()
	facts := 0
	for b.Loop() {
		c := discover(b, files)
		for i := range c.Charts {
			book := fact.NewBook("case_x")
			summarise(b, book, &c.Charts[i])
			facts += len(book.All())
		}
	}
	b.ReportMetric(float64(facts)/float64(b.N), "facts/op")
}
