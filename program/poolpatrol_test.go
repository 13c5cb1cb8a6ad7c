package program

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	netmail "net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A programme is an installation at work on vanpools: a server, a worker, a mail
// server, and a clock on which a day takes two seconds.
type programme struct {
	t      *testing.T
	db     *postgrestest.Database
	post   postbox
	base   string
	token  string
	secret webhook.Keys
	box    *imapclient.Client
	engine durable.Config
}

// newProgramme makes one of so many vans; settings are more than the usual ones.
func newProgramme(t *testing.T, vans int, settings ...string) *programme {
	t.Helper()
	box := newPit(t)
	p := &programme{t: t, db: postgrestest.New(t, builtIn().migrations()...), post: box, token: devToken(t, identity.ProgrammeManager)}
	secret := webhook.NewSecret()
	p.secret = webhook.Keys{{Secret: secret}}
	var env []string
	p.engine, env = withEngine(t, settingsFor(t, p.db))
	env = append(env, "GAVEL_CLOCK_EPOCH="+time.Now().UTC().Format(time.RFC3339), "GAVEL_CLOCK_SPEED=43200",
		"GAVEL_SMTP_ADDRESS="+box.Address, "GAVEL_MAIL_DOMAIN=mail.example.org", "GAVEL_MAIL_FROM=Vanpools <"+box.From+">",
		"GAVEL_MAIL_INBOUND_DOMAIN=in.example.org", "GAVEL_MAIL_KEYS=k1:"+testKey, "GAVEL_MAIL_ORG=north",
		"GAVEL_MAIL_AUTH_SERVER=mx.example.org", "GAVEL_MAIL_WEBHOOK_SECRETS="+secret.Reveal())
	inbox, set := newInbox(t)
	p.box, env = inbox, append(append(env, set...), settings...)
	served, worked := start(t, env, "serve"), start(t, env, "worker")
	t.Cleanup(func() {
		for name, one := range map[string]*process{"server": served, "worker": worked} {
			if code := one.ends(t, errTerminated); code != 0 || t.Failed() {
				text := one.log.String()
				t.Logf("the %s ended with code %d\n%s", name, code, text[max(0, len(text)-6000):])
			}
		}
	})
	p.base = fmt.Sprint("http://", served.said(t, "listening")["address"])
	awaitReady(t, p.base)
	p.fill(vans)
	go p.keepFresh()
	return p
}

// keepFresh is the staff system, which says four times a day that its records
// are current.
func (p *programme) keepFresh() {
	for p.t.Context().Err() == nil {
		p.current()
		time.Sleep(500 * time.Millisecond)
	}
}

func (p *programme) current() {
	p.call("POST", "/v1/poolpatrol/syncs", map[string]any{"kinds": []string{"employees", "vanpools"}}, nil)
}

// fill makes a programme of some vans, each with four riders of the day shift and
// one who works at night. The night rider of the third has no mail address.
func (p *programme) fill(vans int) {
	p.t.Helper()
	rows := strings.ReplaceAll(`
		insert into poolpatrol.site values ('north', 'PLANT-1', 'Plant 1', 'America/Los_Angeles', 37.5, -121.9);
		insert into poolpatrol.shift values ('north', 'SHIFT_DAY', 'Day', '[{"day":"Mon","start_time":"07:00","end_time":"16:00"},{"day":"Tue","start_time":"07:00","end_time":"16:00"},{"day":"Wed","start_time":"07:00","end_time":"16:00"}]'),
			('north', 'SHIFT_NIGHT', 'Night', '[{"day":"Mon","start_time":"22:00","end_time":"06:00"},{"day":"Tue","start_time":"22:00","end_time":"06:00"},{"day":"Wed","start_time":"22:00","end_time":"06:00"}]');
		insert into poolpatrol.employee (org, id, status, site_id, name, email, home_zip, home_lat, home_lng, changed_at)
			select 'north', 'EMP-1' || v || '0' || n, 'active', 'PLANT-1', 'Rider' || v || n || ' Made-up', case when v = 3 and n = 5 then '' else 'rider' || v || n || '@riders.example.org' end,
				'9' || lpad((v * 10 + n)::text, 4, '0'), 37.55, -121.95, now() - interval '1 day' from generate_series(1, VANS) v, generate_series(1, 5) n;
		insert into poolpatrol.assignment select 'north', 'EMP-1' || v || '0' || n, case when n = 5 then 'SHIFT_NIGHT' else 'SHIFT_DAY' end, '2020-01-01', null from generate_series(1, VANS) v, generate_series(1, 5) n;
		insert into poolpatrol.vanpool (org, id, site_id, capacity, status, changed_at) select 'north', 'VP-10' || v, 'PLANT-1', 7, 'active', now() - interval '1 day' from generate_series(1, VANS) v;
		insert into poolpatrol.rider (org, vanpool_id, employee_id) select 'north', 'VP-10' || v, 'EMP-1' || v || '0' || n from generate_series(1, VANS) v, generate_series(1, 5) n;
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'test' from unnest(array['sites', 'shifts', 'employees', 'vanpools']) k`, "VANS", strconv.Itoa(vans))
	p.sql(rows)
}

