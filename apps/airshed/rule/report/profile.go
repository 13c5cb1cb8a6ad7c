package report

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Profile is what texts about this report are verified by, whoever wrote them: the
// names of its states, stations, satellites and pollutants, the citations that may
// be recommended from, and the words nobody may use. "Primary", and with it the
// largest single source, is allowed only where the ladder of shares allows it.
func (r Report) Profile() verify.Profile {
	p := verify.Profile{
		Name:       "airshed",
		Dimensions: []prose.Dimension{r.stations(), r.states(), r.satellites(), pollutants()},
		Units: map[string][]string{
			micrograms: {"µg/m³", "micrograms per cubic metre", "माइक्रोग्राम प्रति घन मीटर"}, milligrams: {"mg/m³"},
			megawatts: {"मेगावाट"}, kilometres: {"किमी"}, speed: {"m/s", "मी/से"}, hours: {"hours", "hour", "घंटे", "घंटों"},
			days: {"days", "day", "दिन", "दिनों"},
		},
		Years: []int{2021, 2024}, FinalYear: r.Time.Year(),
		Allow: []string{
			"24-hour", "24 घंटे", "4 PM", "शाम 4 बजे", "Stage I", "Stage II", "Stage III", "Stage IV",
			r.ID, r.Organisation, "static sources", "lower bound", "standard satellite data",
		},
		Forbid: []verify.Forbidden{
			{Kind: verify.Recommendation}, {Kind: verify.Forecast},
			{Kind: verify.Naming, Words: []string{"primary source", "culprit", "culprits", "guilty", "blame", "offender", "offenders",
				"punish farmers", "मुख्य स्रोत", "दोषी", "अपराधी", "गुनहगार"}},
		},
	}
	for _, c := range r.Law.Cited {
		p.Registry = append(p.Registry, c.Title)
	}
	if r.Analysis.Stubble.Available && r.Analysis.Stubble.Word == analysis.Largest ||
		slices.ContainsFunc(r.Analysis.Stubble.Indicative, func(i analysis.Indicative) bool { return i.Word == analysis.Largest }) {
		p.Allow = append(p.Allow, "the largest single source", "सबसे बड़ा एकल स्रोत")
	}
	if r.Attribution.Names() {
		p.Must = []verify.Must{{Dimension: "state", IDs: []string{known(r.Attribution.Shares[0].State)}}}
	}
	return p
}

// Verify judges texts about this report, its own or somebody's, by its profile. book
// is the case's that numbered the facts; nil where the report numbered them itself.
func (r Report) Verify(book *fact.Book, parts ...verify.Part) (verify.Report, error) {
	v, err := verify.New(r.Profile())
	if err != nil {
		return verify.Report{}, err
	}
	if book == nil {
		facts := make([]fact.Fact, len(r.Facts))
		for i, f := range r.Facts {
			facts[i] = f.Fact
		}
		if book, err = fact.OpenBook(r.ID, facts); err != nil {
			return verify.Report{}, fmt.Errorf("the report's own facts are no book: %w", err)
		}
	}
	return v.Check(verify.Document{Parts: parts, Pins: r.pins()}, book)
}

// pins are the versions of the facts that the report's texts show.
func (r Report) pins() map[fact.ID]int {
	out := make(map[fact.ID]int, len(r.Facts))
	for _, f := range r.Facts {
		out[f.ID] = f.Version
	}
	return out
}

func (r Report) stations() prose.Dimension {
	d := prose.Dimension{Name: "station"}
	s, short := r.Station, shortName(r.Station.Name)
	names := fact.Names{EN: []string{short}}
	if hi := hindiNames()[short]; hi != "" {
		names.HI = []string{hi}
	}
	if short != "" {
		d.Members = append(d.Members, prose.Member{ID: known(string(s.Site)), Names: names})
	}
	return d
}

// states are all states the facts are about.
func (r Report) states() prose.Dimension {
	d := prose.Dimension{Name: "state"}
	for _, f := range r.Facts {
		id := f.Subject.IDs["state"]
		if id == "" || slices.ContainsFunc(d.Members, func(m prose.Member) bool { return m.ID == id }) {
			continue
		}
		names := fact.Names{EN: []string{id}}
		switch id {
		case unknownState:
			names = fact.Names{EN: []string{"land where no state is known"}, HI: []string{"वह भूमि जहाँ का राज्य ज्ञात नहीं"}}
		case analysis.Abroad:
			names = fact.Names{EN: []string{"land outside India"}, HI: []string{"भारत से बाहर की भूमि"}}
		default:
			if hi := hindiNames()[id]; hi != "" {
				names.HI = []string{hi}
			}
		}
		d.Members = append(d.Members, prose.Member{ID: id, Names: names})
	}
	return d
}

func (r Report) satellites() prose.Dimension {
	d := prose.Dimension{Name: "satellite"}
	for _, s := range r.Satellites {
		id := known(string(s.Satellite))
		if !slices.ContainsFunc(d.Members, func(m prose.Member) bool { return m.ID == id }) {
			d.Members = append(d.Members, prose.Member{ID: id, Names: fact.Names{EN: []string{id}}})
		}
	}
	return d
}

func pollutants() prose.Dimension {
	d := prose.Dimension{Name: "pollutant", Members: []prose.Member{
		{ID: "aqi", Names: fact.Names{EN: []string{"AQI"}, HI: []string{"AQI", "एक्यूआई"}}},
	}}
	for _, p := range aqi.Pollutants() {
		d.Members = append(d.Members, prose.Member{ID: p.String(), Names: fact.Names{EN: []string{p.String()}}})
	}
	return d
}
