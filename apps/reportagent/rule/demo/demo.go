// Package demo is a report for a demonstration: an outline over two runs of a model of an energy system that does not exist. The second
// run turns a conclusion of the first.
//
// Read Outline, then Run and Newer, whose tables are drawn by package madeup.
package demo

import (
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
)

// Title is what the report is called.
const Title = "Harbour energy outlook 2050 (made up)"

// Sections that stand apart.
const (
	Signed  = "storage"          // waits for a signature
	Edited  = "freight"          // holds a person's words
	Noted   = "road-transport"   // has a note
	Turned  = "net-emissions"    // says what the newer run turns
	Blocked = "tidal-lagoons"    // has no data
	Scored  = "power-generation" // has been scored
)

// Outline is the file of the analyst: each section with what it is to tell, and one for which the run has nothing.
func Outline() []byte {
	return []byte(`# Harbour energy outlook
<!-- Section instructions: Provide an overview of the results -->
<!-- Review comments: -->

## Emissions
<!-- Section instructions: Say how far emissions fall -->

### Net emissions
<!-- Section instructions: Compare the scenarios, and say which goes farthest -->

### Reductions by sector
<!-- Section instructions: Name the sectors that reduce most -->

## Electricity
<!-- Section instructions: Provide an overview of electricity -->

### Power generation
<!-- Section instructions: Compare the technologies -->

### Storage
<!-- Section instructions: Compare the scenarios -->

## Transport
<!-- Section instructions: Provide an overview of transport -->

### Road transport
<!-- Section instructions: Compare the fuels -->

### Freight
<!-- Section instructions: Compare the modes -->

## Hydrogen
<!-- Section instructions: Say how much hydrogen is made, and from what -->

## Tidal lagoons
<!-- Section instructions: Say what tidal lagoons add -->
`)
}

// Map says which charts the sections are written from.
func Map() []byte {
	return []byte(`{
  "emissions": {"charts": ["emissions_by_gas"]},
  "net-emissions": {"charts": ["net_emissions_overview"]},
  "reductions-by-sector": {"charts": ["emissions_reduction_by_sector"]},
  "electricity": {"charts": ["electricity_capacity_by_technology"]},
  "power-generation": {"charts": ["electricity_generation_by_technology"]},
  "storage": {"charts": ["storage_capacity"]},
  "transport": {"charts": ["domestic_transport_emissions_by_subsector"]},
  "road-transport": {"charts": ["road_transport_energy_use_by_fuel"]},
  "freight": {"charts": ["freight_task_by_mode"]},
  "hydrogen": {"charts": ["hydrogen_production_by_technology"]}
}
`)
}

// charts are those of the run that the report has, and one that no section uses.
func charts() []string {
	return []string{"emissions_by_gas", "net_emissions_overview", "emissions_reduction_by_sector", "electricity_capacity_by_technology",
		"electricity_generation_by_technology", "storage_capacity", "domestic_transport_emissions_by_subsector",
		"road_transport_energy_use_by_fuel", "freight_task_by_mode", "hydrogen_production_by_technology", "hydrogen_use_by_sector"}
}

// seed is of the numbers: the same in every demonstration.
const seed = 2050

// Run is the files of the first run, by path.
func Run() map[string][]byte { return run().Files() }

func run() madeup.Run {
	r := madeup.Make(seed)
	r.Charts = slices.DeleteFunc(r.Charts, func(c madeup.Chart) bool { return !slices.Contains(charts(), c.ID) })
	return r
}

// Newer is the files of a newer run: two scenarios have changed places in net emissions, and a little more hydrogen is made.
func Newer() map[string][]byte {
	r := run()
	for i := range r.Charts {
		switch c := &r.Charts[i]; c.ID {
		case "net_emissions_overview":
			exchange(c.Series)
		case "hydrogen_production_by_technology":
			for _, s := range c.Series {
				last := len(s.Values) - 1
				s.Values[last].Cents += s.Values[last].Cents / 10
			}
		}
	}
	return r.Files()
}

// exchange has the deepest scenario end as the mildest did, and the other way round.
func exchange(all []madeup.Series) {
	at := func(scenario string) int {
		return slices.IndexFunc(all, func(s madeup.Series) bool { return s.Scenario == scenario })
	}
	if a, b := at(madeup.Deep), at(madeup.House); a >= 0 && b >= 0 {
		all[a].Values, all[b].Values = all[b].Values, all[a].Values
	}
}
