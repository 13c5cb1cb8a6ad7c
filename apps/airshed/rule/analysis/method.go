package analysis

import (
	"math"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Method is a version of the verdict, by the name of its policy.
type Method string

// The methods. An episode is answered by the one it was first answered by.
const (
	Demands    Method = "plume-2026-1" // one verdict, of five demands: package plume
	Statements Method = "plume-2027-1" // three statements, each with its figure: package likelihood
)

// Default is the method where nobody chose one.
const Default = Demands

// MethodOf is the method of a name; without one it is the default.
func MethodOf(name string) (Method, error) {
	switch m := Method(name); m {
	case "":
		return Default, nil
	case Demands, Statements:
		return m, nil
	}
	return "", fault.New(fault.Invalid, "no version of the verdict is called %.40q", name).WithNext("use %s or %s", Demands, Statements)
}

// What the second method lets anybody do about a state. The first says "conclusive" or
// "inconclusive"; that nothing can be shared out both say alike.
const (
	Complaint    plume.Verdict = "complaint"
	Inquiry      plume.Verdict = "inquiry"
	Undetermined plume.Verdict = "not determined"
)

// Method is the one an analysis was made by.
func (a Analysis) Method() Method {
	if a.Whose != nil {
		return Statements
	}
	return Demands
}

// Names reports whether the first state may be named: as that whose smoke it was, or as
// one that is to be asked.
func (a Attribution) Names() bool { return a.Conclusive || a.Verdict == Inquiry }

// Reasons of the second method that the first has not.
const (
	SurerWhose  plume.Code = "surer_whose"
	SurerMatter plume.Code = "surer_matter"
	OutOfReach  plume.Code = "outside_india"
)

// attribution is an answer by the second method in the form that everything is read in:
// shares, the first of them, and whether it may be named.
func (d *Dataset) attribution(w *Whose) Attribution {
	p := d.rules.Whose
	of := float64(p.Members)
	a := Attribution{First: w.State, Reasons: orEmpty(d.wanting(w)), States: []Share{}, Districts: []Share{}, Of: p.Members,
		Agreed: int(math.Round(w.P * of)), Needed: int(math.Round(p.Complaint * of)), Levels: []wind.Level{}, Transport: []wind.Level{},
		Mixing: d.grid != nil && d.grid.HasMixing(), Means: means}
	a.Verdict = map[likelihood.Act]plume.Verdict{likelihood.Complaint: Complaint, likelihood.Inquiry: Inquiry,
		likelihood.Nothing: Undetermined}[w.Act]
	if a.Conclusive = w.Act == likelihood.Complaint; len(w.Why) > 0 {
		a.Verdict = plume.Unattributed
	}
	for _, m := range w.Members {
		if len(m.Shares) > 0 {
			a.Members++
		}
	}
	for i, s := range w.States {
		if s.Low == nil {
			break // no range can be given, and a share without one says too much
		}
		a.States = append(a.States, Share{State: s.State, Low: *s.Low, Median: *s.Median, High: *s.High, Default: *s.Median,
			First: firsts(w.Members, i)})
	}
	return a
}

// firsts is in how many members a state has more than any other.
func firsts(members []likelihood.Member, state int) (n int) {
	for _, m := range members {
		if len(m.Shares) > 0 && m.Shares[state] > 0 && slices.Max(m.Shares) == m.Shares[state] {
			n++
		}
	}
	return n
}

// lacking is why data are low, as a reason reads.
func lacking(l likelihood.Lack) plume.Reason {
	return plume.Reason{Code: plume.Code(l), Text: map[likelihood.Lack]string{
		likelihood.WindShort:    "the wind is not known for enough of the way",
		likelihood.CloudUnknown: "cloud is not known at enough of the satellites' passes",
		likelihood.FewFires:     "too few fires count for their sum to be more than chance",
		likelihood.Still:        "the wind that carries was too weak in too many of the hours",
		likelihood.Doubtful:     "something speaks against the readings of the surge",
		likelihood.OneState:     "fires were seen in one state only: no range can be given",
		likelihood.FewPasses:    "on fewer than half of the days rows of an afternoon pass came",
	}[l]}
}

// wanting is why no complaint may be made, or why there are no shares at all.
func (d *Dataset) wanting(w *Whose) (out []plume.Reason) {
	if d.from.Fires == nil {
		return []plume.Reason{{Code: FiresUnknown, Text: "no data about fires came: no attribution is made"}}
	}
	for _, why := range w.Why {
		out = append(out, map[likelihood.Reason]plume.Reason{
			likelihood.NoWind:    {Code: plume.NoWind, Text: "no wind is known at the station in these hours: no attribution is made"},
			likelihood.NoFires:   {Code: plume.NoFires, Text: "no fire was detected where the air came from: there is nothing to share out"},
			likelihood.NotLooked: {Code: plume.FiresUnknown, Text: "fires are not known to have been looked for through all the hours that the air was followed"},
		}[why])
	}
	if len(out) > 0 {
		return out
	}
	for _, demand := range w.Wanting {
		switch demand {
		case likelihood.BetterData:
			for _, l := range w.Data.Lacks {
				out = append(out, lacking(l))
			}
		case likelihood.SurerWhose:
			out = append(out, plume.Reason{Code: SurerWhose, Text: "no state is likely enough to have brought most of the smoke"})
		case likelihood.SurerMatter:
			out = append(out, plume.Reason{Code: SurerMatter, Text: "that smoke raised PM2.5 here is not shown well enough"})
		case likelihood.KnownState:
			out = append(out, plume.Reason{Code: plume.NoState, Text: "the largest share lies where no state is known"})
		case likelihood.StateOfIndia:
			out = append(out, plume.Reason{Code: OutOfReach, Text: "most of it came from outside India"})
		}
	}
	return out
}

// costs reports whether a gap costs an answer by a method anything: what the second does
// not go by it does not miss.
func (c GapCode) costs(by Method) bool {
	return by == Demands || c != WindLevels && c != ControlMissing && c != NullByTurns
}
