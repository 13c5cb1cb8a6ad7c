package disk_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/blob/blobtest"
	"github.com/gavelhq/gavel/platform/blob/disk"
)

func TestFolderListsWhatLiesInIt(t *testing.T) {
	f, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	blobtest.List(t, f)
}
