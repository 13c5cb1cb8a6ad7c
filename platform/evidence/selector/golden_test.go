package selector_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
)

var update = flag.Bool("update", false, "write the golden files")

// A looked is what a golden file says of one selector.
type looked struct {
	At      any               `json:"at"`
	Raw     string            `json:"raw,omitempty"`
	Line    int               `json:"line,omitempty"`
	Excerpt *selector.Excerpt `json:"excerpt,omitempty"`
	Err     string            `json:"err,omitempty"`
}

func look(at any, f selector.Found) looked {
	l := looked{At: at, Raw: f.Raw, Line: f.Line, Excerpt: f.Excerpt}
	if f.Err != nil {
		l.Err = f.Err.Error()
	}
	return l
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// golden compares one line per selector with what a person has read and agreed to.
func golden(t *testing.T, name string, got []looked) {
	t.Helper()
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for _, l := range got {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, text.String(), want)
	}
}

func TestCellsAreFoundAsTheyStand(t *testing.T) {
	for file, cells := range map[string][]fact.CSVCell{
		"readings.csv": {
			{Row: 2, Column: "pm25 (µg/m3)"}, {Row: 3, Column: "pm25 (µg/m3)"}, {Row: 1, Column: "station"},
			{Row: 3, Column: "flag"}, {Row: 4, Column: "flag"}, {Row: 5, Column: "pm25 (µg/m3)"},
			{Row: 6, Column: "hour"}, {Row: 1, Column: "pm10"}, {Row: 0, Column: "hour"}, {Row: int(^uint(0) >> 1), Column: "hour"},
		},
		"semicolon.csv": {{Row: 1, Column: "2025"}, {Row: 2, Column: "dim"}, {Row: 2, Column: "2030"}},
		"twice.csv":     {{Row: 1, Column: "val"}, {Row: 1, Column: "year"}},
	} {
		found, err := selector.CSV(bytes.NewReader(read(t, file)), 1, cells...)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var got []looked
		for i, f := range found {
			got = append(got, look(cells[i], f))
		}
		golden(t, file+".golden", got)
	}
}

func TestJSONValuesAreFoundAsTheyStand(t *testing.T) {
	pointers := []string{
		"/data/0/y/0", "/data/0/y/1", "/data/0/y/2", "/data/1/name", "/data/1/big", "/data/1/text/0", "/data/1/a~1b/m~0n",
		"/data/1/gone", "/data/1/twice", "/data/2", "/data/0/y/03", "/data/0/y/-", "/data", "/layout/title", "", "data", "/a~2",
	}
	found, err := selector.JSON(bytes.NewReader(read(t, "figure.json")), 1, pointers...)
	if err != nil {
		t.Fatal(err)
	}
	var got []looked
	for i, f := range found {
		got = append(got, look(pointers[i], f))
	}
	golden(t, "figure.json.golden", got)
}

func ptr(s string) *string { return &s }

func TestRowsAreFoundByTheirDigest(t *testing.T) {
	rows := []selector.TableRow{
		{Table: "airshed.reading", PK: "ALP 2026-11-14T23:00Z", Columns: map[string]*string{"station": ptr("ALP"), "pm25": ptr("411.6"),
			"note": nil}},
		{Table: "airshed.reading", PK: "ALP 2026-11-15T00:00Z", Columns: map[string]*string{"station": ptr("ALP"), "pm25": ptr("398.25"),
			"note": ptr("line\nend")}},
	}
	var doc bytes.Buffer
	refs, err := selector.WriteRows(&doc, rows...)
	if err != nil {
		t.Fatal(err)
	}
	pm, other := *selector.Cell(refs[0], "pm25").Row, *selector.Cell(refs[1], "note").Row
	wrongKey, wrongDigest := pm, pm
	wrongKey.PK, wrongDigest.SHA256 = "BWN", other.SHA256
	cells := []fact.TableRow{pm, other, *selector.Cell(refs[0], "note").Row, *selector.Cell(refs[0], "pm10").Row, wrongKey, wrongDigest,
		refs[0], {Table: pm.Table, PK: pm.PK, SHA256: "00"}}
	found, err := selector.Rows(bytes.NewReader(doc.Bytes()), 1, cells...)
	if err != nil {
		t.Fatal(err)
	}
	var got []looked
	for i, f := range found {
		got = append(got, look(cells[i], f))
	}
	golden(t, "rows.golden", got)
	if got, want := doc.String(), string(read(t, "rows.ndjson")); got != want {
		t.Errorf("the document: got\n%s\nwant\n%s", got, want)
	}
}
