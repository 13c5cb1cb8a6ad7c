package cli

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) reperformCommand() *cobra.Command {
	var run string
	cmd := &cobra.Command{
		Use:   "reperform <evidence.zip>",
		Short: "Do every number of a report again from its evidence: PASS or FAIL for each",
		Long: `Do every number of a report again, from the pack that export-evidence wrote and nothing else.
What was read is read again from the same bytes. What was computed is computed again from its
inputs, in exact arithmetic. What a raw table was asked is asked again, of gavel-duck. The text is
then checked against these numbers.

A raw table that was too large for the pack is looked for in --data-root. It counts only if it is
the same file.

Ends with code 8 when a number fails, the text says something else, or a file was altered.`,
		Example: `  gavel report reperform evidence.zip
  gavel report reperform evidence.zip -o csv > numbers.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return c.reperform(args[0], run) },
	}
	cmd.Flags().StringVar(&run, "data-root", "", "folder of the run, for raw tables that are not in the pack")
	_ = cmd.MarkFlagDirname("data-root")
	return cmd
}

// A done is what became of one number.
type done struct {
	Section string            `json:"section_id"`
	Fact    fact.Ref          `json:"fact"`
	Outcome reperform.Outcome `json:"outcome"`
	Stored  string            `json:"stored"`
	Again   string            `json:"again"`
	Unit    string            `json:"unit"`
	How     string            `json:"how"` // read, asked, or the operation
	Why     string            `json:"why,omitempty"`
}

func (c terminal) reperform(name, run string) error {
	p, err := openPack(name)
	if err != nil {
		return err
	}
	asker, err := c.raw()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "gavel-raw-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	files, err := p.lay(folder, run)
	if err != nil {
		return err
	}
	all, passed := p.again(asker, files)
	items := make([]json.RawMessage, len(all))
	for i, d := range all {
		if items[i], err = json.Marshal(d); err != nil {
			return err
		}
	}
	err = c.List(items, "the report cites no number", platform.Column{Head: "SECTION", Field: "section_id"}, platform.Column{Head: "FACT",
		Field: "fact"},
		platform.Column{Head: "OUTCOME", Field: "outcome"}, platform.Column{Head: "STORED", Field: "stored"}, platform.Column{Head: "AGAIN",
			Field: "again"},
		platform.Column{Head: "UNIT", Field: "unit"}, platform.Column{Head: "HOW", Field: "how"},
		platform.Column{Head: "WHY", Field: "why"})
	if err != nil {
		return err
	}
	got, err := report.Check(p.files[pack.ReportFile], p.ledger, p.catalogue)
	if err != nil {
		return err
	}
	for _, f := range got.Findings {
		c.Say("%s", f)
	}
	for _, text := range p.altered {
		c.Say("the pack was altered: %s", text)
	}
	c.Say("%d of %d numbers pass; run %s", passed, len(all), p.manifest.Meta.RunID)
	if passed < len(all) || !got.OK() || len(p.altered) > 0 {
		return c.Problems
	}
	return nil
}

// opened is a pack that somebody handed us.
type opened struct {
	manifest  pack.Manifest
	files     map[string][]byte
	ledger    *report.Ledger
	catalogue *catalogue.Catalogue
	altered   []string
}

// Bounds on a pack.
const (
	maxPacked   = 2 << 30 // bytes of all files together
	maxPackedIn = 50_000  // files
)

// openPack reads a pack and checks every file against its manifest.
func openPack(name string) (*opened, error) {
	body, err := platform.ReadFile(name, maxPacked)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, noPack(name, err)
	}
	p := &opened{files: map[string][]byte{}}
	if err := p.unpack(name, z); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(p.files[pack.ManifestFile], &p.manifest); err != nil || p.manifest.Format != pack.Format {
		return nil, noPack(name, err)
	}
	if p.ledger, err = report.ParseLedger(p.files[pack.FactsFile]); err != nil {
		return nil, noPack(name, err)
	}
	p.compare()
	data, err := fs.Sub(z, pack.DataFolder)
	if err != nil {
		return nil, noPack(name, err)
	}
	p.catalogue, err = catalogue.Discover(data)
	return p, err
}

func noPack(name string, err error) error {
	return fault.From(fault.Invalid, err, "%s is no evidence of a report", name).WithNext("gavel report export-evidence writes one")
}

func (p *opened) unpack(name string, z *zip.Reader) error {
	left := int64(maxPacked)
	for _, f := range z.File {
		if len(p.files) >= maxPackedIn {
			return fault.New(fault.TooLarge, "%s has more than %d files", name, maxPackedIn)
		}
		r, err := f.Open()
		if err != nil {
			return noPack(name, err)
		}
		body, err := io.ReadAll(io.LimitReader(r, left+1))
		_ = r.Close() // it was only read
		if err != nil {
			return noPack(name, err)
		}
		if left -= int64(len(body)); left < 0 {
			return fault.New(fault.TooLarge, "%s unpacks to more than %d MB", name, maxPacked>>20)
		}
		if _, twice := p.files[f.Name]; twice {
			return noPack(name, fs.ErrExist)
		}
		p.files[f.Name] = body
	}
	return nil
}

// compare finds files that are not what the manifest says.
func (p *opened) compare() {
	listed := map[string]bool{pack.ManifestFile: true, "SHA256SUMS": true}
	for _, f := range p.manifest.Files {
		listed[f.Path] = true
		sum := sha256.Sum256(p.files[f.Path])
		if _, there := p.files[f.Path]; !there {
			p.altered = append(p.altered, f.Path+" is missing")
		} else if hex.EncodeToString(sum[:]) != f.SHA256 {
			p.altered = append(p.altered, f.Path+" is not what was packed")
		}
	}
	for name := range p.files {
		if !listed[name] {
			p.altered = append(p.altered, name+" was added")
		}
	}
}

// again does every number again, and counts those that pass.
func (p *opened) again(asker Asker, raw map[string]string) (all []done, passed int) {
	snapshots := map[string][]byte{}
	keep := func(body []byte) {
		sum := sha256.Sum256(body)
		snapshots[hex.EncodeToString(sum[:])] = body
	}
	for name, body := range p.files {
		if len(name) > len(pack.DataFolder) && name[:len(pack.DataFolder)+1] == pack.DataFolder+"/" {
			keep(body)
		}
	}
	for _, ch := range p.catalogue.Charts {
		if ch.Spec != nil {
			keep(ch.Spec.Raw) // a spec is a document of its own: the file is none
		}
	}
	open := func(digest string) (reperform.Bytes, error) {
		body, ok := snapshots[digest]
		if file := raw[digest]; !ok && file != "" {
			f, err := os.Open(filepath.Clean(file))
			return reperform.Bytes{ReadCloser: f, SHA256: digest}, err
		}
		if !ok {
			return reperform.Bytes{}, fault.New(fault.NotFound, "the pack has no file %s", digest)
		}
		return reperform.Bytes{ReadCloser: io.NopCloser(bytes.NewReader(body)), SHA256: digest}, nil
	}
	for _, e := range p.ledger.Sections {
		a := &asking{asker: asker, kept: e.Questions, files: raw, done: map[query.Kept]query.Answer{}, wrong: map[query.Kept]error{}}
		rep := reperform.RunAsking(e.ID, e.Facts, open, a.of)
		if rep.Register != "" {
			p.altered = append(p.altered, "the register of section "+e.ID+": "+rep.Register)
		}
		for i, v := range rep.Verdicts {
			d := done{Section: e.ID, Fact: v.Fact, Outcome: v.Outcome, Stored: v.Stored, Again: v.Again, Why: v.Why, How: "read"}
			if f := e.Facts[i]; f.Ref() == v.Fact {
				d.Unit = f.Unit
				if f.Calc != nil {
					d.How = string(f.Calc.Op)
				} else if query.WasAsked(f) {
					d.How = "asked"
				}
			}
			if v.Outcome == reperform.Pass {
				passed++
			}
			all = append(all, d)
		}
	}
	return all, passed
}
