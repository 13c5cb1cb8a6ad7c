// Package reperform is for a stranger who wants every number of a case done
// again: readings read again from their bytes, computed facts computed again
// from their inputs, down to the selectors.
//
// Run takes facts and a way to the bytes they name, and returns a verdict for
// each fact. It needs no database and no server; a bundle's facts and snapshots
// are enough. It trusts nothing it is given: the bytes are hashed here, and a
// computed fact is only as good as what it rests on.
package reperform

import (
	"cmp"
	"io"
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Outcome is what became of doing a fact again.
type Outcome string

// The outcomes.
const (
	Pass   Outcome = "pass"   // the same came out
	Fail   Outcome = "fail"   // something else came out, or it rests on what failed
	Stated Outcome = "stated" // a named person stated it: there is nothing to do again
	Unread Outcome = "unread" // the bytes are not to be had, or it rests on such
)

// A Verdict says what became of one fact.
type Verdict struct {
	Fact    fact.Ref `json:"fact"`
	Outcome Outcome  `json:"outcome"`
	Why     string   `json:"why,omitempty"`    // what differs, for people; always there unless it passed
	Stored  string   `json:"stored,omitempty"` // the value as it is kept
	Again   string   `json:"again,omitempty"`  // the value that came out, if one did
}

// A Report is what became of a case's facts.
type Report struct {
	Case     string    `json:"case"`
	Register string    `json:"register,omitempty"` // what is wrong with numbers, keys and versions; empty if nothing
	Verdicts []Verdict `json:"facts"`              // by number and version
}

// OK reports whether nothing failed and nothing was left unread.
func (r Report) OK() bool {
	n := r.Count()
	return r.Register == "" && n[Fail] == 0 && n[Unread] == 0
}

// Count is how many facts had each outcome.
func (r Report) Count() map[Outcome]int {
	n := map[Outcome]int{}
	for _, v := range r.Verdicts {
		n[v.Outcome]++
	}
	return n
}

// Bytes are a snapshot's content. SHA256 is what they must hash to: the
// snapshot's own address, unless they were sealed; then it is the digest of the
// plain bytes that the envelope carries.
type Bytes struct {
	io.ReadCloser
	SHA256 string
}

// An Open opens a snapshot by its address. An error of the kinds NotFound,
// Refused and Unavailable means that the bytes are not to be had here; any other
// is a failure of the facts that name them.
type Open func(sha256 string) (Bytes, error)

// An Ask does a fact again that stands in no bytes as it is: what a question about a snapshot was answered. asked is false for every other
// fact, which is then read. raw is what stands in the answer today; an error is of the kinds that Open gives.
type Ask func(f fact.Fact) (raw string, asked bool, err error)

// Run does all facts of one case again, in one reading of each snapshot.
func Run(caseID string, facts []fact.Fact, open Open) Report {
	return RunAsking(caseID, facts, open, nil)
}

// RunAsking is Run, for facts some of which were asked for.
func RunAsking(caseID string, facts []fact.Fact, open Open, ask Ask) Report {
	r := &run{facts: map[fact.Ref]fact.Fact{}, done: map[fact.Ref]Verdict{}, busy: map[fact.Ref]bool{}}
	rep := Report{Case: caseID}
	if _, err := fact.OpenBook(caseID, facts); err != nil {
		rep.Register = words(err)
	}
	r.readings(facts, open, ask)
	for _, f := range facts {
		if _, twice := r.facts[f.Ref()]; twice {
			r.done[f.Ref()] = failed(f, "two facts claim this number")
		}
		r.facts[f.Ref()] = f
	}
	for _, f := range facts {
		rep.Verdicts = append(rep.Verdicts, r.verdict(f.Ref()))
	}
	slices.SortStableFunc(rep.Verdicts, func(x, y Verdict) int {
		return cmp.Or(cmp.Compare(x.Fact.ID.Number(), y.Fact.ID.Number()), cmp.Compare(x.Fact.Version, y.Fact.Version))
	})
	return rep
}

type run struct {
	facts map[fact.Ref]fact.Fact
	done  map[fact.Ref]Verdict
	busy  map[fact.Ref]bool // computed facts whose inputs are being looked at
}

// readings settles every fact that was not computed.
func (r *run) readings(facts []fact.Fact, open Open, ask Ask) {
	batch := Batch{}
	for _, f := range facts {
		if f.Calc != nil || f.Kind == fact.Computed {
			continue
		}
		if v, asked := answered(f, ask); asked {
			r.done[f.Ref()] = v
			continue
		}
		batch.Add(f)
	}
	for _, v := range batch.Check(open) {
		r.done[v.Fact] = v
	}
}

// answered settles a fact that was asked for; asked is false where it was not.
func answered(f fact.Fact, ask Ask) (v Verdict, asked bool) {
	if ask == nil || f.Source == nil {
		return v, false
	}
	raw, asked, err := ask(f)
	switch {
	case !asked:
		return v, false
	case err != nil:
		return Verdict{Fact: f.Ref(), Outcome: missing(err), Why: words(err), Stored: f.Value}, true
	}
	return Reading(f, raw), true
}

// verdict settles a computed fact, after its inputs.
func (r *run) verdict(ref fact.Ref) Verdict {
	if v, ok := r.done[ref]; ok {
		return v
	}
	f := r.facts[ref]
	if r.busy[ref] {
		return failed(f, "it rests on itself")
	}
	r.busy[ref] = true
	v := r.compute(f)
	r.done[ref] = v
	return v
}

func (r *run) compute(f fact.Fact) Verdict {
	v := Computed(f, r.lookup)
	if v.Outcome != Pass {
		return v
	}
	for _, ref := range f.Calc.Inputs {
		switch r.verdict(ref).Outcome {
		case Fail:
			v.Outcome, v.Why = Fail, "it rests on "+ref.String()+", which failed"
			return v
		case Unread:
			v.Outcome, v.Why = Unread, "it follows from its inputs, but "+ref.String()+" could not be read again"
		}
	}
	return v
}

func (r *run) lookup(ref fact.Ref) (fact.Fact, bool) {
	f, ok := r.facts[ref]
	return f, ok
}

func failed(f fact.Fact, why string) Verdict {
	return Verdict{Fact: f.Ref(), Outcome: Fail, Why: why, Stored: f.Value}
}

// words is what a person may be told about an error.
func words(err error) string {
	text, _ := fault.Words(err)
	return text
}
