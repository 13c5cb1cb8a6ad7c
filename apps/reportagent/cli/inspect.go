package cli

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

func (c terminal) inspectChartsCommand() *cobra.Command {
	var s sources
	var category string
	cmd := &cobra.Command{
		Use:   "inspect-charts",
		Short: "List the charts of a folder, and what is wrong with them",
		Long: `List the charts of a folder: category, title, units, scenarios and dimensions, as they will
be cited. It names what such folders get wrong: two spellings of a scenario, per cent called
a fraction, empty cells. Ends with code 8 where something cannot be used.`,
		Example: `  gavel report inspect-charts --data-root run
  gavel report inspect-charts --data-root run --category emissions -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return c.inspectCharts(s, category) },
	}
	s.dataFlag(cmd)
	cmd.Flags().StringVar(&category, "category", "", "only those of this category")
	return cmd
}

func (c terminal) inspectCharts(s sources, category string) error {
	cat, err := s.catalogue()
	if err != nil {
		return err
	}
	if category != "" && !slices.Contains(cat.Categories, category) {
		return fault.New(fault.NotFound, "there is no category %.60q", category).WithNext("one of %s", strings.Join(cat.Categories, ", "))
	}
	charts := cat.In(category)
	items := make([]json.RawMessage, len(charts))
	told := slices.Clone(cat.Diagnostics)
	for i, ch := range charts {
		if items[i], err = json.Marshal(ch); err != nil {
			return err
		}
		told = append(told, ch.Diagnostics...)
	}
	err = c.List(items, "there are no charts", platform.Column{Head: "CHART", Field: "key"}, platform.Column{Head: "TITLE", Field: "title"},
		platform.Column{Head: "UNITS", Field: "units"}, platform.Column{Head: "SCENARIOS", Field: "scenarios"},
		platform.Column{Head: "BY", Field: "dimensions"})
	if err != nil {
		return err
	}
	for _, d := range told {
		if d.Severity != diagnostic.Info {
			c.Say("%s", d)
		}
	}
	c.Say("%d charts, catalogue %.12s", len(charts), cat.Version)
	if told.Has(diagnostic.Error) {
		return c.Problems
	}
	return nil
}

func (c terminal) inspectMappingCommand() *cobra.Command {
	var s sources
	cmd := &cobra.Command{
		Use:   "inspect-section-mapping",
		Short: "Show which charts each section is written from, and why",
		Long: `Show which charts each section is written from, and why. The map names a chart, or a pattern
of the map matches it. Or it matches the section's words, with a score. A section below may
have it first. Charts that no section has are listed. Ends with code 8 where the map names
a missing chart, or cannot be read.`,
		Example: `  gavel report inspect-section-mapping --outline outline.md --data-root run`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return c.inspectMapping(s) },
	}
	s.flags(cmd)
	return cmd
}

// mapped is one line of the table.
type mapped struct {
	Section string `json:"section_id"`
	Chart   string `json:"chart"`
	Why     string `json:"why"`
	Score   string `json:"score"`
	Reasons string `json:"reasons"`
}

func (c terminal) inspectMapping(s sources) error {
	file, err := readOutline(s.outline)
	if err != nil {
		return err
	}
	doc, err := outline.Parse(file)
	if err != nil {
		return err
	}
	cat, err := s.catalogue()
	if err != nil {
		return err
	}
	m, aliases, err := s.mapping(cat.Root)
	if err != nil {
		return err
	}
	plan := mapping.Assign(m, doc, cat, aliases)
	plan.Diagnostics = mapping.Lint(m, doc, cat)
	if c.JSON() {
		err = c.one(plan)
	} else {
		err = c.mappingTable(plan)
	}
	if err != nil {
		return err
	}
	for _, d := range plan.Diagnostics {
		c.Say("%s", d)
	}
	c.Say("%d charts are in no section: %s", len(plan.Unmapped), strings.Join(plan.Unmapped, ", "))
	if len(plan.Dead) > 0 || plan.Diagnostics.Has(diagnostic.Error) {
		return c.Problems
	}
	return nil
}

func (c terminal) mappingTable(plan mapping.Plan) error {
	var items []json.RawMessage
	add := func(row mapped) error {
		body, err := json.Marshal(row)
		items = append(items, body)
		return err
	}
	for _, as := range plan.Sections {
		for _, p := range as.Charts {
			row := mapped{as.Section, p.Chart, string(p.Why), "", strings.Join(p.Reasons, ", ")}
			if p.Score > 0 {
				row.Score = strconv.Itoa(p.Score)
			}
			if err := add(row); err != nil {
				return err
			}
		}
		if as.Blocked != "" {
			if err := add(mapped{Section: as.Section, Why: "blocked: " + as.Blocked}); err != nil {
				return err
			}
		}
	}
	return c.List(items, "the outline has no sections", platform.Column{Head: "SECTION", Field: "section_id"},
		platform.Column{Head: "CHART", Field: "chart"},
		platform.Column{Head: "WHY", Field: "why"}, platform.Column{Head: "SCORE", Field: "score"}, platform.Column{Head: "REASONS",
			Field: "reasons"})
}
