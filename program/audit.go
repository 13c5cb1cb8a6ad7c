package program

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Check the log of what was decided and done",
		Long: `Check the log of what was decided and done. Its records are leaves of a tree whose
root is signed. Nobody can change one without contradicting a signature that others
keep.`,
		Example: `  gavel audit fsck
  gavel audit sample --seed 2026-Q4 --size 25 --strata kind
  gavel audit verify rec_01K…`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.auditFsckCommand(), c.auditSampleCommand(), c.auditVerifyCommand(), c.auditKeyCommand(), c.auditResumeCommand())
	return cmd
}

// reads gives a command the database of all organisations.
func (c *cli) reads(cmd *cobra.Command) *cobra.Command {
	return c.uses(cmd, config.Need{config.NameDatabaseSystem})
}

func (c *cli) auditFsckCommand() *cobra.Command {
	var keys, checkpoints []string
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "Re-check the whole log from outside",
		Long: `Re-check the whole log from outside. Every record's text is compared with its leaf.
Every tile and signed checkpoint is compared with a tree rebuilt from the records, and
so is every published copy. It only reads. Ends with code 8 when something is not as it
was written. Entries that were lost in a restore, and that an operator has put on record
(gavel audit resume), are named. They are no problem.

The answer is worth what you bring along. Somebody with the key could rewrite the log
from end to end. That contradicts only the copies that others kept.`,
		Example: `  gavel audit fsck
  gavel audit fsck --key gavel.example.org/log+1a2b3c4d+AbCd… --checkpoint kept-in-march.txt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.auditFsck(cmd, keys, checkpoints) },
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "a public key you were given; without one the log's own word is taken")
	cmd.Flags().StringArrayVar(&checkpoints, "checkpoint", nil, "file with a checkpoint that somebody kept")
	return c.reads(cmd)
}

func (c *cli) auditFsck(cmd *cobra.Command, keys, files []string) error {
	sys, err := postgres.OpenSystem(cmd.Context(), c.cfg.DatabaseSystem.Reveal())
	if err != nil {
		return err
	}
	defer sys.Close()
	check := audit.FsckConfig{System: sys, Again: time.Tick(250 * time.Millisecond),
		Progress: func(done, total int64) { c.progress("%d of %d entries", done, total) }}
	for _, k := range keys {
		check.Trusted = append(check.Trusted, audit.Verifier(k))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fault.From(fault.NotFound, err, "no checkpoint can be read from %s", file)
		}
		check.Known = append(check.Known, string(text))
	}
	if c.cfg.BlobURL != "" {
		shelf, err := openBlob(c.cfg)
		if err != nil {
			return err
		}
		check.Shelf = shelf
	}
	report, err := audit.Fsck(cmd.Context(), check)
	if err != nil {
		return err
	}
	return c.printFsck(report)
}

func (c *cli) printFsck(r audit.Report) error {
	if c.print.Format.ForPrograms() {
		if err := output.One(c.print, r, nil); err != nil {
			return err
		}
	} else {
		columns := []output.Column[audit.Finding]{
			{Head: "WHAT", Field: "what", Value: func(f audit.Finding) any { return f.What }},
			{Head: "FINDING", Field: "text", Value: func(f audit.Finding) any { return f.Text }},
		}
		if err := output.List(c.print, r.Findings, "everything checked is as it was written", columns); err != nil {
			return err
		}
		c.print.Say("%d entries, %d tiles, %d checkpoints, %d published copies checked; %d records wait to be taken in",
			r.Size, r.Tiles, r.Checkpoints, r.Published, r.Waiting)
		for _, l := range r.Lost {
			c.print.Say("entries %d to %d were lost in a restore; only their hashes are known. Record %s says why the log went on: %s",
				l.From, l.Upto-1, l.Record, l.Reason)
		}
	}
	if !r.Clean() {
		return verdict(exitProblems)
	}
	return nil
}

func (c *cli) auditSampleCommand() *cobra.Command {
	var spec audit.SampleSpec
	cmd := &cobra.Command{
		Use:   "sample",
		Short: "Draw a sample of records that anyone can draw again",
		Long: `Draw a sample of records that anyone can draw again, on any machine. An entry's rank
is the SHA-256 of the seed, a line feed and its number. The smallest ranks are drawn.`,
		Example: `  gavel audit sample --seed 2026-Q4 --size 25 --strata kind
  gavel audit sample --seed 2026-Q4 --size 25 -o json > sample.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.auditSample(cmd, spec) },
	}
	cmd.Flags().StringVar(&spec.Seed, "seed", "", "any text; the same seed draws the same sample")
	cmd.Flags().IntVar(&spec.Size, "size", 25, "how many records")
	cmd.Flags().StringVar(&spec.Strata, "strata", "", "divide by kind, app or actor first")
	_ = cmd.MarkFlagRequired("seed")
	return c.reads(cmd)
}

