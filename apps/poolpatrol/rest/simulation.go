package rest

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// A settingBody is a threshold that can be tried.
type settingBody struct {
	Name  string  `json:"name"`
	Means string  `json:"means"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

type listSettingsInput struct{ api.Paging }

// settings are few, and come all at once.
func (s *answers) settings(_ context.Context, who identity.Actor, _ *listSettingsInput, _ string,
	_ int) (out []settingBody, next string, err error) {
	for _, one := range simulate.Settings() {
		out = append(out, settingBody{one.Name, one.Means, one.Low, one.High})
	}
	return out, "", s.store.May(who, programme.ActTry)
}

type simulateInput struct{ Body newSimulationBody }

// A newSimulationBody says which thresholds to move.
type newSimulationBody struct {
	Changes []string `json:"changes" minItems:"1" maxItems:"20" doc:"Each name=value."`
}

// mostFlags is how many flags of each kind one answer lists; all are counted.
const mostFlags = 1000

// A simulationBody is what other thresholds would have found.
type simulationBody struct {
	Snapshot   string    `json:"snapshot" doc:"What was audited: the records of the last pass."`
	At         time.Time `json:"at" doc:"The moment it was judged at."`
	Changes    []string  `json:"changes"`
	Riders     int       `json:"riders"`
	Vanpools   countBody `json:"vanpools" doc:"Vans with something to be looked into."`
	Flagged    countBody `json:"flagged" doc:"Riders with a finding."`
	Hours      spanBody  `json:"hours" doc:"The work of looking into those vans by hand, an estimate of 45 minutes each."`
	NewCount   int       `json:"new_count"`
	GoneCount  int       `json:"gone_count"`
	New        []flag    `json:"new" doc:"Flagged only with these thresholds; the first thousand."`
	Gone       []flag    `json:"gone" doc:"Flagged only by the rules of today; the first thousand."`
	Sites      []rowBody `json:"sites"`
	Shifts     []rowBody `json:"shifts" doc:"By the rider's shift; an empty name where none is known."`
	SiteRatio  *spanBody `json:"impact_by_site,omitempty" doc:"Share of riders left alone at the site that fares worst, divided by that of the best; sites with fewer than 20 riders do not count. Below 0.8 look at why. Left out where no two sites can be compared."`
	ShiftRatio *spanBody `json:"impact_by_shift,omitempty" doc:"The same by shift."`
}

type (
	// A flag is one finding on one rider, or on a van.
	flag = simulate.Flag
	// A countBody is how many of all, by the rules of today and with thresholds moved.
	countBody struct {
		All    int `json:"all"`
		Before int `json:"before"`
		After  int `json:"after"`
	}
	// A spanBody is a number by the rules of today and with thresholds moved.
	spanBody struct {
		Before float64 `json:"before"`
		After  float64 `json:"after"`
	}
	rowBody = simulate.Row
)

type simulationOutput struct{ Body simulationBody }

func (s *answers) simulate(ctx context.Context, who identity.Actor, in *simulateInput) (*simulationOutput, error) {
	sim, err := s.store.Simulate(ctx, who, in.Body.Changes)
	if err != nil {
		return nil, err
	}
	r := sim.Report
	b := simulationBody{Snapshot: sim.Snapshot, At: sim.At.UTC(), Changes: sim.Changes, Riders: r.Riders, Vanpools: countOf(r.Cases),
		Flagged:  countOf(r.Flagged),
		NewCount: len(r.New), GoneCount: len(r.Gone), New: listed(r.New), Gone: listed(r.Gone), Sites: listed(r.Sites),
		Shifts: listed(r.Shifts)}
	b.New, b.Gone = b.New[:min(len(b.New), mostFlags)], b.Gone[:min(len(b.Gone), mostFlags)]
	b.Hours.Before, b.Hours.After = r.Hours()
	b.SiteRatio, b.ShiftRatio = ratioOf(r.Sites), ratioOf(r.Shifts)
	return &simulationOutput{b}, nil
}

// ratioOf is the impact ratio of some groups; nil where no two can be compared.
func ratioOf(groups []rowBody) *spanBody {
	before, after, compared := simulate.Impact(groups, store.LeastGroup)
	if !compared {
		return nil
	}
	return &spanBody{before, after}
}

func countOf(r simulate.Row) countBody { return countBody{r.Riders, r.Before, r.After} }
