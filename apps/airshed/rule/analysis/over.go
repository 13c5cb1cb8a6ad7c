package analysis

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// MaxBytes bounds the file of an analysis.
const MaxBytes = 16 << 20

// Brought is what somebody brought to analyses; nothing of it need be there.
type Brought struct {
	Districts *region.Districts // or states, which take the place of the outlines, and their stations that of the program's
	Stations  []surge.Listed    // laid over the program's own, each from its day on
	Static    fire.Mask         // places that are hot without a field burning
	Set       Set               // thresholds
}

// Rules is the rules everybody goes by: those of package analysis, and the states by the
// outlines that travel with the program, with what was brought in its place.
func (b Brought) Rules() (Rules, error) {
	rules, err := Standard()
	if err != nil {
		return rules, err
	}
	outlines, err := outlinesBy(b.Districts)
	if err != nil {
		return rules, err
	}
	rules.Mask = b.Static
	rules.set(b.Set)
	if own := b.stations(); len(own) > 0 {
		rules.Stations = own
	} else {
		rules.Listed = b.Stations
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

// stations are those of a file of states; none where it has none.
func (b Brought) stations() []surge.Station {
	if b.Districts == nil {
		return nil
	}
	return b.Districts.Stations()
}

// StationsAt are the stations that are looked at in data of a moment.
func (r Rules) StationsAt(at time.Time) []surge.Station {
	all, _ := surge.Over(r.Stations, r.Listed, at)
	return all
}

// settled is the rules for data of a moment: of the rows about stations those that hold on
// its day. An analysis names them.
func (r Rules) settled(at time.Time) Rules {
	if len(r.Listed) == 0 {
		return r
	}
	var used []surge.Listed
	r.Stations, used = surge.Over(r.Stations, r.Listed, at)
	if r.Listed = nil; len(used) > 0 {
		r.imported = fmt.Sprintf("%d imported (sha256 %.16s)", len(used), surge.DigestOf(used))
	}
	return r
}
