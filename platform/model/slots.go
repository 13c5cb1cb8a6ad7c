package model

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// slotPatience is how long a slot is waited for. After it the engine tries the turn
// again: who waits holds a worker's step, and must not outlast it.
const slotPatience = time.Minute

// Slots are how many requests of a route this process has under way at once. Where more
// wait, organisations take turns, so that one's thousand agents keep nobody else's from
// the model. The nil Slots counts nothing and bounds nothing.
type Slots struct {
	most int // 0 for no bound
	now  func() time.Time

	mu      sync.Mutex // guards what follows
	load    Load
	waiting map[identity.Org][]chan struct{} // oldest first
	next    []identity.Org                   // that have somebody waiting, in turn
}

// A Load is what a route has to bear in this process.
type Load struct {
	Busy, Waiting int           // requests under way, and those that wait for a slot
	Waited        time.Duration // that requests have waited so far, all together
}

// NewSlots bounds the requests under way; 0 only counts them. The clock is a real one: a
// vendor's requests are not sped up.
func NewSlots(most int, now func() time.Time) *Slots {
	return &Slots{most: most, now: now, waiting: map[identity.Org][]chan struct{}{}}
}

// Load is how things stand.
func (s *Slots) Load() Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load
}

// Take waits for a slot, which leave gives back. It is TooMany, which is tried again,
// where none comes free for a minute.
func (s *Slots) Take(ctx context.Context, org identity.Org) (leave func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	s.mu.Lock()
	if s.most == 0 || s.load.Busy < s.most {
		s.load.Busy++
		s.mu.Unlock()
		return sync.OnceFunc(s.giveBack), nil
	}
	turn := make(chan struct{})
	if len(s.waiting[org]) == 0 {
		s.next = append(s.next, org)
	}
	s.waiting[org] = append(s.waiting[org], turn)
	s.load.Waiting++
	s.mu.Unlock()
	began := s.now()
	patience, stop := context.WithTimeout(ctx, slotPatience)
	defer stop()
	select {
	case <-turn:
	case <-patience.Done():
		err = context.Cause(ctx) // nil where it is only our patience
	}
	if err == nil && patience.Err() != nil && !given(turn) {
		err = fault.New(fault.TooMany, "all %d requests that this route may have under way are", s.most)
	}
	s.mu.Lock()
	s.load.Waited += s.now().Sub(began)
	late := err != nil && !s.goAway(org, turn)
	s.mu.Unlock()
	if err == nil {
		return sync.OnceFunc(s.giveBack), nil
	}
	if late { // it was given one in the same moment
		s.giveBack()
	}
	return nil, err
}

func given(turn chan struct{}) bool {
	select {
	case <-turn:
		return true
	default:
		return false
	}
}

// goAway takes who waits off the list; false if it was given a slot already.
func (s *Slots) goAway(org identity.Org, turn chan struct{}) bool {
	at := slices.Index(s.waiting[org], turn)
	if at < 0 {
		return false
	}
	s.load.Waiting--
	s.waiting[org] = slices.Delete(s.waiting[org], at, at+1)
	if len(s.waiting[org]) == 0 {
		delete(s.waiting, org)
		s.next = slices.DeleteFunc(s.next, func(o identity.Org) bool { return o == org })
	}
	return true
}

// giveBack hands a slot to the organisation whose turn it is, or frees it.
func (s *Slots) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.next) == 0 {
		s.load.Busy--
		return
	}
	org := s.next[0]
	turn := s.waiting[org][0]
	s.next = append(s.next[1:], org) // goAway takes it off if it was its last
	s.goAway(org, turn)
	close(turn)
}
