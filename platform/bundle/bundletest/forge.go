package bundletest

import (
	"archive/zip"
	"bytes"
	"context"
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

	"github.com/gowebpki/jcs"
	"golang.org/x/mod/sumdb/note"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

// A Forgery is a bundle taken apart, to be put together again with something
// changed. It is written without the package's own code, as an attacker would.
type Forgery struct {
	Files map[string][]byte
	Order []string // of the archive, where it is not that of the names
	Twice string   // a file that is put in a second time

	KeepPage bool // the viewer is not to be made to agree
}

// TakeApart opens a bundle for forging.
func TakeApart(t testing.TB, data []byte) *Forgery {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f := &Forgery{Files: map[string][]byte{}}
	for _, one := range z.File {
		body, err := one.Open()
		if err != nil {
			t.Fatal(err)
		}
		if f.Files[one.Name], err = io.ReadAll(body); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// Copy is another forgery of the same bundle. It shares no bytes with this one: a
// change that writes in place stays with its own.
func (f *Forgery) Copy() *Forgery {
	files := make(map[string][]byte, len(f.Files))
	for name, body := range f.Files {
		files[name] = bytes.Clone(body)
	}
	return &Forgery{Files: files, Order: slices.Clone(f.Order), Twice: f.Twice, KeepPage: f.KeepPage}
}

// Pack writes the archive as careful as the real one.
func (f *Forgery) Pack(t testing.TB) []byte {
	t.Helper()
	names := f.Order
	if names == nil {
		names = slices.Sorted(maps.Keys(f.Files))
	}
	if f.Twice != "" {
		names = slices.Insert(slices.Clone(names), slices.Index(names, f.Twice), f.Twice)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(f.Files[name])
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

// FixUp makes manifest, SHA256SUMS and viewer agree with the files again. What
// remains wrong is what a signature or the log says.
func (f *Forgery) FixUp(t testing.TB) {
	t.Helper()
	m := f.Manifest(t)
	section := map[string]string{}
	for _, x := range m.Files {
		section[x.Path] = x.Section
	}
	if !f.KeepPage {
		f.FixViewer(t, m)
	}
	m.Files = nil
	for _, name := range slices.Sorted(maps.Keys(f.Files)) {
		if slices.Contains(beside, name) || name == "SHA256SUMS" {
			continue
		}
		m.Files = append(m.Files, f.listed(name, section))
	}
	if _, there := f.Files["SHA256SUMS"]; there {
		var sums strings.Builder
		for _, x := range m.Files {
			fmt.Fprintf(&sums, "%s  %s\n", x.SHA256, x.Path)
		}
		f.Files["SHA256SUMS"] = []byte(sums.String())
		m.Files = append(m.Files, f.listed("SHA256SUMS", section))
	}
	slices.SortFunc(m.Files, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	f.SetManifest(t, m)
}

func (f *Forgery) listed(name string, section map[string]string) bundle.File {
	s := section[name]
	if s == "" {
		s, _, _ = strings.Cut(name, "/")
	}
	return bundle.File{Path: name, Section: s, Size: int64(len(f.Files[name])), SHA256: sha256.Sum256(f.Files[name])}
}

// Manifest is what the bundle says of itself.
func (f *Forgery) Manifest(t testing.TB) bundle.Manifest {
	t.Helper()
	var m bundle.Manifest
	if err := json.Unmarshal(f.Files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// SetManifest has the bundle say something else of itself.
func (f *Forgery) SetManifest(t testing.TB, m bundle.Manifest) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	f.Files["manifest.json"] = b.Bytes()
}

// pageData is what the viewer's page holds, in its order.
type pageData struct {
	Format   string        `json:"format"`
	Case     string        `json:"case"`
	Org      string        `json:"org"`
	MadeAt   string        `json:"made_at"`
	Program  string        `json:"program"`
	Origin   string        `json:"origin"`
	Key      string        `json:"key"`
	Sections []bundle.Part `json:"sections"`
	Files    []pageFile    `json:"files"`
}

type pageFile struct {
	Path   string  `json:"path"`
	Size   int     `json:"size"`
	SHA256 string  `json:"sha256"`
	Text   *string `json:"text,omitempty"`
}

// FixViewer puts the changed files into the page.
func (f *Forgery) FixViewer(t testing.TB, m bundle.Manifest) {
	t.Helper()
	const opens, closes = `<script type="application/json" id="bundle-data">`, `</script>`
	before, rest, ok := bytes.Cut(f.Files["index.html"], []byte(opens))
	text, after, closed := bytes.Cut(rest, []byte(closes))
	if !ok || !closed {
		return // it is the viewer itself that was changed
	}
	var data pageData
	if err := json.Unmarshal(text, &data); err != nil {
		return
	}
	data.Key, data.Format, data.Sections = string(m.Key), m.Format, m.Sections
	var shown []pageFile
	for _, one := range data.Files {
		body, there := f.Files[one.Path]
		if !there {
			continue
		}
		sum := sha256.Sum256(body)
		one.Size, one.SHA256 = len(body), hex.EncodeToString(sum[:])
		if one.Text != nil {
			text := string(body)
			one.Text = &text
		}
		shown = append(shown, one)
	}
	data.Files = shown
	again, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	f.Files["index.html"] = slices.Concat(before, []byte(opens), again, []byte(closes), after)
}

// SignWith signs the manifest with a key, as its holder would.
func (f *Forgery) SignWith(t testing.TB, secret string) {
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
	if _, there := f.Files["key.pem"]; there && audit.Verifier(v) != f.Manifest(t).Key {
		f.Files["key.pem"] = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	m := f.Manifest(t)
	m.Key = audit.Verifier(v)
	f.SetManifest(t, m)
	f.FixUp(t)
	text := f.Files["manifest.json"]
	sum := sha256.Sum256(text)
	signed, err := note.Sign(&note.Note{Text: m.Format + "\nsha256 " + hex.EncodeToString(sum[:]) + "\n"}, s)
	if err != nil {
		t.Fatal(err)
	}
	f.Files["manifest.note"], f.Files["manifest.sig"] = signed, ed25519.Sign(key, text)
}

// Edit changes a line of canonical JSON, the first that holds some text, and
// writes it canonically again.
func (f *Forgery) Edit(t testing.TB, path, holding string, change func(map[string]any)) {
	t.Helper()
	all := Lines(f.Files[path])
	at := slices.IndexFunc(all, func(l []byte) bool { return bytes.Contains(l, []byte(holding)) })
	var line map[string]any
	if err := json.Unmarshal(all[at], &line); err != nil {
		t.Fatal(err)
	}
	change(line)
	plain, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	if all[at], err = jcs.Transform(plain); err != nil {
		t.Fatal(err)
	}
	f.Files[path] = Unlines(all)
}

// Lines are the lines of a file, to be changed.
func Lines(b []byte) [][]byte {
	if len(b) == 0 {
		return nil
	}
	var out [][]byte
	for _, l := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		out = append(out, bytes.Clone(l))
	}
	return out
}

// Unlines is the file again.
func Unlines(l [][]byte) []byte {
	if len(l) == 0 {
		return nil
	}
	return append(bytes.Join(l, []byte("\n")), '\n')
}

// Verify checks a bundle that is within every limit, for a test that nobody calls off.
func Verify(data []byte, opts bundle.Options) *bundle.Report {
	rep, err := bundle.Verify(context.Background(), bytes.NewReader(data), int64(len(data)), opts)
	if err != nil {
		panic(err) // the report says what is wrong with the bytes
	}
	return rep
}
