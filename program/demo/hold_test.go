package demo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

// TestAFolderIsOneDemonstrationsAtATime promises that a second demonstration in the same
// folder is refused before it starts or ends anything, and that the folder is free again
// once the first has left.
func TestAFolderIsOneDemonstrationsAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	first := &Show{cfg: Config{Dir: dir}, dir: dir}
	if err := first.hold(); err != nil {
		t.Fatal(err)
	}
	_, err := Begin(t.Context(), Config{Dir: dir, Speed: 600, Program: "/nowhere"})
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "runs in "+dir+" already") {
		t.Errorf("the second: %v", err)
	}
	if err := first.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := &Show{cfg: Config{Dir: dir}, dir: dir}
	if err := again.hold(); err != nil {
		t.Errorf("after the first has left: %v", err)
	}
	_ = again.End(t.Context())
}
