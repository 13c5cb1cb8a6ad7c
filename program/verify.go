package program

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/content"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

// sections are the parts of a bundle that this program can check. They come
// with nothing behind them: checking needs the file and no more.
func sections() []bundle.Section {
	return append(content.Sections(content.Sources{}), agent.Sections(nil)...)
}

func (c *cli) verifyCommand() *cobra.Command {
	var keys []string
	var anySigner, explain bool
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a bundle: is it genuine, and what does that mean?",
		Long: `Check a bundle: is it genuine, and what does that mean? It needs the file and
the institution's public key, and nothing else: no network, no server, no
settings.

Without a key everything is checked but whose signature it is, and the answer is
"unproven": anyone can sign. So is an old bundle that lacks a section which every
bundle has today. So is one with a viewer that this program does not know.

Ends with code 0 for a genuine bundle, and with 8 for every other. Ends with 2 for a
file that is no bundle or only part of one.`,
		Example: `  gavel verify case.zip --key gavel.example.org/log+1a2b3c4d+AbCd…
  gavel verify case.zip --key key.txt --explain
  gavel verify case.zip --any-signer -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if anySigner && len(keys) > 0 {
				return fault.New(fault.Invalid, "--key and --any-signer exclude each other")
			}
			detail := bundle.Brief
			if explain {
				detail = bundle.Explained
			}
			return c.verify(cmd.Context(), args[0], keys, detail, anySigner)
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "the institution's public key, or a file that holds it; may be given more than once")
	cmd.Flags().BoolVar(&anySigner, "any-signer", false, "end with code 0 where only the signer is unknown")
	cmd.Flags().BoolVar(&explain, "explain", false, "say what each check proves and what it does not")
	return cmd
}

// A verified is a report as programs get it.
type verified struct {
	Verdict bundle.Verdict `json:"verdict"`
	*bundle.Report
}

func (c *cli) verify(ctx context.Context, file string, given []string, detail bundle.Detail, anySigner bool) error {
	keys, err := readKeys(given)
	if err != nil {
		return err
	}
	f, size, err := openBundle(file)
	if err != nil {
		return err
	}
	defer f.Close()
	rep, err := bundle.Verify(ctx, f, size, bundle.Options{Sections: sections(), Keys: keys})
	if err != nil {
		return err
	}
	if rep.NoBundle() {
		return noBundle(file)
	}
	if err := c.printReport(rep, detail); err != nil {
		return err
	}
	if rep.Verdict() == bundle.Genuine || anySigner && rep.OnlySignerOpen() {
		return nil
	}
	return verdict(exitProblems)
}

func (c *cli) printReport(rep *bundle.Report, detail bundle.Detail) error {
	if c.print.Format.ForPrograms() {
		return output.One(c.print, verified{rep.Verdict(), rep}, nil)
	}
	if c.print.ForPeople() {
		return rep.Write(c.out, detail)
	}
	return output.List(c.print, rep.Checks, "", []output.Column[*bundle.Check]{
		{Field: "section", Value: func(k *bundle.Check) any { return k.Section }},
		{Field: "name", Value: func(k *bundle.Check) any { return k.Name }},
		{Field: "outcome", Value: func(k *bundle.Check) any { return string(k.Outcome) }},
		{Field: "seen", Value: func(k *bundle.Check) any { return k.Seen }},
		{Field: "findings", Value: func(k *bundle.Check) any {
			var texts []string
			for _, one := range k.Findings {
				texts = append(texts, one.Text)
			}
			return strings.Join(texts, " ")
		}},
	})
}

// noBundle says that there is nothing to check. It accuses nobody: half a download
// and a holiday's photo look like this. Nor does it clear anybody.
func noBundle(file string) error {
	return fault.New(fault.Invalid, "%s is no Gavel case file, or only part of one, or damaged: nothing in it can be checked", file).
		WithNext("get the zip again, whole, from who gave it to you or with gavel bundle export")
}

// openBundle opens a file that is to be checked.
func openBundle(name string) (*os.File, int64, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fault.New(fault.NotFound, "there is no file %s", name).WithNext("give the zip that gavel bundle export wrote")
	}
	if err != nil {
		return nil, 0, fault.From(fault.Invalid, err, "%s cannot be opened", name)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Invalid, "%s is not a file", name).WithNext("give the zip itself, not the folder it was unpacked into")
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// maxKeyFile bounds a file of keys: some hundred of them.
const maxKeyFile = 64 << 10

// readKeys reads public keys, given as they are or in files with one a line.
func readKeys(given []string) ([]audit.Verifier, error) {
	var keys []audit.Verifier
	for _, text := range given {
		if strings.Count(text, "+") < 2 {
			info, err := os.Stat(text)
			if err != nil || info.Size() > maxKeyFile {
				return nil, fault.New(fault.Invalid, "%.80q is neither a public key nor a file with one", text).
					WithNext("a key looks like gavel.example.org/log+1a2b3c4d+AbCd…")
			}
			body, err := os.ReadFile(text)
			if err != nil {
				return nil, fault.From(fault.Invalid, err, "%s cannot be read", text)
			}
			text = string(body)
		}
		for _, line := range strings.Fields(text) {
			key, err := bundle.ParseKey(line)
			if err != nil {
				return nil, err
			}
			keys = append(keys, key)
		}
	}
	return keys, nil
}
