package cli

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// packFormat names the form of a pack.
const packFormat = "gavel.report.evidence.1"

// The files of a pack that are looked for by name.
const (
	manifestFile = "manifest.json"
	reportFile   = "report.md"
	factsFile    = "report.facts.json"
	dataFolder   = "data"
)

// A manifest lists the files of a pack under their digests.
type manifest struct {
	Format string       `json:"format"`
	Made   time.Time    `json:"made_at"`
	Tool   string       `json:"tool_version"`
	Meta   report.Meta  `json:"report"`
	Files  []packedFile `json:"files"`
}

type packedFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

const packReadme = `# Evidence of a report

report.md is the report, report.html the same to read: every number leads to its cell and formula.
report.facts.json holds for each section what was written, and every fact it cites with all that it rests on.
report.trace.json says which charts each section was given, and why.
data holds the tables, byte for byte as the model handed them over.
manifest.json and SHA256SUMS list every file under its SHA-256.

To do every number again, with no server and no network:

    gavel report reperform FILE
`

func (c terminal) exportCommand() *cobra.Command {
	var s sources
	var file, output, outlineFile string
	cmd := &cobra.Command{
		Use:   "export-evidence",
		Short: "Pack a report with its facts and data, for an auditor",
		Long: `Pack a report with everything an auditor needs to do it again. The pack has the report, and every
fact with its cell or formula. It has the tables byte for byte, how each section came about, and
earlier versions. A list names all files with their SHA-256. A report that its facts do not carry is not packed:
gavel report verify says why.`,
		Example: `  gavel report export-evidence --report draft.md --data-root run --output evidence.zip`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return c.export(s, file, outlineFile, output) },
	}
	cmd.Flags().StringVar(&file, "report", "", "the report; its facts stand beside it")
	cmd.Flags().StringVar(&outlineFile, "outline", "", "the outline it was made of, to be packed too")
	_ = cmd.MarkFlagRequired("report")
	_ = cmd.MarkFlagFilename("report", "md")
	s.dataFlag(cmd)
	cmd = c.Writes(cmd, &output, "file to write the pack to")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func (c terminal) export(s sources, file, outlineFile, output string) error {
	document, l, err := readReport(file)
	if err != nil {
		return err
	}
	cat, err := s.catalogue()
	if err != nil {
		return err
	}
	got, err := report.Check(document, l, cat)
	if err != nil {
		return err
	}
	if !got.OK() {
		return c.verified(got)
	}
	files, err := packed(s.data, file, outlineFile, document, l, cat)
	if err != nil {
		return err
	}
	m := manifest{Format: packFormat, Made: c.Now().UTC().Truncate(time.Second), Tool: c.Version, Meta: l.Meta}
	body, err := pack(m, files)
	if err != nil {
		return err
	}
	if err := put(output, body); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	return c.one(map[string]any{"output": output, "run_id": l.Meta.RunID, "files": len(files) + 2, "size": len(body),
		"sha256": hex.EncodeToString(sum[:])},
		platform.Column{Head: "PACK", Field: "output"}, platform.Column{Head: "RUN", Field: "run_id"}, platform.Column{Head: "FILES",
			Field: "files"},
		platform.Column{Head: "BYTES", Field: "size"}, platform.Column{Head: "SHA-256", Field: "sha256"})
}

// packed is the files of a pack, by path.
func packed(dataRoot, file, outlineFile string, document []byte, l *report.Ledger, cat *catalogue.Catalogue) (map[string][]byte, error) {
	page, err := paper.HTML(document, l, cat)
	if err != nil {
		return nil, err
	}
	list, err := indented(cat)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"README.md": []byte(packReadme), reportFile: document, "report.html": page, "catalogue.json": list}
	more := map[string]string{beside(file, ".facts.json"): factsFile, beside(file, ".trace.json"): "report.trace.json",
		outlineFile: "outline.md"}
	for n := 1; n < l.Version; n++ {
		v := ".v" + strconv.Itoa(n)
		more[beside(file, v+".md")], more[beside(file, v+".facts.json")] = "versions/report"+v+".md", "versions/report"+v+".facts.json"
	}
	for name, as := range more {
		if name == "" {
			continue
		}
		body, err := readFile(name, maxLedger)
		if err != nil {
			if as == factsFile || name == outlineFile {
				return nil, err
			}
			continue // a trace, or a version that somebody took away
		}
		out[as] = body
	}
	return out, packData(dataRoot, l, cat, out)
}

// packData adds the tables, and how their charts were made.
func packData(dataRoot string, l *report.Ledger, cat *catalogue.Catalogue, out map[string][]byte) error {
	root, err := os.OpenRoot(dataRoot)
	if err != nil {
		return unreadable(dataRoot, err)
	}
	defer root.Close()
	for _, f := range cat.Files {
		table := slices.ContainsFunc(cat.Charts, func(ch catalogue.Chart) bool { return ch.CSV == f.Path })
		if !table && path.Base(f.Path) != "plot_specs.json" {
			continue
		}
		body, err := fs.ReadFile(root.FS(), path.Join(cat.Root, f.Path))
		if err != nil {
			return unreadable(f.Path, err)
		}
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f.SHA256 {
			return fault.New(fault.Stale, "%s changed while it was packed", f.Path)
		}
		out[path.Join(dataFolder, f.Path)] = body
	}
	return packRaw(root.FS(), cat, l, out)
}

// pack writes a zip: the same files make the same bytes.
func pack(m manifest, files map[string][]byte) ([]byte, error) {
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		m.Files = append(m.Files, packedFile{name, hex.EncodeToString(sum[:]), len(files[name])})
		sums.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	list, err := indented(m)
	if err != nil {
		return nil, err
	}
	files = maps.Clone(files)
	files[manifestFile], files["SHA256SUMS"] = list, []byte(sums.String())
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
