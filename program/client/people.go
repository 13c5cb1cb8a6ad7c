package client

import (
	"context"
	"net/http"
	"time"
)

// A SignIn is who the server takes the caller for, and by which session.
type SignIn struct {
	Me
	Session string     `json:"session,omitempty"`
	Sort    string     `json:"session_kind,omitempty"`
	Device  string     `json:"device,omitempty"`
	EndsAt  *time.Time `json:"ends_at,omitempty"`
}

// SignedIn asks the server.
func (c *Client) SignedIn(ctx context.Context) (s SignIn, err error) {
	_, err = c.do(ctx, request{method: http.MethodGet, path: []string{"me"}}, &s)
	return s, err
}

// SignOut ends the session the token belongs to.
func (c *Client) SignOut(ctx context.Context) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"sign-out"}, body: struct{}{}}, nil)
	return err
}

// A Terminal waits for a person to confirm it: they type Code on Page.
type Terminal struct {
	Code      string    `json:"code"`
	Secret    string    `json:"secret"`
	Page      string    `json:"page"`
	ExpiresAt time.Time `json:"expires_at"`
}

// RequestTerminal asks to be let in as whoever confirms it.
func (c *Client) RequestTerminal(ctx context.Context, name string) (t Terminal, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"terminals"}, body: map[string]string{"name": name}}, &t)
	return t, err
}

// ClaimTerminal is the token of a confirmed terminal, empty while nobody has
// confirmed it.
func (c *Client) ClaimTerminal(ctx context.Context, secret string) (string, error) {
	var out struct {
		Token string `json:"token"`
	}
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"terminals", "claim"}, body: map[string]string{"secret": secret}},
		&out)
	return out.Token, err
}

// Tools is a session for a program: it reads and proposes, and decides nothing.
type Tools struct {
	Token  string     `json:"token"`
	EndsAt *time.Time `json:"ends_at"` // nil for a token that is no session
}

// BeginTools begins one in the session the token belongs to, and ends with it.
func (c *Client) BeginTools(ctx context.Context, name string) (t Tools, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"sessions", "tools"}, body: map[string]string{"name": name}}, &t)
	return t, err
}

// A Person is somebody who has signed in to the organisation.
type Person struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Email      string     `json:"email"`
	Roles      []string   `json:"roles"`
	Local      bool       `json:"local"`
	LastSeenAt *time.Time `json:"last_seen_at"`
}

// People lists who has signed in.
func (c *Client) People(ctx context.Context) ([]Person, error) {
	var page Page[Person]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"people"}}, &page)
	return page.Items, err
}

// SignOutOther ends every sign-in of a person.
func (c *Client) SignOutOther(ctx context.Context, id string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"people", id, "sign-out"}, body: struct{}{}}, nil)
	return err
}

// A Token lets a program in. Its own text is there once, when it is issued.
type Token struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	Reason    string     `json:"reason"`
	IssuedBy  string     `json:"issued_by"`
	IssuedAt  *time.Time `json:"issued_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Token     string     `json:"token,omitempty"`
}

// A NewToken is what issuing one takes.
type NewToken struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	Days   int      `json:"days"`
	Reason string   `json:"reason"`
}

// IssueToken issues a token.
func (c *Client) IssueToken(ctx context.Context, n NewToken) (t Token, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"tokens"}, body: n}, &t)
	return t, err
}

// Tokens lists the organisation's tokens.
func (c *Client) Tokens(ctx context.Context) ([]Token, error) {
	var page Page[Token]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"tokens"}}, &page)
	return page.Items, err
}

// RevokeToken makes a token count no more.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"tokens", id, "revoke"}, body: struct{}{}}, nil)
	return err
}

// A Device is a shared one at a gate.
type Device struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	PairedBy  string     `json:"paired_by"`
	PairedAt  *time.Time `json:"paired_at"`
	SeenAt    *time.Time `json:"seen_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

// A Pairing is the code that makes a device one of ours.
type Pairing struct {
	Name      string     `json:"name"`
	Code      string     `json:"code"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// PairDevice makes a code for a device of this name.
func (c *Client) PairDevice(ctx context.Context, name string) (p Pairing, err error) {
	_, err = c.do(ctx, request{method: http.MethodPost, path: []string{"devices", "pairings"}, body: map[string]string{"name": name}}, &p)
	return p, err
}

// Devices lists the organisation's devices.
func (c *Client) Devices(ctx context.Context) ([]Device, error) {
	var page Page[Device]
	_, err := c.do(ctx, request{method: http.MethodGet, path: []string{"devices"}}, &page)
	return page.Items, err
}

// RevokeDevice makes a device a stranger again.
func (c *Client) RevokeDevice(ctx context.Context, id string) error {
	_, err := c.do(ctx, request{method: http.MethodPost, path: []string{"devices", id, "revoke"}, body: struct{}{}}, nil)
	return err
}
