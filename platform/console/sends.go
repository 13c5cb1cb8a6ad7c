package console

import (
	"io"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of what strangers send to the public page. Sending takes a place of its
// own and is not counted as checking: who sends slowly keeps nobody's file from
// being looked at.
const (
	maxSends     = 16               // files on their way at once
	maxSendsFrom = 2                // of those, from one network
	slowest      = 32 << 10         // bytes a second, on average
	slowGrace    = 10 * time.Second // before that is asked for
	arriving     = 32 << 20         // bytes a second taken in, of all files together
)

// sends are the files on their way.
type sends struct {
	mu   sync.Mutex
	all  int
	from map[string]int
}

// begin takes a place for a file from a network, and returns how to give it back.
func (s *sends) begin(network string) (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxSends || s.from[network] >= maxSendsFrom {
		return nil, fault.New(fault.TooMany, "%s", busy).WithNext("%s", busyNext).Because("verify_busy")
	}
	if s.from == nil {
		s.from = map[string]int{}
	}
	s.all++
	s.from[network]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.from[network]--; s.from[network] == 0 {
			delete(s.from, network)
		}
	}, nil
}

// A paced body breaks off when it comes too slowly.
type paced struct {
	io.ReadCloser
	began time.Time
	now   func() time.Time
	n     int64
	rest  func(n int) error // waits, so that taking files in leaves time for others; nil does not
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	p.n += int64(n)
	if took := p.now().Sub(p.began) - slowGrace; took > 0 && float64(p.n) < took.Seconds()*slowest {
		return n, fault.New(fault.Invalid, "the file comes too slowly").WithNext("check it with gavel verify on your own machine").
			Because("file_slow")
	}
	if err == nil && p.rest != nil {
		err = p.rest(n)
	}
	return n, err
}
