//go:build browser

package gallery_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/web/webtest"
)

// These tests run with -tags browser; webtest.Check says what they need.

var update = flag.Bool("update", false, "keep what the gallery looks like now; look at the pictures first")

// views are the pictures that are kept: how it looks and how wide it is.
var views = []string{"light-1280", "light-360", "dark-1280", "dark-360", "hi-1280", "hi-360"}

// TestTheGalleryIsFitForPeople promises of every component what the pages promise:
// no serious finding of axe-core, no error, nothing the policy refuses, and no
// scrolling sideways.
func TestTheGalleryIsFitForPeople(t *testing.T) {
	server := httptest.NewServer(handler(t))
	defer server.Close()
	webtest.Check(t, "check.mjs", "--base", server.URL, "--out", webtest.Shots(t), "--langs", "en,hi", "components@/components")
}

// TestTheShellIsFitForPeople promises of the frame around every page: "/" leads to
// the search; with shortcuts off no single key acts; themes, print and the letters
// of Hindi need no script.
func TestTheShellIsFitForPeople(t *testing.T) {
	server := httptest.NewServer(handler(t))
	defer server.Close()
	webtest.Check(t, "shell.mjs", "--base", server.URL, "/components")
}

// TestTheGalleryLooksAsItIsKept promises that no component changes its look
// unnoticed: light, dark and in Hindi, on a desk and on a phone. Whoever means a
// change looks at .dev/shots/gallery and renews the pictures with -update.
func TestTheGalleryLooksAsItIsKept(t *testing.T) {
	server := httptest.NewServer(handler(t))
	defer server.Close()
	dir := filepath.Join(webtest.Shots(t), "gallery")
	out := webtest.Check(t, "gallery.mjs", "--base", server.URL, "--out", dir, "--views", strings.Join(append(views, "forced-1280"), ","),
		"/components")
	for _, view := range views {
		got := shrink(read(t, filepath.Join(dir, view+".png")))
		kept := filepath.Join("testdata", view+".png")
		if *update {
			write(t, kept, got)
			continue
		}
		if text := differ(got, plain(read(t, kept)), sections(out, view)); text != "" {
			t.Errorf("%s: %s; look at %s beside %s", view, text, filepath.Join(dir, view+".png"), kept)
		}
	}
}

func read(t *testing.T, file string) image.Image {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; to keep what it looks like now: go test -tags browser ./platform/web/gallery -run LooksAsItIsKept -update", err)
	}
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return img
}

func write(t *testing.T, file string, img image.Image) {
	t.Helper()
	var buf bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sections reads where each section of the gallery was, from what the script said.
func sections(out, view string) map[string]image.Rectangle {
	found := map[string]image.Rectangle{}
	for _, line := range strings.Split(out, "\n") {
		rest, ok := strings.CutPrefix(line, view+" ")
		if !ok {
			continue
		}
		for _, one := range strings.Fields(rest) {
			name, box, _ := strings.Cut(one, ":")
			var r image.Rectangle
			if _, err := fmt.Sscanf(box, "%d,%d,%d,%d", &r.Min.X, &r.Min.Y, &r.Max.X, &r.Max.Y); err == nil {
				found[name] = r
			}
		}
	}
	return found
}
