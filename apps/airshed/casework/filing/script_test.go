package filing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/demo"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	model "github.com/gavelhq/gavel/platform/model/scripted"
)

// TestTheScriptsWordsHold promises that what the scripted model says of the made-up
// surges is what a report may say, and says whose words they are.
func TestTheScriptsWordsHold(t *testing.T) {
	for _, a := range madeUp(t) {
		r := reportOn(t, a)
		words := scripted(t, r)
		if _, err := r.Reword(words, "run_scripted", nil); err != nil {
			t.Errorf("%s: %v\n%+v", a.Key, err, words)
		}
		if !strings.HasPrefix(words.English[0], "Scripted model, no AI: ") || !strings.HasPrefix(words.Hindi[0],
			"Scripted model, no AI: ") {
			t.Errorf("%s: the words do not say whose they are: %+v", a.Key, words)
		}
	}
}

// madeUp is what the demonstration's data say when its land has just been imported.
func madeUp(t *testing.T) []analysis.Analysis {
	t.Helper()
	file, err := fs.ReadFile(airshedtest.Folder(t, "demo"), "land.geojson")
	if err != nil {
		t.Fatal(err)
	}
	land, err := region.ReadGeoJSON(file, region.Terms{Gives: region.GivesStates, Name: "land of a demonstration (made up)",
		Licence: "made up; no such place exists", AsOf: "2026-01-01"})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := analysis.Brought{Districts: land}.Rules()
	if err != nil {
		t.Fatal(err)
	}
	imported := time.Date(2026, 11, 16, 18, 17, 0, 0, time.UTC)
	o, err := demo.At(imported, imported).Object()
	if err != nil {
		t.Fatal(err)
	}
	d, err := analysis.Prepare(o, rules)
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := d.Run(analysis.Demands)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func reportOn(t *testing.T, a analysis.Analysis) report.Report {
	t.Helper()
	law, err := lawbook.Known()
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Build(a, report.Meta{ID: "CAQM-2026-11-16-001", GeneratedAt: a.At, Organisation: "North Commission",
		Status: report.Final, Channel: report.Mock}, law)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := r.Verify(nil, r.Parts()...); err != nil || v.Blocked() {
		t.Errorf("%v: the report does not hold: %+v", err, v.Findings)
	}
	return r
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scripted is what the demonstration's model answers when it is asked to word a report,
// after it has looked at the data.
func scripted(t *testing.T, r report.Report) (words report.Words) {
	t.Helper()
	script, err := fs.ReadFile(airshedtest.Folder(t, "demo"), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	read, err := model.Read(bytes.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	server, err := model.New(model.Config{Script: read})
	if err != nil {
		t.Fatal(err)
	}
	var brief strings.Builder
	fmt.Fprintf(&brief, "Report %s, about a surge at %s. The result is %s.\n", r.ID, r.Surge.Station, r.Attribution.Verdict)
	if err := tellFacts(&brief, r, keptBucket); err != nil {
		t.Fatal(err)
	}
	said := []map[string]string{{"role": "user", "content": brief.String()}, {"role": "assistant", "content": "looked"},
		{"role": "user", "content": "the data"}}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions",
		strings.NewReader(jsonOf(t, map[string]any{"messages": said})))
	req.Header.Set("X-Gavel-Agent", agentAnalyst)
	answered := httptest.NewRecorder()
	server.ServeHTTP(answered, req)
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(answered.Body.Bytes(), &answer); err != nil || len(answer.Choices) != 1 ||
		json.Unmarshal([]byte(answer.Choices[0].Message.Content), &words) != nil {
		t.Fatalf("%v: %s", err, answered.Body)
	}
	return words
}
