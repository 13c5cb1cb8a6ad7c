// Package imap reads a mailbox and hands over what is in it, each mail once.
//
// A mail is taken out of the mailbox only after it was received: whatever breaks
// in between, it is found there again, and who receives tells the repeat. What
// was received is moved to another folder of the same account and never deleted.
// A mail that cannot be received stays, keeps no other from being read, and is
// tried again.
//
// Read Reader.Run, then Reader.Once, which is one pass over the mailbox.
package imap

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// A receiver takes in mail.
type receiver interface {
	Receive(ctx context.Context, d inbound.Delivery) (inbound.Receipt, error)
}

// How the connection is protected.
const (
	TLS      = "tls"      // from the first byte
	StartTLS = "starttls" // before the password
	NoTLS    = "none"     // not at all: on loopback only
)

// A Config says which mailbox is read, and who receives.
type Config struct {
	Address  string // host:port
	User     string
	Password string
	TLS      string        // one of the above
	Trust    *tls.Config   // nil for the machine's own; for tests and private authorities
	Mailbox  string        // empty for INBOX
	Shelf    string        // the folder that received mail is moved to; empty for "Gavel"
	Every    time.Duration // how often a server that says nothing is asked; zero means every minute
	// Beat makes a channel that speaks every so often, and what quiets it: waiting
	// for another machine is about the wall's clock, not about the cases'.
	Beat     func(every time.Duration) (<-chan time.Time, func())
	Receiver receiver // may be nil for Ping alone
	Log      *slog.Logger
}

// Bounds. A server that can tell us of new mail is still asked now and then.
const (
	defaultEvery = time.Minute
	maxPass      = 500             // mails of one pass; the rest comes with the next
	patience     = 2 * time.Minute // for one command: a server that is silent longer hangs
	leastPause   = time.Second
	mostPause    = 5 * time.Minute
)

// A Reader reads one mailbox. One at a time is enough; two do no harm.
type Reader struct{ c Config }

// New makes a reader. It connects to nothing yet.
func New(c Config) (*Reader, error) {
	host, _, err := net.SplitHostPort(c.Address)
	switch {
	case err != nil || host == "":
		return nil, fault.New(fault.Invalid, "a mailbox's address is host:port")
	case c.User == "" || c.Password == "":
		return nil, fault.New(fault.Invalid, "a mailbox needs a user and a password")
	case !slices.Contains([]string{TLS, StartTLS, NoTLS}, c.TLS):
		return nil, fault.New(fault.Invalid, "a mailbox is read over tls, starttls or none, not %.20q", c.TLS)
	case c.TLS == NoTLS && !address.ThisMachine(host):
		return nil, fault.New(fault.Invalid, "a mailbox that is not on this machine is read over tls or starttls")
	case c.Log == nil || c.Beat == nil:
		return nil, fault.New(fault.Internal, "reading a mailbox needs a log and a beat")
	}
	if c.Mailbox == "" {
		c.Mailbox = "INBOX"
	}
	if c.Shelf == "" {
		c.Shelf = "Gavel"
	}
	if c.Every <= 0 {
		c.Every = defaultEvery
	}
	return &Reader{c}, nil
}

// Run reads the mailbox until the context ends. It connects again whenever the
// connection breaks, more and more slowly until the mailbox could be read.
func (r *Reader) Run(ctx context.Context) {
	pause := leastPause
	for ctx.Err() == nil {
		read, err := r.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if read {
			pause = leastPause
		}
		r.c.Log.WarnContext(ctx, "the mailbox cannot be read", "error", err.Error(), "again_in", pause.String())
		r.rest(ctx, pause)
		pause = min(2*pause, mostPause)
	}
}

// rest waits, or until the context ends.
func (r *Reader) rest(ctx context.Context, pause time.Duration) {
	beats, quiet := r.c.Beat(pause)
	defer quiet()
	select {
	case <-ctx.Done():
	case <-beats:
	}
}

// Ping reports whether the mailbox lets us in. It reads no mail.
func (r *Reader) Ping(ctx context.Context) error {
	s, err := r.connect(ctx)
	if err != nil {
		return err
	}
	s.close()
	return nil
}

// Once receives what is in the mailbox now and returns how many mails that were.
// Each is tried once.
func (r *Reader) Once(ctx context.Context) (int, error) {
	s, err := r.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer s.close()
	all := 0
	for {
		n, more, err := s.pass(ctx)
		all += n
		if err != nil || !more {
			return all, err
		}
	}
}

// session reads over one connection until it breaks, and says whether the
// mailbox could be read at all.
func (r *Reader) session(ctx context.Context) (read bool, err error) {
	s, err := r.connect(ctx)
	if err != nil {
		return false, err
	}
	defer s.close()
	for {
		_, more, err := s.pass(ctx)
		if err != nil {
			return read, err
		}
		read = true
		if more {
			continue
		}
		if err := s.wait(ctx); err != nil {
			return read, err
		}
	}
}
