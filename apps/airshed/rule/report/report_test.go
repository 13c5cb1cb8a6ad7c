package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: run with -update and read the diff", path)
	}
}

func file(t testing.TB, r report.Report) []byte {
	t.Helper()
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestReportsAreAsTheyWere keeps the JSON of every fixture down to its facts, which
// have a test of their own, and all words in both languages as people read them.
func TestReportsAreAsTheyWere(t *testing.T) {
	for name, a := range fixtures() {
		r := build(t, a)
		front, _, found := bytes.Cut(file(t, r), []byte("\n  \"facts\": ["))
		if !found {
			t.Fatalf("%s: the report lists no facts", name)
		}
		golden(t, name+".json", append(front, '\n'))
		var words strings.Builder
		for _, lang := range report.Langs() {
			for _, part := range r.Texts.In(lang).Parts(lang) {
				words.WriteString(part.Name + ": " + r.Show(part.Text, lang) + "\n")
			}
		}
		golden(t, name+".txt", []byte(words.String()))
	}
}

// keysOf lists the keys of a JSON object in their order.
func keysOf(t *testing.T, object []byte) (keys []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// TestSeedReadersFindTheirKeys promises whoever reads the first design's report its
// keys, in its nesting, and nothing else inside its objects.
func TestSeedReadersFindTheirKeys(t *testing.T) {
	b := file(t, build(t, conclusive()))
	first := []string{"report_id", "timestamp", "executive_summary", "surge_details", "fire_correlation", "stubble_burning_contribution",
		"reasoning",
		"confidence_score", "data_quality", "legal_citations", "recommendations"}
	if got := keysOf(t, b)[:len(first)]; !slices.Equal(got, first) {
		t.Errorf("the report begins with %v, want %v", got, first)
	}
	var in struct {
		Surge   json.RawMessage   `json:"surge_details"`
		Fires   []json.RawMessage `json:"fire_correlation"`
		Quality json.RawMessage   `json:"data_quality"`
		Legal   json.RawMessage   `json:"legal_citations"`
	}
	if err := json.Unmarshal(b, &in); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		object []byte
		want   []string
	}{
		{in.Surge, []string{"station", "aqi", "pm25", "pm10", "timestamp"}},
		{in.Fires[0], []string{"state", "fire_count", "districts", "avg_distance_km", "is_high_contribution"}},
		{in.Quality, []string{"cpcb_available", "nasa_available", "dss_available"}},
		{in.Legal, []string{"caqm_direction", "enforcement_authority", "applicable_sections", "enforcement_request"}},
	} {
		if got := keysOf(t, tt.object); !slices.Equal(got, tt.want) {
			t.Errorf("got keys %v, want %v", got, tt.want)
		}
	}
}

// TestMissingDataAreNull promises that what is not known is null and never nought.
func TestMissingDataAreNull(t *testing.T) {
	for _, tt := range []struct {
		a    analysis.Analysis
		want string
	}{
		{stubbleMissing(), `"stubble_burning_contribution": null`},
		{firesMissing(), `"fire_correlation": []`},
		{firesMissing(), `"nasa_available": false`},
		{firesMissing(), `"confidence_score": 60`},
		{summer(), `"pm25": null`},
	} {
		if got := string(file(t, build(t, tt.a))); !strings.Contains(got, tt.want) {
			t.Errorf("the report has no %s", tt.want)
		}
	}
}

// TestSameAnalysisGivesSameBytes promises that a stranger with the analysis' bytes
// and the book of law makes the very same report.
func TestSameAnalysisGivesSameBytes(t *testing.T) {
	all := fixtures()
	maps.Copy(all, edges())
	for name, a := range all {
		canonical, _, err := report.Digest(a)
		if err != nil {
			t.Fatal(err)
		}
		var again analysis.Analysis
		if err := json.Unmarshal(canonical, &again); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := file(t, build(t, again)), file(t, build(t, a)); !bytes.Equal(got, want) {
			t.Errorf("%s: built from the analysis' bytes the report differs", name)
		}
	}
}

// TestDraftsAndMocksSaySo promises that nobody takes a draft for a filed report or
// a simulator for the Commission.
func TestDraftsAndMocksSaySo(t *testing.T) {
	for _, tt := range []struct {
		status     report.Status
		channel    report.Channel
		json, page string
		mock       bool
	}{
		{"", "", `"status": "draft"`, "DRAFT", true},
		{report.Final, report.Mock, `"submission_channel": "mock"`, "FINAL", true},
		{report.Final, report.Real, `"submission_channel": "real"`, "FINAL", false},
	} {
		m := meta()
		m.Status, m.Channel = tt.status, tt.channel
		r, err := report.Build(conclusive(), m, book(t))
		if err != nil {
			t.Fatal(err)
		}
		page, err := report.HTML(r, report.English)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(file(t, r)), tt.json) || !strings.Contains(string(page), tt.page) || strings.Contains(string(page),
			"MOCK SUBMISSION") != tt.mock {
			t.Errorf("%s by %s is not shown as that", tt.status, tt.channel)
		}
	}
}

