package imap

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/emersion/go-imap/v2/imapclient"
)

// dial connects in the way that the settings say. A server that stops answering
// half way is given up.
func (r *Reader) dial(ctx context.Context, options *imapclient.Options) (*imapclient.Client, error) {
	switch r.c.TLS {
	case TLS:
		return imapclient.DialTLS(r.c.Address, options) // bounded by the library, with its handshake
	case NoTLS:
		return imapclient.DialInsecure(r.c.Address, options)
	}
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", r.c.Address)
	if err != nil {
		return nil, err
	}
	defer r.guard(func() bool { return false }, func() { _ = conn.Close() })()
	trust := &tls.Config{}
	if r.c.Trust != nil {
		trust = r.c.Trust.Clone()
	}
	if trust.ServerName == "" {
		trust.ServerName, _, _ = net.SplitHostPort(r.c.Address) // New has read it
	}
	options.TLSConfig = trust
	return imapclient.NewStartTLS(conn, options)
}

// guard ends something once patience is over and it was not alive in that time,
// until what is returned is called.
func (r *Reader) guard(alive func() bool, end func()) (done func()) {
	beats, quiet := r.c.Beat(patience)
	over := make(chan struct{})
	go func() {
		defer quiet()
		for {
			select {
			case <-over:
				return
			case <-beats:
				if !alive() {
					end()
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(over) })
}

// watch closes the connection if the command that follows is not answered in time;
// whoever waits for the answer then has an error. It ends with what is returned.
func (s *session) watch() (done func()) {
	return s.guard(func() bool { return false }, func() { _ = s.client.Close() })
}

// watchReading is watch for a command whose answer is long: what it reads through
// alive may take its time, as long as some of it comes.
func (s *session) watchReading() (alive func(io.Reader) io.Reader, done func()) {
	var moved atomic.Bool
	done = s.guard(func() bool { return moved.Swap(false) }, func() { _ = s.client.Close() })
	return func(r io.Reader) io.Reader { return progress{r, &moved} }, done
}

// progress notes that something was read.
type progress struct {
	from  io.Reader
	moved *atomic.Bool
}

func (p progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.moved.Store(true)
	}
	return n, err
}
