package survey

import (
	"strings"
	"testing"
)

// TestPicturesAreKeptReadyAndNoMoreThanSo promises that an episode's picture is made
// once, and that the album does not grow without end.
func TestPicturesAreKeptReadyAndNoMoreThanSo(t *testing.T) {
	var b album
	for i := range 3 * maxAlbum {
		b.keep(sheetKey{org: "north", data: strings.Repeat("x", i)}, Drawable{})
	}
	if len(b.ready) != maxAlbum || len(b.order) != maxAlbum {
		t.Errorf("%d pictures are kept, want %d", len(b.ready), maxAlbum)
	}
	if _, ok := b.find(sheetKey{org: "north", data: strings.Repeat("x", 3*maxAlbum-1)}); !ok {
		t.Error("the newest is gone")
	}
	if _, ok := b.find(sheetKey{org: "south", data: strings.Repeat("x", 3*maxAlbum-1)}); ok {
		t.Error("another organisation finds it")
	}
}
