package inbound_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) {
	postgrestest.Walls(t, migrationSets()...)
}

// reply is a mail that is believed: asha answers in case A.
func reply(n int, words string) string {
	return draft{name: fmt.Sprintf("reply-%d", n), from: asha, to: replyA, subject: "Re: your vanpool", auth: proven,
		body: inQP("text/plain", words+"\n")}.eml()
}

// strange is a mail that waits: somebody unknown writes to case A.
func strange(n int, words string) string {
	return draft{name: fmt.Sprintf("strange-%d", n), from: "zed@elsewhere.test", to: replyA, subject: "Re: your vanpool",
		body: inQP("text/plain", words+"\n")}.eml()
}

// lost is a mail that leads nowhere.
func lost(n int, words string) string {
	return draft{name: fmt.Sprintf("lost-%d", n), from: "zed@elsewhere.test", to: plainIn, subject: "Hello",
		body: inQP("text/plain", words+"\n")}.eml()
}

// withFile is a mail with an attachment.
func withFile(d draft) string {
	d.body = "Content-Type: multipart/mixed; boundary=m\n\n--m\n" + inQP("text/plain", "The roster is attached.") +
		"\n--m\nContent-Type: text/csv; name=roster.csv\nContent-Disposition: attachment; filename=roster.csv\n\nEMP-1,night\n--m--\n"
	return d.eml()
}

func (r *rig) entries(t testing.TB, name string) (all []casefile.Entry) {
	t.Helper()
	c := cases[name]
	found, err := r.cases.Entries(t.Context(), c.org, c.id, casefile.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		if strings.HasPrefix(e.Kind, "mail_received") || strings.HasPrefix(e.Kind, "mail_bounced") {
			all = append(all, e)
		}
	}
	return all
}

func (r *rig) signals(t testing.TB) int {
	t.Helper()
	return r.count(t, `select count(*) from gavel.outbox where kind = 'signal' and payload ->> 'name' = 'mail'`)
}

func TestAReplyIsAnEntryOfItsCaseAndWordToItsWorkflow(t *testing.T) {
	r := newRig(t)
	got := r.receive(t, reply(1, "I moved to the night shift."))
	if got.Verdict.State != inbound.Accepted || got.Org != north {
		t.Fatalf("got %+v, want it believed in north", got)
	}
	entries := r.entries(t, "A")
	if len(entries) != 1 || entries[0].Text != "I moved to the night shift." || entries[0].ActorID != "mail:rider:R-A" ||
		entries[0].ActorKind != identity.Person {
		t.Errorf("got %+v, want one entry, by the rider", entries)
	}
	rows, _ := r.db.System.Query(t.Context(), `select payload::text from gavel.outbox where kind = 'signal'`)
	payloads, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(payloads) != 1 || !strings.Contains(payloads[0], got.ID) || strings.Contains(payloads[0], "night shift") ||
		strings.Contains(payloads[0], asha) {
		t.Errorf("got %v, %v; want one word to the workflow, of ids alone", payloads, err)
	}
}

func TestTheSameMailTwiceIsOneMail(t *testing.T) {
	r := newRig(t)
	raw := reply(1, "Once.")
	first, err := r.Receive(t.Context(), inbound.Delivery{Via: "webhook", Key: "msg_1", Raw: []byte(raw)})
	if err != nil || first.Duplicate {
		t.Fatalf("got %+v, %v", first, err)
	}
	for _, again := range []inbound.Delivery{
		{Via: "webhook", Key: "msg_1", Raw: []byte(raw)},                                     // delivered again
		{Via: "webhook", Key: "msg_1", Raw: []byte(reply(2, "Something else."))},             // under a key that was used
		{Via: "webhook", Key: "msg_2", Raw: []byte(raw)},                                     // the provider repeats itself
		{Via: "imap", Key: "box/1/1", Raw: []byte("Received: by another way\r\n" + raw)},     // and it came by another way too
		{Via: "import", Raw: []byte(strings.Replace(raw, "\r\nX-Corpus", "\r\nX-Other", 1))}, // a field that a server changed
	} {
		if got, err := r.Receive(t.Context(), again); err != nil || !got.Duplicate {
			t.Errorf("%s %s: got %+v, %v; want a repeat", again.Via, again.Key, got, err)
		}
	}
	if seen, err := r.Seen(t.Context(), "webhook", "msg_1"); err != nil || !seen {
		t.Errorf("the delivery is not known: %v", err)
	}
	if n := len(r.entries(t, "A")); n != 1 || r.signals(t) != 1 {
		t.Errorf("got %d entries and %d signals, want one of each", n, r.signals(t))
	}
}

