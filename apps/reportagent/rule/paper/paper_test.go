package paper_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

func made(t *testing.T) (*report.Result, *catalogue.Catalogue) {
	t.Helper()
	folder := fstest.MapFS{
		"energy/use_by_fuel.csv": {Data: []byte("scen,fuel,unit,2025,2030,2050\nA-1p5DS,Gas & " +
			"oil,PJ,100.0,,10.0\nA-1p5DS,Coal,PJ,50.0,45.0,-5.5\n" +
			"A-2p5DS,Gas & oil,PJ,100.0,90.0,60.0\nA-2p5DS,Coal,PJ,50.0,48.0,40.0\n")},
		"energy/steps.csv": {Data: []byte("sector,val,measure,scen\nNet " +
			"2025,10,relative,A-1p5DS\nGas,-12,relative,A-1p5DS\nOil,1,relative,A-1p5DS\n" +
			"Net 2025,10,relative,A-2p5DS\nGas,-2,relative,A-2p5DS\nOil,1,relative,A-2p5DS\n")},
		"energy/unused.csv": {Data: []byte("scen,fuel,unit,2025,2030\nA-2p5DS,Gas,PJ,1,2\n")},
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mapping.Parse([]byte(`{"energy": {"charts": ["use_by_fuel", "steps"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	out, err := report.Generate(report.Request{Outline: []byte("# Energy\n"), Catalogue: cat, Map: m, Aliases: mapping.StandardAliases(),
		Meta: report.Meta{RunID: "r1", Model: report.NoModel, Prompt: "p", Generated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}})
	if err != nil || len(out.Problems) > 0 {
		t.Fatal(err, out.Problems)
	}
	return out, cat
}

// TestEveryNumberOfThePageLeadsToItsCard promises that each number is a link to a card which is there, that cards lead on to what they
// rest on down to a record of a file, and that the page needs nothing from outside.
func TestEveryNumberOfThePageLeadsToItsCard(t *testing.T) {
	r, cat := made(t)
	page, err := paper.HTML(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`href="#([^"]+)"`).FindAllSubmatch(page, -1)
	numbers := bytes.Count(page, []byte(`<a class="num"`))
	if tokens := strings.Count(r.Ledger.Sections[0].Paragraphs[0].Text()+r.Ledger.Sections[0].Paragraphs[1].Text(),
		"{{"); numbers != tokens || numbers < 10 {
		t.Errorf("%d numbers of %d lead to a card", numbers, tokens)
	}
	for _, l := range links {
		if bytes.Count(page, []byte(`id="`+string(l[1])+`"`)) != 1 {
			t.Errorf("%s leads nowhere, or to two places", l[1])
		}
	}
	for _, want := range []string{"energy/use_by_fuel.csv, record 1, column 2025", "Gas &amp; oil", "computed</dt><dd>difference of",
		cat.Charts[0].Digest,
		"energy/unused", "What is not told", "Scenarios: A-1p5DS, A-2p5DS. Years: 2025 to 2050.", `class="chart years"`,
		`class="chart steps"`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("%q is not in the page", want)
		}
	}
	for _, bad := range []string{"<script", "http:", "https:", "src=", "url(", "style=\"", "class=\"warn\""} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("%q is in the page", bad)
		}
	}
	if again, _ := paper.HTML(r.Document, &r.Ledger, cat); !bytes.Equal(again, page) {
		t.Error("the same report makes another page")
	}
	wellFormed(t, page)
}

// wellFormed promises that every element is closed where it was opened.
func wellFormed(t *testing.T, page []byte) {
	t.Helper()
	body := regexp.MustCompile(`<!doctype html>|<meta[^>]*>`).ReplaceAll(page, nil)
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
	}
}

// TestWhatAPersonTypedIsShownAsTyped promises that an edited section says so, and that markup in it is text.
func TestWhatAPersonTypedIsShownAsTyped(t *testing.T) {
	r, cat := made(t)
	document := bytes.Replace(r.Document, []byte("In A-1p5DS,"), []byte("<b onclick=x>Mind</b> 77. In A-1p5DS,"), 1)
	page, err := paper.HTML(document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("edited by a person")) || !bytes.Contains(page, []byte("&lt;b onclick=x&gt;Mind&lt;/b&gt; 77.")) {
		t.Errorf("got %s", page)
	}
	wellFormed(t, page)
}

// TestAScenarioThatIsAskedForIsMissed promises a warning where no scenario is named for 1.5 °C, or none for well above 2 °C.
func TestAScenarioThatIsAskedForIsMissed(t *testing.T) {
	for names, want := range map[string]int{"A-1p5DS A-2p5DS": 0, "1.5°C 3°C": 0, "A-2p0DS House": 2, "1.5DS 2.0DS": 1, "NetZero-2p7C": 1} {
		cat := &catalogue.Catalogue{Scenarios: strings.Fields(names)}
		if got := report.Assume(&report.Ledger{}, cat).Warnings; len(got) != want {
			t.Errorf("%s: got %q", names, got)
		}
	}
}
