package web

import (
	"context"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
)

// DefaultZone is the zone of an organisation that has chosen none.
const DefaultZone = "Asia/Kolkata"

// facesFor is how long an organisation's name and zone are remembered: they are
// on every page and change once in years.
const facesFor = time.Minute

// An Organisation is what pages need to know of one.
type Organisation struct {
	Name string         // as its people write it
	Zone *time.Location // all times on its pages are in this zone, and say so
}

// faces remembers organisations. Only organisations of signed-in actors are
// looked up, so there are never more than exist.
type faces struct {
	mu   sync.Mutex
	seen map[identity.Org]face
}

type face struct {
	Organisation
	until time.Time
}

// organisation is the face of an organisation with every blank filled in. When
// it cannot be looked up, the page shows the short name and the default zone,
// and still says which zone that is.
func (s *Site) organisation(ctx context.Context, org identity.Org) Organisation {
	blank := Organisation{Name: string(org), Zone: s.zone}
	if s.cfg.Organisation == nil || org == "" {
		return blank
	}
	s.faces.mu.Lock()
	known, ok := s.faces.seen[org]
	s.faces.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.Organisation
	}
	found, err := s.cfg.Organisation(ctx, org)
	if err != nil {
		s.cfg.Log.WarnContext(ctx, "look up an organisation's name and zone", "org", org, "error", err)
		if ok {
			return known.Organisation
		}
		return blank
	}
	if found.Name == "" {
		found.Name = blank.Name
	}
	if found.Zone == nil {
		found.Zone = blank.Zone
	}
	s.faces.mu.Lock()
	s.faces.seen[org] = face{Organisation: found, until: time.Now().Add(facesFor)}
	s.faces.mu.Unlock()
	return found
}
