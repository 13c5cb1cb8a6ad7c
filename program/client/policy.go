package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/policy"
)

// A Policy is who may do what, as the server sent it.
type Policy struct {
	policy.Table
	Raw json.RawMessage
}

// UnmarshalJSON keeps the bytes beside the fields.
func (p *Policy) UnmarshalJSON(data []byte) error {
	p.Raw = append(json.RawMessage(nil), data...)
	return json.Unmarshal(data, &p.Table)
}

// MarshalJSON is the table as the server sent it.
func (p Policy) MarshalJSON() ([]byte, error) { return p.Raw, nil }

// Policy reads who may do what.
func (c *Client) Policy(ctx context.Context) (p Policy, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"policy"}}, &p)
	return p, err
}

// A Why asks why somebody may or may not do something: a role, a person, a
// token's scopes, or, with none of them, the caller.
type Why struct {
	What    string          `json:"what"`
	Role    string          `json:"role,omitempty"`
	Person  string          `json:"person,omitempty"`
	Scopes  []string        `json:"scopes,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Case    string          `json:"case,omitempty"`
	Tainted bool            `json:"tainted,omitempty"`
}

// Explain says why.
func (c *Client) Explain(ctx context.Context, w Why) (e policy.Explanation, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"policy", "explain"}, body: w}, &e)
	return e, err
}

// A Simulation is what other policies would have made of past calls.
type Simulation struct {
	policy.Simulation
	Since   time.Time      `json:"since"`
	Partial bool           `json:"partial"`
	Rights  []policy.Right `json:"rights"`
}

// Simulate tries other policies on the calls since then.
func (c *Client) Simulate(ctx context.Context, files []policy.File, since string) (s Simulation, err error) {
	type file struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	body := struct {
		Files []file `json:"files"`
		Since string `json:"since"`
	}{Since: since}
	for _, f := range files {
		body.Files = append(body.Files, file{f.Name, string(f.Text)})
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"policy", "simulate"}, body: body}, &s)
	return s, err
}
