package bundle_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/fault"
)

// craft packs files under a manifest that names a key, as densely as can be.
func craft(t testing.TB, key audit.Verifier, files map[string][]byte) []byte {
	t.Helper()
	m := bundle.Manifest{Format: bundle.Format, Case: "case_01ARZ3NDEKTSV4RRFFQ69G5FAV", Org: "north", MadeAt: time.Date(2026, 1, 2, 3, 4,
		5, 0, time.UTC),
		Program: "x", Origin: "evil.test/log", Key: key, Sections: []bundle.Part{{Name: "log", Title: "L", Version: 1}}}
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		m.Files = append(m.Files, bundle.File{Path: n, Section: "log", Size: int64(len(files[n])), SHA256: sha256.Sum256(files[n])})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	files["manifest.json"] = b.Bytes()
	return dense(t, files)
}

func dense(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, 9) })
	for _, n := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: n, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(files[n])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func keyOf(t testing.TB, origin string) audit.Verifier {
	t.Helper()
	_, public, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	return public
}

// TestSomeKilobytesTakeNoGigabytes promises that what a stranger sends decides what
// it costs to say that it is nothing: bytes, not what they claim to unpack to.
func TestSomeKilobytesTakeNoGigabytes(t *testing.T) {
	secret, _, err := audit.NewKey("evil.test/log")
	if err != nil {
		t.Fatal(err)
	}
	evil, own := keyOf(t, "evil.test/log"), keyOf(t, "gavel.test/log")
	newlines := bytes.Repeat([]byte("\n"), 16<<20)
	objects := append(append([]byte(`{"format":"gavel-bundle/2","files":[`), bytes.Repeat([]byte("{},"), 5<<20)...), "{}]}"...)
	for name, data := range map[string][]byte{
		"keys of newlines":     craft(t, evil, map[string][]byte{"log/keys.ndjson": newlines}),
		"records of newlines":  craft(t, evil, map[string][]byte{"log/records.ndjson": newlines, "log/proofs.ndjson": newlines}),
		"signed keys":          signed(t, secret, evil, map[string][]byte{"log/keys.ndjson": newlines}),
		"signed records":       signed(t, secret, evil, map[string][]byte{"log/records.ndjson": newlines, "log/proofs.ndjson": newlines}),
		"signed page":          signed(t, secret, evil, map[string][]byte{"index.html": newlines}),
		"manifest of nothings": dense(t, map[string][]byte{"manifest.json": objects}),
		"directory of nothing": directory(1_000_000),
	} {
		runtime.GC()
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		began := time.Now()
		rep, err := bundle.Verify(t.Context(), bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known(),
			Keys: []audit.Verifier{own}})
		took := time.Since(began)
		runtime.ReadMemStats(&b)
		t.Logf("%s: %d bytes sent, %d MB allocated, %v, %s", name, len(data), (b.TotalAlloc-a.TotalAlloc)>>20, took.Round(time.Millisecond),
			said(rep, err))
		if got := (b.TotalAlloc - a.TotalAlloc) >> 20; got > 64 {
			t.Errorf("%s: %d bytes sent made the server allocate %d MB, want at most 64", name, len(data), got)
		}
	}
}

// signed is craft by somebody who signs it with a key of their own: every wall that
// they can pass without the institution's key is passed.
func signed(t testing.TB, secret string, key audit.Verifier, files map[string][]byte) []byte {
	t.Helper()
	whole := map[string][]byte{"key.pem": nil, "SHA256SUMS": nil, "index.html": nil, "README.md": nil, "VERIFY.md": nil}
	maps.Copy(whole, files)
	craft(t, key, files)
	f := &bundletest.Forgery{Files: whole, KeepPage: true}
	f.Files["manifest.json"] = files["manifest.json"]
	m := f.Manifest(t)
	m.Files = nil
	for name := range whole {
		if !strings.Contains(name, "/") {
			m.Files = append(m.Files, bundle.File{Path: name, Section: "bundle"})
		}
	}
	f.SetManifest(t, m)
	f.SignWith(t, secret)
	return dense(t, f.Files)
}

// TestACheckEndsWithWhoWaitsForIt promises that nothing goes on for somebody who has
// left: the check ends at its next piece, with an error and no report.
func TestACheckEndsWithWhoWaitsForIt(t *testing.T) {
	data := craft(t, keyOf(t, "evil.test/log"), map[string][]byte{"log/blob": make([]byte, 32<<20)})
	ctx, leave := context.WithCancel(t.Context())
	read := 0
	rep, err := bundle.Verify(ctx, bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known(),
		Limits: bundle.Limits{Pace: func(_ context.Context, n int) error {
			if read += n; read > len(data)/2 {
				leave()
			}
			return nil
		}}})
	if rep != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v; want no report, and that it was called off", rep, err)
	}
	if read > len(data) {
		t.Errorf("%d bytes were read after they had left", read-len(data)/2)
	}
}

// TestWhatIsTooMuchIsNotUnpacked promises that a limit is met before it is passed: what
// the archive says it unpacks to is enough to say no.
func TestWhatIsTooMuchIsNotUnpacked(t *testing.T) {
	data := craft(t, keyOf(t, "evil.test/log"), map[string][]byte{"log/blob": make([]byte, 60<<20)})
	read := 0
	rep, err := bundle.Verify(t.Context(), bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known(),
		Limits: bundle.Limits{Unpacked: 32 << 20, Pace: func(_ context.Context, n int) error { read += n; return nil }}})
	if rep != nil || !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, %v; want it refused as too large", rep, err)
	}
	if read > len(data) {
		t.Errorf("%d bytes were read of a file of %d that is refused", read, len(data))
	}
}

// TestAnUnsignedFileIsNotUnpacked promises that a stranger's file costs what it takes to
// see that nobody signed it.
func TestAnUnsignedFileIsNotUnpacked(t *testing.T) {
	data := craft(t, keyOf(t, "evil.test/log"), map[string][]byte{"log/blob": make([]byte, 60<<20)})
	read := 0
	rep, err := bundle.Verify(t.Context(), bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known(),
		Limits: bundle.Limits{Pace: func(_ context.Context, n int) error { read += n; return nil }}})
	if err != nil || rep.Verdict() != bundle.Altered {
		t.Errorf("got %s, want altered", said(rep, err))
	}
	if read > 4*len(data) {
		t.Errorf("%d bytes were read of an unsigned file of %d", read, len(data))
	}
}

// directory is a zip that is nothing but its list of files.
func directory(n int) []byte {
	one := make([]byte, 46)
	copy(one, "PK\x01\x02")
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	low := uint16(n)
	end[8], end[9], end[10], end[11] = byte(low), byte(low>>8), byte(low), byte(low>>8)
	size := uint32(46 * n)
	end[12], end[13], end[14], end[15] = byte(size), byte(size>>8), byte(size>>16), byte(size>>24)
	return append(bytes.Repeat(one, n), end...)
}

// said is what a check came to, in words.
func said(rep *bundle.Report, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(rep.Verdict())
}
