package console_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
)

// from sends a body to the public page from an address of this machine.
func (s *stage) from(t *testing.T, address string, body io.Reader) (int, error) {
	t.Helper()
	dial := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	out := &http.Transport{DialContext: dial.DialContext, DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+"/verify", body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	res, err := out.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

const upload = "--x\r\nContent-Disposition: form-data; name=\"bundle\"; filename=\"a\"\r\n\r\nwords\r\n--x--\r\n"

// TestWhoSendsSlowlyKeepsNobodyFromChecking: many files that never end, from one
// place, take up the few sends that place has, and no other's.
func TestWhoSendsSlowlyKeepsNobodyFromChecking(t *testing.T) {
	s := newStage(t)
	answers := make(chan int, 12)
	var open []*io.PipeWriter
	for range cap(answers) {
		r, w := io.Pipe()
		open = append(open, w)
		go func() {
			code, err := s.from(t, "127.0.0.2", r)
			if err != nil {
				code = 0
			}
			answers <- code
		}()
		go func() { _, _ = io.WriteString(w, upload[:len(upload)-20]) }()
	}
	t.Cleanup(func() {
		for _, w := range open {
			_ = w.CloseWithError(io.ErrUnexpectedEOF)
		}
	})
	for range cap(answers) - 2 { // all but the two that its place has
		select {
		case code := <-answers:
			if code != 0 && code != http.StatusTooManyRequests { // an answer may be lost to who is still sending
				t.Errorf("one too many got %d", code)
			}
		case <-time.After(wait.Patience()):
			t.Fatal("files from one place are taken in without a bound")
		}
	}
	code, err := s.from(t, "127.0.0.3", strings.NewReader(upload))
	if err != nil || code != http.StatusOK {
		t.Errorf("a file from elsewhere got %d, %v", code, err)
	}
}
