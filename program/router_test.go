package program

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/program/config"
)

// TestHomesAreAskedAboutOverASecureRoadOnly promises that where people live goes to a
// router over plain http on this machine alone, and that an address which is none is
// refused when the server starts.
func TestHomesAreAskedAboutOverASecureRoadOnly(t *testing.T) {
	for _, tt := range []struct{ mode, router, says string }{
		{"production", "osrm+https://roads.example.org", ""},
		{"production", "valhalla+http://127.0.0.1:8002", ""},
		{"production", "osrm+http://roads.example.org", "homes would travel over plain http"},
		{"demo", "osrm+http://roads.example.org", ""},
		{"production", "roads", "expected osrm+ or valhalla+"},
		{"demo", "osrm+ftp://roads.example.org", "expected osrm+ or valhalla+"},
	} {
		c, err := config.Load(config.Sources{Environ: []string{"GAVEL_MODE=" + tt.mode, "GAVEL_ROUTER=" + tt.router}, Apps: builtIn().
			settings()})
		if err != nil {
			t.Fatal(err)
		}
		got := c.Problems()
		if tt.says == "" && len(got) > 0 || tt.says != "" && (len(got) != 1 || !strings.Contains(got[0].Detail, tt.says)) {
			t.Errorf("%s in %s: got %v, want %q", tt.router, tt.mode, got, tt.says)
		}
	}
}
