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
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
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
	case c.TLS == NoTLS && !loopback(host):
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

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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

// A session is one connection, logged in, with the mailbox chosen.
type session struct {
	*Reader
	client   *imapclient.Client
	validity uint32        // of the numbers that the mailbox gives to mails
	news     chan struct{} // the server says that something came
	stop     func() bool
	failed   map[goimap.UID]int  // how often a mail could not be received
	stuck    map[goimap.UID]bool // received, and could not be put away: looked at no more
}

// connect logs in and chooses the mailbox. Its errors name no password.
func (r *Reader) connect(ctx context.Context) (*session, error) {
	s := &session{Reader: r, news: make(chan struct{}, 1), failed: map[goimap.UID]int{}, stuck: map[goimap.UID]bool{}}
	options := &imapclient.Options{TLSConfig: r.c.Trust, UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Mailbox: func(*imapclient.UnilateralDataMailbox) {
			select {
			case s.news <- struct{}{}:
			default:
			}
		}}}
	client, err := r.dial(ctx, options)
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "connect to the mailbox")
	}
	s.client = client
	s.stop = context.AfterFunc(ctx, func() { _ = client.Close() }) // every answer that is waited for ends with it
	if err := s.begin(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *session) begin() error {
	defer s.watch()()
	if err := s.client.Login(s.c.User, s.c.Password).Wait(); err != nil {
		return fault.New(fault.Unavailable, "the mailbox does not let us in")
	}
	if err := s.client.Create(s.c.Shelf, nil).Wait(); err != nil { // one that is there already is refused, and that is fine
		if _, gone := s.client.Status(s.c.Shelf, &goimap.StatusOptions{UIDValidity: true}).Wait(); gone != nil {
			return fault.From(fault.Unavailable, err, "make the folder for mail that was received")
		}
	}
	chosen, err := s.client.Select(s.c.Mailbox, nil).Wait()
	if err != nil {
		return fault.From(fault.Unavailable, err, "choose the mailbox")
	}
	s.validity = chosen.UIDValidity
	return nil
}

// answered reports whether an error is the server's own no.
func answered(err error) bool {
	_, ok := errors.AsType[*goimap.Error](err)
	return ok
}

func (s *session) close() {
	s.stop()
	_ = s.client.Close() // it is over either way
}

// pass receives what is in the mailbox, oldest first; what failed before comes
// last, so that it keeps nothing else waiting. A mail that cannot be received is
// left for a later pass. more says that there are mails which were not tried yet.
func (s *session) pass(ctx context.Context) (n int, more bool, err error) {
	if s.c.Receiver == nil {
		return 0, false, fault.New(fault.Internal, "nobody receives what is in the mailbox")
	}
	uids, err := s.search()
	if err != nil {
		return 0, false, err
	}
	fresh := 0 // not tried before
	for _, uid := range uids {
		if s.failed[uid] == 0 {
			fresh++
		}
	}
	for _, uid := range uids[:min(len(uids), maxPass)] {
		received, err := s.take(ctx, uid)
		if err != nil {
			return n, false, err
		}
		if received {
			n++
		}
	}
	return n, fresh > maxPass, nil
}

// search lists the mails that are to be tried, in that order.
func (s *session) search() ([]goimap.UID, error) {
	defer s.watch()()
	found, err := s.client.UIDSearch(&goimap.SearchCriteria{NotFlag: []goimap.Flag{goimap.FlagDeleted}}, nil).Wait()
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "look into the mailbox")
	}
	uids := slices.DeleteFunc(found.AllUIDs(), func(uid goimap.UID) bool { return s.stuck[uid] })
	slices.SortFunc(uids, func(a, b goimap.UID) int { return cmp.Or(cmp.Compare(s.failed[a], s.failed[b]), cmp.Compare(a, b)) })
	return uids, nil
}

