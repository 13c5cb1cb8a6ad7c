package program

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/program/config"
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
		_, err := tx.Exec(t.Context(), met, person)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, environ, "serve")
	p.said(t, "listening")
	remind(t, environ, db, person, "P-7")
	text := arrived(t, post, 1)[0]
	if mails := post.Mails(); mails[0].To != "asha@staff.example" || mails[0].From != "cell@example.org" {
		t.Fatalf("got %+v:\n%s", mails, p.log)
	}
	if !strings.Contains(text, "https://gavel.example.org/proposals/P-7") ||
		!strings.Contains(text, "https://gavel.example.org"+notify.WishesPath) {
		t.Errorf("it says %s", text)
	}
	if strings.Contains(p.log.String(), "asha") {
		t.Errorf("the log names somebody:\n%s", p.log)
	}
	p.ends(t, nil)
}

// remind has officers told that a proposal waits, as a server does, of whom one is
// never quiet.
func remind(t *testing.T, environ []string, db *postgrestest.Database, person, proposal string) {
	t.Helper()
	cfg, err := config.Load(config.Sources{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	desk := (&cli{cfg: cfg}).newDesk(&parts{db: db.App}, nil, nil, "")
	n := review.Notice{Org: postgrestest.North, Key: "n", To: "role:" + string(identity.Officer), Kind: review.NoticeReminder,
		Proposal: proposal, At: time.Now()}
	err = db.App.InOrg(t.Context(), n.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `insert into gavel.notice_hours values ('north', $1, 0, 0, 0, false, '')`, person); err != nil {
			return err
		}
		const told = `insert into gavel.notice (org, key, recipient, kind, proposal, case_id, at) values ('north', $1, $2, $3, $4, '', $5)`
		if _, err := tx.Exec(t.Context(), told, n.Key, n.To, n.Kind, n.Proposal, n.At); err != nil {
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
