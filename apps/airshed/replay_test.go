package airshed

import (
	"testing"

	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// TestRecordedWorkStillGetsThrough promises that scans, watches, ingests and cases which an
// earlier build lived through would be lived through alike by this one. The histories
// are written by `go test ./program -run "TheWatchGoesOn|Ingest|ASurgeBecomes" -record`.
func TestRecordedWorkStillGetsThrough(t *testing.T) {
	durabletest.Replay(t, "testdata/history", New().Work.Workflows...)
}
