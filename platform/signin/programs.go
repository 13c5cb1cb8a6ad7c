package signin

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// programs answer the same questions as pages do, as JSON under /v1.
type programs struct {
	door  *Door
	store *Store
	site  *web.Site
}

func (p programs) routes(m *web.Mux) {
	const asking = "a terminal or device is nobody until somebody confirms it"
	handle := func(pattern string, h web.Handler, need web.Rule) {
		m.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			if page := p.site.Page(r); page.Actor.Known() {
				w.Header().Set("Gavel-Zone", page.Org.Zone.String())
			}
			return h(w, r)
		}, need, web.MaxBody(maxForm))
	}
	handle("GET /v1/me", p.me, web.SignedIn())
	handle("POST /v1/sign-out", p.signOut, web.SignedIn())
	handle("POST /v1/sessions/tools", p.beginTools, web.Needs("mcp.use"))
	handle("POST /v1/terminals", p.requestTerminal, web.Public(asking))
	handle("POST /v1/terminals/claim", p.claimTerminal, web.Public(asking))
	handle("POST /v1/devices/pair", p.pair, web.Public(asking))
	handle("POST /v1/devices/enter", p.enter, web.Public(asking))

	handle("GET /v1/people", p.listPeople, web.Needs("person.read"))
	handle("POST /v1/people/{id}/sign-out", p.signOutOther, web.Needs("person.change"))
	handle("GET /v1/tokens", p.listTokens, web.Needs("token.read"))
	handle("POST /v1/tokens", p.issue, web.Needs("token.issue"))
	handle("POST /v1/tokens/{id}/revoke", p.revoke, web.Needs("token.issue"))
	handle("GET /v1/devices", p.listDevices, web.Needs("device.pair"))
	handle("POST /v1/devices/pairings", p.offer, web.Needs("device.pair"))
	handle("POST /v1/devices/{id}/revoke", p.revokeDevice, web.Needs("device.pair"))
	handle("GET /v1/shifts", p.listShifts, web.Needs("shift.open"))
	handle("POST /v1/shifts", p.openShift, web.Needs("shift.open"))
	handle("POST /v1/shifts/{id}/end", p.endShift, web.Needs("shift.open"))
}

// read decodes a JSON body strictly: unknown fields and trailing bytes are
// mistakes worth telling the caller.
func read(r *http.Request, into any) error {
	if ct := r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		return fault.New(fault.Invalid, "the body must be JSON").WithNext("send Content-Type: application/json")
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil && dec.Decode(&struct{}{}) != io.EOF {
		return fault.New(fault.Invalid, "the body holds more than one JSON value")
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return large
	}
	if err != nil {
		return fault.New(fault.Invalid, "the body is not what this address takes: %.200s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func write(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the caller may have gone; there is nobody to tell
	return nil
}

// list is every row of a short list.
type list[T any] struct {
	Items []T `json:"items"`
}

func writeList[F, T any](w http.ResponseWriter, rows []F, body func(F) T) error {
	l := list[T]{Items: make([]T, len(rows))}
	for i, row := range rows {
		l.Items[i] = body(row)
	}
	return write(w, http.StatusOK, l)
}

func done(w http.ResponseWriter, err error) error {
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// A meBody is who is asking, as the server sees them.
type meBody struct {
	Kind    string     `json:"kind"`
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Org     string     `json:"org"`
	Roles   []string   `json:"roles"`
	Scopes  []string   `json:"scopes"`
	Viewing string     `json:"viewing,omitempty"`
	Session string     `json:"session,omitempty"`
	Sort    string     `json:"session_kind,omitempty"`
	Device  string     `json:"device,omitempty"`
	EndsAt  *time.Time `json:"ends_at,omitempty"`
}

func (p programs) me(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r.Context())
	a := v.actor
	body := meBody{Kind: string(a.Kind), ID: a.ID, Name: a.Name, Org: string(a.Org), Roles: roleNames(a.Roles),
		Scopes: append([]string{}, a.Scopes...), Viewing: string(a.Viewing), Session: a.Session, Sort: v.session.Kind,
		Device: v.session.Device}
	if v.session.ID != "" {
		body.EndsAt = utc(&v.session.EndsAt)
	}
	return write(w, http.StatusOK, body)
}

func (p programs) signOut(w http.ResponseWriter, r *http.Request) error {
	s, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	return done(w, p.store.end(r.Context(), s))
}

func (p programs) requestTerminal(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := p.door.terminals.take(web.Network(r)); err != nil {
		return err
	}
	asked, err := p.store.RequestTerminal(r.Context(), in.Name)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, struct {
		Code      string    `json:"code"`
		Secret    string    `json:"secret"`
		Page      string    `json:"page"`
		ExpiresAt time.Time `json:"expires_at"`
	}{asked.Code, asked.Secret, strings.TrimSuffix(p.door.cfg.PublicURL, "/") + TerminalPath, asked.ExpiresAt.UTC()})
}

// claimTerminal answers a waiting terminal: an empty token while nobody has
// confirmed it.
func (p programs) claimTerminal(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Secret string `json:"secret"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	token, err := p.claim(r.Context(), in.Secret)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Token string `json:"token"`
	}{token})
}

func (p programs) pair(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Code string `json:"code"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := p.door.strange.take(web.Network(r)); err != nil {
		return err
	}
	d, secret, err := p.store.Pair(r.Context(), in.Code)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, struct {
		deviceBody
		Token string `json:"token"`
	}{deviceOf(d), secret})
}

// enter lets a guard in on the device whose token was sent.
func (p programs) enter(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Shift string `json:"shift"`
		PIN   string `json:"pin"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	d := visitorOf(r.Context()).device
	if d.ID == "" {
		return Nobody(r.Context())
	}
	c, err := p.store.enter(r.Context(), d, in.Shift, in.PIN)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, struct {
		Token string `json:"token"`
	}{sessionPrefix + c.String()})
}
