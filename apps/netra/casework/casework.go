// Package casework is what follows from what: a feed becomes signals (gather.go), signals become scores (score.go).
package casework

import (
	"github.com/gavelhq/gavel/apps/netra/store"
)

// A Desk brings signals in and scores districts.
type Desk struct {
	store *store.Store
	busy  chan struct{} // one for each feed that is being read
}

// atOnce is how many feeds are read at one time. While one is written down another can be read; a third has to wait, and is told.
const atOnce = 2

// New makes a desk.
func New(s *store.Store) *Desk { return &Desk{store: s, busy: make(chan struct{}, atOnce)} }
