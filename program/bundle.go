package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) bundleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Hand a case to somebody who can check it without us",
		Example: `  gavel bundle export GEN-7M1B0CDE -f case.zip --to "Office of the tribunal"
  gavel verify case.zip --key gavel.example.org/log+1a2b3c4d+AbCd…`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.bundleExportCommand())
	return cmd
}

func (c *cli) bundleExportCommand() *cobra.Command {
	var file, to string
	cmd := &cobra.Command{
		Use:   "export <id or ref>",
		Short: "Write a case, with its evidence and proofs, into one zip",
		Long: `Write a case, with its evidence and proofs, into one zip. Anyone can check it with gavel
verify, or by hand with sha256sum and openssl.

That the bundle left, and for whom, goes on record before the first byte does.
A file that is there already is not overwritten.`,
		Example: `  gavel bundle export GEN-7M1B0CDE
  gavel bundle export GEN-7M1B0CDE -f case.zip --to "Office of the tribunal"
  gavel bundle export case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE -f - > case.zip`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completes(oneID, caseIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			server, err := c.server()
			if err != nil {
				return err
			}
			found, err := server.Case(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return c.exportBundle(cmd.Context(), server, found, file, to)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file to write, - for the standard output (default: <ref>.zip)")
	cmd.Flags().StringVar(&to, "to", "", "who receives it: an office rather than a person (default: you)")
	return c.talksToServer(cmd)
}

// A saved is what export tells of the file it wrote.
type saved struct {
	client.Bundle
	File string `json:"file"`
}

func (c *cli) exportBundle(ctx context.Context, server *client.Client, found client.Case, file, to string) error {
	if file == "-" {
		_, err := server.Bundle(ctx, found.ID, to, c.out)
		return err
	}
	if file == "" {
		file = filepath.Base(found.Ref) + ".zip"
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Conflict, "%s is there already", file).WithNext("choose another name with -f")
	}
	got, err := saveBundle(ctx, file, func(w io.Writer) (client.Bundle, error) { return server.Bundle(ctx, found.ID, to, w) })
	if err != nil {
		return err
	}
	err = output.One(c.print, saved{got, file}, []output.Column[saved]{
		{Head: "FILE", Field: "file", Value: func(s saved) any { return s.File }},
		{Head: "CASE", Field: "case", Value: func(s saved) any { return s.Case }},
		{Head: "SIZE", Field: "size", Value: func(s saved) any { return s.Size }},
		{Head: "SHA-256", Field: "sha256", Value: func(s saved) any { return s.SHA256 }},
		{Head: "RECORD", Field: "record", Value: func(s saved) any { return s.Record }},
	})
	c.print.Say("check it: gavel verify %s --key KEY", file)
	return err
}

// saveBundle writes a bundle beside its name and gives it the name only when it
// is whole and nothing in it contradicts itself.
func saveBundle(ctx context.Context, file string, fetch func(io.Writer) (client.Bundle, error)) (got client.Bundle, err error) {
	draft, err := os.CreateTemp(filepath.Dir(file), ".gavel-bundle-*")
	if err != nil {
		return got, fault.From(fault.Invalid, err, "%s cannot be written", file)
	}
	defer func() {
		_ = draft.Close()
		_ = os.Remove(draft.Name()) // its new name stays
	}()
	if got, err = fetch(draft); err != nil {
		return got, err
	}
	rep, err := bundle.Verify(ctx, draft, got.Size, bundle.Options{Sections: sections()})
	if err != nil {
		return got, err
	}
	if rep.Verdict() == bundle.Altered {
		return got, fault.New(fault.Internal, "the bundle that arrived does not verify: %v", rep.Findings())
	}
	if err := draft.Sync(); err != nil {
		return got, fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Link(draft.Name(), file); err != nil { // fails where somebody was quicker
		return got, fault.From(fault.Conflict, err, "%s cannot be written", file).WithNext("choose another name with -f")
	}
	return got, nil
}
