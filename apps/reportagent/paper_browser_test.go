//go:build browser

package reportagent_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/pdf/pdftest"
)

// TestAReportIsPrintedOnSheetsOfA4 promises sheets of A4 with the run and their number below, the drawings, the annex at the end, and
// links within the file.
func TestAReportIsPrintedOnSheetsOfA4(t *testing.T) {
	cat, err := catalogue.Discover(fstest.MapFS{"energy/use_by_fuel.csv": {Data: []byte("scen,fuel,unit,2025,2030,2050\n" +
		"A-1p5DS,Gas & oil,PJ,100.0,,10.0\nA-1p5DS,Coal,PJ,50.0,45.0,-5.5\nA-2p5DS,Gas & oil,PJ,100.0,90.0,60.0\nA-2p5DS,Coal,PJ,50.0,48.0,40.0\n")}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapping.Parse([]byte(`{"energy": {"charts": ["use_by_fuel"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Generate(report.Request{Outline: []byte("# Energy\n"), Catalogue: cat, Map: m, Aliases: mapping.StandardAliases(),
		Meta: report.Meta{RunID: "r1", Model: report.NoModel, Prompt: "p", Generated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}})
	if err != nil {
		t.Fatal(err)
	}
	page, err := paper.Sheets(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := pdftest.Printer(t).Print(t.Context(), pdf.Page{HTML: page, Made: r.Ledger.Meta.Generated})
	if err != nil {
		t.Fatal(err)
	}
	sheets := pdftest.Text(t, raw)
	last := sheets[len(sheets)-1]
	if len(sheets) < 4 || !strings.Contains(last, "difference(sum([2050, 1], [2050, 2])") || !strings.Contains(last, "Draft, run r1") {
		t.Errorf("%d sheets; the last says %s", len(sheets), last)
	}
	if all := strings.Join(sheets, "\n"); !strings.Contains(all, "Where every number is from") || !strings.Contains(all, "Gas & oil") {
		t.Error("the annex or a drawing is missing")
	}
	if !bytes.Contains(raw, []byte("/MediaBox [0 0 594.95996 841.91998]")) && !bytes.Contains(raw, []byte("/MediaBox [0 0 595 842]")) {
		t.Errorf("the sheets are not A4: %s", raw[bytes.Index(raw, []byte("/MediaBox")):][:60])
	}
}
