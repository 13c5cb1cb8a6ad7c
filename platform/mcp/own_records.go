package mcp

import (
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// stepsTold is how many of a run's newest steps are told.
const stepsTold = 20

type runIn struct {
	Run string `json:"run" jsonschema:"its id, run_…"`
}

type runOut struct {
	Run       string     `json:"run"`
	Case      string     `json:"case"`
	App       string     `json:"app"`
	Agent     string     `json:"agent"`
	State     string     `json:"state"`
	Reason    string     `json:"reason,omitempty"`
	Calls     int64      `json:"model_calls"`
	TokensIn  int64      `json:"tokens_in"`
	TokensOut int64      `json:"tokens_out"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
	Waiting   []string   `json:"waiting_for"` // proposals
	Steps     []stepLine `json:"newest_steps"`
}

// A stepLine is one turn of a run: what was wanted and what became of it, and
// none of what was said.
type stepLine struct {
	N     int        `json:"n"`
	At    time.Time  `json:"at"`
	Model string     `json:"model"`
	Calls []callLine `json:"calls"`
}

type callLine struct {
	Tool     string `json:"tool"`
	Verdict  string `json:"verdict"`
	Proposal string `json:"proposal,omitempty"`
	Act      string `json:"act,omitempty"`
}

func (s *Server) getRun(ctx context.Context, a identity.Actor, in runIn) (runOut, error) {
	r, err := s.Runs.Get(ctx, a.Org, in.Run)
	if err != nil {
		return runOut{}, err
	}
	steps, err := s.Runs.Steps(ctx, a.Org, r.ID, 0, stepsTold)
	if err != nil {
		return runOut{}, err
	}
	out := runOut{Run: r.ID, Case: r.Case, App: r.App, Agent: r.Agent, State: string(r.State), Reason: r.Reason, Calls: r.Tree.Calls,
		TokensIn: r.Tree.In, TokensOut: r.Tree.Out, StartedAt: r.StartedAt.UTC(), EndedAt: utc(r.EndedAt), Waiting: []string{},
		Steps: []stepLine{}}
	for _, w := range r.Waiting {
		out.Waiting = append(out.Waiting, w.Proposal)
	}
	for _, st := range steps {
		line := stepLine{N: st.Seq, At: st.At.UTC(), Model: st.Model.Model, Calls: []callLine{}}
		for _, c := range st.Calls {
			one := callLine{Tool: c.Tool, Verdict: c.Verdict}
			if c.Proposal != nil {
				one.Proposal = c.Proposal.ID
			}
			if c.Act != nil {
				one.Act = string(c.Act.State)
			}
			line.Calls = append(line.Calls, one)
		}
		out.Steps = append(out.Steps, line)
	}
	return out, nil
}

// basisTold is how many facts one may rest on to be told whole.
const basisTold = 60

type factIn struct {
	Case    string `json:"case" jsonschema:"its id, case_…, or its ref"`
	Fact    string `json:"fact" jsonschema:"its number, F17"`
	Version int    `json:"version,omitempty" jsonschema:"left out, the newest"`
}

type factOut struct {
	Fact  factLine   `json:"fact"`
	Basis []factLine `json:"rests_on"` // through all inputs
	Link  string     `json:"link"`
}

// A factLine is one value with where it comes from.
type factLine struct {
	Fact    string     `json:"fact"` // F17@2
	Kind    string     `json:"kind"`
	Value   string     `json:"value"`
	Exact   string     `json:"exact,omitempty"`
	Unit    string     `json:"unit"`
	Display string     `json:"display"`
	About   string     `json:"about"`
	AsOf    *time.Time `json:"as_of,omitempty"`
	From    string     `json:"from"` // the snapshot and the place in it, or the operation and its inputs
}

func (s *Server) getFact(ctx context.Context, a identity.Actor, in factIn) (factOut, error) {
	if fact.ID(in.Fact).Number() == 0 || in.Version < 0 {
		return factOut{}, fault.New(fault.Invalid, "fact: want its number, F17, and version 1 or more")
	}
	c, err := s.Cases.Lookup(ctx, a.Org, in.Case)
	if err != nil {
		return factOut{}, err
	}
	f, err := s.Facts.Fact(ctx, a.Org, c.ID, fact.Ref{ID: fact.ID(in.Fact), Version: in.Version})
	if err != nil {
		return factOut{}, err
	}
	basis, err := s.Facts.Basis(ctx, a.Org, c.ID, f.Ref(), basisTold)
	if err != nil {
		return factOut{}, err
	}
	out := factOut{Fact: lineOf(f), Basis: []factLine{}, Link: s.caseLink(c.ID) + "/facts/" + string(f.ID)}
	for _, b := range basis[1:] { // itself is first
		out.Basis = append(out.Basis, lineOf(b))
	}
	return out, nil
}

func lineOf(f fact.Fact) factLine {
	line := factLine{Fact: f.Ref().String(), Kind: string(f.Kind), Value: f.Value, Exact: string(f.Exact), Unit: f.Unit, Display: f.Display,
		AsOf: moment(f.AsOf), About: f.Subject.Type}
	if len(f.Subject.Names.EN) > 0 {
		line.About = f.Subject.Names.EN[0]
	}
	line.From = origin(f)
	return line
}

// origin is where a value was read or how it was computed, in words.
func origin(f fact.Fact) string {
	if f.Calc != nil {
		return fmt.Sprintf("%s of %v", f.Calc.Op, f.Calc.Inputs)
	}
	if f.Source == nil {
		return "not said"
	}
	at := f.Source.Selector
	switch {
	case at.CSV != nil:
		return fmt.Sprintf("snapshot %s, row %d, column %s", f.Source.Snapshot, at.CSV.Row, at.CSV.Column)
	case at.JSON != nil:
		return fmt.Sprintf("snapshot %s, at %s", f.Source.Snapshot, at.JSON.Pointer)
	case at.Row != nil:
		return fmt.Sprintf("table %s, row %s", at.Row.Table, at.Row.PK)
	case at.Manual != nil:
		return "entered by " + at.Manual.By
	}
	return "not said"
}

type recordIn struct {
	Record string `json:"record" jsonschema:"its id, rec_…"`
}

type recordOut struct {
	Record  string      `json:"record"`
	Holds   bool        `json:"holds"`  // every step held
	Failed  int         `json:"failed"` // steps that contradict it; an open one does not
	Kind    string      `json:"kind"`
	Subject string      `json:"subject"`
	At      time.Time   `json:"at"`
	Steps   []checkLine `json:"steps"`
	Link    string      `json:"link"`
}

type checkLine struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Open    bool   `json:"open,omitempty"`
	Found   string `json:"found"`
	Proves  string `json:"proves"`
	DoesNot string `json:"does_not_prove"`
}

func (s *Server) verifyRecord(ctx context.Context, a identity.Actor, in recordIn) (recordOut, error) {
	v, err := s.Records.Verify(ctx, a.Org, audit.RecordID(in.Record), nil)
	if err != nil {
		return recordOut{}, err
	}
	r := v.Entry.Record
	out := recordOut{Record: string(v.Entry.ID), Holds: v.OK(), Failed: v.Failed(), Kind: string(r.Kind), Subject: r.Subject,
		At: r.At.UTC(), Steps: []checkLine{},
		Link: fmt.Sprintf("%s/audit/%s", s.PublicURL, v.Entry.ID)}
	for _, st := range v.Steps {
		out.Steps = append(out.Steps, checkLine{Name: st.Name, OK: st.OK, Open: st.Open, Found: st.Found, Proves: st.Proves,
			DoesNot: st.DoesNot})
	}
	return out, nil
}
