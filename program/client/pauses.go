package client

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Pause holds acts back.
type Pause struct {
	ID        string     `json:"id"`
	Scope     string     `json:"scope"`
	Reason    string     `json:"reason"`
	By        string     `json:"by"`
	At        *time.Time `json:"at"`
	Held      int64      `json:"held"`
	EndedAt   *time.Time `json:"ended_at"`
	EndedBy   string     `json:"ended_by"`
	EndReason string     `json:"end_reason"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (p *Pause) UnmarshalJSON(data []byte) error {
	type fields Pause
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*p = Pause(f)
	p.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the pause as the server sent it.
func (p Pause) MarshalJSON() ([]byte, error) { return p.Raw, nil }

var pauseForm = regexp.MustCompile(`^pause_[0-9A-HJKMNP-TV-Z]{26}$`)

// Pause holds the acts of a scope; fresh is false where they were held already.
// The key makes it one however often it is sent.
func (c *Client) Pause(ctx context.Context, key, scope, reason string) (p Pause, fresh bool, err error) {
	body := struct {
		Scope  string `json:"scope"`
		Reason string `json:"reason"`
	}{scope, reason}
	status, err := c.do(ctx, request{method: http.MethodPost, path: []string{"pauses"}, body: body, once: key}, &p)
	return p, status == http.StatusCreated, err
}

// Pauses lists what is paused; over lists what was.
func (c *Client) Pauses(ctx context.Context, over bool, size int, pageToken string) (page Page[Pause], err error) {
	state := ""
	if over {
		state = "over"
	}
	q := asQuery(map[string]string{"state": state, "page_token": pageToken}, size)
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"pauses"}, query: q}, &page)
	return page, err
}

// EndPause lets the acts of a pause go on.
func (c *Client) EndPause(ctx context.Context, id, reason string) (p Pause, err error) {
	if !pauseForm.MatchString(id) {
		return p, fault.New(fault.Invalid, "%.60q is no pause; one looks like pause_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", id).
			WithNext("gavel pause list")
	}
	body := struct {
		Reason string `json:"reason"`
	}{reason}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"pauses", id, "end"}, body: body}, &p)
	return p, err
}

// SuggestPauses names pauses that are on.
func SuggestPauses(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Pauses(ctx, false, 0, "")
	return each(page.Items, func(p Pause) Suggestion { return Suggestion{p.ID, p.Scope + " " + p.Reason} }), err
}
