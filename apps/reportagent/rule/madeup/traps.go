package madeup

import "slices"

// waterfall is the chart of changes by hand: the baseline, and what each sector adds to it until the last year. The three
// columns are the scenarios.
var waterfall = []struct {
	label string
	cents [3]int64
}{
	{"Net 2025", [3]int64{401_05, 401_05, 401_05}},
	{"Power Generation", [3]int64{-128_92, -128_92, -127_83}},
	{"Industry", [3]int64{-109_74, -92_40, -49_12}},
	{"Transport", [3]int64{-94_07, -71_36, -28_75}},
	{"Buildings", [3]int64{-38_11, -31_05, -16_90}},
	{"Agriculture", [3]int64{-24_57, -19_88, -6_35}},
	{"Land Use", [3]int64{-76_86, -53_64, 33_58}},
	{"Net Imports", [3]int64{-26, -26, -26}},
}

// netEnds are what the overview says of the last year. Two of them are off by what rounding does to a sum: the waterfall
// adds up to 3.54 and 205.42.
var netEnds = []int64{-71_48, 3_52, 205_41}

// Find is a chart by its id.
func (r *Run) Find(id string) *Chart {
	i := slices.IndexFunc(r.Charts, func(c Chart) bool { return c.ID == id })
	return &r.Charts[i]
}

// lay puts the traps over what was drawn. The numbers are those of the table in docs/design/report.md.
func (r *Run) lay() {
	r.layWaterfall()
	r.layOverview()
	r.layShares()
	r.layGaps()
	r.layTotals()
	for _, id := range []string{"electricity_generation_by_technology", "net_emissions_overview", "land_use_emissions"} {
		r.Find(id).finalYear = 2060 // T15: the data end before
	}
	for i, s := range r.Find("road_transport_energy_use_by_fuel").Series { // T3
		if s.Scenario == Deep {
			r.Find("road_transport_energy_use_by_fuel").Series[i].Written = "Harbour-1P5Ds"
		}
	}
	alone := r.Find("population_and_households") // T6
	alone.NoScen, alone.Series = true, alone.Series[:2]
	for i := range alone.Series {
		alone.Series[i].Scenario, alone.Series[i].Written = "all", ""
	}
	r.Find("hydrogen_exports").specUnit = "PJ" // the table says Mt, and is right
	r.Find("gas_price_by_hub").noSpec = true
}

// layWaterfall writes the chart of changes. Its baseline row calls itself relative like the rest (T2), one sector has Net in
// its name, and there are 24 rows, not 25 (T1).
func (r *Run) layWaterfall() {
	c := r.Find("emissions_reduction_by_sector")
	c.Long, c.Series = true, nil
	for s, scenario := range r.Scenarios {
		for _, w := range waterfall {
			c.Series = append(c.Series, Series{Scenario: scenario, Written: scenario, Label: w.label, Values: []Value{{Cents: w.cents[s]}}})
		}
	}
}

// layOverview states the ends that the waterfall only adds up to (T10), and draws a target.
func (r *Run) layOverview() {
	c := r.Find("net_emissions_overview")
	for s := range c.Series {
		d := cast(7, uint64(s))
		c.Series[s].Values = r.path(401_05, netEnds[s], &d)
	}
	c.Targets = map[string]map[string]string{"NDC 2030 (43%) ": {"2030": "348.801"}}
}

// layShares writes per cent under the name of a fraction (T4), and parts of a hundred (T8).
func (r *Run) layShares() {
	c := r.Find("renewable_share_of_generation")
	for s := range c.Series {
		d := cast(11, uint64(s))
		c.Series[s].Values = r.path(37_87+int64(s)*1_10, 99_84-int64(s)*2_30, &d)
	}
	c = r.Find("road_vehicle_stock_by_drivetrain")
	n := len(c.Series) / len(r.Scenarios)
	for s := range r.Scenarios {
		rows := c.Series[s*n : (s+1)*n]
		for y := range r.Years {
			left := int64(100_00)
			for k := range rows[:n-1] {
				rows[k].Values[y].Cents = max(0, 18_00+int64(k*4-s)*100-int64(y*(k+1))*20)
				left -= rows[k].Values[y].Cents
			}
			rows[n-1].Values[y].Cents = left
		}
	}
}

// layGaps leaves cells empty (T7), and takes whole rows out: too small for the plotting program.
func (r *Run) layGaps() {
	c := r.Find("aviation_energy_use_by_fuel")
	last := len(r.Years) - 1
	c.Series[3].Values[0].Empty, c.Series[3].Values[1].Empty = true, true
	c.Series[9].Values[last].Empty = true
	c.Series[12].Values[5].Empty = true
	for _, id := range []string{"agriculture_energy_use_by_fuel", "hydrogen_production_by_technology"} {
		c := r.Find(id)
		c.Series = slices.Delete(c.Series, 4, 5)
	}
}

// layTotals makes the series called Total the sum of the others.
func (r *Run) layTotals() {
	c := r.Find("energy_system_cost_by_component")
	c.Total = "Total"
	n := len(costs)
	for s := range r.Scenarios {
		rows := c.Series[s*n : (s+1)*n]
		for y := range r.Years {
			sum := int64(0)
			for _, row := range rows[:n-1] {
				sum += row.Values[y].Cents
			}
			rows[n-1].Values[y].Cents = sum
		}
	}
}
