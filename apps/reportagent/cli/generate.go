package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// making are the flags of both commands that write.
type making struct {
	sources
	output, runID              string
	onlyChanged, dry, asStrict bool
	page, sheets, word         bool
}

func (m *making) moreFlags(cmd *cobra.Command) {
	m.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&m.runID, "run-id", "", "what this run is called (default: the time)")
	f.BoolVar(&m.dry, "dry-run", false, "say what would be written, and write nothing")
	f.BoolVar(&m.asStrict, "strict", false, "count warnings as errors")
}

func (c terminal) generateReportCommand() *cobra.Command {
	var m making
	cmd := &cobra.Command{
		Use:   "generate-report",
		Short: "Write a draft into every section of an outline",
		Long: `Write a draft into every section of an outline, from the charts it is mapped to. Leaves come
first, then the sections above them from what those say. Beside the report are the facts
it cites (draft.facts.json) and how it came about (draft.trace.json).

With --html there is also a page to read, which needs nothing from outside. With --pdf it is
on sheets of A4, and with --docx it is a Word file. In both, an annex says where each number is from.

Where the report is there already, what a person wrote into it stays; the version before is
kept as draft.v1.md. A file that was not written by this command is not touched.

Ends with code 8 where there are problems: errors in the outline, missing charts, or sections
without data. So it does where the verifier refused a sentence.`,
		Example: `  gavel report generate-report --outline outline.md --data-root run --output draft.md
  gavel report generate-report --outline outline.md --data-root new-run --output draft.md --only-changed
  gavel report generate-report --outline outline.md --data-root run --output draft.md --dry-run -o json
  gavel report generate-report --outline outline.md --data-root run --output draft.md --html --pdf --docx`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.generate(cmd, m, "") },
	}
	m.moreFlags(cmd)
	cmd.Flags().BoolVar(&m.onlyChanged, "only-changed", false, "leave sections whose charts and instructions are those of last time")
	cmd.Flags().BoolVar(&m.page, "html", false,
		"write it as a page too, draft.html: numbers lead to their cells, charts are drawn from their tables")
	cmd.Flags().BoolVar(&m.sheets, "pdf", false, "write it on sheets too, draft.pdf")
	cmd.Flags().BoolVar(&m.word, "docx", false, "write it as a Word file too, draft.docx")
	cmd = c.Writes(cmd, &m.output, "file to write the report to")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func (c terminal) generateSectionCommand() *cobra.Command {
	var m making
	var section string
	cmd := &cobra.Command{
		Use:   "generate-section",
		Short: "Write a draft into one section",
		Long: `Write a draft into one section, and leave every other as it is. Without --output it is
written into the outline itself. What a person wrote into the section stays.`,
		Example: `  gavel report generate-section --outline draft.md --data-root run --section emissions`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if m.output == "" {
				m.output = m.outline
			}
			return c.generate(cmd, m, section)
		},
	}
	m.moreFlags(cmd)
	cmd.Flags().StringVar(&section, "section", "", "the section: its id, as inspect-section-mapping prints it")
	_ = cmd.MarkFlagRequired("section")
	return c.Writes(cmd, &m.output, "file to write to (default: the outline)")
}

// standing is the files of a report as they are now; all nil where there is none.
type standing struct {
	document, ledger, trace []byte
}

// look reads what stands at the output. In place, the outline is the report, with or without a ledger.
func (m making) look() (standing, error) {
	var s standing
	for _, f := range []struct {
		name string
		into *[]byte
		most int64
	}{{m.output, &s.document, maxLedger}, {beside(m.output, ".facts.json"), &s.ledger, maxLedger}, {beside(m.output, ".trace.json"),
		&s.trace, maxLedger}} {
		body, err := platform.ReadFile(f.name, f.most)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		*f.into = body
	}
	if s.document != nil && s.ledger == nil && m.output != m.outline {
		return s, fault.New(fault.Conflict, "%s is there, and was not written by this command", m.output).
			WithNext("name another file with --output, or take it away")
	}
	return s, nil
}

// request gathers what a report is made of.
func (c terminal) request(m making, section string, stood standing) (report.Request, error) {
	file, err := readOutline(m.outline)
	if err != nil {
		return report.Request{}, err
	}
	cat, err := m.catalogue()
	if err != nil {
		return report.Request{}, err
	}
	curated, aliases, err := m.mapping(cat.Root)
	if err != nil {
		return report.Request{}, err
	}
	now := c.Now().UTC().Truncate(1e9)
	if m.runID == "" {
		m.runID = now.Format("2006-01-02T15.04.05")
	}
	r := report.Request{Outline: file, Catalogue: cat, Map: curated, Aliases: aliases, Section: section, OnlyChanged: m.onlyChanged,
		Strict: m.asStrict,
		Meta:   report.Meta{RunID: m.runID, Model: report.NoModel, Prompt: draft.Code, Tool: c.Version, Generated: now},
		Progress: func(done, of int, section string) {
			if done == of || done%max(1, of/20) == 0 {
				c.Progress("%s %d of %d sections: %s", bar(done, of), done, of, section)
			}
		}}
	if stood.ledger != nil {
		l, err := report.ParseLedger(stood.ledger)
		if err != nil {
			return r, fmt.Errorf("%s: %w", beside(m.output, ".facts.json"), err)
		}
		sum := sha256.Sum256(stood.ledger)
		r.Before = &report.Before{Document: stood.document, Ledger: l, SHA256: hex.EncodeToString(sum[:])}
	}
	return r, nil
}

