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
		text := fmt.Sprintf("%s (%s; sha256 %.16s)", s.Name, s.Licence, s.SHA256)
		if s.AsOf != "" {
			text = fmt.Sprintf("%s (%s, as of %s; sha256 %.16s)", s.Name, s.Licence, s.AsOf, s.SHA256)
		}
		from = append(from, text)
	}
	rules.Places, rules.Unsure, rules.Boundaries = outlines.Locate, outlines.Unsure, strings.Join(from, "; ")
	return rules, nil
}
