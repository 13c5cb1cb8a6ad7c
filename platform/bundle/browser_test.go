//go:build browser

package bundle_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestTheViewerOpensFromDisk promises that index.html, opened as a file in
// Chromium, logs nothing, asks for nothing, is fit for people at 360 and 1280 px
// in light and dark, opens formulas, and finds a changed file.
func TestTheViewerOpensFromDisk(t *testing.T) {
	s := bundletest.New(t)
	dir := unpack(t, bundletest.TakeApart(t, s.Export(t, s.Case(t, 7))))
	webtest.CheckFile(t, "testdata/viewer.mjs", dir, webtest.Shots(t))
}
