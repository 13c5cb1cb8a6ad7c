package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// A caseBody is a case as the API shows it.
type caseBody struct {
	ID         casefile.CaseID `json:"id"`
	Ref        string          `json:"ref"`
	App        string          `json:"app"`
	Key        string          `json:"key"`
	Title      string          `json:"title"`
	State      casefile.State  `json:"state"`
	Status     string          `json:"status"`
	WaitingFor string          `json:"waiting_for"`
	DueAt      *time.Time      `json:"due_at"`
	OpenedAt   time.Time       `json:"opened_at"`
	ClosedAt   *time.Time      `json:"closed_at"`
	Version    int64           `json:"version"`
	Links      links           `json:"links"`
}

type links struct {
	Page string `json:"page"`
}

func (a *API) body(c casefile.Case) caseBody {
	return caseBody{
		ID: c.ID, Ref: c.Ref, App: c.App, Key: c.Key, Title: c.Title, State: c.State, Status: c.Status,
		WaitingFor: c.WaitingFor, DueAt: utc(c.DueAt), OpenedAt: c.OpenedAt.UTC(), ClosedAt: utc(c.ClosedAt),
		Version: c.Version, Links: links{Page: a.PublicURL + "/cases/" + string(c.ID)},
	}
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// An openingBody asks for a case. due_at is a moment; due_in_s counts seconds
// from now on the installation's clock. At most one of them.
type openingBody struct {
	App    string    `json:"app"`
	Key    string    `json:"key"`
	Title  string    `json:"title"`
	DueAt  time.Time `json:"due_at"`
	DueInS int64     `json:"due_in_s"`
}

const maxDue = 10 * 365 * 24 * time.Hour

func (b openingBody) opening() (casefile.Opening, error) {
	if b.DueInS != 0 && !b.DueAt.IsZero() {
		return casefile.Opening{}, fault.New(fault.Invalid, "give due_at or due_in_s, not both")
	}
	if b.DueInS < 0 || b.DueInS > int64(maxDue/time.Second) {
		return casefile.Opening{}, fault.New(fault.Invalid, "due_in_s must be between 1 second and 10 years")
	}
	return casefile.Opening{App: b.App, Key: b.Key, Title: b.Title, DueAt: b.DueAt, DueIn: time.Duration(b.DueInS) * time.Second}, nil
}

func (a *API) openCase(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	var in openingBody
	if err := read(r, &in); err != nil {
		return err
	}
	opening, err := in.opening()
	if err != nil {
		return err
	}
	c, opened, err := a.Cases.Open(r.Context(), who, opening)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", etag(c.Version))
	w.Header().Set("Location", "/v1/cases/"+string(c.ID))
	if opened {
		return write(w, http.StatusCreated, a.body(c))
	}
	return write(w, http.StatusOK, a.body(c))
}

func (a *API) listCases(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if err := casefile.May(who, casefile.Read); err != nil {
		return err
	}
	q := r.URL.Query()
	size, err := pageSize(r)
	if err != nil {
		return err
	}
	query := casefile.ListQuery{State: casefile.State(q.Get("state")), App: q.Get("app"), Limit: size}
	if token := q.Get("page_token"); token != "" {
		if query.Before, err = casefile.ParseCaseID(token); err != nil {
			return fault.New(fault.Invalid, "page_token %.40q is not one of ours", token)
		}
	}
	cases, next, err := a.Cases.List(r.Context(), who.Org, query)
	if err != nil {
		return err
	}
	out := page[caseBody]{Items: make([]caseBody, len(cases)), NextPageToken: string(next)}
	for i, c := range cases {
		out.Items[i] = a.body(c)
	}
	return write(w, http.StatusOK, out)
}

func (a *API) getCase(w http.ResponseWriter, r *http.Request) error {
	_, c, err := a.find(r)
	if err != nil {
		return err
	}
	if web.NotModified(w, r, etag(c.Version)) {
		return nil
	}
	return write(w, http.StatusOK, a.body(c))
}

// find is who is asking and the case in the address.
func (a *API) find(r *http.Request) (identity.Actor, casefile.Case, error) {
	who, err := signin.Require(r.Context())
	if err != nil {
		return who, casefile.Case{}, err
	}
	if err := casefile.May(who, casefile.Read); err != nil {
		return who, casefile.Case{}, err
	}
	c, err := a.Cases.Lookup(r.Context(), who.Org, r.PathValue("id"))
	return who, c, err
}

// An entryBody is one note of a case's history.
type entryBody struct {
	Seq   int64     `json:"seq"`
	Kind  string    `json:"kind"`
	At    time.Time `json:"at"`
	Actor actorBody `json:"actor"`
	Text  string    `json:"text"`
}

type actorBody struct {
	Kind identity.Kind `json:"kind"`
	ID   string        `json:"id"`
	Name string        `json:"name"`
}

func (a *API) listEntries(w http.ResponseWriter, r *http.Request) error {
	who, c, err := a.find(r)
	if err != nil {
		return err
	}
	query := casefile.EntryQuery{}
	if query.Limit, err = pageSize(r); err != nil {
		return err
	}
	if token := r.URL.Query().Get("page_token"); token != "" {
		if query.Before, err = strconv.ParseInt(token, 10, 64); err != nil || query.Before < 1 {
			return fault.New(fault.Invalid, "page_token %.40q is not one of ours", token)
		}
	}
	entries, err := a.Cases.Entries(r.Context(), who.Org, c.ID, query)
	if err != nil {
		return err
	}
	out := page[entryBody]{Items: make([]entryBody, len(entries))}
	for i, e := range entries {
		out.Items[i] = entryBody{Seq: e.Seq, Kind: e.Kind, At: e.At.UTC(), Text: e.Text,
			Actor: actorBody{Kind: e.ActorKind, ID: e.ActorID, Name: e.ActorName}}
	}
	if n := len(entries); n > 0 && entries[n-1].Seq > 1 {
		out.NextPageToken = strconv.FormatInt(entries[n-1].Seq, 10)
	}
	return write(w, http.StatusOK, out)
}

func (a *API) addNote(w http.ResponseWriter, r *http.Request) error {
	who, c, err := a.find(r)
	if err != nil {
		return err
	}
	var in struct {
		Text string `json:"text"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := a.Cases.Note(r.Context(), who, c.ID, r.Header.Get("Idempotency-Key"), in.Text); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) closeCase(w http.ResponseWriter, r *http.Request) error {
	who, c, err := a.find(r)
	if err != nil {
		return err
	}
	seen, err := version(r)
	if err != nil {
		return err
	}
	var in struct {
		Reason string `json:"reason"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := a.Cases.Close(r.Context(), who, c.ID, seen, in.Reason); err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/cases/"+string(c.ID))
	w.WriteHeader(http.StatusAccepted)
	return nil
}
