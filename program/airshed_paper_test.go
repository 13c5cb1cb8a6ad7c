package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
)

// TestAirshedSaysWhatPrintingNeeds promises that whoever asks for PDFs without a browser
// is told how to come by one before anything is written.
func TestAirshedSaysWhatPrintingNeeds(t *testing.T) {
	folder := t.TempDir()
	data := filepath.Join(folder, "november.json")
	if err := os.WriteFile(data, laketest.File(t, laketest.Surge(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	drafts := filepath.Join(folder, "drafts")
	for browser, code := range map[string]int{"/does/not/exist": 3, "chromium": 2} {
		got := setup{environ: []string{"GAVEL_BROWSER=" + browser}}.run(t, "airshed", "report", "site_5024@2025-11-12T02:30Z", "--data",
			data, "--into", drafts, "--pdf")
		if got.code != code || !strings.Contains(got.talk, "GAVEL_BROWSER") {
			t.Errorf("with %s: got %d and %q, want %d and what to do", browser, got.code, got.talk, code)
		}
		if _, err := os.Stat(drafts); err == nil {
			t.Errorf("with %s: something was written", browser)
		}
	}
}
