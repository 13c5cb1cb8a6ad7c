package signin

import (
	"net/http"
	"time"
)

type personBody struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Email      string    `json:"email"`
	Roles      []string  `json:"roles"`
	Local      bool      `json:"local"`
	LastSeenAt time.Time `json:"last_seen_at"`
}

func personOf(p Person) personBody {
	return personBody{p.ID, p.Name, p.Email, roleNames(p.Roles), p.Local, p.LastSeenAt.UTC()}
}

func (p programs) listPeople(w http.ResponseWriter, r *http.Request) error {
	all, err := p.store.People(r.Context(), From(r.Context()))
	if err != nil {
		return err
	}
	return writeList(w, all, personOf)
}

func (p programs) signOutOther(w http.ResponseWriter, r *http.Request) error {
	_, err := p.store.EndSessions(r.Context(), From(r.Context()), r.PathValue("id"))
	return done(w, err)
}

type tokenBody struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	Reason    string     `json:"reason"`
	IssuedBy  string     `json:"issued_by"`
	IssuedAt  time.Time  `json:"issued_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Token     string     `json:"token,omitempty"` // once, when it is issued
}

func tokenOf(t Token) tokenBody {
	return tokenBody{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Reason: t.Reason, IssuedBy: t.IssuedBy, IssuedAt: t.IssuedAt.UTC(),
		ExpiresAt: t.ExpiresAt.UTC(), UsedAt: utc(t.UsedAt), RevokedAt: utc(t.RevokedAt)}
}

func (p programs) listTokens(w http.ResponseWriter, r *http.Request) error {
	all, err := p.store.Tokens(r.Context(), From(r.Context()))
	if err != nil {
		return err
	}
	return writeList(w, all, tokenOf)
}

func (p programs) issue(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name   string   `json:"name"`
		Scopes []string `json:"scopes"`
		Days   int      `json:"days"`
		Reason string   `json:"reason"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	days := min(max(in.Days, 0), 1000) // what is out of bounds stays out of bounds
	t, secret, err := p.store.Issue(r.Context(), From(r.Context()),
		NewToken{Name: in.Name, Scopes: in.Scopes, Life: time.Duration(days) * 24 * time.Hour, Reason: in.Reason})
	if err != nil {
		return err
	}
	body := tokenOf(t)
	body.Token = secret
	return write(w, http.StatusCreated, body)
}

func (p programs) revoke(w http.ResponseWriter, r *http.Request) error {
	return done(w, p.store.Revoke(r.Context(), From(r.Context()), r.PathValue("id")))
}

type deviceBody struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	PairedBy  string     `json:"paired_by"`
	PairedAt  time.Time  `json:"paired_at"`
	SeenAt    time.Time  `json:"seen_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

func deviceOf(d Device) deviceBody {
	return deviceBody{d.ID, d.Name, d.PairedBy, d.PairedAt.UTC(), d.SeenAt.UTC(), utc(d.RevokedAt)}
}

func (p programs) listDevices(w http.ResponseWriter, r *http.Request) error {
	all, err := p.store.Devices(r.Context(), From(r.Context()))
	if err != nil {
		return err
	}
	return writeList(w, all, deviceOf)
}

func (p programs) offer(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	offered, err := p.store.MakePairing(r.Context(), From(r.Context()), in.Name)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, struct {
		Name      string    `json:"name"`
		Code      string    `json:"code"`
		ExpiresAt time.Time `json:"expires_at"`
	}{offered.Name, offered.Code, offered.ExpiresAt.UTC()})
}

func (p programs) revokeDevice(w http.ResponseWriter, r *http.Request) error {
	return done(w, p.store.RevokeDevice(r.Context(), From(r.Context()), r.PathValue("id")))
}

type shiftBody struct {
	ID       string    `json:"id"`
	Person   string    `json:"person"`
	Name     string    `json:"name"`
	OpenedAt time.Time `json:"opened_at"`
	EndsAt   time.Time `json:"ends_at"`
	Locked   bool      `json:"locked"`
	PIN      string    `json:"pin,omitempty"` // once, when it is opened
}

func shiftOf(s Shift) shiftBody {
	return shiftBody{ID: s.ID, Person: s.Person, Name: s.Name, OpenedAt: s.OpenedAt.UTC(), EndsAt: s.EndsAt.UTC(), Locked: s.Locked}
}

func (p programs) listShifts(w http.ResponseWriter, r *http.Request) error {
	all, err := p.store.Shifts(r.Context(), From(r.Context()))
	if err != nil {
		return err
	}
	return writeList(w, all, shiftOf)
}

func (p programs) openShift(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Person string `json:"person"`
		Name   string `json:"name"`
		Hours  int    `json:"hours"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	hours := min(max(in.Hours, 0), 1000) // what is out of bounds stays out of bounds
	sh, pin, err := p.store.OpenShift(r.Context(), From(r.Context()),
		NewShift{Person: in.Person, Name: in.Name, Life: time.Duration(hours) * time.Hour})
	if err != nil {
		return err
	}
	body := shiftOf(sh)
	body.PIN = pin
	return write(w, http.StatusCreated, body)
}

func (p programs) endShift(w http.ResponseWriter, r *http.Request) error {
	return done(w, p.store.EndShift(r.Context(), From(r.Context()), r.PathValue("id")))
}
