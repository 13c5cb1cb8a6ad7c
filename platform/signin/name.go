package signin

import (
	"context"
	"strings"

	"github.com/gavelhq/gavel/platform/identity"
)

// Name is what people call somebody of an organisation; their id where they are
// not known any more. Whom a development token stands for is told by the id.
func (s *Store) Name(ctx context.Context, org identity.Org, id string) string {
	if said, dev := strings.CutPrefix(id, "dev:"); dev {
		if found, err := devPerson(org, said); err == nil {
			return found.Name
		}
		return id
	}
	found, err := s.Lookup(ctx, org, id)
	if err != nil || found.Name == "" {
		return id
	}
	return found.Name
}
