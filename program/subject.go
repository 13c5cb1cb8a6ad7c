package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) subjectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "subject",
		Short: "Erase what is held about a person, or keep it from being erased",
		Long: `Erase what is held about a person, or keep it from being erased.

A subject is a type of person and an opaque id that says nothing about them:
rider:R-7. staff:ID is who acted under that id: their name goes, what they wrote
stays. All of it needs the role org_admin; an auditor may look.`,
		Example: `  gavel subject preview rider:R-7
  gavel subject erase rider:R-7 --ground request --reference DSR-2026-014
  gavel subject hold rider:R-7 --reason "suit 12/2026"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.subjectPreviewCommand(), c.subjectEraseCommand(), c.subjectNameCommand(),
		c.subjectHoldCommand(), c.subjectReleaseCommand(), c.subjectHoldsCommand())
	return cmd
}

func (c *cli) subjectPreviewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preview <subject>",
		Short: "Say what erasing a person would take, and what it could not reach",
		Example: `  gavel subject preview rider:R-7
  gavel subject preview rider:R-7 -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Preview(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return c.showErasure(server, found)
		},
	}
	return c.talksToServer(cmd)
}

func grounds() []string { return []string{"request", "retention", "court_order", "mistake"} }

func (c *cli) subjectEraseCommand() *cobra.Command {
	var e erasing
	cmd := &cobra.Command{
		Use:   "erase <subject> --ground <ground>",
		Short: "Erase what is held about a person, for good",
		Long: `Erase what is held about a person, for good. Every key that opens what was sealed for
them is destroyed. The words about them in cases, notes, evidence and facts are blanked.
That it was done goes on record; a legal hold refuses it.

On a terminal the subject is asked for once more; elsewhere --yes says that it is
meant. Doing it again changes nothing, unless something has come back.`,
		Example: `  gavel subject erase rider:R-7 --ground request --reference DSR-2026-014
  gavel subject erase rider:R-7 --ground retention --yes -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(grounds(), e.ground) {
				return fault.New(fault.Invalid, "--ground takes %s, not %.40q", strings.Join(grounds(), ", "), e.ground)
			}
			e.subject = args[0]
			return c.eraseSubject(cmd.Context(), e)
		},
	}
	cmd.Flags().StringVar(&e.ground, "ground", "", "why: "+strings.Join(grounds(), ", ")+" (needed)")
	cmd.Flags().StringVar(&e.reference, "reference", "", "number of the letter or ticket; it goes on record")
	cmd.Flags().BoolVar(&e.sure, "yes", false, "do not ask again")
	c.completesFlag(cmd, "ground", cobra.FixedCompletions(grounds(), cobra.ShellCompDirectiveNoFileComp))
	return c.talksToServer(cmd)
}

// erasing is what the command line asks for.
type erasing struct {
	subject, ground, reference string
	sure                       bool // need not be asked
}

func (c *cli) eraseSubject(ctx context.Context, e erasing) error {
	if !e.sure && !c.canAsk() {
		return nobodyToAsk("--yes")
	}
	server, err := c.server()
	if err != nil {
		return err
	}
	if !e.sure {
		found, err := server.Preview(ctx, e.subject)
		if err != nil {
			return err
		}
		c.print.Say("it would take keys: %d, rows: %d; others who lose something: %d; exports out of reach: %d",
			found.Keys, rowsOf(found), found.Others, found.Exports)
		again, err := c.ask("This cannot be undone. The subject once more", "--yes")
		if err != nil {
			return err
		}
		if again != e.subject {
			return fault.New(fault.Unconfirmed, "that is not %s: nothing was erased", e.subject)
		}
	}
	done, err := server.Erase(ctx, e.subject, e.ground, e.reference)
	if err != nil {
		return err
	}
	return c.showErasure(server, done)
}

func rowsOf(e client.Erasure) int {
	n := 0
	for _, r := range e.Rows {
		n += r.Rows
	}
	return n
}

func (c *cli) showErasure(server *client.Client, e client.Erasure) error {
	c.print.Zone = server.Zone()
	err := output.One(c.print, e, []output.Column[client.Erasure]{
		{Head: "SUBJECT", Field: "subject", Value: func(e client.Erasure) any { return e.Subject }},
		{Head: "ERASED", Field: "at", Value: func(e client.Erasure) any { return e.At }, Time: true},
		{Head: "GROUND", Field: "ground", Value: func(e client.Erasure) any { return e.Ground }},
		{Head: "REFERENCE", Field: "reference", Value: func(e client.Erasure) any { return e.Reference }},
		{Head: "KEYS", Field: "keys", Value: func(e client.Erasure) any { return e.Keys }},
		{Head: "OBJECTS", Field: "objects", Value: func(e client.Erasure) any { return e.Objects }},
		{Head: "OTHERS", Field: "others", Value: func(e client.Erasure) any { return e.Others }},
		{Head: "ROWS", Field: "rows", Value: func(e client.Erasure) any { return rowWords(e) }},
		{Head: "EXPORTS", Field: "exports", Value: func(e client.Erasure) any { return e.Exports }},
		{Head: "RECORD", Field: "record", Value: func(e client.Erasure) any { return e.Record }},
	})
	for _, h := range e.Holds {
		c.print.Say("a legal hold refuses it: %s on %s", h.ID, h.Target)
	}
	if e.Exports > 0 {
		c.print.Say("what was exported is out of reach: tell who received it")
	}
	return err
}

// rowWords says which package blanked how many rows.
func rowWords(e client.Erasure) string {
	words := make([]string, len(e.Rows))
	for i, r := range e.Rows {
		words[i] = fmt.Sprintf("%s %d", r.Name, r.Rows)
	}
	return strings.Join(words, ", ")
}

func (c *cli) subjectNameCommand() *cobra.Command {
	var id string
	var entry int64
	cmd := &cobra.Command{
		Use:   "name <subject> --case <id or ref>",
		Short: "Say that a case, or one entry of it, is about a person",
		Long: `Say that a case, or one entry of it, is about a person. Erasing them then blanks the
title and every text of the case, or that entry alone.`,
		Example: `  gavel subject name rider:R-7 --case GEN-7M1B0CDE
  gavel subject name rider:R-7 --case GEN-7M1B0CDE --entry 3`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id == "" || entry < 0 {
				return fault.New(fault.Invalid, "--case is missing, or --entry is less than 0")
			}
			server, err := c.server()
			if err != nil {
				return err
			}
			if err := server.NameSubject(cmd.Context(), id, args[0], entry); err != nil {
				return err
			}
			c.print.Say("named")
			return nil
		},
	}
	cmd.Flags().StringVar(&id, "case", "", "the case (needed)")
	cmd.Flags().Int64Var(&entry, "entry", 0, "only this entry of it; 0 for the whole case")
	c.completesFlag(cmd, "case", c.completes(severalIDs, caseIDs))
	return c.talksToServer(cmd)
}
