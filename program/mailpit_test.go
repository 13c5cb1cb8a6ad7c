package program

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
)

// A postbox is where mails went.
type postbox interface{ Mails() []notifytest.Taken }

// A pit is mailpit, the stack's mail server, as its API shows it. It is shared with
// other tests: whoever uses it sends from an address of their own.
type pit struct {
	Address string // to send to
	From    string // to send from

	t    *testing.T
	base string
	mu   sync.Mutex // guards read
	read map[string]notifytest.Taken
}

func newPit(t *testing.T) *pit {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	at := stack.Addresses(devstack.Mail)
	if at["http"] == "" {
		t.Fatal("the stack has no part mail")
	}
	return &pit{Address: at["smtp"], From: "vanpools-" + strings.ToLower(rand.Text()[:12]) + "@example.org", t: t, base: "http://" +
		at["http"], read: map[string]notifytest.Taken{}}
}

// newInbox is a mailbox of a name that nobody else has, on the stack's IMAP server, and the
// settings of who takes mail in from it.
func newInbox(t *testing.T) (*imapclient.Client, []string) {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	set, user := stack.Settings(), "box-"+strings.ToLower(rand.Text()[:12])
	box, err := imapclient.DialInsecure(set["GAVEL_IMAP_ADDRESS"], nil)
	if err != nil {
		t.Fatalf("the stack's part imap: %v", err)
	}
	t.Cleanup(func() { _ = box.Close() })
	if err := box.Login(user, set["GAVEL_IMAP_PASSWORD"]).Wait(); err != nil {
		t.Fatal(err)
	}
	return box, []string{"GAVEL_IMAP_ADDRESS=" + set["GAVEL_IMAP_ADDRESS"], "GAVEL_IMAP_USER=" + user,
		"GAVEL_IMAP_PASSWORD=" + set["GAVEL_IMAP_PASSWORD"], "GAVEL_IMAP_TLS=none"}
}

// Mails are all that were sent from the address of the test, oldest first.
func (p *pit) Mails() (all []notifytest.Taken) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const page = 500
	for start := 0; ; start += page {
		var list struct {
			Messages []struct {
				ID string
				To []struct{ Address string }
			}
		}
		text := p.get(fmt.Sprintf("/api/v1/search?query=%s&start=%d&limit=%d", url.QueryEscape(`from:"`+p.From+`"`), start, page))
		if len(text) == 0 {
			return nil
		}
		if err := json.Unmarshal(text, &list); err != nil {
			p.t.Fatal(err)
		}
		for _, m := range list.Messages {
			if _, known := p.read[m.ID]; !known && len(m.To) == 1 {
				p.read[m.ID] = notifytest.Taken{From: p.From, To: m.To[0].Address, Raw: string(p.get("/api/v1/message/" + m.ID + "/raw"))}
			} else if !known {
				p.t.Errorf("mail %s is to %d people", m.ID, len(m.To))
			}
			all = append(all, p.read[m.ID])
		}
		if len(list.Messages) < page {
			slices.Reverse(all)
			return all
		}
	}
}

// get asks the server; it answers nothing once the test is over.
func (p *pit) get(path string) []byte {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if p.t.Context().Err() != nil {
		return nil
	}
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("%s: %s %v", path, res.Status, err)
	}
	return text
}
