package program

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
)

// A modelRun is the made-up run of an energy model in a folder, with its outline and map beside it.
type modelRun struct {
	t   *testing.T
	dir string
}

func newModelRun(t *testing.T) *modelRun {
	t.Helper()
	m := &modelRun{t, t.TempDir()}
	run := madeup.Make(1)
	m.put("report-outline.md", run.Outline())
	m.put("section_chart_map.json", run.Map())
	m.put("short-outline.md", []byte("# Projection results\n## Emissions\n### Emissions by gas\n## Transport\n### Road vehicle stock by "+
		"drivetrain\n## Hydrogen\n"))
	for name, body := range run.Files() {
		m.put("data/2025-12-03T10.20_run/"+name, body)
	}
	return m
}

func (m *modelRun) at(name string) string { return filepath.Join(m.dir, name) }

func (m *modelRun) put(name string, body []byte) {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(m.at(name)), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(m.at(name), body, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *modelRun) read(name string) string {
	m.t.Helper()
	body, err := os.ReadFile(m.at(name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(body)
}

// run runs a command of the report; words that begin with @ name files of the run.
func (m *modelRun) run(code int, args ...string) ran {
	m.t.Helper()
	all := []string{"report"}
	for _, a := range args {
		if rest, is := strings.CutPrefix(a, "@"); is {
			a = m.at(rest)
		}
		all = append(all, a)
	}
	got := setup{}.run(m.t, all...)
	if got.code != code {
		m.t.Fatalf("%v: got code %d, want %d\n%s\n%s", args, got.code, code, got.out, got.talk)
	}
	return got
}

// steady takes out what is another one tomorrow: times, the folder, the version.
func (m *modelRun) steady(text string) string {
	text = strings.ReplaceAll(text, m.dir, "DIR")
	text = regexp.MustCompile(`("(?:generated_at|timestamp)": ?)"[^"]*"`).ReplaceAllString(text, `$1"TIME"`)
	return regexp.MustCompile(`("tool_version": ?)"[^"]*"`).ReplaceAllString(text, `$1"VERSION"`)
}

// TestTheReportCommandsRunAsTheFirstDesignWritesThem promises the four commands of the first design, with this program's name, over a run
// of its shape; what they write is as it was.
func TestTheReportCommandsRunAsTheFirstDesignWritesThem(t *testing.T) {
	m := newModelRun(t)
	made := m.run(8, "generate-report", "--outline", "@report-outline.md", "--data-root", "@data/2025-12-03T10.20_run",
		"--output", "@report-draft.md", "--run-id", "harbour-2025-v1")
	if !strings.Contains(made.talk, "data: the map names chart electricity_generation_by_fuel, which is not there") {
		t.Errorf("the dead chart of the map is not told: %s", made.talk)
	}
	draft := m.read("report-draft.md")
	golden(t, "reportagent/report-draft.md", m.steady(draft))

	charts := m.run(0, "inspect-charts", "--data-root", "@data", "--category", "emissions")
	golden(t, "reportagent/inspect-charts.golden", m.steady(charts.out))

	mapping := m.run(8, "inspect-section-mapping", "--outline", "@report-outline.md", "--data-root", "@data", "--jq",
		".dead_ids[], (.sections | length)")
	if mapping.out != "electricity_generation_by_fuel\n40\n" {
		t.Errorf("the mapping: got %s", mapping.out)
	}
	m.run(8, "generate-section", "--outline", "@report-draft.md", "--data-root", "@data", "--section", "emissions", "--run-id",
		"harbour-2025-v2")
	if again := m.read("report-draft.md"); !strings.Contains(again, "harbour-2025-v2") || len(again) != len(draft) {
		t.Errorf("one section over the same data: %d bytes of %d", len(again), len(draft))
	}
	reviewed := strings.Replace(draft, "<!-- Review comments: -->",
		"<!-- Review comments:\nAUTHOR: P. Rao\nRATING: accuracy=4, completeness=3, clarity=5, data_use=4\n"+
			"NOTES: Good coverage of 1.5DS scenario. -->", 2)
	m.put("report-reviewed.md", []byte(reviewed))
	m.put("report-reviewed.facts.json", []byte(m.read("report-draft.facts.json")))
	m.run(0, "run-eval", "--outline", "@report-reviewed.md", "--run-id", "harbour-2025-v1", "--output", "@eval_results.json")
	golden(t, "reportagent/eval_results.json", m.steady(m.read("eval_results.json")))
	m.run(6, "run-eval", "--outline", "@report-reviewed.md", "--run-id", "harbour-2025-v1", "--output", "@eval_results.json")
	better := strings.Replace(m.read("eval_results.json"), `"overall": 4`, `"overall": 4.5`, 1)
	m.put("better.json", []byte(better))
	worse := m.run(8, "run-eval", "--outline", "@report-reviewed.md", "--run-id", "v2", "--output", "@v2.json", "--compare", "@better.json")
	if !strings.Contains(worse.talk, "overall: -0.5 against harbour-2025-v1") {
		t.Errorf("got %s", worse.talk)
	}
	m.put("report-reviewed.md", []byte(strings.Replace(reviewed, "accuracy=4", "accuracy=6", 1)))
	m.run(8, "run-eval", "--outline", "@report-reviewed.md", "--run-id", "v3", "--output", "@v3.json")
}

// TestAnAuditorDoesAReportAgain promises that the evidence of a report passes by itself, and that one altered cell, one altered
// fact or one altered word is found.
func TestAnAuditorDoesAReportAgain(t *testing.T) {
	m := newModelRun(t)
	m.run(8, "generate-report", "--outline", "@short-outline.md", "--data-root", "@data", "--output", "@draft.md")
	m.run(0, "verify", "--report", "@draft.md", "--data-root", "@data")
	m.run(0, "export-evidence", "--report", "@draft.md", "--data-root", "@data", "--outline", "@short-outline.md", "--output",
		"@evidence.zip")
	got := m.run(0, "reperform", "@evidence.zip", "-o", "json")
	var all []struct {
		Outcome string `json:"outcome"`
	}
	if err := json.Unmarshal([]byte(got.out), &all); err != nil || len(all) < 300 {
		t.Fatalf("%d numbers: %v", len(all), err)
	}
	for _, one := range all {
		if one.Outcome != "pass" {
			t.Fatal(one)
		}
	}
	pack := []byte(m.read("evidence.zip"))
	pack[len(pack)/2] ^= 1
	m.put("altered.zip", pack)
	if got := (setup{}).run(t, "report", "reperform", m.at("altered.zip")); got.code != 8 && got.code != 2 {
		t.Errorf("an altered pack ends with %d", got.code)
	}
	draft := m.read("draft.md")
	m.put("draft.md", []byte(strings.Replace(draft, "falls", "rises", 1)))
	m.run(8, "export-evidence", "--report", "@draft.md", "--data-root", "@data", "--output", "@false.zip")
	if _, err := os.Stat(m.at("false.zip")); err == nil {
		t.Error("a report that does not hold was packed")
	}
}

// TestAnAnalystsReportSurvivesANewRun promises that with new data only what they change is written again, that a person's words stay, that
// the version before is kept, and that a file of somebody else's is not touched.
func TestAnAnalystsReportSurvivesANewRun(t *testing.T) {
	m := newModelRun(t)
	again := []string{"generate-report", "--outline", "@short-outline.md", "--data-root", "@data", "--output", "@draft.md",
		"--only-changed", "-o", "json"}
	m.run(8, append([]string{"generate-report", "--dry-run"}, again[1:]...)...)
	if files, _ := filepath.Glob(m.at("draft*")); len(files) > 0 {
		t.Errorf("a dry run wrote %v", files)
	}
	m.run(8, append([]string{"generate-report", "--html", "--docx"}, again[1:]...)...)
	if page := m.read("draft.html"); !strings.Contains(page, `class="num"`) || !strings.Contains(page, `class="chart years"`) {
		t.Error("the page has no numbers or no charts")
	}
	if word := m.read("draft.docx"); !strings.HasPrefix(word, "PK") {
		t.Error("there is no Word file")
	}
	first := m.read("draft.md")
	m.put("draft.md", []byte(strings.Replace(first, "In Harbour-1p5DS,", "As agreed, in Harbour-1p5DS,", 1)))
	chart := "data/2025-12-03T10.20_run/transport/domestic_transport_energy_use_by_fuel.csv"
	m.put(chart, bytes.Replace([]byte(m.read(chart)), []byte(".1"), []byte(".7"), 1))
	got := m.run(8, again...)
	var out struct {
		Version  int            `json:"version"`
		Code     string         `json:"code"`
		Sections map[string]int `json:"sections"`
	}
	if err := json.Unmarshal([]byte(got.out), &out); err != nil {
		t.Fatal(err)
	}
	if out.Version != 2 || out.Code != "data" || out.Sections["kept"] != 1 || out.Sections["written"] != 1 ||
		out.Sections["unchanged"] < 2 {
		t.Errorf("got %+v", out)
	}
	if !strings.Contains(m.read("draft.md"), "As agreed, in Harbour-1p5DS,") || !strings.Contains(m.read("draft.v1.md"), "As agreed") {
		t.Error("a person's words are gone")
	}
	m.put("other.md", []byte("# Mine\n"))
	m.run(6, "generate-report", "--outline", "@short-outline.md", "--data-root", "@data", "--output", "@other.md")
	if m.read("other.md") != "# Mine\n" {
		t.Error("a file of somebody else's was written over")
	}
}
