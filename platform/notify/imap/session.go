package imap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

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
		s.c.Log.ErrorContext(ctx, "a mail could not be received and stays in the mailbox", "uid", uint32(uid), "kind", fault.KindOf(err).
			Code())
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
