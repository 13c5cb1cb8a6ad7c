package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A stepBody is one turn of a run as the API shows it: no words of anybody.
type stepBody struct {
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
	Calls       []callBody  `json:"calls"`
	State       agent.State `json:"state"` // where the run ended; empty where it went on
	Reason      string      `json:"reason"`
	Tainted     bool        `json:"tainted"`
	Head        string      `json:"transcript_sha256"`
	Record      string      `json:"record"`
}

type callBody struct {
	ID       string        `json:"id"`
	Tool     string        `json:"tool"`
	Verdict  string        `json:"verdict"`
	Gate     string        `json:"gate"`
	Why      string        `json:"why"`
	Tainted  bool          `json:"tainted"`
	Args     string        `json:"args_sha256"`
	Policies []string      `json:"policies"`
	Proposal *proposalBody `json:"proposal"`
	Act      *actBody      `json:"act"`
	Run      *childBody    `json:"run"`
}

type proposalBody struct {
	ID        string          `json:"id"`
	State     review.State    `json:"state"`
	Roles     []identity.Role `json:"roles"`
	DecidedBy string          `json:"decided_by"`
	Since     time.Time       `json:"since"`
	EndedAt   *time.Time      `json:"ended_at"`
}

type actBody struct {
	State     act.State  `json:"state"`
	PlannedAt time.Time  `json:"planned_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

type childBody struct {
	ID    string      `json:"id"`
	Agent string      `json:"agent"`
	State agent.State `json:"state"`
}

func stepOf(s agent.Step) stepBody {
	b := stepBody{Seq: s.Seq, Compaction: s.Compact, At: s.At.UTC(), TookMS: s.Took.Milliseconds(), Provider: s.Model.Provider, Model: s.Model.Model,
		Fingerprint: s.Model.Fingerprint, Route: s.Route, TokensIn: s.Usage.Input, TokensOut: s.Usage.Output, Cost: s.Money, Calls: []callBody{},
		State: s.State, Reason: s.Reason, Tainted: s.Taint, Head: s.Head, Record: s.Record}
	for _, c := range s.Calls {
		one := callBody{ID: c.ID, Tool: c.Tool, Verdict: c.Verdict, Gate: c.Gate, Why: c.Why, Tainted: c.Taint, Args: c.Args, Policies: append([]string{}, c.Because...)}
		if p := c.Proposal; p != nil {
			one.Proposal = &proposalBody{p.ID, p.State, append([]identity.Role{}, p.Deciders...), p.DecidedBy, p.Since.UTC(), utc(p.EndedAt)}
		}
		if d := c.Act; d != nil {
			one.Act = &actBody{d.State, d.PlannedAt.UTC(), utc(d.EndedAt)}
		}
		if d := c.Child; d != nil {
			one.Run = &childBody{d.Run, d.Agent, d.State}
		}
		b.Calls = append(b.Calls, one)
	}
	return b
}

func (a *Runs) steps(w http.ResponseWriter, r *http.Request) error {
	who, err := viewer(r)
	if err != nil {
		return err
	}
	size, err := pageSize(r)
	if err != nil {
		return err
	}
	if size == 0 {
		size = 100
	}
	before := 0
	if token := r.URL.Query().Get("page_token"); token != "" {
		if before, err = strconv.Atoi(token); err != nil || before < 1 {
			return fault.New(fault.Invalid, "page_token %.40q is not one of ours", token)
		}
	}
	run, err := a.Runs.Get(r.Context(), who.Org, r.PathValue("id"))
	if err != nil {
		return err
	}
	steps, err := a.Runs.Steps(r.Context(), who.Org, run.ID, before, size)
	if err != nil {
		return err
	}
	out := page[stepBody]{Items: make([]stepBody, len(steps))}
	for i, s := range steps {
		out.Items[i] = stepOf(s)
	}
	if n := len(steps); n > 0 && steps[n-1].Seq > 0 {
		out.NextPageToken = strconv.Itoa(steps[n-1].Seq)
	}
	return write(w, http.StatusOK, out)
}
