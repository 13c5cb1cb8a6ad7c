package evals_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/evals"
)

// TestTheCodeStopsTheWorstThatAModelCouldWrite promises, on whole datasets of the sizes agreed, that no attack stands in a briefing, that
// true sentences do, and that questions are read as they are meant.
func TestTheCodeStopsTheWorstThatAModelCouldWrite(t *testing.T) {
	bench, err := evals.Bench()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{evals.Questions: 37, evals.Plain: 30, evals.Attacks: 96}
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
		for _, line := range lines {
			var c struct {
				ID               string
				Inputs, Expected json.RawMessage
			}
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatal(err)
			}
			difference, err := evals.Measure(name, bench, c.Inputs, c.Expected)
			if err != nil || difference != "" {
				t.Errorf("%s: %v %s", c.ID, err, difference)
			}
		}
	}
	t.Log("how well a model words a briefing: not measured: needs a real model")
}
