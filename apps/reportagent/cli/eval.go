package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/evaluation"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/pack"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// rated are the flags of run-eval.
type rated struct {
	outline, runID, output, compare, model, prompt string
	force                                          bool
}

func (c terminal) runEvalCommand() *cobra.Command {
	var r rated
	cmd := &cobra.Command{
		Use:   "run-eval",
		Short: "Read what reviewers thought of a report, and keep a record of it",
		Long: `Read the ratings and notes that reviewers left in a report, and write one record of the run.
It has means by dimension, sections, and agreement between reviewers. Every record is also
added to a history beside it, which only grows. A run that is in it is refused unless forced.

Ends with code 8 where a rating cannot be read. With --compare it does so too where the run
is rated lower than the other.`,
		Example: `  gavel report run-eval --outline report-reviewed.md --run-id 2026-v1 --output eval_results.json
  gavel report run-eval --outline report-reviewed.md --run-id 2026-v2 --output eval_v2.json --compare eval_results.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return c.runEval(r) },
	}
	f := cmd.Flags()
	f.StringVar(&r.outline, "outline", "", "the reviewed report")
	f.StringVar(&r.runID, "run-id", "", "what the run is called")
	f.StringVar(&r.compare, "compare", "", "record of another run to set it against")
	f.StringVar(&r.model, "model", "", "the model, where the report does not say")
	f.StringVar(&r.prompt, "prompt-version", "", "the version of the prompt, where the report does not say")
	f.BoolVar(&r.force, "force", false, "write the record of a run that is in the history already")
	for _, name := range []string{"outline", "run-id"} {
		_ = cmd.MarkFlagRequired(name)
	}
	_ = cmd.MarkFlagFilename("outline", "md")
	_ = cmd.MarkFlagFilename("compare", "json")
	cmd = c.Writes(cmd, &r.output, "file to write the record to")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func (c terminal) runEval(r rated) error {
	file, err := readOutline(r.outline)
	if err != nil {
		return err
	}
	doc, err := outline.Parse(file)
	if err != nil {
		return err
	}
	meta, _ := report.ReadMeta(file)
	meta.RunID, meta.Generated = r.runID, c.Now().UTC().Truncate(1e9)
	meta.Model, meta.Prompt = first(r.model, meta.Model, "unknown"), first(r.prompt, meta.Prompt, "unknown")
	if err := meta.Check(); err != nil {
		return err
	}
	_, ledger, err := readReport(r.outline)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if doc.Diagnostics.Has(diagnostic.Error) {
		return c.refused(r, doc.Diagnostics)
	}
	record, err := evaluation.Evaluate(doc, meta, ledger)
	if err != nil {
		return err
	}
	if err := r.keep(record); err != nil {
		return err
	}
	return c.evaluated(r, record)
}

func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// refused says what could not be read. No record is written.
func (c terminal) refused(r rated, told diagnostic.List) error {
	var problems []report.Problem
	for _, d := range told {
		if d.Severity == diagnostic.Error {
			problems = append(problems, report.Problem{Code: report.AboutOutline, Text: d.String()})
		}
	}
	err := c.one(struct {
		Run      string           `json:"run_id"`
		Code     string           `json:"code"`
		Problems []report.Problem `json:"problems"`
	}{r.runID, report.AboutOutline, problems}, platform.Column{Head: "RUN", Field: "run_id"}, platform.Column{Head: "PROBLEMS",
		Field: "code"})
	if err != nil {
		return err
	}
	return c.told(problems)
}

// keep writes the record, and adds it to the history.
func (r rated) keep(record evaluation.Record) error {
	name := beside(r.output, ".history.ndjson")
	was, err := platform.ReadFile(name, maxLedger)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known := slices.ContainsFunc(bytes.Split(was, []byte("\n")), func(line []byte) bool {
		old, err := evaluation.ParseRecord(line)
		return err == nil && old.RunID == record.RunID
	})
	if known && !r.force {
		return fault.New(fault.Conflict, "run %s is in %s already", record.RunID, name).WithNext("give it another --run-id, or --force")
	}
	line, err := json.Marshal(record)
	if err != nil {
		return err
	}
	body, err := pack.Indented(record)
	if err != nil {
		return err
	}
	if err := replace(name, was, slices.Concat(was, line, []byte("\n"))); err != nil {
		return err
	}
	return put(r.output, body)
}

func (c terminal) evaluated(r rated, record evaluation.Record) error {
	out := struct {
		evaluation.Record
		Comparison *evaluation.Comparison `json:"comparison,omitempty"`
		Reviewed   int                    `json:"reviewed_sections"`
	}{Record: record, Reviewed: len(record.Sections)}
	if r.compare != "" {
		file, err := platform.ReadFile(r.compare, maxLedger)
		if err != nil {
			return err
		}
		before, err := evaluation.ParseRecord(file)
		if err != nil {
			return err
		}
		against := evaluation.Compare(record, before)
		out.Comparison = &against
	}
	err := c.one(out, platform.Column{Head: "RUN", Field: "run_id"}, platform.Column{Head: "MODEL", Field: "model"},
		platform.Column{Head: "REVIEWED", Field: "reviewed_sections"}, platform.Column{Head: "UNRATED", Field: "unrated_sections"},
		platform.Column{Head: "ACCURACY", Field: "aggregate.accuracy"}, platform.Column{Head: "COMPLETENESS",
			Field: "aggregate.completeness"},
		platform.Column{Head: "CLARITY", Field: "aggregate.clarity"}, platform.Column{Head: "DATA USE", Field: "aggregate.data_use"},
		platform.Column{Head: "OVERALL", Field: "aggregate.overall"}, platform.Column{Head: "KAPPA", Field: "agreement.kappa"})
	if err != nil || out.Comparison == nil {
		return err
	}
	for _, dim := range append(outline.Dimensions(), evaluation.Overall) {
		if d, ok := out.Comparison.Deltas[dim]; ok {
			c.Say("%s: %s against %s", dim, d, out.Comparison.Against)
		}
	}
	for _, w := range out.Comparison.Warnings {
		c.Say("%s", w)
	}
	if out.Comparison.Worse {
		return c.Problems
	}
	return nil
}
