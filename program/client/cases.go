package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Case is a case as the API shows it.
type Case struct {
	ID         string     `json:"id"`
	Ref        string     `json:"ref"`
	App        string     `json:"app"`
	Key        string     `json:"key"`
	Title      string     `json:"title"`
	State      string     `json:"state"`
	Status     string     `json:"status"`
	WaitingFor string     `json:"waiting_for"`
	DueAt      *time.Time `json:"due_at"`
	OpenedAt   *time.Time `json:"opened_at"`
	ClosedAt   *time.Time `json:"closed_at"`
	Version    int64      `json:"version"`
	Links      struct {
		Page string `json:"page"`
	} `json:"links"`

	Raw json.RawMessage `json:"-"` // the whole of it, as it came
}

// UnmarshalJSON keeps the bytes beside the fields.
func (c *Case) UnmarshalJSON(data []byte) error {
	type fields Case
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*c = Case(f)
	c.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the case as the server sent it.
func (c Case) MarshalJSON() ([]byte, error) { return c.Raw, nil }

// An Entry is one entry of a case's history.
type Entry struct {
	Seq   int64      `json:"seq"`
	Kind  string     `json:"kind"`
	At    *time.Time `json:"at"`
	Text  string     `json:"text"`
	Actor struct {
		Kind string `json:"kind"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"actor"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type fields Entry
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*e = Entry(f)
	e.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the entry as the server sent it.
func (e Entry) MarshalJSON() ([]byte, error) { return e.Raw, nil }

// A Page is one page of a list; Next is empty on the last.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next_page_token"`
}

// A NewCase is what opening a case takes. DueInS counts seconds from now on the
// installation's clock, which may not be the wall clock; give it or DueAt.
type NewCase struct {
	App    string     `json:"app"`
	Key    string     `json:"key"`
	Title  string     `json:"title"`
	DueAt  *time.Time `json:"due_at,omitempty"`
	DueInS int64      `json:"due_in_s,omitempty"`
}

// A Filter narrows a list of cases. Zero fields do not narrow.
type Filter struct {
	State, App string
	PageSize   int
	PageToken  string
}

// OpenCase opens a case, or finds the open one with the same app and key; made
// says which.
func (c *Client) OpenCase(ctx context.Context, n NewCase) (opened Case, made bool, err error) {
	status, err := c.do(ctx, request{method: http.MethodPost, path: []string{"cases"}, body: n}, &opened)
	return opened, status == http.StatusCreated, err
}

// Case reads one case, by its id or its ref.
func (c *Client) Case(ctx context.Context, id string) (Case, error) {
	var found Case
	if err := checkID(id); err != nil {
		return found, err
	}
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"cases", id}}, &found)
	return found, err
}

// Cases reads one page of cases.
func (c *Client) Cases(ctx context.Context, f Filter) (Page[Case], error) {
	q := url.Values{}
	for name, v := range map[string]string{"state": f.State, "app": f.App, "page_token": f.PageToken} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.PageSize > 0 {
		q.Set("page_size", strconv.Itoa(f.PageSize))
	}
	var page Page[Case]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"cases"}, query: q}, &page)
	return page, err
}

// Entries reads one page of a case's history.
func (c *Client) Entries(ctx context.Context, id, pageToken string) (Page[Entry], error) {
	var page Page[Entry]
	if err := checkID(id); err != nil {
		return page, err
	}
	q := url.Values{}
	if pageToken != "" {
		q.Set("page_token", pageToken)
	}
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"cases", id, "entries"}, query: q}, &page)
	return page, err
}

// AddNote puts a note on a case. The key is the caller's own: the same one sent
// again, by a caller or on the way, puts one note.
func (c *Client) AddNote(ctx context.Context, id, key, text string) error {
	if err := checkID(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"cases", id, "notes"},
		body: map[string]string{"text": text}, once: key}, nil)
	return err
}

// CloseCase asks for a case to be closed as it was at a version: a case that
// changed since is not closed.
func (c *Client) CloseCase(ctx context.Context, id string, version int64, reason string) error {
	if err := checkID(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"cases", id, "close"},
		body: map[string]string{"reason": reason}, ifMatch: fmt.Sprintf(`"%d"`, version)}, nil)
	return err
}

// PageOf is the address of a case's page, whole even where the server gave only
// its path.
func (c *Client) PageOf(one Case) string {
	page, err := url.Parse(one.Links.Page)
	if err != nil || one.Links.Page == "" {
		return ""
	}
	return c.base.ResolveReference(page).String()
}

// An id or a ref goes into a path: nothing that could lead elsewhere.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func checkID(id string) error {
	if !idForm.MatchString(id) {
		return fault.New(fault.Invalid, "%.60q is neither the id nor the ref of a case; those look like case_01K… and GEN-3CA53S4Q", id).
			WithNext("gavel case list")
	}
	return nil
}
