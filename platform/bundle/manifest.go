package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The files every bundle has beside those of its sections. The first three are
// not in the manifest: one is it, the others sign it.
const (
	manifestFile = "manifest.json"
	noteFile     = "manifest.note" // the signature over the manifest's digest, as package note writes it
	sigFile      = "manifest.sig"  // the signature over the manifest itself, 64 bytes, for openssl
	keyFile      = "key.pem"
	sumsFile     = "SHA256SUMS"
	viewerFile   = "index.html"
	readmeFile   = "README.md"
	byHandFile   = "VERIFY.md"
)

// unlisted are the files that the manifest does not name.
func unlisted() []string { return []string{manifestFile, noteFile, sigFile} }

// A Manifest says what is in a bundle. It is what the log's key signs.
type Manifest struct {
	Format   string         `json:"format"`
	Case     string         `json:"case"`
	Org      identity.Org   `json:"org"`
	MadeAt   time.Time      `json:"made_at"`
	Program  string         `json:"program"` // that made it
	Origin   string         `json:"origin"`  // of the log
	Key      audit.Verifier `json:"key"`     // that signs this manifest
	Sections []Part         `json:"sections"`
	Files    []File         `json:"files"` // by path
}

// A Part is a section as a manifest lists it.
type Part struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version int    `json:"version"`
}

// A File is a file as a manifest lists it.
type File struct {
	Path    string      `json:"path"`
	Section string      `json:"section"`
	Size    int64       `json:"size"`
	SHA256  blob.Digest `json:"sha256"`
}

// pathForm allows what every file system takes, and nothing that leads out of
// the folder a bundle is unpacked in.
var pathForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9][A-Za-z0-9._-]{0,99}){0,4}$`)

func goodPath(p string) bool { return pathForm.MatchString(p) && len(p) <= 200 }

// encode writes the manifest the one way it is written: for people to read, in
// the order of its fields.
func (m Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return b.Bytes(), nil
}

// maxManifest bounds a manifest from outside: some 250 bytes for each file.
const maxManifest = 32 << 20

// maxParts is how many sections a manifest lists at most, and some more.
const maxParts = 1000

// parseManifest reads a manifest and refuses every spelling but its own, so that
// two readers cannot read two things.
func parseManifest(text []byte) (Manifest, error) {
	bad := func(format string, args ...any) (Manifest, error) {
		return Manifest{}, fault.New(fault.Invalid, "%s %s", manifestFile, fmt.Sprintf(format, args...))
	}
	if bytes.Count(text, []byte("{")) > maxFiles+maxParts { // counted before there are so many
		return bad("lists more than a bundle may hold")
	}
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return bad("is not JSON")
	}
	if head.Format != Format && head.Format != formerFormat {
		return bad("is of the form %.40q, and this program reads %s and %s", head.Format, Format, formerFormat)
	}
	var m Manifest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return bad("does not have the fields of a manifest")
	}
	again, err := m.encode()
	if err != nil || !bytes.Equal(again, text) {
		return bad("is not spelt the way a manifest is")
	}
	if what := m.check(); what != "" {
		return bad("%s", what)
	}
	return m, nil
}

// check says what is wrong with a manifest's own parts, or nothing.
func (m Manifest) check() string {
	if _, err := identity.ParseOrg(string(m.Org)); err != nil || !caseForm.MatchString(m.Case) {
		return "names no case of an organisation"
	}
	if name, _, err := publicKey(m.Key); err != nil || name != m.Origin {
		return "names a key that is not one of its log"
	}
	if m.MadeAt.IsZero() || m.MadeAt.Location() != time.UTC || len(m.Program) > 100 {
		return "does not say when and by what program it was made"
	}
	known := map[string]bool{own: true}
	for _, p := range m.Sections {
		if !sectionForm.MatchString(p.Name) || p.Version < 1 || len(p.Title) > 100 || known[p.Name] {
			return fmt.Sprintf("has a malformed section %.40q", p.Name)
		}
		known[p.Name] = true
	}
	for i, f := range m.Files {
		top, _, inFolder := strings.Cut(f.Path, "/")
		switch {
		case !goodPath(f.Path) || f.Size < 0 || slices.Contains(unlisted(), f.Path):
			return fmt.Sprintf("lists a file it may not list: %.80q", f.Path)
		case i > 0 && f.Path <= m.Files[i-1].Path:
			return fmt.Sprintf("lists its files out of order, or %s twice", f.Path)
		case !known[f.Section] || inFolder && top != f.Section || inFolder != (f.Section != own):
			return fmt.Sprintf("lists %s under the wrong section", f.Path)
		}
	}
	return ""
}

// file finds a file in the manifest.
func (m Manifest) file(path string) (File, bool) {
	i, ok := slices.BinarySearchFunc(m.Files, path, func(f File, p string) int { return strings.Compare(f.Path, p) })
	if !ok {
		return File{}, false
	}
	return m.Files[i], true
}

// sums is the file SHA256SUMS: every file but itself and those that the manifest
// does not list. The manifest lists it, so the one signature covers it too.
func sums(files []File) []byte {
	var b bytes.Buffer
	for _, f := range files {
		if f.Path != sumsFile {
			fmt.Fprintf(&b, "%s  %s\n", f.SHA256, f.Path)
		}
	}
	return b.Bytes()
}
