package program

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

func (c *cli) evalGateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gate [APP]…",
		Short: "Hold applications against what they demand of themselves",
		Long: `Hold applications against what they demand of themselves before a release: each has a
gate, a file beside its sets. Every set in it is run, as gavel eval run does.

What only a real model can be right about is "not measured" without one, and stops
nothing. What is left is about safety, and that nothing is broken.

Ends with code 8 when a demand is missed or a case could not be answered.`,
		Example: "  gavel eval gate\n  gavel eval gate poolpatrol -o json",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, a := range c.apps {
				if len(a.Gate) > 0 && !slices.Contains(args, a.Name) {
					names = append(names, a.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.evalGate(cmd.Context(), args) },
	}
	return c.uses(cmd)
}

// A ruled is a demand of an application, as programs get it.
type ruled struct {
	App string `json:"app"`
	eval.Ruling
}

func (c *cli) evalGate(ctx context.Context, names []string) error {
	all, bad := []ruled{}, 0
	for _, name := range names {
		if !slices.ContainsFunc(c.gates(), func(g appGate) bool { return g.app == name }) {
			return fault.New(fault.NotFound, "no application %.40q has a gate", name).WithNext("gavel eval gate")
		}
	}
	for _, g := range c.gates() {
		if len(names) > 0 && !slices.Contains(names, g.app) {
			continue
		}
		rulings, unanswered, err := c.rule(ctx, g)
		if err != nil {
			return fmt.Errorf("the gate of %s: %w", g.app, err)
		}
		bad += unanswered
		for _, r := range rulings {
			all = append(all, ruled{g.app, r})
			if r.Measured.Status == eval.Missed {
				bad++
			}
		}
	}
	if err := c.printGate(all); err != nil {
		return err
	}
	if bad > 0 {
		return verdict(exitProblems)
	}
	return nil
}

// An appGate is what an application demands.
type appGate struct {
	app  string
	text []byte
	sets []eval.Set
}

func (c *cli) gates() (all []appGate) {
	for _, a := range c.apps {
		if len(a.Gate) > 0 {
			all = append(all, appGate{a.Name, a.Gate, a.Evals})
		}
	}
	return all
}

// rule runs the sets of a gate, and says how many cases could not be answered.
func (c *cli) rule(ctx context.Context, of appGate) (rulings []eval.Ruling, unanswered int, err error) {
	g, err := eval.ParseGate(of.text)
	if err != nil {
		return nil, 0, err
	}
	reports := map[string]eval.Report{}
	for _, name := range g.Sets() {
		set, err := eval.Find(of.sets, name)
		if err != nil {
			return nil, 0, err
		}
		with, err := c.realModel(set.Route)
		if err != nil {
			return nil, 0, err
		}
		if reports[name], err = eval.Run(ctx, set, with, nil); err != nil {
			return nil, 0, err
		}
		unanswered += reports[name].Unanswered
		c.progress("%s/%s: %d cases", of.app, name, reports[name].Cases)
	}
	rulings, err = g.Rule(reports)
	return rulings, unanswered, err
}

func (c *cli) printGate(all []ruled) error {
	return output.List(c.print, all, "no application has a gate", []output.Column[ruled]{
		{Head: "SET", Field: "set", Value: func(r ruled) any { return r.App + "/" + r.Demand.Set }},
		{Head: "METRIC", Field: "metric", Value: func(r ruled) any { return r.Demand.Metric }},
		{Head: "VALUE", Field: "value", Value: func(r ruled) any { return r.Measured.Text() }},
		{Head: "HITS", Field: "hits", Value: func(r ruled) any { return tally(r.Measured) }},
		{Head: "95 %", Field: "interval", Value: func(r ruled) any { return interval(r.Ruling) }},
		{Head: "WANTED", Field: "bound", Value: func(r ruled) any { return r.Bound }},
		{Head: "", Field: "status", Value: func(r ruled) any { return plainStatus(r.Measured) }},
	})
}

// interval is where a share lies, in nineteen of twenty experiments.
func interval(r eval.Ruling) string {
	if r.Measured.Status == eval.NotMeasured || r.Measured.Count {
		return ""
	}
	return fmt.Sprintf("%.1f to %.1f", 100*r.Interval.Low, 100*r.Interval.High)
}
