package madeup

import (
	"slices"
	"strings"
)

// Outline is a report outline over the run: a section for each category, and below it some for single charts; 40 in all.
func (r Run) Outline() []byte {
	var b strings.Builder
	section := func(level int, title, instructions string) {
		b.WriteString(strings.Repeat("#", level) + " " + title + "\n")
		b.WriteString("<!-- Section instructions: " + instructions + " -->\n<!-- Review comments: -->\n\n")
	}
	section(1, "Projection results", "Provide an overview of the projection results")
	left := 25
	var seen []string
	for _, c := range r.Charts {
		if slices.Contains(seen, c.Category) {
			continue
		}
		seen = append(seen, c.Category)
		section(2, titled(c.Category), "Provide an overview of "+strings.ReplaceAll(c.Category, "_", " "))
		n := 0
		for _, d := range r.Charts {
			if d.Category == c.Category && n < 2 && left > 0 {
				section(3, d.Title, "Compare the scenarios")
				n++
				left--
			}
		}
	}
	return []byte(b.String())
}

func titled(category string) string {
	words := strings.Split(category, "_")
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	return strings.Join(words, " ")
}

// Map is the curated map of sections to charts. It names a chart that the run does not have (T12).
func (r Run) Map() []byte {
	return []byte(`{
  "projection-results": {
    "description": "Top-level overview",
    "charts": ["emissions_reduction_by_sector", "electricity_generation_by_fuel"]
  },
  "emissions": {
    "description": "Emissions projections overview",
    "charts": [
      "emissions_reduction_by_sector",
      "emissions_from_electricity_generation",
      "domestic_transport_emissions_by_subsector"
    ]
  },
  "transport": {
    "description": "Transport energy consumption",
    "max_charts": 3,
    "charts": [
      {"id": "transport/domestic_transport_energy_use_by_fuel"},
      {"pattern": "transport/road_*", "max": 2, "sort": "title"},
      {"auto": true, "max": 1}
    ]
  }
}
`)
}
