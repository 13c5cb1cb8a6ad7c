package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// A ConcernLink is a link for the person whom a case concerns. URL is there only
// when it was just made, and is a secret.
type ConcernLink struct {
	ID        string     `json:"id"`
	Summary   string     `json:"summary"`
	Facts     []string   `json:"facts"`
	Proposals []string   `json:"proposals"`
	MadeAt    *time.Time `json:"made_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	URL       string     `json:"url"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the bytes beside the fields.
func (l *ConcernLink) UnmarshalJSON(data []byte) error {
	type fields ConcernLink
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	*l = ConcernLink(f)
	l.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON is the link as the server sent it.
func (l ConcernLink) MarshalJSON() ([]byte, error) { return l.Raw, nil }

// A NewConcernLink is what making a link takes.
type NewConcernLink struct {
	Summary   string   `json:"summary"`
	Facts     []string `json:"facts,omitempty"`
	Proposals []string `json:"proposals,omitempty"`
	Days      int      `json:"days,omitempty"`
}

// MakeConcernLink makes a link. It is sent without a key: the answer holds a
// secret that nobody keeps, so sending it twice makes two.
func (c *Client) MakeConcernLink(ctx context.Context, id string, n NewConcernLink) (l ConcernLink, err error) {
	if err := checkID(id); err != nil {
		return l, err
	}
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"cases", id, "concern-links"}, body: n}, &l)
	return l, err
}

// RevokeConcernLink makes a link open nothing any more.
func (c *Client) RevokeConcernLink(ctx context.Context, id, link string) error {
	if err := checkID(id); err != nil {
		return err
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"cases", id, "concern-links", link, "revoke"}}, nil)
	return err
}
