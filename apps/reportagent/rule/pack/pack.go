// Package pack is the evidence of a report as one file: the report, every fact of it with its cell or formula, and the tables byte for
// byte, all listed under their digests. Whoever has it can do every number again with nothing else.
//
// Read Gather first, then Zip.
package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fault"
)

// Format names the form of a pack.
const Format = "gavel.report.evidence.1"

// The files of a pack that are looked for by name.
const (
	ManifestFile = "manifest.json"
	ReportFile   = "report.md"
	FactsFile    = "report.facts.json"
	DataFolder   = "data"
)

// MaxRaw is how large a raw table may be to be packed. A larger one is handed over beside the pack.
const MaxRaw = 256 << 20

// A Manifest lists the files of a pack under their digests.
type Manifest struct {
	Format string      `json:"format"`
	Made   time.Time   `json:"made_at"`
	Tool   string      `json:"tool_version"`
	Meta   report.Meta `json:"report"`
	Files  []File      `json:"files"`
}

// A File is one of a pack.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

const readme = `# Evidence of a report

report.md is the report, report.html the same to read: every number leads to its cell and formula.
report.facts.json holds for each section what was written, and every fact it cites with all that it rests on.
report.trace.json, where it is there, says which charts each section was given, and why.
signatures.json, where it is there, names the sections that are signed, with their hashes and proposals.
data holds the tables, byte for byte as the model handed them over.
manifest.json and SHA256SUMS list every file under its SHA-256.

To do every number again, with no server and no network:

    gavel report reperform FILE
`

// Gather is what every pack of a report has, by path: run is the folder of its model run. The facts are the caller's to add.
func Gather(document []byte, l *report.Ledger, cat *catalogue.Catalogue, run fs.FS) (map[string][]byte, error) {
	page, err := paper.HTML(document, l, cat)
	if err != nil {
		return nil, err
	}
	list, err := Indented(cat)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"README.md": []byte(readme), ReportFile: document, "report.html": page, "catalogue.json": list}
	table := map[string]bool{}
	for _, ch := range cat.Charts {
		table[ch.CSV] = true
	}
	for _, f := range cat.Files {
		if !table[f.Path] && path.Base(f.Path) != "plot_specs.json" {
			continue
		}
		if err := add(out, run, cat, f.Path, f.SHA256); err != nil {
			return nil, err
		}
	}
	for _, v := range raw(l, cat) {
		if v.Size > MaxRaw {
			continue // reperform says that it is missing, and where to name its folder
		}
		if err := add(out, run, cat, v.Path, v.SHA256); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add adds a file of the run, if it is what the catalogue says.
func add(out map[string][]byte, run fs.FS, cat *catalogue.Catalogue, name, digest string) error {
	body, err := fs.ReadFile(run, path.Join(cat.Root, name))
	if err != nil {
		return fault.From(fault.NotFound, err, "%s cannot be read: %v", name, err)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != digest {
		return fault.New(fault.Stale, "%s changed while it was packed", name)
	}
	out[path.Join(DataFolder, name)] = body
	return nil
}

// raw are the raw tables that a report cites.
func raw(l *report.Ledger, cat *catalogue.Catalogue) (out []catalogue.View) {
	cited := map[string]bool{}
	for _, e := range l.Sections {
		for _, f := range e.Facts {
			if f.Source != nil {
				cited[f.Source.Snapshot] = true
			}
		}
	}
	for _, v := range cat.Views {
		if cited[v.SHA256] {
			out = append(out, v)
		}
	}
	return out
}

// Zip writes a pack: the same files make the same bytes.
func Zip(m Manifest, files map[string][]byte) ([]byte, error) {
	m.Format = Format
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		m.Files = append(m.Files, File{name, hex.EncodeToString(sum[:]), len(files[name])})
		sums.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	list, err := Indented(m)
	if err != nil {
		return nil, err
	}
	files = maps.Clone(files)
	files[ManifestFile], files["SHA256SUMS"] = list, []byte(sums.String())
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return out.Bytes(), err
}

// Indented is a value as JSON for people.
func Indented(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(value)
	return b.Bytes(), err
}
