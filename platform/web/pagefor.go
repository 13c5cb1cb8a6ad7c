package web

import (
	"net/http"

	"github.com/gavelhq/gavel/platform/identity"
)

// PageFor begins a page about a matter of an organisation, for somebody who has
// no account there: it bears the organisation's name and zone, and the plain door
// instead of anybody's shell.
func (s *Site) PageFor(r *http.Request, org identity.Org) *Page {
	p := s.Page(r)
	p.Actor = identity.Actor{}
	p.Org = s.organisation(r.Context(), org)
	p.Now = s.cfg.Now().In(p.Org.Zone)
	return p
}
