package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rest"
)

// printed is the output that the first design prints as its example, to the letter.
const printed = `{"district": "Imphal West", "state": "Manipur", "score": 13.67, "risk_level": "low", "trend": "stable",
	"primary_trigger": "physical", "secondary_triggers": [], "layer_scores": {"cognitive": 1.53, "network": 0.00, "physical": 7.94},
	"top_contributing_signals": [{"event_summary": "Arms cache recovered near border area", "severity": 3,
		"timestamp": "2026-02-03T12:58:29", "source_type": "public_open_source", "layers": ["physical"], "location": "Imphal West"}],
	"threshold": {"label": "BASELINE", "range": "0-29", "crossed": false}, "time_window": "24h", "signal_count": 3,
	"timestamp": "2026-02-03T14:58:29",
	"governance_disclaimer": "Derived from public open-source indicators. Decision support only."}`

// TestTheFirstDesignsOutputIsWholeInOurs promises every field that it printed, under its name and of its kind, alone and in a batch, at
// our address and, where the installation says so, at its own; what reads the first design's answers reads ours.
func TestTheFirstDesignsOutputIsWholeInOurs(t *testing.T) {
	s := newStage(t, map[string]string{"GAVEL_NETRA_ANALYZE": "on"})
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	s.bring(t, "feed", seed(s.Store.Now()))
	var want any
	if err := json.Unmarshal([]byte(printed), &want); err != nil {
		t.Fatal(err)
	}
	question := rest.AskBody{District: "Imphal West", State: "Manipur", Profile: "seed-v1"}
	for _, address := range []string{rest.AnalyzeAddress, "/netra/analyze", "/analyze"} {
		got := s.Want(t, http.StatusOK, "analyst", http.MethodPost, address, question)
		for _, missing := range lacks("", want, got.JSON) {
			t.Errorf("%s: %s", address, missing)
		}
	}
	batch := s.Want(t, http.StatusOK, "analyst", http.MethodPost, rest.BatchAddress, rest.BatchBody{Profile: "seed-v1"})
	items := batch.JSON["items"].([]any)
	if len(items) != 2 {
		t.Fatalf("a batch of all has %d", len(items))
	}
	for _, missing := range lacks("", want, items[0]) {
		t.Errorf("batch: %s", missing)
	}
	silent := items[1].(map[string]any)
	if silent["score"] != nil || silent["status"] != "no_signals" || silent["governance_disclaimer"] == "" {
		t.Errorf("a district of which nothing was heard: %v", silent)
	}
	plain := newStage(t, nil)
	if got := plain.Call(t, "analyst", http.MethodPost, "/analyze", question); got.Status != http.StatusNotFound {
		t.Errorf("/analyze answers %d where nobody asked for it", got.Status)
	}
}

// lacks is what one value has and another has not, or has of another kind.
func lacks(at string, want, got any) (out []string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T", at, got)}
		}
		for name, v := range w {
			if _, there := g[name]; !there {
				out = append(out, at+"/"+name+" is not there")
				continue
			}
			out = append(out, lacks(at+"/"+name, v, g[name])...)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) > 0 && len(g) == 0 {
			return []string{fmt.Sprintf("%s is %v", at, got)}
		}
		for i := range min(len(w), 1) {
			out = append(out, lacks(at+"/0", w[i], g[i])...)
		}
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			out = append(out, fmt.Sprintf("%s is %T, want %T", at, got, want))
		}
	}
	slices.Sort(out)
	return out
}
