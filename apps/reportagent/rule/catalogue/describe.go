package catalogue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/plotspec"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// newChart is a chart with what its spec says of it, if there is one.
func (d *discovery) newChart(key, stem, category, file string) *Chart {
	ch := &Chart{Key: key, ID: stem, Category: category, Spec: d.byName[plotspec.Normal(stem)]}
	if ch.Spec != nil {
		ch.Title = strings.TrimSpace(ch.Spec.Title)
		return ch
	}
	ch.Title = titleCase(stem)
	ch.tell("C002", diagnostic.Warning, "no plot spec has its title: it is called %q after its file", ch.Title)
	ch.Diagnostics[0].File = file
	return ch
}

// skipped tells of specs that no chart was found for.
func (d *discovery) skipped() {
	used := map[*plotspec.Spec]bool{}
	for _, ch := range d.charts {
		used[ch.Spec] = true
	}
	for i := range d.specs {
		if s := &d.specs[i]; !used[s] {
			d.c.Skipped = append(d.c.Skipped, s.Title)
			d.c.Diagnostics = append(d.c.Diagnostics, diagnostic.Item{Code: "C003", Severity: diagnostic.Info, File: specsName,
				Line:    s.Line,
				Message: "no chart was found for " + strconv.Quote(s.Title)})
		}
	}
}

func (c *Chart) tell(code string, s diagnostic.Severity, format string, args ...any) {
	c.Diagnostics.Add(code, s, 0, format, args...)
	c.Diagnostics[len(c.Diagnostics)-1].File = cmp.Or(c.CSV, c.PNG, c.JSON)
}

// titleCase makes a title of a file's stem: road_vehicle_stock is Road Vehicle Stock.
func titleCase(stem string) string {
	words := strings.FieldsFunc(stem, func(r rune) bool { return r == '_' || r == '-' || unicode.IsSpace(r) })
	for i, w := range words {
		r := []rune(w)
		r[0] = unicode.ToUpper(r[0])
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

// read reads the chart's table with what its spec says.
func (c *Chart) read(content []byte) {
	var hints table.Hints
	if c.Spec != nil {
		hints = table.Hints{Dimensions: c.Spec.GroupBy, Unit: cmp.Or(c.Spec.Unit, c.Spec.YAxis)}
	}
	t, told, err := table.Read(content, hints)
	c.Diagnostics = append(c.Diagnostics, told.In(c.CSV)...)
	if err != nil {
		c.tell("C010", diagnostic.Error, "the table cannot be read: %v", err)
		return
	}
	c.Table, c.Dimensions, c.Units = t, t.Dimensions, t.Units
	c.Measures = []string{"val"}
	if t.Form == table.Wide || t.Form == table.IAMCWide {
		c.Measures = nil
		for _, y := range t.Years {
			c.Measures = append(c.Measures, strconv.Itoa(y))
		}
	}
	c.compare()
}

// compare tells where a spec and its table say different things. The table is right: it is what a reader can check.
func (c *Chart) compare() {
	if c.Spec == nil {
		return
	}
	t, s := c.Table, c.Spec
	if s.Unit != "" && len(t.Units) > 0 && !slices.ContainsFunc(t.Units, func(u string) bool { return fact.SameUnit(u, s.Unit) }) {
		c.tell("C007", diagnostic.Warning, "the plot spec says %s, the table %s: the table counts", s.Unit, strings.Join(t.Units, ", "))
	}
	if n := len(t.Years); n > 0 && s.FinalYear > t.Years[n-1] {
		c.tell("C009", diagnostic.Info, "the plot spec goes to %d, the data to %d: the data count", s.FinalYear, t.Years[n-1])
	}
	if s.Threshold != "" && s.Threshold != "0" {
		c.tell("C011", diagnostic.Info, "categories below %s of the whole were left out when the chart was made", s.Threshold)
	}
	for _, g := range s.GroupBy {
		known := slices.Contains([]string{"scen", "scenario", "year", "unit"}, g) ||
			slices.ContainsFunc(t.Columns, func(col string) bool { return strings.EqualFold(col, g) })
		if !known {
			c.tell("C012", diagnostic.Info, "the chart was grouped by %s, which the table does not have", g)
		}
	}
}

// spell calls every scenario by the spelling that most rows use. Two spellings that differ in capitals only are one
// scenario; of two that are equally frequent the first in the alphabet counts.
func (d *discovery) spell() {
	best := d.spellings()
	name := func(s string) string { return best[strings.ToLower(s)] }
	for _, key := range slices.Sorted(slices.Values(d.order)) {
		if ch := d.charts[key]; ch.Table != nil {
			d.rename(ch, name)
		}
	}
	slices.Sort(d.c.Scenarios)
}

// spellings is the most frequent spelling of each scenario, by its name in small letters.
func (d *discovery) spellings() map[string]string {
	rows := map[string]map[string]int{}
	for _, ch := range d.charts {
		if ch.Table == nil {
			continue
		}
		for _, s := range ch.Table.Series {
			folded := strings.ToLower(s.Scenario)
			if rows[folded] == nil {
				rows[folded] = map[string]int{}
			}
			rows[folded][s.Scenario]++
		}
	}
	best := map[string]string{}
	for folded, spellings := range rows {
		for s, n := range spellings {
			b := best[folded]
			if b == "" || n > spellings[b] || n == spellings[b] && s < b {
				best[folded] = s
			}
		}
	}
	return best
}

// rename calls the scenarios of a chart by their one spelling.
func (d *discovery) rename(ch *Chart, name func(string) string) {
	for _, s := range ch.Table.Scenarios {
		if name(s) != s {
			ch.tell("C008", diagnostic.Warning, "scenario %s is spelled %s elsewhere: it is called that", s, name(s))
		}
	}
	ch.Diagnostics = append(ch.Diagnostics, ch.Table.Rename(name).In(ch.CSV)...)
	ch.Scenarios, ch.Units = ch.Table.Scenarios, ch.Table.Units
	for _, s := range ch.Scenarios {
		if s != table.AllScenario && !slices.Contains(d.c.Scenarios, s) {
			d.c.Scenarios = append(d.c.Scenarios, s)
		}
	}
}