func TestManyDeliveriesOfOneMailAtOnceAreOneMail(t *testing.T) {
	r := newRig(t)
	raw := reply(1, "Once, and at once.")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := r.Receive(t.Context(), inbound.Delivery{Via: "webhook", Key: fmt.Sprintf("msg_%d", i),
				Raw: []byte(raw)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(r.entries(t, "A")); n != 1 || r.signals(t) != 1 || r.count(t, `select count(*) from gavel.mail_in`) != 1 {
		t.Errorf("got %d entries and %d signals, want one of each", n, r.signals(t))
	}
}

// TestAnotherMailUnderAKnownIDIsNotBelievedAndNotLost promises that nobody keeps
// a reply out by sending something under its id before, or gets something in.
func TestAnotherMailUnderAKnownIDIsNotBelievedAndNotLost(t *testing.T) {
	r := newRig(t)
	r.receive(t, reply(1, "The first."))
	got := r.receive(t, reply(1, "Something else under the same id."))
	if got.Verdict.State != inbound.Held || got.Verdict.Reason != inbound.ReasonReused {
		t.Errorf("got %+v, want it to wait for a person", got.Verdict)
	}
}

// A brittle keeper of evidence fails once.
type brittle struct {
	*evidence.Store
	failed bool
}

func (b *brittle) Take(ctx context.Context, a identity.Actor, rc evidence.Receipt, body io.Reader) (evidence.Snapshot, error) {
	if !b.failed {
		b.failed = true
		return evidence.Snapshot{}, fault.New(fault.Unavailable, "the blob store does not answer")
	}
	return b.Store.Take(ctx, a, rc, body)
}

func TestAMailThatCouldNotBeKeptIsTakenWhenItComesAgain(t *testing.T) {
	r := newRig(t)
	config := r.config
	config.Evidence = &brittle{Store: r.ev}
	store, err := inbound.New(config)
	if err != nil {
		t.Fatal(err)
	}
	d := inbound.Delivery{Via: "webhook", Key: "msg_1",
		Raw: []byte(withFile(draft{name: "f", from: asha, to: replyA, subject: "Re", auth: proven}))}
	if _, err := store.Receive(t.Context(), d); !fault.Is(err, fault.Unavailable) {
		t.Fatalf("got %v, want that it did not work", err)
	}
	if n := r.count(t, `select count(*) from gavel.mail_in`) + r.count(t, `select count(*) from gavel_sys.mail_seen`); n != 0 {
		t.Errorf("half a mail was kept: %d rows", n)
	}
	if got, err := store.Receive(t.Context(), d); err != nil || got.Duplicate || got.Verdict.State != inbound.Accepted {
		t.Errorf("got %+v, %v; want it believed the second time", got, err)
	}
}

func TestAttachmentsOfWhatIsBelievedAreEvidenceAndOthersStayInside(t *testing.T) {
	r := newRig(t)
	good := r.receive(t, withFile(draft{name: "good", from: asha, to: replyA, subject: "Re", auth: proven}))
	bad := r.receive(t, withFile(draft{name: "bad", from: "zed@elsewhere.test", to: replyA, subject: "Re"}))
	if n := r.count(t, `select count(*) from gavel.fetch where source = 'mail'`); n != 1 {
		t.Fatalf("%d attachments are evidence, want the one of the mail that is believed", n)
	}
	m, words, err := r.Words(t.Context(), officer(north), good.ID)
	if err != nil || len(m.Files) != 1 || m.Files[0].Type != "text/csv" || m.Files[0].SHA256.IsZero() || words.Files[0] != "roster.csv" {
		t.Fatalf("got %+v %+v, %v", m.Files, words.Files, err)
	}
	body, err := r.ev.Open(t.Context(), north, m.Files[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if text, err := io.ReadAll(body); err != nil || string(text) != "EMP-1,night" {
		t.Errorf("the attachment reads %q, %v", text, err)
	}
	accepted, err := r.Accept(t.Context(), officer(north), bad.ID, "", "known to the office")
	if err != nil || accepted.Files[0].SHA256.IsZero() {
		t.Errorf("got %+v, %v; want the attachment to be evidence once a person believes it", accepted.Files, err)
	}
}

func TestAPersonDecidesOnceAndNobodyElseDoes(t *testing.T) {
	r := newRig(t)
	held, nowhere := r.receive(t, strange(1, "It is me.")), r.receive(t, lost(1, "Whose is this?"))
	list, err := r.List(t.Context(), officer(north), inbound.Query{})
	if err != nil || len(list) != 2 || list[0].ID != nowhere.ID {
		t.Fatalf("got %d that wait, %v; want two, the newest first", len(list), err)
	}
	for _, role := range []identity.Role{identity.Operator, identity.Analyst, identity.OrgAdmin, identity.Auditor} {
		who := officer(north)
		who.Roles = []identity.Role{role}
		if _, err := r.Accept(t.Context(), who, held.ID, "", ""); !fault.Is(err, fault.Refused) {
			t.Errorf("%s accepts: got %v", role, err)
		}
		if _, err := r.Discard(t.Context(), who, held.ID, ""); !fault.Is(err, fault.Refused) {
			t.Errorf("%s discards: got %v", role, err)
		}
	}
	if _, err := r.Accept(t.Context(), officer(south), held.ID, "", ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation accepts: got %v", err)
	}
	if _, err := r.Accept(t.Context(), officer(north), nowhere.ID, "", ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("a mail of no case is accepted into none: got %v", err)
	}
	if m, err := r.Accept(t.Context(), officer(north), nowhere.ID, cases["B"].id, "Bela's brother"); err != nil ||
		m.State != inbound.Accepted || m.Case != cases["B"].id {
		t.Errorf("got %+v, %v; want it in case B", m, err)
	}
	if e := r.entries(t, "B"); len(e) != 1 || e[0].Text != "Whose is this?" || r.signals(t) != 1 {
		t.Errorf("got %+v, want an entry of case B and word to its workflow", e)
	}
	if m, err := r.Discard(t.Context(), officer(north), held.ID, "spam"); err != nil || m.State != inbound.Discarded {
		t.Errorf("got %+v, %v; want it discarded", m, err)
	}
	for _, id := range []string{held.ID, nowhere.ID} {
		if _, err := r.Accept(t.Context(), officer(north), id, cases["A"].id, ""); !fault.Is(err, fault.Conflict) {
			t.Errorf("decided twice: got %v", err)
		}
	}
	if list, err := r.List(t.Context(), officer(north), inbound.Query{}); err != nil || len(list) != 0 {
		t.Errorf("got %d that wait, %v; want none", len(list), err)
	}
	if raw, err := r.Raw(t.Context(), officer(north), held.ID); err != nil || string(raw) != strange(1, "It is me.") {
		t.Errorf("what was discarded is gone: %v", err)
	}
}

func TestTwoPeopleWhoAcceptAtOnceMakeOneEntry(t *testing.T) {
	r := newRig(t)
	held := r.receive(t, strange(1, "It is me."))
	var wg sync.WaitGroup
	var mu sync.Mutex
	worked := 0
	for range 6 {
		wg.Go(func() {
			_, err := r.Accept(t.Context(), officer(north), held.ID, "", "")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				worked++
			case !fault.Is(err, fault.Conflict):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(r.entries(t, "A")); worked != 1 || n != 1 || r.signals(t) != 1 {
		t.Errorf("%d accepted it and made %d entries and %d signals, want one of each", worked, n, r.signals(t))
	}
}

func TestAClosedCaseTakesNothing(t *testing.T) {
	r := newRig(t)
	held := r.receive(t, lost(1, "Late."))
	if _, err := r.Accept(t.Context(), officer(north), held.ID, cases["D"].id, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want it refused", err)
	}
	if m, _, err := r.Words(t.Context(), officer(north), held.ID); err != nil || m.State != inbound.Quarantined {
		t.Errorf("got %+v, %v; want it to wait still", m, err)
	}
}

func TestErasureReachesWhatCameInAndNothingIsLostAfterIt(t *testing.T) {
	r := newRig(t)
	admin := officer(north)
	admin.Roles = []identity.Role{identity.OrgAdmin}
	mine := r.receive(t, withFile(draft{name: "mine", from: asha, to: replyA, subject: "Re", auth: proven}))
	other := r.receive(t, lost(1, "About asha, from a stranger."))
	if _, err := r.Accept(t.Context(), officer(north), other.ID, cases["A"].id, "about asha"); err != nil {
		t.Fatal(err)
	}
	elsewhere := r.receive(t, lost(2, "About nobody."))
	m, _, err := r.Words(t.Context(), officer(north), mine.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: seal.Subject{Type: "rider", ID: "R-A"},
		Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{mine.ID, other.ID} {
		if _, _, err := r.Words(t.Context(), officer(north), id); !errors.Is(err, seal.ErrErased) {
			t.Errorf("%s still says something: %v", id, err)
		}
		if _, err := r.Raw(t.Context(), officer(north), id); !errors.Is(err, seal.ErrErased) {
			t.Errorf("%s is still there as it came: %v", id, err)
		}
	}
	if body, err := r.ev.Open(t.Context(), north, m.Files[0].SHA256); err == nil {
		body.Close()
		t.Error("the attachment can still be read")
	}
	for _, e := range r.entries(t, "A") {
		if e.Text != casefile.ErasedText {
			t.Errorf("an entry still says %q", e.Text)
		}
	}
	if n := r.count(t, `select count(*) from gavel.mail_in where erased_at is not null and message_id = '' and note = ''`); n != 2 {
		t.Errorf("%d rows were blanked, want 2", n)
	}
	if _, w, err := r.Words(t.Context(), officer(north), elsewhere.ID); err != nil || w.Fresh != "About nobody." {
		t.Errorf("a mail about nobody went with it: %v", err)
	}
	again := r.receive(t, reply(9, "I write again."))
	if again.Verdict.State != inbound.Held {
		t.Errorf("got %+v, want a mail of somebody who was erased to wait for a person", again.Verdict)
	}
	if _, w, err := r.Words(t.Context(), officer(north), again.ID); err != nil || w.Fresh != "I write again." {
		t.Errorf("it is lost: %v", err)
	}
}

func TestWhoWritesTooOftenWaits(t *testing.T) {
	r := rigAt(t, durable.Clock{})
	for n := range 20 {
		if got := r.receive(t, reply(n, fmt.Sprint("mail ", n))); got.Verdict.State != inbound.Accepted {
			t.Fatalf("mail %d: got %+v", n, got.Verdict)
		}
	}
	if got := r.receive(t, reply(99, "one more")); got.Verdict.State != inbound.Held || got.Verdict.Reason != inbound.ReasonTooMany {
		t.Errorf("got %+v, want it to wait", got.Verdict)
	}
}

// TestNoTableHoldsAWordOfAMailInPlain promises that addresses, subjects, words
// and names of files are nowhere but in the entry of the case and under seal.
func TestNoTableHoldsAWordOfAMailInPlain(t *testing.T) {
	r := newRig(t)
	r.receive(t, withFile(draft{name: "secretid", from: asha, to: replyA, subject: "Re: zzsubject", auth: proven}))
	d := draft{name: "stranger", from: "zed@elsewhere.test", to: replyA, subject: "zzsubject", body: inQP("text/plain", "zzwords")}
	r.receive(t, d.eml())
	if got := r.receive(t, bounce("zzbounce", "", asha, sentA, "550 5.1.1 <"+asha+">: user unknown",
		"zzwords")); got.Verdict.State != inbound.Accepted {
		t.Fatalf("got %+v, want a bounce that is believed", got.Verdict)
	}
	rows, _ := r.db.System.Query(t.Context(), `select table_schema || '.' || table_name from information_schema.tables
		where table_schema in ('gavel', 'gavel_sys') and table_type = 'BASE TABLE'
		and has_table_privilege(table_schema || '.' || quote_ident(table_name), 'select')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatalf("found %d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		for _, word := range []string{"asha@riders", "elsewhere.test", "zzsubject", "zzwords", "roster.csv"} {
			if n := r.count(t, `select count(*) from `+table+` x where position($1 in lower(x::text)) > 0`, word); n != 0 {
				t.Errorf("%s holds %q in %d rows", table, word, n)
			}
		}
		if n := r.count(t, `select count(*) from `+table+` x where position('roster is attached' in x::text) > 0`); n != 0 &&
			table != "gavel.case_entry" {
			t.Errorf("%s holds the words of a mail", table)
		}
	}
}
