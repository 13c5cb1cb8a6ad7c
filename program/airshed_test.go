package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
)

// TestAirshedAnswersFromAFileWithoutAServer promises that a file of the data lake is
// scanned, answered and answered again to the byte by the program alone, and that
// what cannot be is refused in words.
func TestAirshedAnswersFromAFileWithoutAServer(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	write := func(name string, body []byte) {
		if err := os.WriteFile(file(name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("november.json", laketest.File(t, laketest.Surge(t)))
	write("quiet.json", laketest.File(t, laketest.Quiet(t)))
	write("empty.json", []byte(`{"timestamp":"2025-11-13T19:00:00Z","cpcb_data":[]}`))
	const key = "site_5024@2025-11-12T02:30Z"

	scan := setup{}.run(t, "airshed", "scan", "--data", file("november.json"))
	golden(t, "airshed/scan.golden", scan.out+scan.talk)
	if quiet := (setup{}.run(t, "airshed", "scan", "--data", file("quiet.json"))); quiet.code != 0 || !strings.Contains(quiet.talk,
		"no station is in a surge") {
		t.Errorf("quiet air: got %+v", quiet)
	}
	episode := setup{}.run(t, "airshed", "episode", key, "--data", file("november.json"), "--out", file("analysis.json"))
	golden(t, "airshed/episode.golden", strings.ReplaceAll(episode.out+episode.talk, folder, "folder"))
	kept, err := os.ReadFile(file("analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	drafted := setup{}.run(t, "airshed", "report", key, "--data", file("november.json"), "--into", file("drafts"))
	golden(t, "airshed/report.golden", strings.ReplaceAll(drafted.out+drafted.talk, folder, "folder"))
	for name, has := range map[string]string{
		"caqm_report_20251113_190000_site_5024_2025-11-12T0230Z.json":    `"report_id": "CAQM-2025-11-13-000"`,
		"caqm_report_20251113_190000_site_5024_2025-11-12T0230Z_en.html": "Punjab",
		"caqm_report_20251113_190000_site_5024_2025-11-12T0230Z_hi.html": "पंजाब",
	} {
		if body, err := os.ReadFile(filepath.Join(folder, "drafts", name)); err != nil || !strings.Contains(string(body), has) {
			t.Errorf("%s: %v, or it does not say %s", name, err, has)
		}
	}
	if again := (setup{}.run(t, "airshed", "replay", file("analysis.json"), "--data", file("november.json"))); again.code != 0 ||
		!strings.Contains(again.out, "true") {
		t.Errorf("doing it again: got %+v", again)
	}
	write("bent.json", bytes.Replace(kept, []byte(`"conclusive":true`), []byte(`"conclusive":false`), 1))
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"replay", file("bent.json"), "--data", file("november.json")}, 6, "differs: attribution"},
		{[]string{"replay", file("november.json"), "--data", file("november.json")}, 2, "no analysis"},
		{[]string{"scan"}, 2, "GAVEL_SERVER"},
		{[]string{"report", key}, 2, "--data"},
		{[]string{"scan", "--data", file("nothing.json")}, 3, "nothing.json"},
		{[]string{"scan", "--data", file("empty.json")}, 2, "cpcb_data"},
		{[]string{"episode", "alipur", "--data", file("november.json")}, 2, "gavel airshed scan"},
		{[]string{"episode", "site_5024@2020-01-01T00:30Z", "--data", file("november.json")}, 3, "site_5024@2020-01-01T00:30Z"},
		{[]string{"scan", "--data", file("november.json"), "--districts", file("x.json")}, 2, "licence"},
	} {
		got := setup{}.run(t, append([]string{"airshed"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.talk, tt.says) {
			t.Errorf("%v: got %d and %q, want %d and %q", tt.args, got.code, got.talk, tt.code, tt.says)
		}
	}
}
