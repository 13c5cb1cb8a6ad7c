package main

import (
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/cmd/gavel/config"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

func TestAServerTellsPeopleByMailWhatWaitsForThem(t *testing.T) {
	db := postgrestest.New(t, builtIn().migrations()...)
	post := notifytest.NewServer(t)
	environ := append(settingsFor(t, db), "GAVEL_SMTP_ADDRESS="+post.Address, "GAVEL_MAIL_DOMAIN=mail.example.org",
		"GAVEL_MAIL_FROM=Transport cell <cell@example.org>", "GAVEL_PUBLIC_URL=https://gavel.example.org")
	const person = "p_00000000000000000000000001"
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		const met = `insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
			values ('north', $1, 'x', 'x', 'Asha Rao', 'asha@staff.example', '{officer}', now(), now())`
		if _, err := tx.Exec(t.Context(), met, person); err != nil {
			return err
		}
		const told = `insert into gavel.notice (org, key, recipient, kind, proposal, case_id, at) values ('north', 'n', 'role:officer', 'reminder', 'P-7', '', now())`
		_, err := tx.Exec(t.Context(), told)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, environ, "serve")
	p.said(t, "listening")
	notice(t, environ, db, review.Notice{Org: postgrestest.North, Key: "n", To: "role:" + string(identity.Officer), Kind: review.NoticeReminder, Proposal: "P-7", At: time.Now()})
	for range 300 {
		if len(post.Mails()) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	mails := post.Mails()
	if len(mails) != 1 || mails[0].To != "asha@staff.example" || mails[0].From != "cell@example.org" {
		t.Fatalf("got %+v:\n%s", mails, p.log)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(mails[0].Raw)))
	if err != nil || !strings.Contains(string(text), "https://gavel.example.org/proposals/P-7") || !strings.Contains(string(text), "https://gavel.example.org"+notify.WishesPath) {
		t.Errorf("it says %s, %v", text, err)
	}
	if strings.Contains(p.log.String(), "asha") {
		t.Errorf("the log names somebody:\n%s", p.log)
	}
	p.ends(t, nil)
}

// notice takes one as a server does where somebody is reminded, with nobody quiet.
func notice(t *testing.T, environ []string, db *postgrestest.Database, n review.Notice) {
	t.Helper()
	cfg, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	desk := (&cli{cfg: cfg}).newDesk(&parts{db: db.App}, nil, nil, "")
	err = db.App.InOrg(t.Context(), n.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `insert into gavel.notice_hours values ('north', 'p_00000000000000000000000001', 0, 0, 0, false, '')`); err != nil {
			return err
		}
		return desk.Taker()(t.Context(), tx, n)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWithoutSettingsAServerSaysOnceThatNoMailGoesOut(t *testing.T) {
	p := start(t, withoutEngine(t), "serve")
	if said := p.said(t, "no mail goes out"); said["why"] != "GAVEL_MAIL_DOMAIN is not set" {
		t.Errorf("got %v", said)
	}
	p.ends(t, nil)
}
