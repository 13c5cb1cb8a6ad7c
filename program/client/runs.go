package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Run is an agent's run as the API shows it.
type Run struct {
	ID         string   `json:"id"`
	Case       string   `json:"case"`
	CaseRef    string   `json:"case_ref"`
	App        string   `json:"app"`
	Agent      string   `json:"agent"`
	Parent     string   `json:"parent"`
	State      string   `json:"state"`
	Reason     string   `json:"reason"`
	Seq        int      `json:"seq"`
	Now        []string `json:"now"`
	WaitingFor []struct {
		Proposal string   `json:"proposal"`
		Tool     string   `json:"tool"`
		Roles    []string `json:"roles"`
		Person   string   `json:"person"`
	} `json:"waiting_for"`
	Tainted   bool   `json:"tainted"`
	Calls     int64  `json:"model_calls"`
	TokensIn  int64  `json:"tokens_in"`
	TokensOut int64  `json:"tokens_out"`
	Cost      *int64 `json:"cost_millionths"`
	Currency  string `json:"currency"`
	Budget    *struct {
		Calls      int64 `json:"calls"`
		CallsUsed  int64 `json:"calls_used"`
		Tokens     int64 `json:"tokens"`
		TokensUsed int64 `json:"tokens_used"`
	} `json:"budget"`
	StartedAt *time.Time `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
	Below     []Run      `json:"below"`
	Links     struct {
		Page string `json:"page"`
	} `json:"links"`

	Raw json.RawMessage `json:"-"` // the whole of it, as it came
}

// UnmarshalJSON keeps the bytes beside the fields.
func (r *Run) UnmarshalJSON(data []byte) error {
	type fields Run
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*r = Run(f)
	r.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the run as the server sent it.
func (r Run) MarshalJSON() ([]byte, error) { return r.Raw, nil }

// A Step is one step of a run.
type Step struct {
	Seq       int        `json:"seq"`
	At        *time.Time `json:"at"`
	TookMS    int64      `json:"took_ms"`
	Model     string     `json:"model"`
	TokensIn  int64      `json:"tokens_in"`
	TokensOut int64      `json:"tokens_out"`
	Calls     []struct {
		Tool     string `json:"tool"`
		Verdict  string `json:"verdict"`
		Why      string `json:"why"`
		Proposal *struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"proposal"`
		Act *struct {
			State string `json:"state"`
		} `json:"act"`
		Run *struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"run"`
	} `json:"calls"`
	State  string `json:"state"`
	Reason string `json:"reason"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (s *Step) UnmarshalJSON(data []byte) error {
	type fields Step
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*s = Step(f)
	s.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the step as the server sent it.
func (s Step) MarshalJSON() ([]byte, error) { return s.Raw, nil }

// A Replay is what computing a run once more came to.
type Replay struct {
	Run   string         `json:"run"`
	Pass  bool           `json:"pass"`
	Steps []ReplayedStep `json:"steps"`
}

// A ReplayedStep is one step of it; Wrong is empty where it passed.
type ReplayedStep struct {
	Seq   int      `json:"seq"`
	Head  string   `json:"head"`
	Wrong []string `json:"wrong,omitempty"`
	Given []string `json:"given,omitempty"`
}

// Reasked is what putting a step to the model again came to.
type Reasked struct {
	Note    string      `json:"note"`
	Step    int         `json:"step"`
	Answers []NewAnswer `json:"answers"`
}

// A NewAnswer is one new answer to an old step.
type NewAnswer struct {
	Model struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
	} `json:"model"`
	Usage struct {
		Input  int64 `json:"input"`
		Output int64 `json:"output"`
	} `json:"usage"`
	Same   bool     `json:"same"`
	Tools  []string `json:"tools"`
	Answer string   `json:"answer"`
	Error  string   `json:"error,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (a *NewAnswer) UnmarshalJSON(data []byte) error {
	type fields NewAnswer
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*a = NewAnswer(f)
	a.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the answer as the server sent it.
func (a NewAnswer) MarshalJSON() ([]byte, error) { return a.Raw, nil }

// A RunFilter narrows a list of runs. Zero fields do not narrow.
type RunFilter struct {
	States    []string
	App, Case string
	PageSize  int
	PageToken string
}

var runForm = regexp.MustCompile(`^run_[0-9A-HJKMNP-TV-Z]{26}$`)

func checkRun(id string) error {
	if !runForm.MatchString(id) {
		return fault.New(fault.Invalid, "%.60q is no run; one looks like run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", id).WithNext("gavel run list")
	}
	return nil
}

// Runs reads one page of the list of runs, newest first.
func (c *Client) Runs(ctx context.Context, f RunFilter) (Page[Run], error) {
	q := url.Values{}
	for _, s := range f.States {
		q.Add("state", s)
	}
	for name, value := range map[string]string{"app": f.App, "case": f.Case, "page_token": f.PageToken} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.PageSize > 0 {
		q.Set("page_size", strconv.Itoa(f.PageSize))
	}
	var page Page[Run]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"runs"}, query: q}, &page)
	return page, err
}

// Run reads one run.
func (c *Client) Run(ctx context.Context, id string) (r Run, err error) {
	if err := checkRun(id); err != nil {
		return r, err
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"runs", id}}, &r)
	return r, err
}

// Steps reads the newest steps of a run.
func (c *Client) Steps(ctx context.Context, id string, most int) (page Page[Step], err error) {
	if err := checkRun(id); err != nil {
		return page, err
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"runs", id, "steps"},
		query: url.Values{"page_size": {strconv.Itoa(most)}}}, &page)
	return page, err
}

// Order gives an order about a run: stop, resume, retry or cancel.
func (c *Client) Order(ctx context.Context, id, do string) error {
	if err := checkRun(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"runs", id, "orders"}, body: map[string]string{"do": do},
		once: rand.Text()}, nil)
	return err
}

// Replay has a run computed once more from its record.
func (c *Client) Replay(ctx context.Context, id string) (r Replay, err error) {
	if err := checkRun(id); err != nil {
		return r, err
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"runs", id, "replay"}}, &r)
	return r, err
}

// reaskPatience is how long new answers of a model may take altogether.
const reaskPatience = 11 * time.Minute

// Reask puts a step to the model again; a step below zero means the newest.
func (c *Client) Reask(ctx context.Context, id string, step, times int) (r Reasked, err error) {
	if err := checkRun(id); err != nil {
		return r, err
	}
	body := map[string]int{"times": times}
	if step >= 0 {
		body["step"] = step
	}
	patient := *c.http
	patient.Timeout = reaskPatience
	slow := &Client{base: c.base, token: c.token, agent: c.agent, http: &patient}
	_, err = slow.do(ctx, request{method: http.MethodPost, path: []string{"runs", id, "reask"}, body: body}, &r)
	return r, err
}
