package report_test

import (
	"bytes"
	"maps"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

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

// small is a run of two charts, quick to write from.
func small() map[string][]byte {
	return map[string][]byte{
		"energy/use_by_fuel.csv": []byte("scen,fuel,unit,2025,2030,2050\n" +
			"Deep,Gas,PJ,100.0,80.0,10.0\nDeep,Oil,PJ,50.0,45.0,5.5\nMild,Gas,PJ,100.0,90.0,60.0\nMild,Oil,PJ,50.0,48.0,40.0\n"),
		"transport/cars.csv": []byte("scen,kind,unit,2025,2050\nDeep,Electric,million,1.0,9.0\nMild,Electric,million,1.0,5.0\n"),
	}
}

const smallOutline = "# Results\n<!-- Section instructions: overview -->\n\n## Energy\n<!-- Section instructions: energy use by fuel -->\n" +
	"<!-- Review comments: -->\n\n## Transport\n\n"

func request(t testing.TB, source []byte, cat *catalogue.Catalogue, curated []byte) report.Request {
	t.Helper()
	m, err := mapping.Parse(curated)
	if err != nil {
		t.Fatal(err)
	}
	return report.Request{Outline: source, Catalogue: cat, Map: m, Aliases: mapping.StandardAliases(),
		Meta: report.Meta{RunID: "test-1", Model: report.NoModel, Prompt: draft.Code, Tool: "test",
			Generated: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
}

func generate(t testing.TB, r report.Request) *report.Result {
	t.Helper()
	out, err := report.Generate(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// again is a request over what a result became, perhaps edited.
func again(t testing.TB, files map[string][]byte, was *report.Result, document []byte) report.Request {
	r := request(t, []byte(smallOutline), discover(t, files), nil)
	r.Before = &report.Before{Document: document, Ledger: &was.Ledger}
	r.Meta.RunID = "test-2"
	return r
}

func prose(t testing.TB, document []byte, id string) string {
	t.Helper()
	doc, err := outline.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	s, err := doc.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return s.Prose
}

// edited replaces a text that must be there.
func edited(t testing.TB, document []byte, from, to string) []byte {
	t.Helper()
	from = string(bytes.ReplaceAll([]byte(from), []byte("~"), []byte("\u00a0")))
	if !bytes.Contains(document, []byte(from)) {
		t.Fatalf("%q is not in\n%s", from, document)
	}
	return bytes.Replace(document, []byte(from), []byte(to), 1)
}

// changed is files with one of them replaced in.
func changed(t testing.TB, files map[string][]byte, name, from, to string) map[string][]byte {
	t.Helper()
	out := maps.Clone(files)
	out[name] = edited(t, out[name], from, to)
	return out
}

var made = sync.OnceValues(func() (madeup.Run, *report.Result) {
	t := &testing.T{}
	run := madeup.Make(1)
	return run, generate(t, request(t, run.Outline(), discover(t, run.Files()), run.Map()))
})

// whole is the made-up run and its report; several tests look at the same one, and none changes it.
func whole(t testing.TB) (madeup.Run, *report.Result) {
	t.Helper()
	return made()
}
