package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
)

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
	m := pack.Manifest{Made: c.Now().UTC().Truncate(time.Second), Tool: c.Version, Meta: l.Meta}
	body, err := pack.Zip(m, files)
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

// packed is the files of a pack, by path: what every pack has, and what stands beside the report.
func packed(dataRoot, file, outlineFile string, document []byte, l *report.Ledger, cat *catalogue.Catalogue) (map[string][]byte, error) {
	root, err := os.OpenRoot(dataRoot)
	if err != nil {
		return nil, platform.Unreadable(dataRoot, err)
	}
	defer root.Close()
	out, err := pack.Gather(document, l, cat, root.FS())
	if err != nil {
		return nil, err
	}
	more := map[string]string{beside(file, ".facts.json"): pack.FactsFile, beside(file, ".trace.json"): "report.trace.json",
		outlineFile: "outline.md"}
	for n := 1; n < l.Version; n++ {
		v := ".v" + strconv.Itoa(n)
		more[beside(file, v+".md")], more[beside(file, v+".facts.json")] = "versions/report"+v+".md", "versions/report"+v+".facts.json"
	}
	for name, as := range more {
		if name == "" {
			continue
		}
		body, err := platform.ReadFile(name, maxLedger)
		if err != nil {
			if as == pack.FactsFile || name == outlineFile {
				return nil, err
			}
			continue // a trace, or a version that somebody took away
		}
		out[as] = body
	}
	return out, nil
}
