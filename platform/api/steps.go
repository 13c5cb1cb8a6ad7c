package api

import (
	"context"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A StepBody is one turn of a run as the API shows it: no words of anybody.
type StepBody struct {
	Seq         int         `json:"seq"`
	Compaction  bool        `json:"compaction"`
	At          time.Time   `json:"at"`
	TookMS      int64       `json:"took_ms"`
	Provider    string      `json:"provider"`
	Model       string      `json:"model"`
	Fingerprint string      `json:"fingerprint"`
	Route       string      `json:"route"`
	TokensIn    int64       `json:"tokens_in"`
	TokensOut   int64       `json:"tokens_out"`
	Cost        int64       `json:"cost_millionths"`
	Calls       []CallBody  `json:"calls"`
	State       agent.State `json:"state" doc:"Where the run ended; empty where it went on."`
	Reason      string      `json:"reason"`
	Tainted     bool        `json:"tainted"`
	Head        string      `json:"transcript_sha256"`
	Record      string      `json:"record"`
}

// A CallBody is one call of a step, and what became of it.
type CallBody struct {
	ID       string            `json:"id"`
	Tool     string            `json:"tool"`
	Verdict  string            `json:"verdict"`
	Gate     string            `json:"gate"`
	Why      string            `json:"why"`
	Tainted  bool              `json:"tainted"`
	Args     string            `json:"args_sha256"`
	Policies []string          `json:"policies"`
	Proposal *StepProposalBody `json:"proposal"`
	Act      *StepActBody      `json:"act"`
	Run      *ChildBody        `json:"run"`
}

// A StepProposalBody is the proposal that a call became.
type StepProposalBody struct {
	ID        string          `json:"id"`
	State     review.State    `json:"state"`
	Roles     []identity.Role `json:"roles"`
	DecidedBy string          `json:"decided_by"`
	Since     time.Time       `json:"since"`
	EndedAt   *time.Time      `json:"ended_at"`
}

// A StepActBody is the act that a call became.
type StepActBody struct {
	State     act.State  `json:"state"`
	PlannedAt time.Time  `json:"planned_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

// A ChildBody is the run that a call set to work.
type ChildBody struct {
	ID    string      `json:"id"`
	Agent string      `json:"agent"`
	State agent.State `json:"state"`
}

func stepOf(s agent.Step) StepBody {
	b := StepBody{Seq: s.Seq, Compaction: s.Compact, At: s.At.UTC(), TookMS: s.Took.Milliseconds(), Provider: s.Model.Provider,
		Model:       s.Model.Model,
		Fingerprint: s.Model.Fingerprint, Route: s.Route, TokensIn: s.Usage.Input, TokensOut: s.Usage.Output, Cost: s.Money,
		Calls: []CallBody{}, State: s.State, Reason: s.Reason, Tainted: s.Taint, Head: s.Head, Record: s.Record}
	for _, c := range s.Calls {
		one := CallBody{ID: c.ID, Tool: c.Tool, Verdict: c.Verdict, Gate: c.Gate, Why: c.Why, Tainted: c.Taint, Args: c.Args,
			Policies: append([]string{}, c.Because...)}
		if p := c.Proposal; p != nil {
			one.Proposal = &StepProposalBody{p.ID, p.State, append([]identity.Role{}, p.Deciders...), p.DecidedBy, p.Since.UTC(),
				UTC(p.EndedAt)}
		}
		if d := c.Act; d != nil {
			one.Act = &StepActBody{d.State, d.PlannedAt.UTC(), UTC(d.EndedAt)}
		}
		if d := c.Child; d != nil {
			one.Run = &ChildBody{d.Run, d.Agent, d.State}
		}
		b.Calls = append(b.Calls, one)
	}
	return b
}

type stepsInput struct {
	Named
	Paging
}

func (s *Runs) steps(ctx context.Context, who identity.Actor, in *stepsInput, after string, limit int) ([]StepBody, string, error) {
	before := 0
	if after != "" {
		var err error
		if before, err = strconv.Atoi(after); err != nil || before < 1 {
			return nil, "", notOurs()
		}
	}
	run, err := s.Runs.Get(ctx, who.Org, in.ID)
	if err != nil {
		return nil, "", err
	}
	steps, err := s.Runs.Steps(ctx, who.Org, run.ID, before, limit)
	out := make([]StepBody, len(steps))
	for i, one := range steps {
		out[i] = stepOf(one)
	}
	next := ""
	if n := len(steps); n > 0 && steps[n-1].Seq > 0 {
		next = strconv.Itoa(steps[n-1].Seq)
	}
	return out, next, err
}