// TestBuildRefusesAnUnlabelledReport lists what a report must say of itself.
func TestBuildRefusesAnUnlabelledReport(t *testing.T) {
	for name, spoil := range map[string]func(*report.Meta){
		"no id":           func(m *report.Meta) { m.ID = "" },
		"odd id":          func(m *report.Meta) { m.ID = "CAQM-2025-11-14-1; drop" },
		"no time":         func(m *report.Meta) { m.GeneratedAt = at("0001-01-01T00:00:00Z") },
		"no organisation": func(m *report.Meta) { m.Organisation = " " },
		"token":           func(m *report.Meta) { m.Organisation = "Cell {{F1}}" },
		"other facts":     func(m *report.Meta) { m.Facts = []report.Named{} },
	} {
		m := meta()
		spoil(&m)
		if _, err := report.Build(conclusive(), m, book(t)); err == nil {
			t.Errorf("%s: a report was built", name)
		}
	}
}

// TestLogHasTheSeedsShape keeps names and log as the first design has them.
func TestLogHasTheSeedsShape(t *testing.T) {
	r := build(t, conclusive())
	if got, want := report.Key(r.Time), "reports/caqm_report_20251114_083000.json"; got != want {
		t.Errorf("got key %s, want %s", got, want)
	}
	got, err := json.Marshal(report.Log{Reports: []report.Entry{r.Entry()}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"reports":[{"report_id":"CAQM-2025-11-14-001","station":"Alipur","aqi":477,"timestamp":"2025-11-14T07:30:00Z","generated_at":"2025-11-14T08:30:00Z"}]}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCertificateIsUnsigned promises that no field that is a person's is filled in,
// and that the report's own digest is among the records.
func TestCertificateIsUnsigned(t *testing.T) {
	r := build(t, conclusive())
	c, err := r.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(c.PartA, c.PartB) {
		if f.By == lawbook.Person && f.Value != "" {
			t.Errorf("%s was filled in with %q", f.Key, f.Value)
		}
	}
	i := slices.IndexFunc(c.PartA, func(f lawbook.Field) bool { return f.Key == "hash_values" })
	if !strings.Contains(c.PartA[i].Value, "caqm_report_20251114_083000.json: SHA-256 ") || !strings.Contains(c.PartA[i].Value,
		r.Custody.Analysis) {
		t.Errorf("the digests of report and analysis are not among %q", c.PartA[i].Value)
	}
}

// TestCaseNumbersAreKept promises that a report cites facts by the numbers a case
// gave them.
func TestCaseNumbersAreKept(t *testing.T) {
	read, err := report.Read(conclusive())
	if err != nil {
		t.Fatal(err)
	}
	m := meta()
	numbered, caseBook := renumbered(t, read)
	m.Facts = numbered
	r, err := report.Build(conclusive(), m, book(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Facts[0].ID, m.Facts[0].ID; got != want || want == "F1" {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(r.Texts.English.Summary[0], "{{"+string(r.Facts[0].ID)+"}}") {
		t.Errorf("%q does not cite %s", r.Texts.English.Summary[0], r.Facts[0].ID)
	}
	if got, err := r.Verify(caseBook, r.Parts()...); err != nil || len(got.Findings) > 0 {
		t.Errorf("got %v, %v; want nothing found", got.Findings, err)
	}
	if plain := build(t, conclusive()); r.Summary != plain.Summary || !reflect.DeepEqual(r.Recommendations, plain.Recommendations) {
		t.Error("other numbers gave other words")
	}
}

// TestOldNumbersAreCaught promises that a report whose analysis was done again with
// other data no longer passes: its texts cite versions that are not the newest.
func TestOldNumbersAreCaught(t *testing.T) {
	read, err := report.Read(conclusive())
	if err != nil {
		t.Fatal(err)
	}
	m := meta()
	numbered, caseBook := renumbered(t, read)
	var recorded []fact.Fact
	for _, f := range numbered {
		recorded = append(recorded, f.Fact)
	}
	if m.Facts, err = report.Numbered(read, recorded); err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(conclusive(), m, book(t))
	if err != nil {
		t.Fatal(err)
	}
	later := conclusive()
	later.Surge.Index = 481
	again, err := report.Read(later)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.Enter(caseBook, again); err != nil {
		t.Fatal(err)
	}
	got, err := r.Verify(caseBook, r.Parts()...)
	if err != nil || !slices.Contains(got.Rules(), verify.V1) {
		t.Errorf("got %v, %v; want the old index caught", got.Rules(), err)
	}
	if _, err := report.Numbered(read, recorded[1:]); err == nil {
		t.Error("facts without their numbers were taken")
	}
}
