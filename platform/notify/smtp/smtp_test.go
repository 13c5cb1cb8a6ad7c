package smtp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/smtp"
)

func sink(t *testing.T, address string) *smtp.Sink {
	t.Helper()
	s, err := smtp.New(smtp.Config{Address: address, Security: smtp.Plain, Hello: "mail.example"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASinkKnowsWhetherTheServerHasTheMail(t *testing.T) {
	const taken = notify.Fate(99)
	for _, tt := range []struct {
		fault notifytest.Fault
		want  notify.Fate
		has   int
		words string
	}{
		{notifytest.None, taken, 1, ""},
		{notifytest.Busy, notify.Later, 0, "421"},
		{notifytest.Banned, notify.Later, 0, "554"}, // of us, and not of this mail
		{notifytest.CutRecipient, notify.Later, 0, "broke"},
		{notifytest.LaterRcpt, notify.Later, 0, "451 4.7.1 greylisted"},
		{notifytest.NoSuchUser, notify.Never, 0, "550 5.1.1 <asha@rider.example>: no such user"},
		{notifytest.CutData, notify.Unsure, 0, "broke"}, // the client only notices when it waits for the answer
		{notifytest.LaterData, notify.Later, 0, "452"},
		{notifytest.NeverData, notify.Never, 0, "554 5.7.1 refused"},
		{notifytest.Took251, taken, 1, ""},
		{notifytest.TookAndCut, notify.Unsure, 1, "broke"},
		{notifytest.CutAndLost, notify.Unsure, 0, "broke"},
		{notifytest.Hangs, notify.Unsure, 1, "broke"},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			server := notifytest.NewServer(t)
			server.Fail(func() notifytest.Fault { return tt.fault })
			ctx, stop := context.WithTimeout(t.Context(), wait.Patience())
			defer stop()
			if tt.fault == notifytest.Hangs {
				go func() { // patience ends when the mail is there, and not before
					for server.Count(letter.MessageID) == 0 && ctx.Err() == nil {
						time.Sleep(5 * time.Millisecond)
					}
					stop()
				}()
			}
			err := sink(t, server.Address).Send(ctx, letter)
			if n := server.Count(letter.MessageID); n != tt.has {
				t.Errorf("the server has it %d times, want %d", n, tt.has)
			}
			if tt.want == taken {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			f, ok := errors.AsType[*notify.Failure](err)
			if !ok || f.Fate != tt.want && !(tt.fault == notifytest.CutData && f.Fate == notify.Later) ||
				!strings.Contains(f.Words, tt.words) {
				t.Fatalf("got %#v, want fate %d and words with %q", err, tt.want, tt.words)
			}
			if strings.Contains(err.Error(), "asha") {
				t.Errorf("what goes into logs names somebody: %v", err)
			}
		})
	}
}

func TestAServerThatIsAwayHasTakenNothing(t *testing.T) {
	f, ok := errors.AsType[*notify.Failure](sink(t, "127.0.0.1:1").Send(t.Context(), letter))
	if !ok || f.Fate != notify.Later {
		t.Errorf("got %+v", f)
	}
}

func TestWhatArrivesIsWhatWasSent(t *testing.T) {
	server := notifytest.NewServer(t)
	if err := sink(t, server.Address).Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	raw, err := smtp.Text(letter)
	if err != nil {
		t.Fatal(err)
	}
	got := server.Mails()
	if len(got) != 1 || got[0].From != "cell@mail.example" || got[0].To != "asha@rider.example" {
		t.Fatalf("got %+v", got)
	}
	_, sent, _ := strings.Cut(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n\n")
	_, came, _ := strings.Cut(got[0].Raw, "\n\n")
	boundary := func(s string) string { line, _, _ := strings.Cut(s, "\n"); return line }
	if want := strings.ReplaceAll(sent, boundary(sent), boundary(came)); strings.TrimSpace(came) != strings.TrimSpace(want) {
		t.Errorf("got\n%q\nwant\n%q", came, want)
	}
}

func TestMailInClearStaysOnThisMachine(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    smtp.Config
		ok   bool
	}{
		{"here", smtp.Config{Address: "127.0.0.1:25", Security: smtp.Plain, Hello: "x"}, true},
		{"elsewhere in clear", smtp.Config{Address: "mail.example:25", Security: smtp.Plain, Hello: "x"}, false},
		{"elsewhere", smtp.Config{Address: "mail.example:587", Security: smtp.StartTLS, Hello: "x"}, true},
		{"no security said", smtp.Config{Address: "mail.example:587", Hello: "x"}, false},
		{"no port", smtp.Config{Address: "mail.example", Security: smtp.TLS, Hello: "x"}, false},
	} {
		if _, err := smtp.New(tt.c); (err == nil) != tt.ok {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestNoMailGoesToAServerWithoutTLSWhereTLSWasAskedFor(t *testing.T) {
	for _, security := range []smtp.Security{smtp.StartTLS, smtp.TLS} {
		server := notifytest.NewServer(t)
		s, err := smtp.New(smtp.Config{Address: server.Address, Security: security, Hello: "mail.example"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), wait.Patience())
		err = s.Send(ctx, letter)
		stop()
		if f, ok := errors.AsType[*notify.Failure](err); !ok || f.Fate != notify.Later || len(server.Mails()) != 0 {
			t.Errorf("%s: got %v", security, err)
		}
	}
}
