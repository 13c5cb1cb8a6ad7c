package programtest

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/devstack/wait"
)

// A stream is what a running command has said so far.
type stream struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write takes what it says.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// last is its end, for who looks for a fault.
func (s *stream) last() string {
	const most = 4000
	text := s.String()
	return text[max(0, len(text)-most):]
}

// said waits for a line of the log, and is the address that it names.
func (s *stream) said(t *testing.T, message string) (address string) {
	t.Helper()
	wait.Until(t, "the log says "+message, func() bool {
		for line := range strings.Lines(s.String()) {
			var fields struct{ Msg, Address string }
			if json.Unmarshal([]byte(line), &fields) == nil && fields.Msg == message {
				address = fields.Address
				return true
			}
		}
		return false
	})
	return address
}
