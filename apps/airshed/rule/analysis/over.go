package analysis

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// MaxBytes bounds the file of an analysis.
const MaxBytes = 16 << 20

// RulesOver is the rules everybody goes by: those of package analysis, and the
// states by the outlines that travel with the program. A file of boundaries, which
// needs a licence, may be nil; one that gives states takes the place of the outlines,
// and its stations, where it has any, that of the program's.
func RulesOver(districts *region.Districts) (Rules, error) {
	rules, err := Standard()
	if err != nil {
		return rules, err
	}
	outlines, err := outlinesBy(districts)
	if err != nil {
		return rules, err
	}
	rules.Stations = StationsOver(districts)
	var from []string
	for _, s := range outlines.Sources() {
		text := fmt.Sprintf("%s (%s; sha256 %.16s)", s.Name, s.Licence, s.SHA256)
		if s.AsOf != "" {
			text = fmt.Sprintf("%s (%s, as of %s; sha256 %.16s)", s.Name, s.Licence, s.AsOf, s.SHA256)
		}
		from = append(from, text)
	}
	rules.Places, rules.Unsure, rules.Boundaries = outlines.Locate, outlines.Unsure, strings.Join(from, "; ")
	return rules, nil
}

func outlinesBy(districts *region.Districts) (*region.Map, error) {
	if districts != nil && districts.Gives() == region.GivesStates {
		return districts.Alone()
	}
	outlines, err := region.India()
	if err == nil && districts != nil {
		outlines, err = outlines.With(districts)
	}
	return outlines, err
}

// StationsOver are the stations that are looked at.
func StationsOver(districts *region.Districts) []surge.Station {
	if districts != nil && len(districts.Stations()) > 0 {
		return districts.Stations()
	}
	return surge.Stations()
}
