package imap_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	goimap "github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/imap"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

// A taker is who receives in these tests: the store itself is tested where it is.
type taker struct {
	mu   sync.Mutex
	got  []inbound.Delivery
	fail func(d inbound.Delivery) error
}

func (k *taker) Receive(_ context.Context, d inbound.Delivery) (inbound.Receipt, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(d); err != nil {
			return inbound.Receipt{}, err
		}
	}
	k.got = append(k.got, d)
	return inbound.Receipt{ID: fmt.Sprint(len(k.got))}, nil
}

func (k *taker) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.got)
}

// A box is the stack's mailbox: a real Dovecot's.
type box struct {
	stack  *devstack.Stack
	config imap.Config
	taker  *taker
	log    *book
	client *imapclient.Client // a second connection, to put mails in and look
}

// A book keeps what was logged.
type book struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds a line.
func (l *book) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is all of it.
func (l *book) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func beat(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

func newBox(t *testing.T) *box {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	return boxOn(t, stack)
}

// ownBox is on a server of its own, which may be killed.
func ownBox(t *testing.T) *box {
	t.Helper()
	stack, err := devstack.Up(t.Context(), devstack.Options{Dir: t.TempDir(), Parts: []devstack.Part{devstack.IMAP}, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return boxOn(t, stack)
}

func boxOn(t *testing.T, stack *devstack.Stack) *box {
	t.Helper()
	set := stack.Settings()
	if set["GAVEL_IMAP_ADDRESS"] == "" {
		t.Fatal("the stack has no part imap")
	}
	b := &box{stack: stack, taker: &taker{}, log: &book{}}
	name := "In-" + rand.Text() // the stack may outlive the test
	b.config = imap.Config{Address: set["GAVEL_IMAP_ADDRESS"], User: set["GAVEL_IMAP_USER"], Password: set["GAVEL_IMAP_PASSWORD"],
		TLS:     imap.NoTLS,
		Mailbox: name, Shelf: name + "-done", Receiver: b.taker, Beat: beat, Log: slog.New(slog.NewTextHandler(b.log, nil))}
	var err error
	if b.client, err = imapclient.DialInsecure(b.config.Address, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.client.Close() })
	if err := b.client.Login(b.config.User, b.config.Password).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := b.client.Create(name, nil).Wait(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *box) reader(t *testing.T) *imap.Reader {
	t.Helper()
	r, err := imap.New(b.config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *box) put(t *testing.T, raw string) {
	t.Helper()
	cmd := b.client.Append(b.config.Mailbox, int64(len(raw)), nil)
	if _, err := cmd.Write([]byte(raw)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// in is how many mails a folder holds.
func (b *box) in(t *testing.T, folder string) int {
	t.Helper()
	status, err := b.client.Status(folder, &goimap.StatusOptions{NumMessages: true}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	return int(*status.NumMessages)
}

func mail(n int) string {
	return fmt.Sprintf("From: asha@riders.test\r\nMessage-ID: <%d@riders.test>\r\nSubject: Re: van\r\n\r\nWords %d, नमस्ते.\r\n", n, n)
}

func TestEveryMailIsHandedOverAsItCameAndPutAway(t *testing.T) {
	b := newBox(t)
	for n := range 5 {
		b.put(t, mail(n))
	}
	n, err := b.reader(t).Once(t.Context())
	if err != nil || n != 5 {
		t.Fatalf("got %d mails, %v; want 5", n, err)
	}
	for i, d := range b.taker.got {
		if string(d.Raw) != mail(i) || d.Via != "imap" || d.Cut {
			t.Errorf("mail %d came as %q over %s", i, d.Raw, d.Via)
		}
	}
	if b.in(t, b.config.Mailbox) != 0 || b.in(t, b.config.Shelf) != 5 {
		t.Errorf("the mailbox holds %d, the shelf %d; want 0 and 5", b.in(t, b.config.Mailbox), b.in(t, b.config.Shelf))
	}
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 0 {
		t.Errorf("a second pass got %d, %v; want none", n, err)
	}
}

func TestWhatCannotBeReceivedStaysAndHoldsUpNothing(t *testing.T) {
	b := newBox(t)
	for n := range 3 {
		b.put(t, mail(n))
	}
	b.taker.fail = func(d inbound.Delivery) error {
		if bytes.Contains(d.Raw, []byte("Words 1")) {
			return fault.New(fault.Unavailable, "the database does not answer asha@riders.test")
		}
		return nil
	}
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 2 {
		t.Fatalf("got %d, %v; want the other two", n, err)
	}
	if got := b.in(t, b.config.Mailbox); got != 1 {
		t.Errorf("the mailbox holds %d, want the one that failed", got)
	}
	b.taker.fail = nil
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 1 {
		t.Errorf("got %d, %v; want it received when it can be", n, err)
	}
	if log := b.log.String(); strings.Contains(log, "riders.test") || strings.Contains(log, "Words") ||
		!strings.Contains(log, "stays in the mailbox") {
		t.Errorf("the log should say that a mail stays, and nothing of it: %s", log)
	}
}

// TestMailsThatNeverCanBeReceivedDoNotKeepNewerOnesOut promises that more of them
// than a pass has do not, and that they are tried again all the same.
func TestMailsThatNeverCanBeReceivedDoNotKeepNewerOnesOut(t *testing.T) {
	b := newBox(t)
	for range 501 {
		b.put(t, "Subject: poison\r\n\r\npoison\r\n")
	}
	b.put(t, mail(1))
	tried := 0
	b.taker.fail = func(d inbound.Delivery) error {
		if bytes.Contains(d.Raw, []byte("poison")) {
			tried++
			return fault.New(fault.Internal, "it cannot be kept")
		}
		return nil
	}
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 1 || tried < 501 {
		t.Errorf("got %d, %v after %d failures; want the one that can be received", n, err, tried)
	}
}

// TestAMailThatCannotBePutAwayIsNotReadAgainAndAgain promises that a shelf which
// refuses is no reason to fetch the same mail without end.
func TestAMailThatCannotBePutAwayIsNotReadAgainAndAgain(t *testing.T) {
	b := newBox(t)
	b.config.Every = 20 * time.Millisecond
	b.put(t, mail(1))
	b.taker.fail = func(inbound.Delivery) error { return b.client.Delete(b.config.Shelf).Wait() }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.reader(t).Run(ctx) }()
	b.await(t, 1)
	b.taker.mu.Lock()
	b.taker.fail = nil
	b.taker.mu.Unlock()
	wait.Until(t, "the log says that the mail could not be put away",
		func() bool { return strings.Contains(b.log.String(), "could not be put away") })
	time.Sleep(time.Second) // some fifty looks; fewer on a busy machine, which finds fewer repeats, and none where there are none
	cancel()
	<-done
	if got := b.taker.count(); got != 1 {
		t.Errorf("the mail was received %d times, want once: %s", got, b.log)
	}
}

func TestAShelfThatCannotBeMadeIsSaidBeforeAnythingIsRead(t *testing.T) {
	b := newBox(t)
	b.put(t, mail(1))
	b.config.Shelf = "bad//name/"
	if n, err := b.reader(t).Once(t.Context()); !fault.Is(err, fault.Unavailable) || b.taker.count() != 0 {
		t.Errorf("got %d, %v; want nothing read", n, err)
	}
}

// TestAServerThatHangsIsGivenUp promises that silence in the middle of a session
// ends it. The reader's two minutes are a moment here.
func TestAServerThatHangsIsGivenUp(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("* OK [CAPABILITY IMAP4rev1 STARTTLS] here, and no word more\r\n"))
		}
	}()
	quick := func(time.Duration) (<-chan time.Time, func()) { return beat(100 * time.Millisecond) }
	for _, mode := range []string{imap.NoTLS, imap.StartTLS} {
		r, err := imap.New(imap.Config{Address: listener.Addr().String(), User: "u", Password: "p", TLS: mode, Beat: quick,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { got <- r.Ping(t.Context()) }()
		select {
		case err := <-got:
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s: got %v", mode, err)
			}
		case <-time.After(wait.Patience()):
			t.Errorf("%s: it still waits", mode)
		}
	}
}

// TestACrashBetweenReceivingAndPuttingAwayRepeatsUnderTheSameKey promises that
// who receives can tell the repeat.
func TestACrashBetweenReceivingAndPuttingAwayRepeatsUnderTheSameKey(t *testing.T) {
	b := newBox(t)
	b.put(t, mail(1))
	var hungUp <-chan struct{}
	b.config.Address, hungUp = between(t, b.config.Address)
	ctx, cancel := context.WithCancel(t.Context())
	b.taker.fail = func(inbound.Delivery) error { // received, and then the process ends
		cancel()
		<-hungUp // the connection is closed beside us
		return nil
	}
	if n, err := b.reader(t).Once(ctx); err == nil {
		t.Fatalf("got %d mails and no error from a cut connection", n)
	}
	b.taker.fail = nil
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 1 {
		t.Fatalf("got %d, %v; want the mail again", n, err)
	}
	if len(b.taker.got) != 2 || b.taker.got[0].Key != b.taker.got[1].Key || b.taker.got[0].Key == "" {
		t.Errorf("got %d deliveries; want two under one key", len(b.taker.got))
	}
}

// between stands between clients and a server, and says when one of them has hung up.
func between(t *testing.T, server string) (address string, hungUp <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	gone := make(chan struct{}, 9)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(client, to); _ = client.Close() }()
			go func() { _, _ = io.Copy(to, client); _ = to.Close(); gone <- struct{}{} }()
		}
	}()
	return listener.Addr().String(), gone
}

func TestMailThatComesIsReadAtOnceAndAfterTheServerWasAway(t *testing.T) {
	b := ownBox(t)
	b.config.Every = time.Hour // only the server's word wakes it
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); b.reader(t).Run(ctx) }()
	defer func() { cancel(); <-done }()
	time.Sleep(500 * time.Millisecond) // mostly it waits for the server's word by then; where it does not yet, it finds the mail
	b.put(t, mail(1))
	b.await(t, 1)
	if err := b.stack.Kill(devstack.IMAP); err != nil {
		t.Fatal(err)
	}
	if err := b.stack.Start(t.Context(), devstack.IMAP); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.client, err = imapclient.DialInsecure(b.config.Address, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.client.Login(b.config.User, b.config.Password).Wait(); err != nil {
		t.Fatal(err)
	}
	b.put(t, mail(2))
	b.await(t, 2)
}