// bar is how far work has come.
func bar(done, of int) string {
	const wide = 20
	n := wide * done / max(of, 1)
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", wide-n) + "]"
}

// generate writes a report, or one section of it.
func (c terminal) generate(cmd *cobra.Command, m making, section string) error {
	forms, err := c.forms(cmd, m) // before anything is written: a machine without a browser is told first
	if err != nil {
		return err
	}
	stood, err := m.look()
	if err != nil {
		return err
	}
	r, err := c.request(m, section, stood)
	if err != nil {
		return err
	}
	made, err := report.Generate(r)
	if section != "" && fault.KindOf(err) == fault.NotFound {
		return fault.From(fault.NotFound, err, "%s has no section %.80q", m.outline, section).
			WithNext("gavel report inspect-section-mapping --outline %s --data-root %s", m.outline, m.data)
	}
	if err != nil {
		return err
	}
	if !m.dry {
		if err := m.write(stood, made); err != nil {
			return err
		}
		for _, f := range forms {
			body, err := f.make(made.Document, &made.Ledger, r.Catalogue)
			if err != nil {
				return err
			}
			if err := put(beside(m.output, f.ending), body); err != nil {
				return err
			}
		}
	}
	return c.generated(m, made)
}

// write writes the report and what belongs to it, unless somebody saved it meanwhile. The ledger comes first: a report without one
// would be taken for a person's.
func (m making) write(stood standing, made *report.Result) error {
	if err := unchanged(m.output, stood.document); err != nil {
		return err
	}
	if err := m.keep(stood, made.Ledger.Version-1); err != nil {
		return err
	}
	ledger, err := pack.Indented(made.Ledger)
	if err != nil {
		return err
	}
	trace, err := pack.Indented(made.Trace)
	if err != nil {
		return err
	}
	if err := put(beside(m.output, ".facts.json"), ledger); err != nil {
		return err
	}
	if err := put(beside(m.output, ".trace.json"), trace); err != nil {
		return err
	}
	return replace(m.output, stood.document, made.Document)
}

// keep keeps the version before under its number.
func (m making) keep(stood standing, version int) error {
	if stood.document == nil || stood.ledger == nil {
		return nil
	}
	for ending, body := range map[string][]byte{".md": stood.document, ".facts.json": stood.ledger, ".trace.json": stood.trace} {
		if body != nil {
			if err := put(beside(m.output, fmt.Sprintf(".v%d%s", version, ending)), body); err != nil {
				return err
			}
		}
	}
	return nil
}

// made is what is printed of a report.
type made struct {
	Output   string                `json:"output"`
	RunID    string                `json:"run_id"`
	Version  int                   `json:"version"`
	DryRun   bool                  `json:"dry_run"`
	Counts   map[report.Status]int `json:"sections"`
	Numbers  int                   `json:"numbers"`
	Facts    int                   `json:"facts"`
	Each     []eachMade            `json:"each"`
	Code     string                `json:"code,omitempty"`
	Problems []report.Problem      `json:"problems"`
}

type eachMade struct {
	ID      string        `json:"section_id"`
	Status  report.Status `json:"status"`
	Why     string        `json:"why,omitempty"`
	Numbers int           `json:"numbers"`
}

func (c terminal) generated(m making, r *report.Result) error {
	out := made{Output: m.output, RunID: r.Ledger.Meta.RunID, Version: r.Ledger.Version, DryRun: m.dry, Counts: map[report.Status]int{},
		Each: []eachMade{}, Code: codeOf(r.Problems), Problems: r.Problems}
	if out.Problems == nil {
		out.Problems = []report.Problem{}
	}
	for i, e := range r.Ledger.Sections {
		out.Counts[e.Status]++
		out.Facts += len(e.Facts)
		out.Numbers += r.Trace.Sections[i].Numbers
		out.Each = append(out.Each, eachMade{e.ID, e.Status, e.Why, r.Trace.Sections[i].Numbers})
	}
	err := c.one(out, platform.Column{Head: "REPORT", Field: "output"}, platform.Column{Head: "VERSION", Field: "version"},
		platform.Column{Head: "RUN", Field: "run_id"}, platform.Column{Head: "WRITTEN", Field: "sections.written"},
		platform.Column{Head: "UNCHANGED", Field: "sections.unchanged"}, platform.Column{Head: "KEPT", Field: "sections.kept"},
		platform.Column{Head: "BLOCKED", Field: "sections.blocked"}, platform.Column{Head: "NUMBERS", Field: "numbers"},
		platform.Column{Head: "PROBLEMS", Field: "code"})
	if err != nil {
		return err
	}
	for _, e := range out.Each {
		if e.Status == report.Kept || e.Status == report.Blocked {
			c.Say("section %s: %s, %s", e.ID, e.Status, e.Why)
		}
	}
	return c.told(r.Problems)
}
