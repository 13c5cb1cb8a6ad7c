package api

import (
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
)

// A holdBody is a legal hold as the API shows it.
type holdBody struct {
	ID       string     `json:"id"`
	Target   string     `json:"target"` // "rider:R-7" or "case:case_01…"
	Reason   string     `json:"reason"`
	PlacedBy string     `json:"placed_by"`
	PlacedAt time.Time  `json:"placed_at"`
	Until    *time.Time `json:"until"` // null: until it is released
}

func holdOf(h seal.Hold) holdBody {
	return holdBody{ID: h.ID, Target: h.Target, Reason: h.Reason, PlacedBy: h.PlacedBy, PlacedAt: h.PlacedAt.UTC(), Until: utc(h.Until)}
}

func (s *Subjects) listHolds(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	holds, err := s.Vault.Holds(r.Context(), who)
	if err != nil {
		return err
	}
	out := page[holdBody]{Items: make([]holdBody, len(holds))}
	for i, h := range holds {
		out.Items[i] = holdOf(h)
	}
	return write(w, http.StatusOK, out)
}

func (s *Subjects) hold(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Subject string    `json:"subject"`
		Case    string    `json:"case"`
		Reason  string    `json:"reason"`
		Until   time.Time `json:"until"`
	}
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if err := read(r, &in); err != nil {
		return err
	}
	on, err := s.caseOrSubject(r, in.Subject, in.Case)
	if err != nil {
		return err
	}
	placed, err := s.Vault.Hold(r.Context(), who, on, in.Reason, in.Until)
	if err != nil {
		return err
	}
	return write(w, http.StatusCreated, holdOf(placed))
}

func (s *Subjects) release(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	var in struct {
		Reason string `json:"reason"`
	}
	if err := read(r, &in); err != nil {
		return err
	}
	if err := s.Vault.Release(r.Context(), who, r.PathValue("id"), in.Reason); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
