package evals_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/evals"
)

// TestTheCodeStopsTheWorstThatAModelCouldWant promises, on whole datasets of the sizes agreed, that nothing unauthorised is sent, that what
// was not said is asked, and that what was said goes through.
func TestTheCodeStopsTheWorstThatAModelCouldWant(t *testing.T) {
	sizes := map[string]int{evals.Utterances: 120, evals.Missing: 30, evals.Roles: 30, evals.References: 20, evals.Injections: 40}
	for _, name := range evals.Names() {
		files, err := evals.Files(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := fs.ReadFile(files, "cases.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		about, err := fs.ReadFile(files, "dataset.json")
		if sum := sha256.Sum256(text); err != nil || !bytes.Contains(about, []byte(hex.EncodeToString(sum[:]))) {
			t.Errorf("%s: %v, or it is not the dataset that it says", name, err)
		}
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		if len(lines) != sizes[name] {
			t.Errorf("%s has %d cases, want %d", name, len(lines), sizes[name])
		}
		marks := map[string][2]int{}
		for _, line := range lines {
			var c struct {
				ID               string
				Inputs, Expected json.RawMessage
			}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			got, err := evals.Measure(name, c.Inputs, c.Expected)
			if err != nil || len(got.Differences) > 0 {
				t.Errorf("%s: %v %v", c.ID, err, got.Differences)
			}
			for _, m := range got.Marks {
				marks[m.Metric] = [2]int{marks[m.Metric][0] + m.Hits, marks[m.Metric][1] + m.Of}
			}
		}
		t.Logf("%s: %v", name, marks)
	}
	t.Log("tool choice and parameters: not measured: needs a real model")
}
