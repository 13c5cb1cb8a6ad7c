package airshed

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/analysis"
	"github.com/gavelhq/gavel/apps/airshed/region"
)

// standing is the rules everybody goes by: those of package analysis, and the
// states by the outlines that travel with the program. Districts, which need a file
// with a licence, may be nil.
func standing(districts *region.Districts) (analysis.Rules, error) {
	rules, err := analysis.Standard()
	if err != nil {
		return rules, err
	}
	outlines, err := region.India()
	if err == nil && districts != nil {
		outlines, err = outlines.With(districts)
	}
	if err != nil {
		return rules, err
	}
	var from []string
	for _, s := range outlines.Sources() {
		text := fmt.Sprintf("%s (%s)", s.Name, s.Licence)
		if s.AsOf != "" {
			text = fmt.Sprintf("%s (%s, as of %s)", s.Name, s.Licence, s.AsOf)
		}
		from = append(from, text)
	}
	rules.Places, rules.Boundaries = outlines.Locate, strings.Join(from, "; ")
	return rules, nil
}
