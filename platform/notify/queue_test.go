package notify_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) { postgrestest.Walls(t, sets()...) }

func TestALetterIsOneMailWithTheWayBackToItsCase(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	l := r.letter(c, "R-7")
	m, again := r.queue(t, l), r.queue(t, l)
	if m.ID != again.ID || m.State != notify.Queued || m.Recipient != "rider:R-7" {
		t.Errorf("got %+v and %+v, want one mail", m, again)
	}
	other := l
	other.To.ID = "R-8"
	if _, err := r.tryQueue(t.Context(), other); !fault.Is(err, fault.Conflict) {
		t.Errorf("the same key for somebody else: got %v, want a conflict and no lost letter", err)
	}
	if _, domain, ok := address.ParseMessageID(m.MessageID); !ok || domain != "mail.example" {
		t.Errorf("its message id is %s", m.MessageID)
	}
	if !book.Verify("north", string(c.ID), c.Ref, m.ReplyTo) {
		t.Errorf("its reply address %s is not verified", m.ReplyTo)
	}
	routes, err := notify.NewRoutes(r.db.System).Find(t.Context(), []string{"id:unknown@x", notify.IDKey("<" + m.MessageID + ">"),
		notify.ReplyKey(strings.ToUpper(m.ReplyTo)), "\xff", "a\x00"})
	if err != nil || len(routes) != 2 || routes[0].Org != north || routes[0].Case != c.ID || routes[1].Case != c.ID {
		t.Errorf("got %+v, %v", routes, err)
	}
	if got := r.entries(t, c); !slices.Equal(got, []string{notify.EntryQueued}) {
		t.Errorf("the case has %q", got)
	}
	if list, err := r.OfCase(t.Context(), north, c.ID); err != nil || len(list) != 1 {
		t.Errorf("got %d mails, %v", len(list), err)
	}
	if list, err := r.OfCase(t.Context(), south, c.ID); err != nil || len(list) != 0 {
		t.Errorf("south sees %d mails, %v", len(list), err)
	}
}

