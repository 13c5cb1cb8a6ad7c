package casework

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// mostRemembered is how many results a memo holds.
const mostRemembered = 32

// A memo remembers what was computed last, by everything that it was computed from. It may be asked by several at once; two that ask for
// the same both compute it.
type memo[T any] struct {
	mu    sync.Mutex
	known map[string]T
	order []string
}

// of is what a key stands for: as it was computed, or computed now.
func (m *memo[T]) of(key string, compute func() (T, error)) (T, error) {
	m.mu.Lock()
	v, known := m.known[key]
	m.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]T{}
	}
	if _, meanwhile := m.known[key]; !meanwhile {
		if m.order = append(m.order, key); len(m.order) > mostRemembered {
			delete(m.known, m.order[0])
			m.order = m.order[1:]
		}
	}
	m.known[key] = v
	return v, nil
}

// standsFor names what a report says now and the run that counts: versions never change.
func standsFor(org identity.Org, st store.Standing) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(st.Newest)) {
		fmt.Fprintf(&b, "%s\x00%d\n", id, st.Newest[id].N)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return string(org) + " " + st.ID + " " + st.Data.Pack + " " + hex.EncodeToString(sum[:])
}
