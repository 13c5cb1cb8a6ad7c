package devstack_test

import (
	"net"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

// counted is what the mailbox says when it is asked how many mails it holds, after
// one more was put in.
func counted(t *testing.T, s *devstack.Stack) string {
	t.Helper()
	set := s.Settings()
	conn, err := net.Dial("tcp", set["GAVEL_IMAP_ADDRESS"])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(wait.Patience())); err != nil {
		t.Fatal(err)
	}
	text := textproto.NewConn(conn)
	answer := ""
	for _, line := range []string{"a LOGIN " + set["GAVEL_IMAP_USER"] + " " + set["GAVEL_IMAP_PASSWORD"],
		"b APPEND INBOX {13+}\r\nFrom: a@b\r\n\r\n", "c STATUS INBOX (MESSAGES)"} {
		if err := text.PrintfLine("%s", line); err != nil {
			t.Fatal(err)
		}
		for {
			got, err := text.ReadLine()
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(got, "* STATUS") {
				answer = got
			}
			if strings.HasPrefix(got, line[:2]) {
				break
			}
		}
	}
	return answer
}

func TestTheMailboxListensOnLoopbackAndKeepsItsMailsOverAKill(t *testing.T) {
	s := up(t, t.TempDir(), devstack.IMAP)
	want := []string{s.Addresses(devstack.IMAP)["imap"], s.Addresses(devstack.IMAP)["imaps"]}
	for _, got := range listeners(t, statusOf(t, s, devstack.IMAP).PID) {
		if !slices.Contains(want, got) {
			t.Errorf("it listens on %s, want %v alone", got, want)
		}
	}
	if got := counted(t, s); !strings.Contains(got, "(MESSAGES 1)") {
		t.Errorf("got %q, want one mail", got)
	}
	if err := s.Kill(devstack.IMAP); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context(), devstack.IMAP); err != nil {
		t.Fatal(err)
	}
	if got := counted(t, s); !strings.Contains(got, "(MESSAGES 2)") {
		t.Errorf("got %q, want the first mail and another", got)
	}
}
