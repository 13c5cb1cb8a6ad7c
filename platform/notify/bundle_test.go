package notify_test

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestABundleProvesThatLettersHadAuthority promises that a case with letters, sent,
// refused and unknown, verifies offline, and that who says a letter was sent for
// another reason is found out.
func TestABundleProvesThatLettersHadAuthority(t *testing.T) {
	s := bundletest.With(t, bundletest.Setup{Tables: []postgres.MigrationSet{notify.Migrations()}})
	id := s.Case(t, 7)
	post, err := notify.New(notify.Config{DB: s.DB.App, Vault: s.Vault, Book: book, From: "cell@mail.example"})
	if err != nil {
		t.Fatal(err)
	}
	server := notifytest.NewServer(t)
	faults := []notifytest.Fault{notifytest.None, notifytest.NoSuchUser, notifytest.TookAndCut}
	server.Fail(func() notifytest.Fault { f := faults[0]; faults = faults[1:]; return f })
	sink, err := smtp.New(smtp.Config{Address: server.Address, Security: smtp.Plain, Hello: "mail.example"})
	if err != nil {
		t.Fatal(err)
	}
	sender := notify.NewSender(notify.SenderConfig{Post: post, System: s.DB.System, Acts: act.NewStore(s.DB.App, durable.Clock{}),
		Sink:   sink,
		Logger: slog.New(slog.DiscardHandler)})
	for _, rider := range []string{"R-1", "R-2", "R-3"} {
		err := s.DB.App.InOrg(t.Context(), bundletest.Officer.Org, func(tx pgx.Tx) error {
			_, err := post.Queue(t.Context(), tx, bundletest.Officer, notify.Letter{Key: "letter-" + rider, Case: id,
				Kind: "shift_mismatch",
				To:   seal.Subject{Type: "rider", ID: rider}, Address: "needle@rider.example", Language: "en", Subject: "About your shift",
				Text: "needle", Because: "P-1"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sender.Pass(t.Context()); err != nil || n != 1 {
			t.Fatalf("sent %d, %v", n, err)
		}
	}
	data := s.Export(t, id)
	verify := func(data []byte) *bundle.Report {
		return bundletest.Verify(data, bundle.Options{Sections: bundletest.Known(), Keys: []audit.Verifier{s.Public}})
	}
	if rep := verify(data); rep.Verdict() != bundle.Genuine {
		t.Fatalf("got %s, want genuine: %v", rep.Verdict(), rep.Findings())
	}
	f := bundletest.TakeApart(t, data)
	const acts = "acts/acts.ndjson"
	for _, state := range []string{"done", "failed", "unknown"} {
		if !bytes.Contains(f.Files[acts], []byte(`"tool":"send_mail"`)) || !bytes.Contains(f.Files[acts], []byte(`"state":"`+state+`"`)) {
			t.Errorf("no letter is %s in the bundle", state)
		}
	}
	for name, body := range f.Files {
		if bytes.Contains(body, []byte("needle")) {
			t.Errorf("%s says whom a letter went to, or what it says", name)
		}
	}
	bundletest.Tamper(t, []bundletest.Tampering{
		bundletest.Insider("say that a refused letter was sent", acts, f, s.Secret, func(t testing.TB, f *bundletest.Forgery) {
			f.Edit(t, acts, `"state":"failed","`, func(l map[string]any) { l["state"] = "done" })
		}),
	}, verify)
}
