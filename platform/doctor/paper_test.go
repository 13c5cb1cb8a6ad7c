package doctor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/doctor"
)

func TestAMachineThatCannotPrintIsToldHow(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, browser, path string
		status              doctor.Status
		detail, fix         string
	}{
		{"no browser", "", t.TempDir(), doctor.OK, "apt-get install chromium", ""},
		{"one that is not there", "/does/not/exist", "", doctor.Warn, "no browser", "GAVEL_BROWSER"},
		{"one that does not print", broken, "", doctor.Warn, "did not print", "start " + broken},
	} {
		if tt.path != "" {
			t.Setenv("PATH", tt.path)
		}
		got := doctor.Run(t.Context(), []doctor.Check{doctor.Paper(tt.browser)}, time.Minute)[0]
		if got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Fix, tt.fix) ||
			got.Fix == "" != (tt.fix == "") {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
}
