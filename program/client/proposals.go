package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
)

// A Proposal is a proposal as the API shows it: of a list without its words.
type Proposal struct {
	ID          string           `json:"id"`
	Case        string           `json:"case"`
	App         string           `json:"app"`
	Kind        string           `json:"kind"`
	Tool        string           `json:"tool"`
	Effect      string           `json:"effect"`
	Finding     *finding.Finding `json:"finding"` // what was found; nil before findings were kept, and once erased
	Run         string           `json:"run"`
	Gate        string           `json:"gate"`
	State       string           `json:"state"`
	RequestedBy string           `json:"requested_by"`
	OnBehalfOf  string           `json:"on_behalf_of"`
	Deciders    []string         `json:"deciders"`
	Required    int              `json:"required"`
	AssignedTo  string           `json:"assigned_to"`
	CreatedAt   *time.Time       `json:"created_at"`
	DueAt       *time.Time       `json:"due_at"`
	ExpiresAt   *time.Time       `json:"expires_at"`
	EndedAt     *time.Time       `json:"ended_at"`
	HeldUntil   *time.Time       `json:"held_until"` // until then an approval can be undone
	ErasedAt    *time.Time       `json:"erased_at"`
	ETag        string           `json:"etag"`
	Args        json.RawMessage  `json:"args"`
	Shown       json.RawMessage  `json:"shown"`
	FinalArgs   json.RawMessage  `json:"final_args"`
	Edited      []Change         `json:"edited"`
	Grounds     string           `json:"grounds"`   // what its case rests on; a decision gives it back
	Decisions   []Decision       `json:"decisions"` // oldest first
	Claim       *Claim           `json:"claim"`
	Snoozed     *time.Time       `json:"snoozed_until"`
	Test        string           `json:"test"` // what was wrong with it, where it was there as a test
	Links       struct {
		Page string `json:"page"`
	} `json:"links"`

	Raw json.RawMessage `json:"-"` // the whole of it, as it came
}

// UnmarshalJSON keeps the bytes beside the fields.
func (p *Proposal) UnmarshalJSON(data []byte) error {
	type fields Proposal
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*p = Proposal(f)
	p.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the proposal as the server sent it.
func (p Proposal) MarshalJSON() ([]byte, error) { return p.Raw, nil }

// Open reports whether it still waits for people.
func (p Proposal) Open() bool { return p.State == "open" }

// Approvals counts those who have approved.
func (p Proposal) Approvals() int {
	n := 0
	for _, d := range p.Decisions {
		if d.Verdict == "approve" || d.Verdict == "edit" {
			n++
		}
	}
	return n
}

// A Change is one difference between what was proposed and what was approved.
type Change struct {
	Path   string          `json:"path"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

// A Decision is a decision on record.
type Decision struct {
	ID      string     `json:"id"`
	Verdict string     `json:"verdict"`
	Actor   string     `json:"actor"`
	Name    string     `json:"name"`
	InStead string     `json:"in_stead_of"`
	At      *time.Time `json:"at"`
	Reason  string     `json:"reason"`
	Record  string     `json:"record"`
}

// A Claim says who is looking at a proposal, and until when that counts.
type Claim struct {
	By    string     `json:"by"`
	Name  string     `json:"name"`
	Until *time.Time `json:"until"`
}

// A Verdict is a person's answer to a proposal: approve, edit, send_back or
// reject, or undo to what was approved.
type Verdict struct {
	Verdict string          `json:"verdict,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Edit    json.RawMessage `json:"edit,omitempty"`
	Grounds string          `json:"grounds,omitempty"` // what the case rested on when it was read
	InStead string          `json:"in_stead_of,omitempty"`
	Opened  json.RawMessage `json:"opened,omitempty"` // how it was looked at, by the sender's own word
}

// Undo takes an approval back.
const Undo = "undo"

// A ProposalFilter narrows a list of proposals. Zero fields do not narrow, but
// for State, which is open if nothing is said.
type ProposalFilter struct {
	State, Case, App string
	Mine             bool
	PageSize         int
	PageToken        string
}

var proposalForm = regexp.MustCompile(`^P-[0-9]{1,18}$`)

func checkProposal(id string) error {
	if !proposalForm.MatchString(id) {
		return fault.New(fault.Invalid, "%.60q is no proposal; one looks like P-881", id).WithNext("gavel inbox")
	}
	return nil
}

// Proposals reads one page of proposals.
func (c *Client) Proposals(ctx context.Context, f ProposalFilter) (page Page[Proposal], err error) {
	q := asQuery(map[string]string{"state": f.State, "case": f.Case, "app": f.App, "page_token": f.PageToken}, f.PageSize)
	if f.Mine {
		q.Set("mine", "true")
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"proposals"}, query: q}, &page)
	return page, err
}