// sql runs statements as the organisation.
func (p *programme) sql(text string) {
	p.t.Helper()
	err := p.db.App.InOrg(p.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Conn().PgConn().Exec(p.t.Context(), text).ReadAll()
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// call speaks to the API as a programme manager.
func (p *programme) call(method, path string, body, out any) (int, string) {
	status, text, _ := p.send(method, path, body, out)
	return status, text
}

func (p *programme) send(method, path string, body, out any, headers ...string) (int, string, http.Header) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if p.t.Context().Err() != nil {
		return 0, "", nil
	}
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if out != nil && res.StatusCode < 300 {
		if err := json.Unmarshal(answer, out); err != nil {
			p.t.Fatalf("%s: %v\n%s", path, err, answer)
		}
	}
	return res.StatusCode, string(answer), res.Header
}

// audit has every van looked at, on records that are current.
func (p *programme) audit() {
	p.t.Helper()
	p.until("an audit", func() bool {
		p.current()
		status, _ := p.call("POST", "/v1/poolpatrol/passes", map[string]any{"kind": "asked"}, nil)
		return status < 300
	})
}

// until waits until something holds, and says how the case stands where it never
// does.
func (p *programme) until(what string, holds func() bool) {
	p.t.Helper()
	if wait.Holds(2, holds) { // weeks go by in some
		return
	}
	p.t.Fatalf("%s: never; the history of the cases:\n%s", what, strings.Join(p.one(`select c.key || ' ' || e.at::text || ' ' || e.body
		from gavel.case_entry e join gavel.case c on c.id = e.case_id order by c.key, e.seq`), "\n"))
}

func (p *programme) one(query string, args ...any) []string {
	p.t.Helper()
	var all []string
	err := p.db.App.InOrg(p.t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(p.t.Context(), query, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// state is where a van's case stands, with how it ended or what brought it before
// a person.
func (p *programme) state(van string) string {
	p.t.Helper()
	return strings.Join(p.one(`select trim(state || ' ' || coalesce(life->>'sub_reason', '') || coalesce(life->>'why', ''))
		from poolpatrol.case where vanpool_id = $1`, van), ", ")
}

// comes waits until a van's case stands somewhere.
func (p *programme) comes(van, state string) {
	p.t.Helper()
	p.until(van+" is "+state, func() bool { return p.state(van) == state })
}

// proposal waits for an open proposal of a tool in a van's case and returns its id.
func (p *programme) proposal(van, tool string) (id string) {
	p.t.Helper()
	p.until("a proposal of "+tool+" about "+van, func() bool {
		found := p.one(`select p.id from gavel.proposal p join poolpatrol.case c on c.id = p.case_id where c.vanpool_id = $1 and p.tool = $2
			and p.state = 'open'`, van, tool)
		if len(found) > 0 {
			id = found[0]
		}
		return len(found) > 0
	})
	return id
}

// mails are those that reached somebody, oldest first.
func (p *programme) mails(to string) (all []notifytest.Taken) {
	for _, m := range p.post.Mails() {
		if m.To == to {
			all = append(all, m)
		}
	}
	return all
}

// reply is an answer to the last mail to somebody, as their mail program sends it
// and the institution's mail server passes it on.
func (p *programme) reply(from, text string) []byte {
	p.t.Helper()
	var all []notifytest.Taken
	p.until("a mail to "+from, func() bool { all = p.mails(from); return len(all) > 0 }) // it was sent, and may still be on its way
	last, err := netmail.ReadMessage(strings.NewReader(all[len(all)-1].Raw))
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Appendf(nil, "Authentication-Results: mx.example.org; dmarc=pass header.from=riders.example.org\r\nFrom: %s\r\nTo: "+
		"%s\r\nSubject: Re: %s\r\nMessage-ID: <%s@riders.example.org>\r\nIn-Reply-To: %s\r\n\r\n%s\r\n",
		from, last.Header.Get("Reply-To"), last.Header.Get("Subject"), rand.Text(), last.Header.Get("Message-ID"), text)
}

// byWebhook brings a mail as the mail service's webhook does.
func (p *programme) byWebhook(raw []byte) {
	p.t.Helper()
	h, err := p.secret.Sign("msg_"+rand.Text(), time.Now(), raw)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+mailDoorPath, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = h
	req.Header.Set("Content-Type", "message/rfc822")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusNoContent {
		p.t.Fatalf("the webhook answers %d", res.StatusCode)
	}
}

// byMailbox puts a mail into the institution's mailbox.
func (p *programme) byMailbox(raw []byte) {
	p.t.Helper()
	cmd := p.box.Append("INBOX", int64(len(raw)), nil)
	_, err := cmd.Write(raw)
	if err == nil {
		err = cmd.Close()
	}
	if err == nil {
		_, err = cmd.Wait()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// settle answers what becomes of a case with a choice of one's own, or as it is
// proposed where there is none, until the case stands where that leads. A card that
// a reply has spoilt is asked anew, and answered anew.
func (p *programme) settle(van string, choice map[string]any, ends string) {
	p.t.Helper()
	const card = `select p.id from gavel.proposal p join poolpatrol.case c on c.id = p.case_id where c.vanpool_id = $1
		and p.tool = 'settle_case' and p.state = 'open'`
	p.until(van+" is "+ends, func() bool {
		open := p.one(card, van)
		if len(open) == 0 {
			return p.state(van) == ends
		}
		var shown struct{ Args map[string]any }
		if status, _ := p.call("GET", "/v1/proposals/"+open[0], nil, &shown); status != http.StatusOK {
			return false
		}
		if choice == nil {
			p.tryDecide(open[0], "approve", "it is right", nil)
			return false
		}
		maps.Copy(shown.Args, choice)
		p.tryDecide(open[0], "edit", "", shown.Args)
		return false
	})
}

// TestCasesAreLivedThroughToTheirEnd lives through six cases at once, on a clock on
// which a day takes two seconds, with real mail both ways.
func TestCasesAreLivedThroughToTheirEnd(t *testing.T) {
	p := newProgramme(t, 6)
	p.audit()
	var lives sync.WaitGroup // side by side: their days pass at once
	for _, live := range []func(*programme){silentThenCancelled, answersAndIsMended, unreachedAndExcepted, answersAtTheLast,
		silentThenDeclined, unprovenAndNotCancelled} {
		lives.Go(func() { live(p) })
	}
	lives.Wait()
	if t.Failed() {
		return
	}
	if got := p.one(`select vanpool_id || ' ' || employee_id from poolpatrol.rider where removed_on is not null`); !slices.Equal(got,
		[]string{"VP-101 EMP-1105"}) {
		t.Errorf("removed: %v", got)
	}
	for to, want := range map[string]int{"rider15@riders.example.org": 2, "rider25@riders.example.org": 3, "rider45@riders.example.org": 2,
		"rider55@riders.example.org": 2} {
		p.until(fmt.Sprintf("%d mails to %s", want, to), func() bool { return len(p.mails(to)) == want })
	}
	if *record {
		p.record()
	}
}

func silentThenCancelled(p *programme) { p.cancels("VP-101") }

// answersAndIsMended: a person approves an answer, the rider writes again, twice; the
// record is mended, and the van passes.
func answersAndIsMended(p *programme) {
	const rider = "rider25@riders.example.org"
	p.comes("VP-102", "pending_reply")
	p.byWebhook(p.reply(rider, "I moved to the day shift last week."))
	p.comes("VP-102", "hitl_review escalation")
	answer := p.proposal("VP-102", "send_email_for_review")
	leads(p.t, p.base, p.token, answer)
	p.decide(answer, "approve", "")
	p.until("the answer", func() bool { return len(p.mails(rider)) == 2 })
	p.comes("VP-102", "pending_reply")
	p.byWebhook(p.reply(rider, "Thank you. It should be in the records now."))
	p.comes("VP-102", "hitl_review escalation")
	p.byWebhook(p.reply(rider, "Sorry, it is from Monday on."))
	p.sql(`update poolpatrol.assignment set shift_id = 'SHIFT_DAY' where employee_id = 'EMP-1205'`)
	p.settle("VP-102", nil, "resolved data_fixed")
}

func unreachedAndExcepted(p *programme) {
	p.comes("VP-103", "hitl_review undeliverable")
	leads(p.t, p.base, p.token, p.proposal("VP-103", "settle_case"))
	p.settle("VP-103", map[string]any{"choice": "exception", "until": "2027-12-31", "reason": "agreed with the plant's manager"},
		"resolved exception_granted")
}

// answersAtTheLast: the request to cancel is taken back, and can be answered no more.
func answersAtTheLast(p *programme) {
	waits := p.proposal("VP-104", "cancel_membership")
	p.byMailbox(p.reply("rider45@riders.example.org", "Please wait, I was ill."))
	p.comes("VP-104", "hitl_review unread_reply")
	p.until("the request is taken back", func() bool {
		return p.one(`select state from gavel.proposal where id = $1`,
			waits)[0] == "superseded"
	})
	if status, _ := p.tryDecide(waits, "approve", "nobody answers", nil); status < 400 {
		p.t.Errorf("a request that was taken back is answered %d", status)
	}
	p.settle("VP-104", map[string]any{"choice": "exception", "until": "2027-12-31", "reason": "ill, and back next month"},
		"resolved exception_granted")
}

// silentThenDeclined: a person says no, and then what instead.
func silentThenDeclined(p *programme) {
	ends := p.proposal("VP-105", "cancel_membership")
	if f := leads(p.t, p.base, p.token, ends); !strings.HasPrefix(f.First("en"), "Rider55 Made-up, VP-105: works ") {
		p.t.Errorf("the card of %s leads with %q", ends, f.First("en"))
	}
	p.decide(ends, "reject", "the shift list is wrong")
	p.comes("VP-105", "hitl_review declined")
	p.settle("VP-105", map[string]any{"choice": "false_positive", "reason": "the shift list is wrong"}, "resolved false_positive")
}

// unprovenAndNotCancelled: two weeks and more pass, and nobody is asked to cancel.
func unprovenAndNotCancelled(p *programme) {
	p.comes("VP-106", "pending_reply")
	p.byWebhook(bytes.Replace(p.reply("rider65@riders.example.org", "It was me."), []byte("dmarc=pass"), []byte("dmarc=fail"), 1))
	const unread = `select state || ' ' || (life->>'unread') from poolpatrol.case where vanpool_id = 'VP-106'`
	p.until("the mail is known", func() bool { return p.one(unread)[0] == "pending_reply 1" })
	time.Sleep(30 * time.Second)
	if got := p.one(unread); !slices.Equal(got, []string{"pending_reply 1"}) {
		p.t.Errorf("somebody whose mail nobody has looked at yet stands at %v", got)
	}
}

var record = flag.Bool("record", false, "write histories that the applications replay")

// generation is that of the histories which are recorded now: cases are told how their acts
// ended, and passes, scans and ingests are jobs. Those of earlier ones stay and replay for
// ever; who has workflows take another path raises it.
const generation = "2"

// historyFile is where a history of an application is kept.
func historyFile(app, name string) string {
	return "../apps/" + app + "/testdata/history/" + name + "-" + generation + ".json"
}

// record keeps the histories of what was lived through, for replays.
func (p *programme) record() {
	p.t.Helper()
	for _, id := range p.one(`select 'VP-10' || n from generate_series(1, 5) n union all select 'pass:' || id from poolpatrol.pass
		where kind = 'asked'`) {
		name, _, _ := strings.Cut(strings.ToLower(id), ":")
		p.recordOne(id, name)
	}
}

// recordOne keeps the history of one, once it has ended.
func (p *programme) recordOne(id, name string) {
	p.t.Helper()
	engine := durabletest.DialTo(p.t, p.engine)
	if err := engine.GetWorkflow(p.t.Context(), "poolpatrol/north/"+id, "").Get(p.t.Context(), nil); err != nil {
		p.t.Fatal(err)
	}
	durabletest.Record(p.t, engine, "poolpatrol/north/"+id, historyFile("poolpatrol", name))
}

// decide answers a proposal as it stands, as a person who has read it.
func (p *programme) decide(id, verdict, reason string) {
	p.t.Helper()
	status, text := 0, ""
	wait.Holds(1, func() bool { // what is shown may change between reading and answering, and is then read again
		status, text = p.tryDecide(id, verdict, reason, nil)
		return status != http.StatusPreconditionFailed && status != http.StatusServiceUnavailable
	})
	if status < 300 {
		return
	}
	p.t.Fatalf("%s %s: %d %s", verdict, id, status, text)
}

func (p *programme) tryDecide(id, verdict, reason string, edit any) (int, string) {
	p.t.Helper()
	status, text, header := p.send("GET", "/v1/proposals/"+id, nil, nil)
	if status != http.StatusOK {
		p.t.Fatalf("%d %s", status, text)
	}
	body := map[string]any{"verdict": verdict}
	if reason != "" {
		body["reason"] = reason
	}
	if edit != nil {
		body["edit"] = edit
	}
	status, text, _ = p.send("POST", "/v1/proposals/"+id+"/decisions", body, nil, "If-Match", header.Get("ETag"), "Idempotency-Key",
		rand.Text())
	return status, text
}
