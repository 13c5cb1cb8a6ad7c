package analysis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/together"
)

// JSON is the canonical form of an analysis: the same analysis has the same bytes.
func (a Analysis) JSON() ([]byte, error) { return canonical(a) }

// JSON is the canonical form of a board.
func (b Board) JSON() ([]byte, error) { return canonical(b) }

// canonical writes a value with its fields in their order and no escapes but those
// that JSON needs. There are no maps in what is written, and no number that JSON
// has not.
func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// The decimals that numbers are given with.
const (
	tenths     = 1
	hundredths = 2
)

// round is a number with so many decimals, half away from nought. What is no number
// becomes 0: nothing that is printed may be.
func round(n float64, decimals int) float64 { return plume.Printed(n, decimals) }

func ptr(n float64, decimals int) *float64 {
	n = round(n, decimals)
	return &n
}

// rounded is a comparison with its difference to a tenth, by which the verdict goes.
func rounded(c surge.Comparison) surge.Comparison {
	c.Difference = round(c.Difference, plume.DifferenceDecimals)
	c.Controls = orEmpty(c.Controls)
	return c
}

// orEmpty is a list that is written as one even where there is nothing in it.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func compare[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) }

// tallies is counts by name, in the order of the names.
func tallies[K ~string](counts map[K]int) []Tally {
	out := []Tally{}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		if counts[k] > 0 {
			out = append(out, Tally{string(k), counts[k]})
		}
	}
	return out
}

// wholeFile is the name of the whole among the inputs.
const wholeFile = "object"

// inputsOf lists what an analysis was made of. The digest of the whole is that of
// the file in canonical form, which the bytes as received need not have.
func inputsOf(parts []lake.Part) []Input {
	out := []Input{{Part: wholeFile, Rows: 1, SHA256: lake.Digest(parts)}}
	for _, p := range parts {
		switch p.Name {
		case lake.AirPart, lake.FiresPart, lake.StubblePart, lake.WindPart, lake.CloudPart, lake.SourcesPart:
			out = append(out, Input{p.Name, p.Rows, p.SHA256()})
		}
	}
	return out
}

// The name of the rule that leaves out static sources, and what stands for a rule that
// there was none of.
const (
	StaticSources = "static sources"
	NoRule        = "none"
	plumePolicy   = "plume policy"
)

// versions lists every rule that an answer by a method goes by, and the version it had.
func (r Rules) versions(by Method) []Rule {
	out := []Rule{
		{"analysis", Version}, {"aqi", aqi.Version}, {"surge", surge.Version}, {"surge policy", r.Surge.Version},
		{"satellites", r.Satellites.Version}, {"fire policy", r.Fire.Version}, {StaticSources, cmp.Or(r.Mask.Version, NoRule)},
		{"plume", plume.Version}, {plumePolicy, r.Plume.Version}, {"first design", r.Seed.Name}, {"ages", r.Ages.Version},
		{"boundaries", cmp.Or(r.Boundaries, NoRule)},
	}
	if r.thresholds != "" {
		out = append(out, Rule{"thresholds", r.thresholds})
	}
	if r.imported != "" {
		out = append(out, Rule{"stations", r.imported})
	}
	if by == Statements {
		i := slices.IndexFunc(out, func(o Rule) bool { return o.Name == plumePolicy })
		out[i].Version = r.Whose.Air.Version
		out = append(out, Rule{"likelihood", likelihood.Version}, Rule{"likelihood policy", r.Whose.Version},
			Rule{"quality", quality.Version}, Rule{"together", together.Version})
		if r.watched {
			out = append(out, Rule{"geostationary satellites", r.Watch.Version})
		}
	}
	return out
}
