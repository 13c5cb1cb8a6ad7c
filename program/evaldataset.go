package program

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) evalDatasetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "dataset FOLDER",
		Short: "Check a folder of cases, and say what is in it",
		Long: `Check a folder of cases, and say what is in it. The file dataset.json has a name, a version
and a digest; cases.jsonl has one case a line. A dataset is read whole or not at all.

Ends with code 6 where the cases are not those that the digest is of.`,
		Example: "  gavel eval dataset apps/poolpatrol/evals/shift",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return c.evalDataset(args[0]) },
	}
}

// A sliced is one value of a tag, and how many cases have it.
type sliced struct {
	Tag   string `json:"tag"`
	Value string `json:"value"`
	Cases int    `json:"cases"`
}

func (c *cli) evalDataset(folder string) error {
	d, cases, err := eval.Load(os.DirFS(folder))
	if err != nil {
		return err
	}
	if c.print.ForPeople() {
		fmt.Fprintf(c.out, "%s, version %s: %d cases\n%s\n\n", d.Name, d.Version, len(cases), d.SHA256)
	}
	counts := map[sliced]int{}
	for _, one := range cases {
		for tag, value := range one.Tags() {
			counts[sliced{Tag: tag, Value: value}]++
		}
	}
	rows := []sliced{}
	for s, n := range counts {
		rows = append(rows, sliced{s.Tag, s.Value, n})
	}
	slices.SortFunc(rows, func(a, b sliced) int {
		return cmp.Or(cmp.Compare(a.Tag, b.Tag), cmp.Compare(b.Cases, a.Cases), cmp.Compare(a.Value, b.Value))
	})
	return output.List(c.print, rows, "no case says what kind it is", []output.Column[sliced]{
		{Head: "TAG", Field: "tag", Value: func(s sliced) any { return s.Tag }},
		{Head: "VALUE", Field: "value", Value: func(s sliced) any { return s.Value }},
		{Head: "CASES", Field: "cases", Value: func(s sliced) any { return s.Cases }},
	})
}
