package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/rule/compare"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

// maxReport bounds a report that is read: 100,000 cases with a kilobyte each.
const maxReport = 128 << 20

func (c *cli) evalCompareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compare BEFORE AFTER",
		Short: "Say whether a change made things better, from two reports",
		Long: `Say whether a change made things better, from two reports that gavel eval run wrote with
--out. They are compared case by case. An exact test looks at those that came out
otherwise; the difference has an interval. Slices that got worse are named.

Reports on other cases, or scored in another way, are not compared.

Ends with code 8 when something got worse, and not by chance; with 6 where the reports
cannot be compared.`,
		Example: "  gavel eval run shift --out v12.json\n  gavel eval compare v11.json v12.json",
		Args:    cobra.ExactArgs(2),
		RunE:    func(_ *cobra.Command, args []string) error { return c.evalCompare(args[0], args[1]) },
	}
}

// A compared is a part of a comparison, as programs get it.
type compared struct {
	Metric  string  `json:"metric"`
	Slice   string  `json:"slice,omitempty"`
	Items   int     `json:"items"`
	Before  float64 `json:"before"`
	After   float64 `json:"after"`
	Change  float64 `json:"change"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Worse   int     `json:"worse"`
	Better  int     `json:"better"`
	P       float64 `json:"p"`
	Verdict string  `json:"verdict"`
}

func (c *cli) evalCompare(before, after string) error {
	was, err := readEval(before)
	if err != nil {
		return err
	}
	is, err := readEval(after)
	if err != nil {
		return err
	}
	got := eval.Versus(is.Axes(), was.Side(nameOf(before)), is.Side(nameOf(after)))
	if no := got.Refusal(); no != "" {
		return fault.New(fault.Conflict, "%s", strings.ToLower(no[:1])+strings.TrimSuffix(no[1:], ".")).
			WithNext("gavel eval run SET --out FILE, with both versions on the same cases")
	}
	if c.print.ForPeople() {
		for _, r := range got.Results {
			fmt.Fprintln(c.out, got.Sentence(r.Metric))
			for _, i := range r.Regressions[:min(len(r.Regressions), maxNamed)] {
				fmt.Fprintf(c.out, "  worse: %s\n", i.Case)
			}
		}
		fmt.Fprintln(c.out)
	}
	if err := c.printCompared(got); err != nil {
		return err
	}
	if len(got.Worse()) > 0 {
		return verdict(exitProblems)
	}
	return nil
}

// maxNamed is how many of the cases that got worse are named, of each metric.
const maxNamed = 10

// nameOf is what people call a report.
func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

func readEval(name string) (r eval.Report, err error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return r, fault.From(fault.NotFound, err, "there is no report %s", name)
	}
	if err != nil {
		return r, fault.From(fault.Invalid, err, "%s cannot be read", name)
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	switch {
	case err != nil:
		return r, fault.From(fault.Invalid, err, "%s cannot be read", name)
	case len(text) > maxReport:
		return r, fault.New(fault.TooLarge, "%s has more than %d bytes", name, maxReport)
	}
	if err := json.Unmarshal(text, &r); err != nil || len(r.Items) == 0 {
		return r, fault.New(fault.Invalid, "%s is no report of single cases", name).WithNext("gavel eval run SET --out FILE")
	}
	return r, nil
}

func (c *cli) printCompared(got eval.Comparison) error {
	rows, left := []compared{}, 0
	for _, r := range got.Results {
		for _, p := range append([]compare.Part{r.All}, r.Slices...) {
			if p.Few && p.Worse == 0 && c.print.ForPeople() {
				left++
				continue
			}
			row := compared{Metric: r.Metric, Items: p.Items, Before: p.Before.Mean, After: p.After.Mean, Change: p.By, Low: p.Change.Low,
				High: p.Change.High, Worse: p.Worse, Better: p.Better, P: p.P, Verdict: string(p.Verdict())}
			if p.Tag != "" {
				row.Slice = p.Tag + " " + p.Value
			}
			if p.Few {
				row.Verdict = "too few"
			}
			rows = append(rows, row)
		}
	}
	if left > 0 {
		defer func() {
			fmt.Fprintf(c.out, "\nLeft out: %d parts with few cases, none of which got worse; -o json has them.\n", left)
		}()
	}
	return output.List(c.print, rows, "nothing is compared", []output.Column[compared]{
		{Head: "METRIC", Field: "metric", Value: func(r compared) any { return r.Metric }},
		{Head: "SLICE", Field: "slice", Value: func(r compared) any { return r.Slice }},
		{Head: "ITEMS", Field: "items", Value: func(r compared) any { return r.Items }},
		{Head: "POINTS", Field: "change", Value: func(r compared) any { return compare.Points(r.Change) }},
		{Head: "95 %", Field: "interval", Value: func(r compared) any { return compare.Points(r.Low) + " to " + compare.Points(r.High) }},
		{Head: "WORSE", Field: "worse", Value: func(r compared) any { return r.Worse }},
		{Head: "BETTER", Field: "better", Value: func(r compared) any { return r.Better }},
		{Head: "P", Field: "p", Value: func(r compared) any { return compare.Probability(r.P) }},
		{Head: "", Field: "verdict", Value: func(r compared) any { return r.Verdict }},
	})
}
