package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Refusal is somebody turned away from a route, for the record. It holds no
// address, which may hold a secret: the pattern says which route it was.
type Refusal struct {
	Actor   identity.Actor
	Acts    string // what they would have had to be allowed, as Need has it
	Pattern string
	Object  string // the id in the address, where the pattern has one; as it was sent
}

// admit turns away who may not use a route, before anything of it runs.
func (s *Site) admit(r *http.Request, need Need) error {
	if need.Public != "" {
		return nil
	}
	actor, err := s.somebody(r.Context())
	if err != nil || need.Signed {
		return err
	}
	for i, act := range strings.Split(need.Acts, ",") {
		no := s.cfg.May(actor, act)
		if no == nil {
			return nil
		}
		if i == 0 { // the first of several is what the route is for
			err = no
		}
	}
	if fault.Is(err, fault.Refused) && s.cfg.Refused != nil {
		s.cfg.Refused(r.Context(), Refusal{Actor: actor, Acts: need.Acts, Pattern: r.Pattern, Object: r.PathValue("id")})
	}
	return err
}

// knows reports whether every act of a need is one there is, or names the one
// that is not: asked about nobody, policies want to know who it is, unless they
// have never heard of the act.
func (s *Site) knows(need Need) (act string, ok bool) {
	if need.Acts == "" {
		return "", true
	}
	for _, act := range strings.Split(need.Acts, ",") {
		if fault.Is(s.cfg.May(identity.Actor{}, act), fault.Internal) {
			return act, false
		}
	}
	return "", true
}

// somebody is who asks, or why that is nobody.
func (s *Site) somebody(ctx context.Context) (identity.Actor, error) {
	if s.cfg.Require != nil {
		return s.cfg.Require(ctx)
	}
	if a := s.cfg.Actor(ctx); a.Known() {
		return a, nil
	}
	return identity.Actor{}, fault.New(fault.SignIn, "nobody is signed in").Because("not_signed_in")
}

// may reports whether somebody may do an act; what needs none everybody may.
func (s *Site) may(a identity.Actor, act string) bool { return act == "" || s.cfg.May(a, act) == nil }
