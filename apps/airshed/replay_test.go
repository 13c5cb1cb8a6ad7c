package airshed

import (
	"testing"

	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// TestRecordedScansAndWatchesStillGetThrough promises that scans and watches which an
// earlier build lived through would be lived through alike by this one. The histories
// are written by `go test ./cmd/gavel -run TheWatchGoesOn -record`.
func TestRecordedScansAndWatchesStillGetThrough(t *testing.T) {
	durabletest.Replay(t, "testdata/history", New().Work.Workflows...)
}