// Proposal reads one proposal, with what it shows and who has decided.
func (c *Client) Proposal(ctx context.Context, id string) (p Proposal, err error) {
	if err := checkProposal(id); err != nil {
		return p, err
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"proposals", id}}, &p)
	return p, err
}

// tries is how often a decision is sent whose answer does not arrive.
const tries = 3

// Decide sends a person's answer to what they were shown, which the ETag names.
// The key makes it one decision however often it is sent: where no answer comes
// it is sent again. It returns the proposal as it is then, without its words.
func (c *Client) Decide(ctx context.Context, id, etag, key string, v Verdict) (Proposal, error) {
	if err := checkProposal(id); err != nil {
		return Proposal{}, err
	}
	sub := "decisions"
	if v.Verdict == Undo {
		sub, v = "undo", Verdict{Reason: v.Reason}
	}
	var answer struct {
		Proposal Proposal `json:"proposal"`
	}
	var err error
	for range tries {
		_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"proposals", id, sub}, body: v, ifMatch: etag, once: key},
			&answer)
		if !lost(err) || ctx.Err() != nil {
			break
		}
	}
	if lost(err) && ctx.Err() == nil {
		err = fault.From(fault.Unavailable, err, "no answer came; whether %s was decided is not known", id).WithNext("gavel show %s", id)
	}
	return answer.Proposal, err
}

// lost reports whether nobody answered: what was sent may have been done or not.
func lost(err error) bool {
	if !fault.Is(err, fault.Unavailable) {
		return false
	}
	_, answered := asProblem(err)
	return !answered
}

// Snooze takes a proposal out of one's own inbox until a moment.
func (c *Client) Snooze(ctx context.Context, id string, until time.Time) error {
	if err := checkProposal(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"proposals", id, "snooze"},
		body: map[string]string{"until": until.UTC().Format(time.RFC3339)}}, nil)
	return err
}

// Claim says that one is looking at a proposal, and returns who is.
func (c *Client) Claim(ctx context.Context, id string) (claim Claim, err error) {
	if err := checkProposal(id); err != nil {
		return claim, err
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"proposals", id, "claim"}}, &claim)
	return claim, err
}

// Unclaim says that one has stopped looking.
func (c *Client) Unclaim(ctx context.Context, id string) error {
	if err := checkProposal(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodDelete, path: []string{"proposals", id, "claim"}}, nil)
	return err
}

// Assign says who is to decide a proposal; an empty id means nobody in
// particular.
func (c *Client) Assign(ctx context.Context, id, to string) error {
	if err := checkProposal(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"proposals", id, "assignment"}, body: map[string]string{"to": to}},
		nil)
	return err
}

// asQuery is the query of a list: what is not empty, and how much of it.
func asQuery(fields map[string]string, size int) url.Values {
	q := url.Values{}
	for name, value := range fields {
		if value != "" {
			q.Set(name, value)
		}
	}
	if size > 0 {
		q.Set("page_size", strconv.Itoa(size))
	}
	return q
}
