package inbound

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/gavelhq/gavel/platform/seal"
)

const maxAttempts = 1000 // mails whose keeping failed and that are remembered

// An attempt is what was stored of a mail before its keeping failed.
type attempt struct {
	id     string
	matter string // as what it was sealed
	raw    seal.Part
}

// attempts remembers mails on their way in, by the digest of their bytes: one that
// fails again and again is sealed and stored once, and not once for each time. It
// forgets with the process; a mail is then stored once more.
type attempts struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]attempt
}

func (a *attempts) find(sum [sha256.Size]byte) (attempt, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.all[sum]
	return found, ok
}

func (a *attempts) note(sum [sha256.Size]byte, one attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for other := range a.all {
		if len(a.all) < maxAttempts {
			break
		}
		delete(a.all, other) // any of them: it only costs another blob
	}
	a.all[sum] = one
}

func (a *attempts) forget(sum [sha256.Size]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, sum)
}

// sealBytes seals and stores a mail as it came, unless that was done before for
// the same people.
func (s *Store) sealBytes(ctx context.Context, m *mail) (seal.Part, error) {
	matter := m.matter(sealedRaw)
	as := fmt.Sprint(m.org, matter)
	if before, ok := s.attempts.find(m.sum); ok && before.matter == as {
		return before.raw, nil
	}
	raw, err := s.c.Vault.SealBlob(ctx, m.org, matter, m.Raw)
	if err == nil {
		s.attempts.note(m.sum, attempt{m.id, as, raw})
	}
	return raw, err
}
