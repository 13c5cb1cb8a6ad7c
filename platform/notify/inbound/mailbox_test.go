package inbound_test

import (
	"crypto/rand"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/notify/imap"
	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// TestTheCorpusOutOfARealMailboxEndsTheSameAndOnce promises that mail which comes
// out of a mailbox ends as the table says, once, also where two servers read the
// same mailbox at the same time.
func TestTheCorpusOutOfARealMailboxEndsTheSameAndOnce(t *testing.T) {
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	set := stack.Settings()
	client, err := imapclient.DialInsecure(set["GAVEL_IMAP_ADDRESS"], nil)
	if err != nil {
		t.Fatalf("the stack's part imap: %v", err)
	}
	defer func() { _ = client.Close() }()
	if err := client.Login(set["GAVEL_IMAP_USER"], set["GAVEL_IMAP_PASSWORD"]).Wait(); err != nil {
		t.Fatal(err)
	}
	folder := "Corpus-" + rand.Text() // the stack may outlive the test
	if err := client.Create(folder, nil).Wait(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{} // by message id: an outside server keeps it, whatever it does to line ends
	for _, m := range generate() {
		want[m.name+"@riders.test"] = m.want.state + " " + m.want.reason
		cmd := client.Append(folder, int64(len(m.eml)), nil)
		if _, err := cmd.Write([]byte(m.eml)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t)
	read := func() {
		reader, err := imap.New(imap.Config{Address: set["GAVEL_IMAP_ADDRESS"], User: set["GAVEL_IMAP_USER"],
			Password: set["GAVEL_IMAP_PASSWORD"], TLS: imap.NoTLS,
			Mailbox: folder, Shelf: folder + "-done", Receiver: r.Store, Beat: beat, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := reader.Once(t.Context()); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(read)
	}
	wg.Wait()
	r.sameStates(t, want)
}

func beat(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

// sameStates fails where what is kept is not what is wanted, by message id.
func (r *rig) sameStates(t *testing.T, want map[string]string) {
	t.Helper()
	all := []inbound.State{inbound.Accepted, inbound.Held, inbound.Quarantined, inbound.Dropped}
	got := map[string]string{}
	for _, org := range []string{"north", "south"} {
		who := officer(north)
		if org == "south" {
			who = officer(south)
		}
		q := inbound.Query{States: all, Limit: 200}
		list, err := r.List(t.Context(), who, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			if got[m.MessageID] != "" {
				t.Errorf("%s was received twice", m.MessageID)
			}
			got[m.MessageID] = strings.TrimSpace(string(m.State) + " " + string(m.Reason))
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d mails, want %d", len(got), len(want))
	}
	for id, w := range want {
		if got[id] != strings.TrimSpace(w) {
			t.Errorf("%s: got %q, want %q", id, got[id], w)
		}
	}
}
