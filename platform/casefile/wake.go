package casefile

import "github.com/gavelhq/gavel/platform/outbox"

// Wake says where a case's workflow is, and how it is begun anew should its last
// run have come to a bad end: what a package must know that leaves word for it
// in the outbox.
func (s *Store) Wake(c Case) (id string, again outbox.Start, err error) {
	again, err = s.start(c)
	return workflowID(c), again, err
}
