// Package smtp hands mails to an SMTP server.
//
// It speaks the protocol itself, over the standard library's client, because one
// thing matters that others hide: how far the conversation had come when it
// broke. Before the dot that ends the data, nothing was taken. After the server's
// answer it is known what was. In between nobody can say, and Send says that.
//
// The text of the mail is made by go-mail (mime.go).
package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
)

// A Security is how the connection is kept from others.
type Security string

// The securities.
const (
	Plain    Security = "none"     // in clear: for a server on the same machine
	StartTLS Security = "starttls" // begun in clear, and refused where the server offers no TLS
	TLS      Security = "tls"      // from the first byte
)

// A Config says where mails go.
type Config struct {
	Address  string // host:port
	Security Security
	User     string // empty: no sign-in
	Password string
	Hello    string         // how we call ourselves; the domain of our mails
	Roots    *x509.CertPool // who may vouch for the server; nil: the machine's own authorities
}

// A Sink is an SMTP server. It is safe for use by many goroutines; each mail has a
// connection of its own.
type Sink struct {
	c    Config
	host string
}

// New makes a sink. A password is only ever sent over TLS, or to this machine.
func New(c Config) (*Sink, error) {
	host, _, err := net.SplitHostPort(c.Address)
	switch {
	case err != nil || host == "":
		return nil, fault.New(fault.Invalid, "the mail server's address is host:port, not %.80q", c.Address)
	case c.Security != Plain && c.Security != StartTLS && c.Security != TLS:
		return nil, fault.New(fault.Invalid, "mail is sent over starttls, tls or none, not %.20q", c.Security)
	case c.Security == Plain && !address.ThisMachine(host):
		return nil, fault.New(fault.Invalid, "mail is sent in clear to this machine only, not to %.80q", host)
	case c.Hello == "":
		return nil, fault.New(fault.Invalid, "a mail server wants to know who we are")
	}
	return &Sink{c: c, host: host}, nil
}

// Send hands a mail over. What it returns says whether the server has it.
func (s *Sink) Send(ctx context.Context, m notify.Message) error {
	text, err := Text(m)
	if err != nil {
		return &notify.Failure{Fate: notify.Never, Words: "The mail could not be put into its form.", Err: err}
	}
	from, err := mail.ParseAddress(m.From)
	if err != nil {
		return &notify.Failure{Fate: notify.Never, Words: "The address that mail comes from is none.", Err: errors.New("malformed sender")}
	}
	client, stop, err := s.connect(ctx)
	if err != nil {
		return outside(err)
	}
	defer stop()
	return hand(client, from.Address, m.To.Mailbox, text)
}

// Greets reports whether the server lets us in as the settings say. It sends no
// mail.
func (s *Sink) Greets(ctx context.Context) error {
	client, stop, err := s.connect(ctx)
	if err != nil {
		return before(err)
	}
	defer stop()
	_ = client.Quit() // courtesy only
	return nil
}

// hand is the conversation about one mail.
func hand(client *smtp.Client, from, to string, text []byte) error {
	if err := client.Mail(from); err != nil {
		return before(err)
	}
	if err := client.Rcpt(to); err != nil {
		return before(err)
	}
	data, err := client.Data()
	if err != nil {
		return before(err)
	}
	if _, err := data.Write(text); err != nil {
		return before(err) // without the dot at its end a server takes nothing
	}
	if err := data.Close(); err != nil {
		return after(err)
	}
	_ = client.Quit() // it has the mail, whatever it says now
	return nil
}

// connect opens a connection that closes with the context.
func (s *Sink) connect(ctx context.Context) (client *smtp.Client, stop func(), err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.c.Address)
	if err != nil {
		return nil, nil, err
	}
	undo := context.AfterFunc(ctx, func() { _ = conn.Close() })
	stop = func() { undo(); _ = conn.Close() }
	if deadline, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(deadline)
	}
	if err == nil {
		client, err = s.greet(ctx, conn)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return client, stop, nil
}

// greet brings a connection to where a mail can be handed over.
func (s *Sink) greet(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	if s.c.Security == TLS {
		secured := tls.Client(conn, s.secure())
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = secured
	}
	client, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, err
	}
	if err := client.Hello(s.c.Hello); err != nil {
		return nil, err
	}
	if s.c.Security == StartTLS {
		if ok, _ := client.Extension("STARTTLS"); !ok {
			return nil, errors.New("the mail server offers no TLS")
		}
		if err := client.StartTLS(s.secure()); err != nil {
			return nil, err
		}
	}
	if s.c.User == "" {
		return client, nil
	}
	return client, client.Auth(smtp.PlainAuth("", s.c.User, s.c.Password, s.host))
}

func (s *Sink) secure() *tls.Config {
	return &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, RootCAs: s.c.Roots}
}

// outside says what became of a mail when the server did not let us in: whatever it
// said was about us or our settings, and others can mend that.
func outside(err error) error {
	f, ok := errors.AsType[*notify.Failure](before(err))
	if ok {
		f.Fate = notify.Later
	}
	return f
}

// before says what became of a mail whose conversation ended before its data did.
// A refusal that the server calls lasting is lasting, unless it is of us and not
// of this mail: then others, or our own settings, can mend it.
func before(err error) error {
	said, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return &notify.Failure{Fate: notify.Later,
			Words: "The mail server could not be reached, or the connection broke before it had the mail.", Err: bare(err)}
	}
	f := answer(said)
	if said.Code == 530 || said.Code == 534 || said.Code == 535 || said.Code == 538 { // it does not let us in
		f.Fate = notify.Later
	}
	return f
}

// after says what became of a mail whose data had ended. Anything that begins with
// a two is a yes, whichever of them it is; what is neither that nor a no says
// nothing.
func after(err error) error {
	if said, ok := errors.AsType[*textproto.Error](err); ok {
		switch {
		case said.Code/100 == 2:
			return nil
		case said.Code >= 400:
			return answer(said)
		}
	}
	return &notify.Failure{Fate: notify.Unsure, Words: "The connection broke before the mail server had answered.", Err: bare(err)}
}

// answer reads a server's refusal.
func answer(said *textproto.Error) *notify.Failure {
	f := &notify.Failure{Fate: notify.Later, Words: "The mail server said: " + strconv.Itoa(said.Code) + " " + said.Msg,
		Err: fmt.Errorf("the mail server answered %d", said.Code)}
	if said.Code >= 500 {
		f.Fate = notify.Never
	}
	return f
}

// bare is an error of the network without anything a server said in it.
func bare(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return errors.New("the mail server does not speak SMTP")
	}
	return err
}
