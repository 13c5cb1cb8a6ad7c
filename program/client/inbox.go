package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Item is one line of a person's inbox.
type Item struct {
	Proposal  Proposal   `json:"proposal"`
	Line      string     `json:"line"` // whom it is about and what was found, in a line
	CaseRef   string     `json:"case_ref"`
	CaseTitle string     `json:"case_title"`
	Why       string     `json:"why"`         // by what right it is there
	InStead   string     `json:"in_stead_of"` // whose right that is, where it was delegated
	Class     string     `json:"class"`
	DueAt     *time.Time `json:"due_at"`
	Overdue   bool       `json:"overdue"`
	Claim     *Claim     `json:"claim"` // who else is looking
	Signed    int        `json:"signed"`
	Verdict   string     `json:"verdict"` // of what is done
	DecidedAt *time.Time `json:"decided_at"`
	UndoUntil *time.Time `json:"undo_until"`
	Snoozed   *time.Time `json:"snoozed_until"`

	Raw json.RawMessage `json:"-"`
}

// Routine is the class of what is decided as a matter of course, Weighty that of what
// somebody loses something by, Filing that of a legal filing: those two are approved with
// a reason.
const (
	Routine = "routine"
	Weighty = "weighty"
	Filing  = "legal_filing"
)

// UnmarshalJSON keeps the bytes beside the fields.
func (i *Item) UnmarshalJSON(data []byte) error {
	type fields Item
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*i = Item(f)
	i.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the line as the server sent it.
func (i Item) MarshalJSON() ([]byte, error) { return i.Raw, nil }

// An InboxFilter chooses a view of an inbox and narrows it.
type InboxFilter struct {
	View, App string
	PageSize  int
	PageToken string
}

// Inbox reads one page of one's inbox, the most urgent first.
func (c *Client) Inbox(ctx context.Context, f InboxFilter) (page Page[Item], err error) {
	q := asQuery(map[string]string{"view": f.View, "app": f.App, "page_token": f.PageToken}, f.PageSize)
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"inbox"}, query: q}, &page)
	return page, err
}

// maxInboxPages is how far one line is looked for in an inbox: 2,000 lines.
const maxInboxPages = 10

// InboxItem looks for what needs one among the first 2,000 that do.
func (c *Client) InboxItem(ctx context.Context, proposal string) (found Item, ok bool, err error) {
	f := InboxFilter{PageSize: 200}
	for range maxInboxPages {
		page, err := c.Inbox(ctx, f)
		if err != nil {
			return Item{}, false, err
		}
		for _, item := range page.Items {
			if item.Proposal.ID == proposal {
				return item, true, nil
			}
		}
		if page.Next == "" {
			break
		}
		f.PageToken = page.Next
	}
	return Item{}, false, nil
}

// Counts says how much is in each view of an inbox; 501 means more than 500.
type Counts struct {
	NeedsMe int `json:"needs_me"`
	Overdue int `json:"overdue"`
	Waiting int `json:"waiting"`
	Snoozed int `json:"snoozed"`
	Done    int `json:"done"`
}

// InboxCounts counts one's inbox.
func (c *Client) InboxCounts(ctx context.Context) (n Counts, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"inbox", "counts"}}, &n)
	return n, err
}

// A Delegation lets one person decide in another's stead.
type Delegation struct {
	ID       string     `json:"id"`
	From     string     `json:"from"`
	FromName string     `json:"from_name"`
	To       string     `json:"to"`
	ToName   string     `json:"to_name"`
	Roles    []string   `json:"roles"`
	App      string     `json:"app"`
	Kind     string     `json:"kind"`
	StartsAt *time.Time `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at"`
	Reason   string     `json:"reason"`
	EndedAt  *time.Time `json:"ended_at"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (d *Delegation) UnmarshalJSON(data []byte) error {
	type fields Delegation
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*d = Delegation(f)
	d.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the delegation as the server sent it.
func (d Delegation) MarshalJSON() ([]byte, error) { return d.Raw, nil }

// A NewDelegation is what delegating takes.
type NewDelegation struct {
	To       string     `json:"to"`
	Roles    []string   `json:"roles,omitempty"`
	App      string     `json:"app,omitempty"`
	Kind     string     `json:"kind,omitempty"`
	StartsAt *time.Time `json:"starts_at,omitempty"`
	EndsAt   time.Time  `json:"ends_at"`
	Reason   string     `json:"reason,omitempty"`
}

// A DelegationFilter says whose delegations are listed: one's own, given and
// received, if nothing is said.
type DelegationFilter struct {
	Person    string
	All, Over bool // everybody's; those that are over, too
}

// Delegations lists the newest delegations.
func (c *Client) Delegations(ctx context.Context, f DelegationFilter) ([]Delegation, error) {
	q := asQuery(map[string]string{"person": f.Person}, 0)
	for name, set := range map[string]bool{"all": f.All, "over": f.Over} {
		if set {
			q.Set(name, "true")
		}
	}
	var page Page[Delegation]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"delegations"}, query: q}, &page)
	return page.Items, err
}

// Delegate lets somebody decide in one's stead. The key makes it one however
// often it is sent.
func (c *Client) Delegate(ctx context.Context, key string, n NewDelegation) (d Delegation, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"delegations"}, body: n, once: key}, &d)
	return d, err
}

var delegationForm = regexp.MustCompile(`^del_[0-9A-HJKMNP-TV-Z]{26}$`)

// EndDelegation ends a delegation before its time.
func (c *Client) EndDelegation(ctx context.Context, id string) (d Delegation, err error) {
	if !delegationForm.MatchString(id) {
		return d, fault.New(fault.Invalid, "%.60q is no delegation; one looks like del_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", id).
			WithNext("gavel delegation list")
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"delegations", id, "end"}}, &d)
	return d, err
}

// Me is who one is, as the server sees it.
type Me struct {
	Kind    string   `json:"kind"`
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Org     string   `json:"org"`
	Roles   []string `json:"roles"`
	Scopes  []string `json:"scopes"`
	Viewing string   `json:"viewing"`
}

// Whoami asks the server who one is.
func (c *Client) Whoami(ctx context.Context) (me Me, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"me"}}, &me)
	return me, err
}

// A Health is how a server and its parts are doing.
type Health struct {
	Status string `json:"status"`
	Checks []struct {
		Name  string `json:"name"`
		OK    bool   `json:"ok"`
		Must  bool   `json:"required"`
		Error string `json:"error"`
	} `json:"checks"`
}

// Ready reports whether everything that people need is there.
func (h Health) Ready() bool { return h.Status == "ready" }

// Health asks a server how it is doing. One that answers that it is not ready
// has answered.
func (c *Client) Health(ctx context.Context) (h Health, err error) {
	req, err := c.raw(ctx, Call{Method: http.MethodGet, Path: "/readyz"})
	if err != nil {
		return h, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return h, context.Cause(ctx)
		}
		return h, c.unanswered(err)
	}
	body, err := (&Answer{Header: resp.Header, Body: resp.Body}).JSON()
	_ = resp.Body.Close() // it has been read
	if err != nil || json.Unmarshal(body, &h) != nil || h.Status == "" {
		return h, c.strange(resp.StatusCode, err)
	}
	return h, nil
}

// Page is the whole address of a page that the server named, and nothing where
// it named none, or one that is no page.
func (c *Client) Page(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return ""
	}
	whole := c.base.ResolveReference(u)
	if whole.Scheme != "http" && whole.Scheme != "https" {
		return ""
	}
	return whole.String()
}

func asProblem(err error) (*Problem, bool) { return errors.AsType[*Problem](err) }
