package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Erasure is what erasing a person did, or would do where At is nil.
type Erasure struct {
	Subject   string     `json:"subject"`
	At        *time.Time `json:"at"`
	Record    string     `json:"record"`
	Ground    string     `json:"ground"`
	Reference string     `json:"reference"`
	Keys      int        `json:"keys"`
	Objects   int        `json:"objects"`
	Others    int        `json:"others"`
	Rows      []struct {
		Name string `json:"name"`
		Rows int    `json:"rows"`
	} `json:"rows"`
	Exports int    `json:"exports"`
	Holds   []Hold `json:"holds"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (e *Erasure) UnmarshalJSON(data []byte) error {
	type fields Erasure
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*e = Erasure(f)
	e.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the erasure as the server sent it.
func (e Erasure) MarshalJSON() ([]byte, error) { return e.Raw, nil }

// A Hold is a legal hold.
type Hold struct {
	ID       string     `json:"id"`
	Target   string     `json:"target"`
	Reason   string     `json:"reason"`
	PlacedBy string     `json:"placed_by"`
	PlacedAt *time.Time `json:"placed_at"`
	Until    *time.Time `json:"until"`
}

// A NewHold is what placing a hold takes: a subject or a case.
type NewHold struct {
	Subject string     `json:"subject,omitempty"`
	Case    string     `json:"case,omitempty"`
	Reason  string     `json:"reason"`
	Until   *time.Time `json:"until,omitempty"`
}

// Rewrapped is what moving the data keys to a new master key came to.
type Rewrapped struct {
	Master string         `json:"master"`
	Moved  int            `json:"moved"`
	Left   map[string]int `json:"left"`
	Record string         `json:"record"`
}

var (
	subjectForm = regexp.MustCompile(`^[a-z][a-z_]{1,29}:[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$`)
	holdForm    = regexp.MustCompile(`^hold_[0-9A-HJKMNP-TV-Z]{26}$`)
)

// IsSubject reports whether text has the form of a subject, "rider:R-7".
func IsSubject(text string) bool { return subjectForm.MatchString(text) }

func checkSubject(text string) error {
	if !IsSubject(text) {
		return fault.New(fault.Invalid, "%.60q is no subject; one is a type of person and an opaque id, rider:R-7", text).
			WithNext("gavel subject --help")
	}
	return nil
}

// Preview says what erasing a person would do.
func (c *Client) Preview(ctx context.Context, subject string) (e Erasure, err error) {
	if err := checkSubject(subject); err != nil {
		return e, err
	}
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"subjects", subject}}, &e)
	return e, err
}

// Erase erases a person.
func (c *Client) Erase(ctx context.Context, subject, ground, reference string) (e Erasure, err error) {
	if err := checkSubject(subject); err != nil {
		return e, err
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"subjects", subject, "erase"},
		body: map[string]string{"ground": ground, "reference": reference}, once: rand.Text()}, &e)
	return e, err
}

// NameSubject says that a case, or one entry of it, is about a person.
func (c *Client) NameSubject(ctx context.Context, id, subject string, entry int64) error {
	if err := checkSubject(subject); err != nil {
		return err
	}
	if err := checkID(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"cases", id, "subjects"},
		body: map[string]any{"subjects": []string{subject}, "entry": entry}}, nil)
	return err
}

// PlaceHold places a legal hold.
func (c *Client) PlaceHold(ctx context.Context, n NewHold) (h Hold, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"holds"}, body: n}, &h)
	return h, err
}

// ReleaseHold ends a legal hold.
func (c *Client) ReleaseHold(ctx context.Context, id, reason string) error {
	if !holdForm.MatchString(id) {
		return fault.New(fault.Invalid, "%.60q is not the id of a hold; those look like hold_01K…", id).WithNext("gavel subject holds")
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"holds", id, "release"}, body: map[string]string{"reason": reason}},
		nil)
	return err
}

// Holds lists the holds in force.
func (c *Client) Holds(ctx context.Context) ([]Hold, error) {
	var page Page[Hold]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"holds"}}, &page)
	return page.Items, err
}

// Rewrap moves every data key to the newest master key.
func (c *Client) Rewrap(ctx context.Context) (done Rewrapped, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"keys", "rewrap"}, body: struct{}{}}, &done)
	return done, err
}