// take receives one mail and puts it away. An error is the connection's; one of
// the receiver is logged, by number alone.
func (s *session) take(ctx context.Context, uid goimap.UID) (bool, error) {
	raw, there, err := s.fetch(uid)
	if err != nil {
		return false, err
	}
	if !there { // gone by now, or the server does not give it: not to be tried first again
		s.failed[uid]++
		return false, nil
	}
	d := inbound.Delivery{Via: "imap", Key: fmt.Sprintf("%s/%s/%s/%d/%d", s.c.Address, s.c.User, s.c.Mailbox, s.validity, uid), Raw: raw}
	if len(raw) > letter.MaxRaw {
		d.Raw, d.Cut = raw[:letter.MaxRaw], true
	}
	if _, err := s.c.Receiver.Receive(ctx, d); err != nil {
		s.failed[uid]++
		s.c.Log.ErrorContext(ctx, "a mail could not be received and stays in the mailbox", "uid", uint32(uid), "kind", fault.KindOf(err).Code())
		return false, ctx.Err()
	}
	err = s.putAway(uid)
	if answered(err) { // another reader was faster, or the account is full: it was received, and a repeat is known
		s.stuck[uid] = true
		s.c.Log.WarnContext(ctx, "a mail that was received could not be put away", "uid", uint32(uid))
		return true, nil
	}
	return true, err
}

// fetch reads a mail, up to a byte more than is read of one, without marking it.
func (s *session) fetch(uid goimap.UID) (raw []byte, there bool, err error) {
	alive, done := s.watchReading()
	defer done()
	section := &goimap.FetchItemBodySection{Peek: true, Partial: &goimap.SectionPartial{Offset: 0, Size: letter.MaxRaw + 1}}
	cmd := s.client.Fetch(goimap.UIDSetNum(uid), &goimap.FetchOptions{UID: true, BodySection: []*goimap.FetchItemBodySection{section}})
	for msg := cmd.Next(); msg != nil; msg = cmd.Next() {
		for item := msg.Next(); item != nil; item = msg.Next() {
			body, ok := item.(imapclient.FetchItemDataBodySection)
			if !ok || body.Literal == nil {
				continue
			}
			if raw, err = io.ReadAll(io.LimitReader(alive(body.Literal), letter.MaxRaw+1)); err != nil {
				_ = cmd.Close() // the connection is lost with it
				return nil, false, fault.From(fault.Unavailable, err, "read a mail")
			}
			there = true
		}
	}
	if err := cmd.Close(); err != nil {
		return nil, false, fault.From(fault.Unavailable, err, "read a mail")
	}
	return raw, there, nil
}

// putAway moves a mail that was received out of the way. A server that cannot
// move is asked to copy, and only then to delete.
func (s *session) putAway(uid goimap.UID) error {
	defer s.watch()()
	set := goimap.UIDSetNum(uid)
	if s.client.Caps().Has(goimap.CapMove) {
		if _, err := s.client.Move(set, s.c.Shelf).Wait(); err != nil {
			return fault.From(fault.Unavailable, err, "put a mail away")
		}
		return nil
	}
	if _, err := s.client.Copy(set, s.c.Shelf).Wait(); err != nil {
		return fault.From(fault.Unavailable, err, "put a mail away")
	}
	flags := &goimap.StoreFlags{Op: goimap.StoreFlagsAdd, Silent: true, Flags: []goimap.Flag{goimap.FlagDeleted}}
	if err := s.client.Store(set, flags, nil).Close(); err != nil {
		return fault.From(fault.Unavailable, err, "put a mail away")
	}
	if !s.client.Caps().Has(goimap.CapUIDPlus) {
		return nil // marked is enough: passes leave it out
	}
	if err := s.client.UIDExpunge(set).Close(); err != nil {
		return fault.From(fault.Unavailable, err, "put a mail away")
	}
	return nil
}

// idles reports whether the server can say by itself that something came. It may
// have to be asked what it can.
func (s *session) idles() bool {
	defer s.watch()()
	return s.client.Caps().Has(goimap.CapIdle)
}

// wait returns when the server says that something came, or when it is time to
// look again.
func (s *session) wait(ctx context.Context) error {
	beats, quiet := s.c.Beat(s.c.Every)
	defer quiet()
	if s.idles() {
		done := s.watch()
		idle, err := s.client.Idle()
		done()
		if err != nil {
			return fault.From(fault.Unavailable, err, "wait for mail")
		}
		select {
		case <-ctx.Done():
		case <-s.client.Closed():
		case <-s.news:
		case <-beats:
		}
		defer s.watch()()
		if err := errors.Join(idle.Close(), idle.Wait()); err != nil {
			return fault.From(fault.Unavailable, err, "wait for mail")
		}
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.client.Closed():
		return fault.New(fault.Unavailable, "the mailbox closed the connection")
	case <-beats:
	}
	defer s.watch()()
	if err := s.client.Noop().Wait(); err != nil {
		return fault.From(fault.Unavailable, err, "wait for mail")
	}
	return nil
}
