package web

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds of the live streams.
const (
	streamsPerActor = 16               // browsers and devices of one actor, with room for old ones to time out
	pendingPerHub   = 256              // objects a stream may be behind before it is told to read everything again
	beatEvery       = 15 * time.Second // live.js takes three missed beats for a lost stream
	streamLife      = 30 * time.Minute // then the browser connects again; who is signed out goes at the next beat
	streamWrite     = 10 * time.Second // a browser that takes longer to read is let go
)

// A Notice says that an object is now at a version. It carries nothing else:
// whoever may see the object fetches it, and permission is asked then.
type Notice struct {
	Org     identity.Org `json:"org"`
	Object  string       `json:"object"`
	Version int64        `json:"version"`
}

// A Hub passes notices from the database to the browsers of each organisation.
// It never waits for a browser: one that falls behind is told to read again.
type Hub struct {
	// MayHear says who may see words before they are on record; nil means nobody.
	// It is set before the first stream.
	MayHear func(identity.Actor) bool
	// Heard is told of every notice before the browsers are, for those who remember
	// what a notice makes old; nil tells nobody. It is set before Listen, and must
	// not wait for anything.
	Heard func(Notice)

	site *Site
	beat time.Duration
	max  int // pending objects per stream

	mu      sync.Mutex
	up      bool // the database is being heard
	streams map[identity.Org]map[*stream]bool
	actors  map[string]int
}

// NewHub makes a hub without streams. Start Listen to feed it.
func NewHub(site *Site) *Hub {
	return &Hub{site: site, beat: beatEvery, max: pendingPerHub,
		streams: map[identity.Org]map[*stream]bool{}, actors: map[string]int{}}
}

// Routes registers the stream's address.
func (h *Hub) Routes(m *Mux) { m.Handle("GET /live", h.serve, SignedIn(), Streaming()) }

// Publish passes a notice to every stream of its organisation.
func (h *Hub) Publish(n Notice) {
	if h.Heard != nil {
		h.Heard(n)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams[n.Org] {
		s.offer(n, h.max)
	}
}

// heard notes whether the database is being heard. When it is heard again,
// every browser reads again what it shows: notices in between are lost.
func (h *Hub) heard(up bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.up == up {
		return
	}
	h.up = up
	for _, streams := range h.streams {
		for s := range streams {
			s.turn(up)
		}
	}
}

// Check reports whether notices reach this hub, for the readiness page.
func (h *Hub) Check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.up {
		return fault.New(fault.Unavailable, "the database's notices are not being heard")
	}
	return nil
}

// join adds a stream for an actor, within the actor's share.
func (h *Hub) join(a identity.Actor) (*stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := streamKey(a)
	if h.actors[key] >= streamsPerActor {
		return nil, fault.New(fault.TooMany, "%d live streams are open for this person already", streamsPerActor).
			WithNext("Close pages in other browsers; this page still works and says that it is not live.").
			Because("streams_many", "n", strconv.Itoa(streamsPerActor))
	}
	h.actors[key]++
	s := &stream{pending: map[string]int64{}, up: h.up, wake: make(chan struct{}, 1), who: a.ID,
		hears: h.MayHear != nil && h.MayHear(a)}
	if h.streams[a.Org] == nil {
		h.streams[a.Org] = map[*stream]bool{}
	}
	h.streams[a.Org][s] = true
	return s, nil
}

func (h *Hub) leave(a identity.Actor, s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := streamKey(a)
	if h.actors[key]--; h.actors[key] <= 0 {
		delete(h.actors, key)
	}
	delete(h.streams[a.Org], s)
	if len(h.streams[a.Org]) == 0 {
		delete(h.streams, a.Org)
	}
}

func streamKey(a identity.Actor) string { return fmt.Sprintf("%s/%s", a.Org, a.ID) }

// A stream is what one browser has not been told yet. Only the newest version
// of each object is kept.
type stream struct {
	mu      sync.Mutex
	pending map[string]int64
	who     string  // its actor's id
	hears   bool    // its actor may see words before they are on record that are said to nobody in particular
	words   []Words // not told yet, oldest first
	resync  bool    // too much was missed: read everything again
	turned  bool    // up changed since the last beat
	up      bool
	wake    chan struct{} // holds one; a second wake says nothing new
}

// A batch is what a stream has to tell at one moment.
type batch struct {
	notices map[string]int64
	words   []Words
	resync  bool
	turned  bool
	up      bool
}

func (s *stream) offer(n Notice, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resync {
		return // it will read everything anyway
	}
	if _, known := s.pending[n.Object]; !known && len(s.pending) >= limit {
		clear(s.pending)
		s.resync = true
	} else {
		s.pending[n.Object] = max(s.pending[n.Object], n.Version)
	}
	s.nudge()
}

func (s *stream) turn(up bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turned, s.up = true, up
	if up {
		clear(s.pending)
		s.resync = true
	}
	s.nudge()
}

func (s *stream) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) take() batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := batch{notices: s.pending, words: s.words, resync: s.resync, turned: s.turned, up: s.up}
	s.pending, s.words, s.resync, s.turned = map[string]int64{}, nil, false, false
	return b
}