func (c *cli) auditSample(cmd *cobra.Command, spec audit.SampleSpec) error {
	sys, err := postgres.OpenSystem(cmd.Context(), c.cfg.DatabaseSystem.Reveal())
	if err != nil {
		return err
	}
	defer sys.Close()
	sample, err := audit.Draw(cmd.Context(), sys, spec)
	if err != nil {
		return err
	}
	if c.print.Format.Whole() {
		return output.One(c.print, sample, nil)
	}
	return output.List(c.print, sample.Entries, "the log has no entries to draw from", []output.Column[audit.Drawn]{
		{Head: "NUMBER", Field: "seq", Value: func(d audit.Drawn) any { return d.Seq }},
		{Head: "RECORD", Field: "record", Value: func(d audit.Drawn) any { return string(d.Record) }},
		{Head: "KIND", Field: "kind", Value: func(d audit.Drawn) any { return string(d.Kind) }},
		{Head: "APP", Field: "app", Value: func(d audit.Drawn) any { return d.App }},
		{Head: "ABOUT", Field: "subject", Value: func(d audit.Drawn) any { return d.Subject }},
	})
}

func (c *cli) auditVerifyCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "verify RECORD",
		Short: "Show step by step that a record is genuine",
		Long: `Show step by step that a record is genuine: what each step proves, and what it does
not. Each has the shell line that repeats it without Gavel. Ends with code 8 when a
step does not hold.`,
		Example: `  gavel audit verify rec_01K…
  gavel audit verify rec_01K… --key gavel.example.org/log+1a2b3c4d+AbCd…`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.auditVerify(cmd, audit.RecordID(args[0]), keys)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "a public key you were given; without one the log's own word is taken")
	return c.reads(cmd)
}

func (c *cli) auditVerify(cmd *cobra.Command, id audit.RecordID, keys []string) error {
	sys, err := postgres.OpenSystem(cmd.Context(), c.cfg.DatabaseSystem.Reveal())
	if err != nil {
		return err
	}
	defer sys.Close()
	trusted := make([]audit.Verifier, len(keys))
	for i, k := range keys {
		trusted[i] = audit.Verifier(k)
	}
	v, err := audit.Verify(cmd.Context(), sys, id, trusted, nil)
	if err != nil {
		return err
	}
	held := map[bool]string{true: "holds", false: "FAILS"}
	err = output.List(c.print, v.Steps, "nothing to check", []output.Column[audit.Step]{
		{Head: "STEP", Field: "name", Value: func(s audit.Step) any { return s.Name }},
		{Head: "", Field: "ok", Value: func(s audit.Step) any { return held[s.OK] }},
		{Head: "FOUND", Field: "found", Value: func(s audit.Step) any { return s.Found }},
		{Head: "PROVES", Field: "proves", Value: func(s audit.Step) any { return s.Proves }},
		{Head: "DOES NOT PROVE", Field: "does_not_prove", Value: func(s audit.Step) any { return s.DoesNot }},
	})
	if err == nil && !v.OK() {
		return verdict(exitProblems)
	}
	return err
}
