package bundle_test

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/audit/bundle/bundletest"
)

// A forgery is a bundle taken apart, to be put together again with something
// changed. It is written without the package's own code, as an attacker would.
type forgery struct {
	files map[string][]byte
	order []string // of the archive, where it is not that of the names
	twice string   // a file that is put in a second time

	keepPage bool // the viewer is not to be made to agree
}

func takeApart(t testing.TB, data []byte) *forgery {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f := &forgery{files: map[string][]byte{}}
	for _, one := range z.File {
		body, err := one.Open()
		if err != nil {
			t.Fatal(err)
		}
		if f.files[one.Name], err = io.ReadAll(body); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f *forgery) copy() *forgery {
	return &forgery{files: maps.Clone(f.files), order: slices.Clone(f.order), twice: f.twice, keepPage: f.keepPage}
}

// pack writes the archive as careful as the real one.
func (f *forgery) pack(t testing.TB) []byte {
	t.Helper()
	names := f.order
	if names == nil {
		names = slices.Sorted(maps.Keys(f.files))
	}
	if f.twice != "" {
		names = slices.Insert(slices.Clone(names), slices.Index(names, f.twice), f.twice)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(f.files[name])
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

// The files that the manifest does not list.
var beside = []string{"manifest.json", "manifest.note", "manifest.sig"}

// fixUp makes manifest, SHA256SUMS and viewer agree with the files again. What
// remains wrong is what a signature or the log says.
func (f *forgery) fixUp(t testing.TB) {
	t.Helper()
	m := f.manifest(t)
	section := map[string]string{}
	for _, x := range m.Files {
		section[x.Path] = x.Section
	}
	if !f.keepPage {
		f.fixViewer(t, m)
	}
	m.Files = nil
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		if slices.Contains(beside, name) || name == "SHA256SUMS" {
			continue
		}
		m.Files = append(m.Files, f.listed(name, section))
	}
	if _, there := f.files["SHA256SUMS"]; there {
		var sums strings.Builder
		for _, x := range m.Files {
			fmt.Fprintf(&sums, "%s  %s\n", x.SHA256, x.Path)
		}
		f.files["SHA256SUMS"] = []byte(sums.String())
		m.Files = append(m.Files, f.listed("SHA256SUMS", section))
	}
	slices.SortFunc(m.Files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	f.setManifest(t, m)
}

func (f *forgery) listed(name string, section map[string]string) bundle.File {
	s := section[name]
	if s == "" {
		s, _, _ = strings.Cut(name, "/")
	}
	return bundle.File{Path: name, Section: s, Size: int64(len(f.files[name])), SHA256: sha256.Sum256(f.files[name])}
}

func (f *forgery) manifest(t testing.TB) bundle.Manifest {
	t.Helper()
	var m bundle.Manifest
	if err := json.Unmarshal(f.files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func (f *forgery) setManifest(t testing.TB, m bundle.Manifest) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	f.files["manifest.json"] = b.Bytes()
}

// fixViewer puts the changed files into the page.
func (f *forgery) fixViewer(t testing.TB, m bundle.Manifest) {
	t.Helper()
	const opens, closes = `<script type="application/json" id="bundle-data">`, `</script>`
	before, rest, ok := bytes.Cut(f.files["index.html"], []byte(opens))
	text, after, closed := bytes.Cut(rest, []byte(closes))
	if !ok || !closed {
		return // it is the viewer itself that was changed
	}
	var data map[string]any
	if err := json.Unmarshal(text, &data); err != nil {
		return
	}
	data["key"] = string(m.Key)
	var shown []any
	for _, x := range data["files"].([]any) {
		one := x.(map[string]any)
		body, there := f.files[one["path"].(string)]
		if !there {
			continue
		}
		sum := sha256.Sum256(body)
		one["size"], one["sha256"] = len(body), hex.EncodeToString(sum[:])
		if _, embedded := one["text"]; embedded {
			one["text"] = string(body)
		}
		shown = append(shown, one)
	}
	data["files"] = shown
	again, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	f.files["index.html"] = slices.Concat(before, []byte(opens), again, []byte(closes), after)
}

// signWith signs the manifest with a key, as its holder would.
func (f *forgery) signWith(t testing.TB, secret string) {
	t.Helper()
	s, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(secret, "+", 5)
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil {
		t.Fatal(err)
	}
	key := ed25519.NewKeyFromSeed(seed[1:])
	public := key.Public().(ed25519.PublicKey)
	v, err := note.NewEd25519VerifierKey(s.Name(), public)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	if _, there := f.files["key.pem"]; there && audit.Verifier(v) != f.manifest(t).Key {
		f.files["key.pem"] = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	m := f.manifest(t)
	m.Key = audit.Verifier(v)
	f.setManifest(t, m)
	f.fixUp(t)
	text := f.files["manifest.json"]
	sum := sha256.Sum256(text)
	signed, err := note.Sign(&note.Note{Text: "gavel-bundle/1\nsha256 " + hex.EncodeToString(sum[:]) + "\n"}, s)
	if err != nil {
		t.Fatal(err)
	}
	f.files["manifest.note"], f.files["manifest.sig"] = signed, ed25519.Sign(key, text)
}

// check verifies bytes with the institution's key.
func check(data []byte, keys ...audit.Verifier) *bundle.Report {
	return bundle.Verify(bytes.NewReader(data), int64(len(data)), bundle.Options{Sections: bundletest.Known(), Keys: keys})
}
