package agenttest

import (
	"net/http"
	"sync"
	"time"
)

// An OtherSide is whom effects reach. It carries out every request it receives,
// also one it has had before, and keeps a log. Asked with GET it says whether a
// key has reached it, except for fax and wire, which have neither keys nor
// look-up.
type OtherSide struct {
	Delay time.Duration // how long an effect takes
	// Break, if set, says what is lost on the way of the n-th request with the
	// same key.
	Break func(e Effect, n int) Breakage

	mu    sync.Mutex
	log   []Effect
	tries map[string]int // by key
}

// A Breakage is what gets lost between us and the other side.
type Breakage uint8

// The breakages.
const (
	Whole       Breakage = iota
	RequestLost          // it never arrives
	AnswerLost           // it is carried out, and nobody is told
)

// An Effect is one request that was carried out.
type Effect struct {
	What, Key, Word string
	At              time.Time
}

// ServeHTTP carries out, or says whether it has.
func (o *OtherSide) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what, key := r.URL.Path[1:], r.URL.Query().Get("key")
	if r.Method == http.MethodGet {
		if o.Times(what, key) == 0 {
			http.NotFound(w, r)
		}
		return
	}
	word := make([]byte, 1000)
	n, _ := r.Body.Read(word)
	e := Effect{What: what, Key: key, Word: string(word[:n]), At: time.Now()}
	if o.take(e) != Whole {
		panic(http.ErrAbortHandler)
	}
	time.Sleep(o.Delay)
}

// take carries out a request, unless it got lost.
func (o *OtherSide) take(e Effect) Breakage {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tries == nil {
		o.tries = map[string]int{}
	}
	o.tries[e.Key]++
	broken := Whole
	if o.Break != nil {
		broken = o.Break(e, o.tries[e.Key])
	}
	if broken != RequestLost {
		o.log = append(o.log, e)
	}
	return broken
}

// Times is how often a key was carried out.
func (o *OtherSide) Times(what, key string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	for _, e := range o.log {
		if e.What == what && e.Key == key {
			n++
		}
	}
	return n
}

// Log is everything that was carried out, in order.
func (o *OtherSide) Log() []Effect {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Effect(nil), o.log...)
}