func TestARouteIsWrittenForOnesOwnOrganisationOnlyAndReadByTheSystem(t *testing.T) {
	r := newRig(t, durable.Clock{})
	run := func(sql string) error {
		return r.db.App.InOrg(t.Context(), south, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
	}
	if err := run(`insert into gavel_sys.mail_routes (key, org, case_id) values ('id:x', 'north', 'case_x')`); err == nil ||
		!strings.Contains(err.Error(), "row-level security") {
		t.Errorf("south writes a route of north: %v", err)
	}
	for _, sql := range []string{`select * from gavel_sys.mail_routes`, `update gavel_sys.mail_routes set org = 'south'`,
		`delete from gavel_sys.mail_routes`} {
		if err := run(sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: got %v", sql, err)
		}
	}
}

func TestAThreadKeepsTogether(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	first := r.queue(t, r.letter(c, "R-7"))
	other := r.queue(t, r.letter(c, "R-8"))
	answer := r.letter(c, "R-7")
	answer.InReplyTo = "theirs@rider.example"
	second := r.queue(t, answer)
	third := r.queue(t, r.letter(c, "R-7"))
	if len(first.References) != 0 || first.InReplyTo != "" || len(other.References) != 0 {
		t.Errorf("a first mail refers to %q and %q", first.References, other.References)
	}
	if want := []string{first.MessageID, "theirs@rider.example"}; !slices.Equal(second.References, want) || second.InReplyTo != want[1] {
		t.Errorf("got %q in reply to %s, want %q", second.References, second.InReplyTo, want)
	}
	if want := []string{first.MessageID, second.MessageID}; !slices.Equal(third.References, want) {
		t.Errorf("got %q, want %q", third.References, want)
	}
	var last notify.Mail
	for range 25 {
		last = r.queue(t, r.letter(c, "R-7"))
	}
	if len(last.References) != 20 || last.References[0] != first.MessageID || last.References[19] != last.InReplyTo {
		t.Errorf("of a long thread got %d references", len(last.References))
	}
}

func TestTwoMachinesCannotKeepEachOtherBusy(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	automatic := func() error {
		l := r.letter(c, "R-7")
		l.Automatic = true
		_, err := r.tryQueue(t.Context(), l)
		return err
	}
	for range 3 {
		if err := automatic(); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, "a fourth within a day", automatic(), fault.TooMany)
	r.queue(t, r.letter(c, "R-7")) // which a person approved
	r.admin(t, `update gavel.mail set queued_at = queued_at - interval '25 hours'`)
	if err := automatic(); err != nil {
		t.Errorf("a day later: %v", err)
	}
}

func TestLettersThatCannotBeSentAreRefusedWithoutSayingWhose(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	for _, tt := range []struct {
		name string
		edit func(*notify.Letter)
		want fault.Kind
	}{
		{"no authority", func(l *notify.Letter) { l.Because = "" }, fault.Refused},
		{"no case", func(l *notify.Letter) { l.Case = "" }, fault.Refused},
		{"another case", func(l *notify.Letter) { l.Case = "case_00000000000000000000000000" }, fault.NotFound},
		{"a name in the address", func(l *notify.Letter) { l.Address = "Asha <asha@rider.example>" }, fault.Invalid},
		{"two addresses", func(l *notify.Letter) { l.Address = "asha@rider.example,ravi@rider.example" }, fault.Invalid},
		{"a header in the address", func(l *notify.Letter) { l.Address = "asha@rider.example\r\nBcc: x@y" }, fault.Invalid},
		{"no address", func(l *notify.Letter) { l.Address = "asha" }, fault.Invalid},
		{"a header in the subject", func(l *notify.Letter) { l.Subject = "asha\r\nBcc: x@y" }, fault.Invalid},
		{"no subject", func(l *notify.Letter) { l.Subject = " " }, fault.Invalid},
		{"no text", func(l *notify.Letter) { l.Text = "" }, fault.Invalid},
		{"a long text", func(l *notify.Letter) { l.Text = strings.Repeat("asha", 20_000) }, fault.TooLarge},
		{"a long subject", func(l *notify.Letter) { l.Subject = strings.Repeat("क", 201) }, fault.Invalid},
		{"a name that is no text", func(l *notify.Letter) { l.Name = "asha\xff" }, fault.Invalid},
		{"somebody called by name", func(l *notify.Letter) { l.To.ID = "asha@rider.example" }, fault.Invalid},
		{"no language", func(l *notify.Letter) { l.Language = "Hindi!" }, fault.Invalid},
		{"an answer to nothing", func(l *notify.Letter) { l.InReplyTo = "<a> <b>" }, fault.Invalid},
	} {
		l := r.letter(c, "R-7")
		tt.edit(&l)
		_, err := r.tryQueue(t.Context(), l)
		wantKind(t, tt.name, err, tt.want)
		if err != nil && strings.Contains(err.Error(), "asha") {
			t.Errorf("%s: the error says who: %v", tt.name, err)
		}
	}
	if n := all[int](t, r.db, `select count(*)::int from gavel.mail`)[0]; n != 0 {
		t.Errorf("%d mails were queued", n)
	}
}

func TestWhatAMailSaysIsNowhereInPlainAndGoesWithItsReader(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	l := r.letter(c, "R-7")
	l.Address, l.Name, l.Text = "needle@rider.example", "Needle Rao", "the needle in the haystack"
	m := r.queue(t, l)
	for _, table := range []string{"gavel.mail", "gavel.act", "gavel.case_entry", "gavel.record", "gavel_sys.mail_routes"} {
		if n := all[int](t, r.db, `select count(*)::int from `+table+` x where x::text ilike '%needle%'`)[0]; n != 0 {
			t.Errorf("%s: %d rows say who or what", table, n)
		}
	}
	open := func() (c notify.Content, err error) {
		err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			_, c, err = r.Open(context.Background(), tx, north, m.ID)
			return err
		})
		return c, err
	}
	if got, err := open(); err != nil || got.Address != l.Address || got.Text != l.Text || got.Subject != "About your shift ["+c.Ref+"]" {
		t.Errorf("got %+v, %v", got, err)
	}
	r.server.Fail(nil)
	who := seal.Subject{Type: "rider", ID: "R-7"}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: who, Ground: seal.OnRequest, Reference: "DSR-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := open(); !errors.Is(err, seal.ErrErased) {
		t.Errorf("after the erasure: got %v", err)
	}
	r.settle(t, r.sender(r.sink(t)))
	if got := r.get(t, m.ID); got.State != notify.Undeliverable || len(r.server.Mails()) != 0 {
		t.Errorf("a mail to somebody who was erased is %s, and %d were sent", got.State, len(r.server.Mails()))
	}
	if _, err := r.tryQueue(t.Context(), r.letter(c, "R-7")); !errors.Is(err, seal.ErrErased) {
		t.Errorf("a new letter to them: got %v", err)
	}
}
