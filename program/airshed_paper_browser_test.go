//go:build browser

package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
)

// TestAirshedPrintsReports promises that --pdf writes a PDF beside each page, and says so.
func TestAirshedPrintsReports(t *testing.T) {
	folder := t.TempDir()
	data := filepath.Join(folder, "november.json")
	if err := os.WriteFile(data, laketest.File(t, laketest.Surge(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	got := setup{}.run(t, "airshed", "report", "site_5024@2025-11-12T02:30Z", "--data", data, "--into", folder, "--pdf")
	if got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	for _, lang := range []string{"en", "hi"} {
		name := filepath.Join(folder, "caqm_report_20251113_190000_site_5024_2025-11-12T0230Z_"+lang+".pdf")
		raw, err := os.ReadFile(name)
		if err != nil || !bytes.HasPrefix(raw, []byte("%PDF-")) || !strings.Contains(got.talk, "written to "+name) {
			t.Errorf("%s: %v, %d bytes; said %q", name, err, len(raw), got.talk)
		}
	}
}
