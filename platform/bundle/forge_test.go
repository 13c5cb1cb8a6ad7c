package bundle_test

import (
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// check verifies bytes with the institution's key.
func check(data []byte, keys ...audit.Verifier) *bundle.Report {
	return bundletest.Verify(data, bundle.Options{Sections: bundletest.Known(), Keys: keys})
}
