package program

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "eval",
		Short:   "Measure applications on cases whose answers are known",
		Example: "  gavel eval list\n  gavel eval run shift\n  gavel eval gate",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.evalListCommand(), c.evalRunCommand(), c.evalCompareCommand(), c.evalGateCommand(), c.evalDatasetCommand())
	return cmd
}

// A listedSet is a set as programs get it.
type listedSet struct {
	Name    string       `json:"name"` // with its application's: "poolpatrol/shift"
	Words   string       `json:"words"`
	Cases   int          `json:"cases"`
	Dataset eval.Dataset `json:"dataset"`
}

func (c *cli) evalListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the sets of cases there are",
		Example: "  gavel eval list\n  gavel eval list -o json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all := []listedSet{}
			for _, app := range c.apps {
				for _, s := range app.Evals {
					d, cases, err := eval.Load(s.Files)
					if err != nil {
						return fmt.Errorf("set %s/%s: %w", app.Name, s.Name, err)
					}
					all = append(all, listedSet{app.Name + "/" + s.Name, s.Words, len(cases), d})
				}
			}
			return output.List(c.print, all, "no application brings a set", []output.Column[listedSet]{
				{Head: "SET", Field: "name", Value: func(s listedSet) any { return s.Name }},
				{Head: "CASES", Field: "cases", Value: func(s listedSet) any { return s.Cases }},
				{Head: "VERSION", Field: "version", Value: func(s listedSet) any { return s.Dataset.Version }},
				{Head: "MEASURES", Field: "words", Value: func(s listedSet) any { return s.Words }},
			})
		},
	}
}

func (c *cli) evalRunCommand() *cobra.Command {
	var app, out string
	cmd := &cobra.Command{
		Use:   "run SET",
		Short: "Have every case of a set answered, and count",
		Long: `Have every case of a set answered, and count. What code decides is measured here, with
no server, no database and no network. What only a model can say is measured where a
route to a real one is set (GAVEL_MODELS). A scripted model says what its script says,
so nothing is claimed for it.

Ends with code 1 when a case could not be answered or a goal was missed.`,
		Example: `  gavel eval run shift
  gavel eval run poolpatrol/outreach --out report.json
  gavel eval run manager --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeSets,
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := c.findSet(app, args[0])
			if err != nil {
				return err
			}
			return c.evalRun(cmd.Context(), set, out)
		},
	}
	cmd.Flags().StringVar(&app, "app", "", "the application whose set it is, where several have one of that name")
	cmd.Flags().StringVar(&out, "out", "", "also write the report to this file, as JSON, with every case: what gavel eval compare reads")
	return c.uses(cmd)
}

// findSet finds a set by its name, or by its application's and its own.
func (c *cli) findSet(app, name string) (eval.Set, error) {
	if of, rest, both := strings.Cut(name, "/"); both {
		if app != "" && app != of {
			return eval.Set{}, fault.New(fault.Invalid, "%.60q is not a set of --app %.60s", name, app)
		}
		app, name = of, rest
	}
	var found []eval.Set
	for _, a := range c.apps {
		if app != "" && a.Name != app {
			continue
		}
		if s, err := eval.Find(a.Evals, name); err == nil {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return eval.Set{}, fault.New(fault.NotFound, "there is no set %.60q", name).WithNext("gavel eval list")
	case 1:
		return found[0], nil
	}
	return eval.Set{}, fault.New(fault.Invalid, "several applications have a set %.60q", name).WithNext("say which with --app")
}

func (c *cli) completeSets(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, a := range c.apps {
		for _, s := range a.Evals {
			names = append(names, s.Name+"\t"+s.Words)
		}
	}
	if len(args) > 0 {
		names = nil
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c *cli) evalRun(ctx context.Context, set eval.Set, out string) error {
	with, err := c.realModel(set.Route)
	if err != nil {
		return err
	}
	r, err := eval.Run(ctx, set, with, func(done, of int) {
		if done == of || done%max(1, of/10) == 0 {
			c.progress("%d of %d cases", done, of)
		}
	})
	if err != nil {
		return err
	}
	if out != "" {
		if err := writeReport(out, r); err != nil {
			return err
		}
	}
	if err := c.printEval(r); err != nil {
		return err
	}
	if !r.OK() {
		return verdict(exitFailed)
	}
	return nil
}

// realModel is the route that a set asks for, if a real model is behind it. A
// route that the settings refuse is not asked.
func (c *cli) realModel(route string) (eval.Models, error) {
	i := slices.IndexFunc(c.cfg.Models, func(r config.ModelRoute) bool { return r.Name == route })
	if route == "" || i >= 0 && c.cfg.Models[i].Provider == config.Scripted {
		return eval.Models{}, nil
	}
	for _, p := range c.cfg.Problems() {
		if p.Name == config.NameModels {
			return eval.Models{}, fault.New(fault.Invalid, "%s: %s", p.Name, p.Detail).WithNext("gavel config list")
		}
	}
	if i < 0 {
		return eval.Models{}, nil
	}
	only := *c.cfg
	only.Models, only.BlobURL = c.cfg.Models[i:i+1], "" // replies have no images
	routes, err := newRoutes(&only)
	if err != nil {
		return eval.Models{}, err
	}
	r := routes[route]
	return eval.Models{Real: &r}, nil
}

func writeReport(name string, r eval.Report) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		return fault.From(fault.Invalid, err, "%s cannot be written", name)
	}
	return nil
}

// printEval prints a report: for people as tables, for programs whole.
func (c *cli) printEval(r eval.Report) error {
	if c.print.Format.ForPrograms() {
		r.Items = nil // they are in the file, for who compares
		return output.One(c.print, r, nil)
	}
	columns := []output.Column[eval.Measured]{
		{Head: "METRIC", Field: "name", Value: func(m eval.Measured) any { return m.Name }},
		{Head: "VALUE", Field: "value", Value: func(m eval.Measured) any { return m.Text() }},
		{Head: "HITS", Field: "hits", Value: func(m eval.Measured) any { return tally(m) }},
		{Head: "GOAL", Field: "goal", Value: func(m eval.Measured) any { return m.Goal }},
		{Head: "", Field: "status", Value: func(m eval.Measured) any { return plainStatus(m) }},
	}
	if !c.print.ForPeople() {
		return output.List(c.print, r.Metrics, "", columns)
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "set\t%s, version %s\n", r.Dataset.Name, r.Dataset.Version)
	fmt.Fprintf(t, "cases\t%d\npassed\t%d\nfailed\t%d\n", r.Cases, r.Passed, r.Failed)
	if r.Open > 0 {
		fmt.Fprintf(t, "open\t%d, not measured: %s\n", r.Open, eval.NeedsModel)
	}
	fmt.Fprintf(t, "model\t%s\n\n", r.Model)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range r.Failures {
		fmt.Fprintf(c.out, "%s\n  %s\n", f.ID, strings.Join(f.Differences, "\n  "))
	}
	if len(r.Failures) > 0 {
		fmt.Fprintln(c.out)
	}
	return output.List(c.print, r.Metrics, "nothing is measured", columns)
}

func plainStatus(m eval.Measured) string { return strings.ReplaceAll(string(m.Status), "_", " ") }

// tally is what a share is of.
func tally(m eval.Measured) string {
	if m.Of == 0 || m.Count {
		return ""
	}
	return fmt.Sprintf("%d/%d", m.Hits, m.Of)
}
