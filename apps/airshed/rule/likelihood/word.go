package likelihood

// A Word is how likely something is, in one of four fixed words.
type Word string

// The words.
const (
	Certain       Word = "virtually certain"
	VeryLikely    Word = "very likely"
	Likely        Word = "likely"
	NotDetermined Word = "not determined"
)

// Word is the word for a probability.
func (p Policy) Word(probability float64) Word {
	switch {
	case probability >= p.Certain:
		return Certain
	case probability >= p.Complaint:
		return VeryLikely
	case probability >= p.Inquiry:
		return Likely
	}
	return NotDetermined
}

// An Act is what may be done about a state.
type Act string

// The acts, from the weightiest.
const (
	Complaint Act = "complaint"
	Inquiry   Act = "inquiry"
	Nothing   Act = "none"
)

// A Finding is what may be said and done.
type Finding struct {
	State   string   `json:"state"` // of the greatest probability; empty where there is none
	P       float64  `json:"p"`
	Word    Word     `json:"word"` // not determined on data that are low; P stands beside them as a figure
	Smoke   Word     `json:"smoke"`
	Act     Act      `json:"act"`
	Wanting []Demand `json:"wanting"` // for a complaint
}

// A Demand is something that a complaint wants and the data do not give.
type Demand string

// The demands.
const (
	SurerWhose   Demand = "surer_whose"
	SurerMatter  Demand = "surer_matter"
	BetterData   Demand = "better_data"
	KnownState   Demand = "known_state"
	StateOfIndia Demand = "state_of_india"
)

// Finding is what an answer lets anybody say and do. Beyond reach are the states that
// nobody can be asked about.
func (p Policy) Finding(a Answer, beyond ...string) Finding {
	f := Finding{Word: NotDetermined, Smoke: NotDetermined, Act: Nothing, Wanting: []Demand{}}
	if a.Matter.Known && a.Matter.M >= p.Mattered {
		f.Smoke = p.Word(a.Matter.M)
	}
	if len(a.States) > 0 {
		f.State, f.P = a.States[0].State, a.States[0].P
	}
	good := a.Data.Grade != Low
	if good && f.State != "" {
		f.Word = p.Word(f.P)
	}
	want := func(is bool, d Demand) {
		if is {
			f.Wanting = append(f.Wanting, d)
		}
	}
	want(f.P < p.Complaint, SurerWhose)
	want(f.Smoke == NotDetermined, SurerMatter)
	want(!good, BetterData)
	want(f.State == "", KnownState)
	out := false
	for _, b := range beyond {
		out = out || b == f.State
	}
	want(out, StateOfIndia)
	switch {
	case len(f.Wanting) == 0:
		f.Act = Complaint
	case good && f.State != "" && !out && f.P >= p.Inquiry:
		f.Act = Inquiry
	}
	return f
}
