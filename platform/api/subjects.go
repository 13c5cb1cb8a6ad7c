package api

import (
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// Subjects answers for the people whose data is held: what erasing one would
// take, erasing, legal holds, and whom a case is about. The vault asks for the
// role org_admin; an auditor may look.
type Subjects struct {
	Cases  *casefile.Store
	Vault  *seal.Vault
	System *postgres.System // moves the data keys of all organisations to a new master key
}

// Routes registers everything it answers.
func (s *Subjects) Routes(mux *web.Mux) {
	handle := func(pattern string, h web.Handler) {
		mux.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
			if page := mux.Site().Page(r); page.Actor.Known() {
				w.Header().Set("Gavel-Zone", page.Org.Zone.String())
			}
			return h(w, r)
		}, web.MaxBody(maxBody))
	}
	handle("GET /v1/subjects/{subject}", s.preview)
	handle("POST /v1/subjects/{subject}/erase", s.erase)
	handle("POST /v1/cases/{id}/subjects", s.name)
	handle("GET /v1/holds", s.listHolds)
	handle("POST /v1/holds", s.hold)
	handle("POST /v1/holds/{id}/release", s.release)
	handle("POST /v1/keys/rewrap", s.rewrap)
}

// An erasureBody is an erasure, done or to come, as the API shows it. The export's
// recipient is for people who must be told; it is in no log.
type erasureBody struct {
	Subject   string         `json:"subject"`
	At        *time.Time     `json:"at"` // null: not done
	By        string         `json:"by,omitempty"`
	Record    audit.RecordID `json:"record,omitempty"`
	Ground    seal.Ground    `json:"ground,omitempty"`
	Reference string         `json:"reference,omitempty"`
	Keys      int            `json:"keys"`
	Objects   int            `json:"objects"`
	Others    int            `json:"others"`
	Rows      []seal.Reached `json:"rows"`
	Exports   int            `json:"exports"`
	Unreached []exportBody   `json:"unreached"`
	Holds     []holdBody     `json:"holds"`
}

type exportBody struct {
	ID     string    `json:"id"`
	Bundle string    `json:"bundle"`
	Case   string    `json:"case"`
	At     time.Time `json:"at"`
	To     string    `json:"to,omitempty"`
}

func erasureOf(e seal.Erasure, holds []seal.Hold) erasureBody {
	out := erasureBody{Subject: e.Subject.String(), Record: e.Record, Ground: e.Ground, Reference: e.Reference,
		Keys: e.Keys, Objects: e.Objects, Others: e.Others, Rows: e.Rows, Exports: e.Exports,
		Unreached: make([]exportBody, len(e.Unreached)), Holds: make([]holdBody, len(holds))}
	if e.Record != "" {
		out.At, out.By = utc(&e.At), e.By
	}
	for i, x := range e.Unreached {
		out.Unreached[i] = exportBody{ID: x.ID, Bundle: x.Bundle.String(), Case: x.Case, At: x.At.UTC(), To: x.To}
	}
	for i, h := range holds {
		out.Holds[i] = holdOf(h)
	}
	return out
}

func (s *Subjects) preview(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	subject, err := seal.ParseSubject(r.PathValue("subject"))
	if err != nil {
		return err
	}
	e, holds, err := s.Vault.Preview(r.Context(), who, subject)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, erasureOf(e, holds))
}

func (s *Subjects) erase(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	var in struct {
		Ground    seal.Ground `json:"ground"`
		Reference string      `json:"reference"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	subject, err := seal.ParseSubject(r.PathValue("subject"))
	if err != nil {
		return err
	}
	done, err := s.Vault.Erase(r.Context(), who, seal.Request{Subject: subject, Ground: in.Ground, Reference: in.Reference})
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, erasureOf(done, nil))
}

// name says whom a case, or one entry of it, is about.
func (s *Subjects) name(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	var in struct {
		Subjects []string `json:"subjects"`
		Entry    int64    `json:"entry"` // 0 for the whole case
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := casefile.May(who, casefile.Read); err != nil {
		return err
	}
	subjects := make([]seal.Subject, len(in.Subjects))
	for i, text := range in.Subjects {
		if subjects[i], err = seal.ParseSubject(text); err != nil {
			return err
		}
	}
	c, err := s.Cases.Lookup(r.Context(), who.Org, r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := s.Cases.NameSubjects(r.Context(), who, c.ID, in.Entry, subjects...); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Subjects) rewrap(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	done, err := s.Vault.RewrapBy(r.Context(), who, s.System)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, struct {
		Master string         `json:"master"`
		Moved  int            `json:"moved"`
		Left   map[string]int `json:"left"`
		Record audit.RecordID `json:"record"`
	}{done.Master, done.Moved, done.Left, done.Record})
}

// caseOrSubject reads what a hold is on: a subject, or a case by id or ref.
func (s *Subjects) caseOrSubject(r *http.Request, subject, caseName string) (seal.Target, error) {
	who, err := signin.Require(r.Context())
	if err != nil {
		return seal.Target{}, err
	}
	if (subject == "") == (caseName == "") {
		return seal.Target{}, fault.New(fault.Invalid, "a hold is on a subject or on a case: name one of them")
	}
	if subject != "" {
		one, err := seal.ParseSubject(subject)
		return seal.Target{Subject: one}, err
	}
	c, err := s.Cases.Lookup(r.Context(), who.Org, caseName)
	return seal.Target{Case: string(c.ID)}, err
}
