package analysis

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Dataset is a lake object made ready: tracks of the stations, fires sifted and
// placed, and the wind. It is not changed once made, and may be shared.
type Dataset struct {
	rules  Rules
	from   *lake.Object
	air    air
	found  surge.Board
	fires  sightings
	grid   *wind.Grid // nil: no wind is known
	looked plume.Span // while fires were looked for; zero where the file does not say
	shared *plume.Index
	land   []likelihood.Land // for the second version: where fires could have burnt unseen
	under  []string          // the state of every figure of cloud
	inputs []Input
	ages   []lake.Age
}

// Prepare makes a dataset of an object, which must not be changed any more.
func Prepare(o *lake.Object, r Rules) (*Dataset, error) {
	parts, err := o.Parts() // it also checks the object
	if err != nil {
		return nil, err
	}
	r = r.settled(o.Time)
	d := &Dataset{rules: r, from: o.Sorted(), inputs: inputsOf(parts)}
	d.ages = d.from.Ages(o.Time, r.Ages)
	if d.air, err = readAir(d.from.Air, r.Stations); err != nil {
		return nil, err
	}
	if d.found, err = r.Surge.Scan(o.Time, d.air.tracks); err != nil {
		return nil, err
	}
	if o.Wind != nil && len(o.Wind.Levels()) > 0 {
		if d.grid, err = o.Wind.Grid(); err != nil {
			return nil, err
		}
	}
	d.looked = d.lookedFor()
	d.fires = d.sight()
	if r.Whose != nil {
		d.lay()
	}
	if d.grid != nil && len(d.found.Found) > 0 && d.fires.span() <= sharedSpan {
		d.shared, err = d.index(d.fires.sifted.Kept)
	}
	return d, err
}

// sharedSpan is how many days of fires one index is made of; of more, each episode
// has an index of the days that matter to it.
const sharedSpan = 45 * 24 * time.Hour

// lookedFor is the time while fires were looked for, as the file says. Where it does
// not, none is known: rows say when something was seen and not when anybody looked,
// and nothing conclusive may rest on a guess.
func (d *Dataset) lookedFor() plume.Span {
	if d.from.Fires == nil || d.from.Looked.IsZero() {
		return plume.Span{}
	}
	return plume.Span{From: d.from.Looked.From.UTC(), To: d.from.Looked.To.UTC()}
}

// Board is what all stations show.
func (d *Dataset) Board() Board {
	b := Board{
		Version: Version, At: d.found.At, Border: d.found.Border, Interior: d.found.Interior, Left: d.left(), Others: d.air.others,
		Doubts: d.doubtful(), Episodes: []Listed{}, Ages: d.ages, Gaps: orEmpty(d.commonGaps()), Warnings: orEmpty(d.commonWarnings()),
		Inputs: d.inputs, Rules: d.rules.versions(Demands),
	}
	for _, f := range d.found.Found {
		b.Episodes = append(b.Episodes, d.listed(f))
	}
	return b
}

// left is the stations that were not looked at, by site.
func (d *Dataset) left() []Left {
	out := slices.Clone(d.air.left)
	for _, l := range d.found.Left {
		if slices.ContainsFunc(out, func(o Left) bool { return o.Site == l.Site }) {
			continue
		}
		why := Quiet
		if l.Last == 0 {
			why = NoData
		}
		out = append(out, Left{Site: l.Site, Name: d.air.station(l.Site).Name, Role: l.Role, Last: l.Last, Why: why})
	}
	slices.SortFunc(out, func(a, b Left) int { return compare(a.Site, b.Site) })
	return orEmpty(out)
}

// Keys are the keys of all episodes, in the order of the board.
func (d *Dataset) Keys() []surge.Key {
	var out []surge.Key
	for _, f := range d.found.Found {
		out = append(out, f.Episode.Key)
	}
	return out
}

// Listed is an episode as the board has it.
func (d *Dataset) Listed(key surge.Key) (Listed, error) {
	f, err := d.episode(key)
	if err != nil {
		return Listed{}, err
	}
	return d.listed(f), nil
}

func (d *Dataset) listed(f surge.Found) Listed {
	return Listed{Station: d.air.station(f.Episode.Site).Name, Episode: f.Episode, Control: rounded(f.Control)}
}

// episode finds an episode of the board.
func (d *Dataset) episode(key surge.Key) (surge.Found, error) {
	for _, f := range d.found.Found {
		if f.Episode.Key == key {
			return f, nil
		}
	}
	return surge.Found{}, fault.New(fault.NotFound, "there is no episode %.80q in these data", key).
		WithNext("list the episodes of the board first")
}
