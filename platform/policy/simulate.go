package policy

import (
	"slices"
	"time"
)

// A Past call is one that was asked about, with as much of the question as can
// still be put.
type Past struct {
	Call     string // "run_…/3.0", or the id of a call from outside any run
	Case     string
	At       time.Time
	Question Question
	Tool     Tool
	NoArgs   string // why the arguments are not known; empty if they are
	NoTaint  bool   // whether text from outside had been read is not known
	Steered  bool   // an argument came from such text
	Outsider bool   // it came from outside any run, where nothing with an effect runs unasked
	Was      Word   // what became of it
}

// A Change is a call that would have gone otherwise.
type Change struct {
	Call    string    `json:"call"`
	Case    string    `json:"case"`
	At      time.Time `json:"at"`
	Tool    string    `json:"tool"`
	Was     Word      `json:"was"`
	Would   Word      `json:"would"`
	Because []string  `json:"because"` // the policies that would decide; empty where arguments are not known
}

// A Count is how many calls went one way and would have gone another.
type Count struct {
	Was   Word `json:"was"`
	Would Word `json:"would"`
	Calls int  `json:"calls"`
}

// An Untold is how many calls nothing can be said of, and why.
type Untold struct {
	Why   string `json:"why"`
	Calls int    `json:"calls"`
}

// A Simulation is what other rules would have made of past calls.
type Simulation struct {
	Digest  string   `json:"digest"` // of the rules that were tried
	Calls   int      `json:"calls"`  // that were looked at
	Counts  []Count  `json:"counts"`
	Changed []Change `json:"changed"`
	More    int      `json:"more"` // changed calls beyond those listed
	Untold  []Untold `json:"untold"`
}

// Note adds calls of which nothing can be said.
func (s *Simulation) Note(why string, calls int) {
	if calls == 0 {
		return
	}
	if at := slices.IndexFunc(s.Untold, func(u Untold) bool { return u.Why == why }); at >= 0 {
		s.Untold[at].Calls += calls
		return
	}
	s.Untold = append(s.Untold, Untold{why, calls})
}

func (s *Simulation) count(was, would Word) {
	if at := slices.IndexFunc(s.Counts, func(c Count) bool { return c.Was == was && c.Would == would }); at >= 0 {
		s.Counts[at].Calls++
		return
	}
	s.Counts = append(s.Counts, Count{was, would, 1})
}

// Simulate puts past calls to these rules. At most so many changed calls are
// listed; all are counted. Nothing is done and nobody is asked.
func (r *Rules) Simulate(past []Past, most int) Simulation {
	s := Simulation{Digest: r.Digest(), Counts: []Count{}, Changed: []Change{}, Untold: []Untold{}}
	for _, p := range past {
		s.Calls++
		would, because, why := r.would(p)
		switch {
		case why != "":
			s.Note(why, 1)
			continue
		case would == p.Was:
		case len(s.Changed) < most:
			s.Changed = append(s.Changed, Change{p.Call, p.Case, p.At, p.Question.App + "." + p.Question.Tool, p.Was, would, because})
		default:
			s.More++
		}
		s.count(p.Was, would)
	}
	return s
}

// would is what becomes of a call under these rules, or why that cannot be told.
func (r *Rules) would(p Past) (would Word, because []string, why string) {
	set := r.App(p.Question.App)
	if p.NoArgs == "" && !p.NoTaint {
		a := set.Ask(p.Question)
		return p.outcome(a.Call, a.Unattended), a.Because, ""
	}
	v := p.Question.view()
	if p.NoArgs != "" {
		v.args, v.fields = nil, fieldsOf(p.Tool.Schema)
	}
	if p.NoTaint {
		v.taint = nil
	}
	v.action = call
	calls := set.foresee(v)
	v.action = unattended
	alone := set.foresee(v)
	if calls.certain != calls.possible || calls.certain && alone.certain != alone.possible {
		if p.NoArgs != "" {
			return "", nil, p.NoArgs
		}
		return "", nil, "it is not on record whether text from outside had been read"
	}
	return p.outcome(calls.certain, alone.certain), []string{}, ""
}

// outcome is what becomes of a call, given both answers: the rule of package
// agent, which adds the tool's own gate and where the arguments came from.
func (p Past) outcome(calls, alone bool) Word {
	switch {
	case !calls:
		return No
	case p.Outsider && p.Tool.Effect != "read":
		return Asks
	case alone && p.Tool.Gate == "off" && !(p.Steered && p.Tool.Effect == "outside" && !p.Tool.Grounded):
		return Yes
	}
	return Asks
}
