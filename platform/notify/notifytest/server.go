// Package notifytest is an SMTP server for tests that fails where it is told to:
// before a mail was handed over, in the middle, and between the end of the data
// and the answer, where nobody who sends can know what became of it.
package notifytest

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
)

// A Fault is where one conversation goes wrong.
type Fault string

// The faults. The zero value is none.
const (
	None         Fault = ""
	Busy         Fault = "greets with 421"
	Banned       Fault = "greets with 554"
	CutRecipient Fault = "is gone at RCPT"
	LaterRcpt    Fault = "says 451 to RCPT"
	NoSuchUser   Fault = "says 550 to RCPT"
	CutData      Fault = "is gone in the middle of the data"
	LaterData    Fault = "says 452 after the data"
	NeverData    Fault = "says 554 after the data"
	Took251      Fault = "takes the mail and says 251"
	TookAndCut   Fault = "takes the mail and is gone without an answer"
	CutAndLost   Fault = "is gone without an answer, and has taken nothing"
	Hangs        Fault = "takes the mail and never answers"
)

// Faults lists them all.
func Faults() []Fault {
	return []Fault{None, Busy, Banned, CutRecipient, LaterRcpt, NoSuchUser, CutData, LaterData, NeverData, Took251, TookAndCut, CutAndLost,
		Hangs}
}

// A Server keeps what it took.
type Server struct {
	Address string

	asking sync.Mutex // one conversation at a time asks how it is to go

	mu    sync.Mutex
	next  func() Fault // asked once for each conversation; nil means none goes wrong
	door  door
	mails []Taken
	open  map[net.Conn]bool
	down  chan struct{}
}

// A door is how the server lets people in.
type door struct {
	startTLS *tls.Config // offered where it is set
	secret   string      // what AUTH PLAIN has to say, in base64; empty asks nobody
}

// Fail says where the conversations from now on go wrong. It is asked once for each, one
// at a time, whatever the conversations do; nil means that none does.
func (s *Server) Fail(next func() Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = next
}

// Guard has the server offer STARTTLS, where a config is given, and ask for a
// secret, as AUTH PLAIN says it in base64.
func (s *Server) Guard(startTLS *tls.Config, secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.door = door{startTLS, secret}
}

// begin is how a conversation is to go.
func (s *Server) begin() (Fault, door) {
	s.mu.Lock()
	next, door := s.next, s.door
	s.mu.Unlock()
	if next == nil {
		return None, door
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	return next(), door
}

// A Taken is a mail the server answers for, or would have.
type Taken struct {
	From, To string
	Raw      string
}

// ID is the mail's Message-ID without brackets.
func (t Taken) ID() string {
	m, err := mail.ReadMessage(strings.NewReader(t.Raw))
	if err != nil {
		return ""
	}
	return strings.Trim(m.Header.Get("Message-ID"), "<>")
}

// NewServer listens on loopback until the test ends.
func NewServer(t testing.TB) *Server {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: l.Addr().String(), open: map[net.Conn]bool{}, down: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.hold(conn, true)
			wg.Go(func() { s.talk(conn); s.hold(conn, false) })
		}
	})
	t.Cleanup(func() {
		close(s.down)
		_ = l.Close()
		s.mu.Lock()
		for conn := range s.open {
			_ = conn.Close()
		}
		s.mu.Unlock()
		wg.Wait()
	})
	return s
}

func (s *Server) hold(conn net.Conn, here bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if here {
		s.open[conn] = true
		return
	}
	delete(s.open, conn)
	_ = conn.Close()
}

// Mails is what the server took, in that order.
func (s *Server) Mails() []Taken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Taken(nil), s.mails...)
}

// Count is how often the server took a mail.
func (s *Server) Count(messageID string) (n int) {
	for _, m := range s.Mails() {
		if m.ID() == messageID {
			n++
		}
	}
	return n
}

// Has answers as a server does that can be asked.
func (s *Server) Has(_ context.Context, messageID string) (bool, error) {
	return s.Count(messageID) > 0, nil
}

// talk is one conversation.
func (s *Server) talk(conn net.Conn) {
	fault, door := s.begin()
	text := textproto.NewConn(conn)
	say := func(format string, args ...any) { _ = text.PrintfLine(format, args...) }
	switch fault {
	case Busy:
		say("421 4.3.2 come back later")
		return
	case Banned:
		say("554 5.7.1 your network is not welcome")
		return
	}
	say("220 test.example ESMTP")
	var m Taken
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		verb := strings.ToUpper(strings.SplitN(line, " ", 2)[0])
		switch {
		case verb == "EHLO" || verb == "HELO":
			door.greet(conn, say)
		case verb == "STARTTLS" && door.startTLS != nil:
			say("220 2.0.0 go on")
			conn = tls.Server(conn, door.startTLS)
			text = textproto.NewConn(conn)
		case verb == "AUTH" && !strings.HasSuffix(line, " "+door.secret):
			say("535 5.7.8 who are you")
		case verb == "AUTH":
			say("235 2.7.0 ok")
		case verb == "MAIL":
			m.From = between(line)
			say("250 2.1.0 ok")
		case verb == "RCPT" && fault == CutRecipient:
			return
		case verb == "RCPT" && fault == LaterRcpt:
			say("451 4.7.1 greylisted, try again")
		case verb == "RCPT" && fault == NoSuchUser:
			say("550 5.1.1 <%s>: no such user here", between(line))
		case verb == "RCPT":
			m.To = between(line)
			say("250 2.1.5 ok")
		case verb == "DATA":
			say("354 go on")
			if !s.data(text, &m, fault, say) {
				return
			}
		case verb == "QUIT":
			say("221 2.0.0 bye")
			return
		default:
			say("250 2.0.0 ok")
		}
	}
}

// greet says what the server offers on a connection as it is.
func (d door) greet(conn net.Conn, say func(string, ...any)) {
	if _, secured := conn.(*tls.Conn); d.startTLS != nil && !secured {
		say("250-test.example")
		say("250 STARTTLS")
		return
	}
	if d.secret != "" {
		say("250-test.example")
		say("250 AUTH PLAIN")
		return
	}
	say("250 test.example")
}

// data takes what a mail says; it reports whether the conversation goes on.
func (s *Server) data(text *textproto.Conn, m *Taken, fault Fault, say func(string, ...any)) bool {
	if fault == CutData {
		_, _ = io.CopyN(io.Discard, text.R, 40)
		return false
	}
	raw, err := io.ReadAll(bufio.NewReader(text.DotReader()))
	if err != nil {
		return false
	}
	m.Raw = string(raw)
	switch fault {
	case LaterData:
		say("452 4.2.2 mailbox full")
		return true
	case NeverData:
		say("554 5.7.1 refused: looks like spam to %s", m.To)
		return true
	case CutAndLost:
		return false
	}
	s.mu.Lock()
	s.mails = append(s.mails, *m)
	s.mu.Unlock()
	switch fault {
	case TookAndCut:
		return false
	case Hangs:
		<-s.down
		return false
	case Took251:
		say("251 taken, and passed on")
		return true
	}
	say("250 2.0.0 taken as %s", fmt.Sprint(len(raw)))
	return true
}

// between is what stands between angle brackets.
func between(line string) string {
	_, rest, _ := strings.Cut(line, "<")
	in, _, _ := strings.Cut(rest, ">")
	return in
}