func (b *box) await(t *testing.T, n int) {
	t.Helper()
	wait.Try(t, func() error {
		if got := b.taker.count(); got < n {
			return fmt.Errorf("%d mails were received, want %d", got, n)
		}
		return nil
	})
}

func TestAMailThatIsTooLargeComesAsItsBeginning(t *testing.T) {
	b := newBox(t)
	b.put(t, mail(1)+strings.Repeat("x", letter.MaxRaw))
	if n, err := b.reader(t).Once(t.Context()); err != nil || n != 1 {
		t.Fatalf("got %d, %v", n, err)
	}
	if d := b.taker.got[0]; !d.Cut || len(d.Raw) != letter.MaxRaw || !strings.HasPrefix(string(d.Raw), mail(1)) {
		t.Errorf("got %d bytes, cut %v; want the beginning", len(d.Raw), d.Cut)
	}
}

// certificate is what the server shows over TLS, for who chooses to trust it.
func (b *box) certificate(t *testing.T) *x509.CertPool {
	t.Helper()
	conn, err := tls.Dial("tcp", b.stack.Addresses(devstack.IMAP)["imaps"], &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	pool := x509.NewCertPool()
	pool.AddCert(conn.ConnectionState().PeerCertificates[0])
	return pool
}

func TestAPasswordIsGivenOnlyToAServerThatIsTrusted(t *testing.T) {
	b := newBox(t)
	b.put(t, mail(1))
	plain, secure := b.config.Address, b.stack.Addresses(devstack.IMAP)["imaps"]
	for _, tt := range []struct {
		mode, address string
		trust         *tls.Config
		ok            bool
	}{
		{imap.TLS, secure, &tls.Config{RootCAs: b.certificate(t)}, true},
		{imap.StartTLS, plain, &tls.Config{RootCAs: b.certificate(t), ServerName: "127.0.0.1"}, true},
		{imap.TLS, secure, nil, false},
		{imap.StartTLS, plain, nil, false},
	} {
		b.config.TLS, b.config.Address, b.config.Trust = tt.mode, tt.address, tt.trust
		if _, err := b.reader(t).Once(t.Context()); (err == nil) != tt.ok {
			t.Errorf("%s, trusted %v: got %v", tt.mode, tt.trust != nil, err)
		}
	}
	b.config.Address, b.config.TLS, b.config.Password = plain, imap.NoTLS, "wrong-password"
	if _, err := b.reader(t).Once(t.Context()); !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "wrong-password") {
		t.Errorf("a wrong password: got %v", err)
	}
}

func TestAMailboxThatIsNotHereNeedsTLS(t *testing.T) {
	good := imap.Config{Address: "127.0.0.1:143", User: "u", Password: "p", TLS: imap.NoTLS, Receiver: &taker{}, Beat: beat,
		Log: slog.New(slog.DiscardHandler)}
	if _, err := imap.New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*imap.Config){
		"elsewhere without TLS": func(c *imap.Config) { c.Address = "mail.example.org:143" },
		"no port":               func(c *imap.Config) { c.Address = "127.0.0.1" },
		"no user":               func(c *imap.Config) { c.User = "" },
		"another mode":          func(c *imap.Config) { c.TLS = "maybe" },
		"nowhere to log":        func(c *imap.Config) { c.Log = nil },
	} {
		c := good
		change(&c)
		if _, err := imap.New(c); err == nil {
			t.Errorf("%s: got no error", name)
		} else if _, ok := errors.AsType[*fault.Error](err); !ok {
			t.Errorf("%s: got %v, which says no kind", name, err)
		}
	}
}
