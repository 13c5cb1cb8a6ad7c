package program

import (
	"encoding/json"
	"io"
	"maps"
	"mime/quotedprintable"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/program/config"
)

// inMail is an address in the text of a mail.
var inMail = regexp.MustCompile(`https?://[^\s<>"]+[^\s<>".,;]`)

// writes has the counter's server send a letter about its case.
func (k *counter) writes(text string) {
	k.t.Helper()
	cfg, err := config.Load(config.Sources{Environ: k.environ})
	if err != nil {
		k.t.Fatal(err)
	}
	backend, err := disk.Open("file://" + k.t.TempDir())
	if err != nil {
		k.t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: k.db.App, Blobs: blob.New(backend, blob.Config{}), Masters: cfg.SealKeys, Now: time.Now,
		Rules: policy.Standard()})
	if err != nil {
		k.t.Fatal(err)
	}
	post, err := (&cli{cfg: cfg}).newPost(&parts{db: k.db.App}, vault)
	if err != nil {
		k.t.Fatal(err)
	}
	err = k.db.App.InOrg(k.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := post.Queue(k.t.Context(), tx, identity.Gavel(postgrestest.North),
			notify.Letter{Key: "letter", Case: casefile.CaseID(k.file), Kind: "outcome",
				To: seal.Subject{Type: "rider", ID: "R-1"}, Address: "rider@example.org", Language: "en", Subject: "Your seat", Text: text,
				Because: "test"})
		return err
	})
	if err != nil {
		k.t.Fatal(err)
	}
}

// arrived waits for mails and returns what they say.
func arrived(t *testing.T, post *notifytest.Server, n int) (texts []string) {
	t.Helper()
	wait.Until(t, "the mails arrive", func() bool { return len(post.Mails()) >= n })
	for _, m := range post.Mails() {
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Raw)))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if len(texts) != n {
		t.Fatalf("%d mails arrived, want %d", len(texts), n)
	}
	return texts
}

// sentAll waits until the server has written down that its mails were taken.
func (k *counter) sentAll() {
	k.t.Helper()
	wait.Until(k.t, "mails that arrived are written down as sent", func() bool {
		waiting := -1
		err := k.db.App.InOrg(k.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			return tx.QueryRow(k.t.Context(), `select count(*) from gavel.mail where state <> 'sent'`).Scan(&waiting)
		})
		if err != nil {
			k.t.Fatal(err)
		}
		return waiting == 0
	})
}

// TestAScannerThatOpensTheLinksOfMailsChangesNothing promises that whoever opens
// the links of our mails before their reader does, signed in or not, has decided,
// used up and changed nothing: neither of the word to staff that a proposal waits,
// nor of a letter with the signed link of the person concerned.
func TestAScannerThatOpensTheLinksOfMailsChangesNothing(t *testing.T) {
	post := notifytest.NewServer(t)
	k := newCounter(t, "GAVEL_SMTP_ADDRESS="+post.Address, "GAVEL_MAIL_DOMAIN=mail.example.org", "GAVEL_MAIL_FROM=cell@example.org",
		"GAVEL_MAIL_INBOUND_DOMAIN=in.example.org", "GAVEL_MAIL_KEYS=k1:"+testKey)
	proposal := k.propose()
	var link struct{ URL string }
	made := k.as(identity.Officer).run(t, "case", "link", k.file, "--summary", "Your seat is used.", "-o", "json")
	if err := json.Unmarshal([]byte(made.out), &link); err != nil || link.URL == "" {
		t.Fatalf("%+v, %v", made, err)
	}
	k.writes("Read what was decided: " + link.URL + "\n")
	remind(t, k.environ, k.db, colleague, proposal)
	base, err := url.Parse(k.base)
	if err != nil {
		t.Fatal(err)
	}
	links := map[string]bool{}
	for _, text := range arrived(t, post, 2) {
		for _, at := range inMail.FindAllString(text, -1) {
			links[at] = true
		}
	}
	if !links[link.URL] || !links[k.base+"/proposals/"+proposal] {
		t.Fatalf("the mails do not lead to the link and to the proposal, but to %v", slices.Sorted(maps.Keys(links)))
	}
	k.sentAll()
	settled(t, k)
	before := digests(t, k.db.OwnerURL)
	for _, token := range []string{"", devToken(t, identity.Officer)} {
		for at := range links {
			for range 3 {
				(&crawler{t: t, base: base, token: token, seen: map[string]bool{}}).follow(at, browsers)
			}
		}
	}
	settled(t, k)
	after := digests(t, k.db.OwnerURL)
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if before[table] != after[table] {
			t.Errorf("%s changed: %s, then %s", table, before[table], after[table])
		}
	}
	if k.state(proposal) != "open" {
		t.Errorf("the proposal is %s", k.state(proposal))
	}
}
