package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) verifyCommand() *cobra.Command {
	var s sources
	var file string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check a report again as it stands, and against the data",
		Long: `Check a report again as it stands, edited or not. Every number must be a fact of its section.
The words around it must say what the fact is about and which way it goes. Every fact is read
and computed again from the data. With another run of the model this says which numbers
changed, which sentences became false and which conclusions flip.

Ends with code 8 where something is wrong.`,
		Example: `  gavel report verify --report draft.md --data-root run
  gavel report verify --report draft.md --data-root new-run -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
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
			return c.verified(got)
		},
	}
	cmd.Flags().StringVar(&file, "report", "", "the report; its facts stand beside it")
	_ = cmd.MarkFlagRequired("report")
	_ = cmd.MarkFlagFilename("report", "md")
	s.dataFlag(cmd)
	return cmd
}

// readReport reads a report and its ledger.
func readReport(name string) ([]byte, *report.Ledger, error) {
	document, err := readOutline(name)
	if err != nil {
		return nil, nil, err
	}
	facts, err := platform.ReadFile(beside(name, ".facts.json"), maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fault.From(fault.NotFound, err, "%s has no facts beside it: %s", name, beside(name, ".facts.json")).
			WithNext("gavel report generate-report writes both")
	}
	if err != nil {
		return nil, nil, err
	}
	l, err := report.ParseLedger(facts)
	return document, l, err
}

func (c terminal) verified(got *report.Checked) error {
	out := struct {
		*report.Checked
		OK   bool   `json:"ok"`
		Code string `json:"code,omitempty"`
		// how many, for people
		Wrong   int `json:"wrong"`
		Changed int `json:"changed"`
		False   int `json:"false"`
		Flipped int `json:"flipped"`
	}{Checked: got, OK: got.OK(), Wrong: len(got.Findings), Changed: len(got.Changes.Numbers), False: len(got.Changes.False),
		Flipped: len(got.Changes.Flipped)}
	switch {
	case out.OK:
	case len(got.Findings) > 0:
		out.Code = report.AboutVerifier
	default:
		out.Code = report.AboutData
	}
	err := c.one(out, platform.Column{Head: "RUN", Field: "meta.run_id"}, platform.Column{Head: "OK", Field: "ok"},
		platform.Column{Head: "SECTIONS", Field: "sections"}, platform.Column{Head: "NUMBERS", Field: "numbers"},
		platform.Column{Head: "EDITED", Field: "edited"}, platform.Column{Head: "FINDINGS", Field: "wrong"},
		platform.Column{Head: "NUMBERS CHANGED", Field: "changed"}, platform.Column{Head: "SENTENCES FALSE", Field: "false"},
		platform.Column{Head: "CONCLUSIONS FLIPPED", Field: "flipped"})
	if err != nil {
		return err
	}
	for _, f := range got.Findings {
		c.Say("%s", f)
	}
	for _, a := range got.Changes.Flipped {
		c.Say("section %s no longer holds: %s (%s)", a.Section, a.Text, a.Why)
	}
	for _, n := range got.Changes.Numbers {
		c.Say("section %s, %s: was %s, is %s", n.Section, n.Fact, n.Was, n.Is)
	}
	if !out.OK {
		return c.Problems
	}
	return nil
}
