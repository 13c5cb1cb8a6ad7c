//go:build browser

package bundle_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/audit/bundle/bundletest"
)

// TestTheViewerOpensFromDisk promises that index.html, opened as a file in
// Chromium, logs nothing, asks for nothing, is fit for people at 360 and 1280 px
// in light and dark, opens formulas, and finds a changed file. It needs Node and
// Chromium, after npm ci in devstack/tools/browser.
func TestTheViewerOpensFromDisk(t *testing.T) {
	s := bundletest.New(t)
	dir := unpack(t, bundletest.TakeApart(t, s.Export(t, s.Case(t, 7))))
	script, err := os.Open("testdata/viewer.mjs")
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	shots, err := filepath.Abs("../../../.dev/shots")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "--input-type=module", "-", dir, shots)
	cmd.Dir, cmd.Stdin = "../../../devstack/tools/browser", script
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
}
