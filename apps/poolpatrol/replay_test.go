package poolpatrol

import (
	"testing"

	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// TestRecordedCasesStillGetThrough promises that cases and passes which an earlier
// build lived through would be lived through alike by this one. The histories are
// written by `go test ./program -run CasesAreLived -record`.
func TestRecordedCasesStillGetThrough(t *testing.T) {
	durabletest.Replay(t, "testdata/history", New().Work.Workflows...)
}
