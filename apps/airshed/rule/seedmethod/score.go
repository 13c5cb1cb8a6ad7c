package seedmethod

// Sources says which data there were.
type Sources struct {
	Air     bool `json:"cpcb_available"` // without it there is no surge and no report
	Fires   bool `json:"nasa_available"`
	Stubble bool `json:"dss_available"`
}

// A Penalty is points taken off, and why.
type Penalty struct {
	Points int    `json:"points"`
	Reason string `json:"reason"`
}

// The reasons for penalties.
const (
	NoAirData     = "cpcb_missing"
	NoFireData    = "nasa_missing"
	NoStubbleData = "dss_missing"
	FewFires      = "few_fires"
	FarFires      = "far_fires"
)

// A Score says how complete the data were. It says nothing about whether the
// conclusion is true; the first design called it confidence.
type Score struct {
	Confidence   float64   `json:"confidence_score"`   // as the first design shows it: never under its floor
	Completeness float64   `json:"completeness_score"` // without the floor, which hides that everything is missing
	Penalties    []Penalty `json:"penalties"`
}

const whole = 100

// Score takes points off for what is missing. How many fires there were and how
// far off they were is asked only if fires are known at all: otherwise one gap
// would be held against the data twice.
func (p Profile) Score(have Sources, c Count) Score {
	s := Score{Penalties: []Penalty{}}
	off := func(is bool, points int, why string) {
		if is {
			s.Penalties = append(s.Penalties, Penalty{points, why})
		}
	}
	off(!have.Air, whole, NoAirData)
	off(!have.Fires, p.NoFires, NoFireData)
	off(!have.Stubble, p.NoStubble, NoStubbleData)
	off(have.Fires && c.Fires < p.Few, p.FewFires, FewFires)
	off(have.Fires && c.Fires > 0 && c.Distance > p.Far, p.FarFires, FarFires)
	points := whole
	for _, x := range s.Penalties {
		points -= x.Points
	}
	s.Completeness = float64(max(0, points))
	s.Confidence = float64(max(p.LeastPoints, points))
	return s
}
