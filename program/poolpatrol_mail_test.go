package program

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestWhoRepliesFiveTimesInADayWasHeard lives through the day of a rider who answers
// five times, on their page and by mail: the fourth letter of the day is kept back, a
// person sees why, nothing counts as undeliverable, and the letter that ends the
// membership goes out all the same.
func TestWhoRepliesFiveTimesInADayWasHeard(t *testing.T) {
	const rider = "rider15@riders.example.org"
	p := newProgramme(t, 1, "GAVEL_CLOCK_SPEED=720", "GAVEL_PUBLIC_URL=https://gavel.example.org") // a day takes two minutes
	p.audit()
	page := p.link(rider)
	p.comes("VP-101", "pending_reply")

	p.says(page, "right", "keep")
	p.until("thanks, and the second letter", func() bool { return p.wrote(rider) == "first, rechecking, again" })
	p.comes("VP-101", "pending_reply")
	p.says(page, "right", "keep")
	p.comes("VP-101", "hitl_review mail_held")
	const kept = `select s->>'mail' from poolpatrol.case c, jsonb_array_elements(c.life->'subjects') s`
	if got := p.one(kept); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("the letter that the loop guard kept is %q", got)
	}
	for n := range 3 {
		p.byMailbox(p.reply(rider, fmt.Sprint("One more thing, number ", n)))
	}
	p.until("five answers", func() bool { return p.one(`select life->>'inbound' from poolpatrol.case`)[0] == "5" })
	p.comes("VP-101", "hitl_review unread_reply")
	p.cancels("VP-101")
	p.until("the last letter", func() bool { return p.wrote(rider) == "first, rechecking, again, removed" })
	if said := p.one(`select body from gavel.case_entry where body like '%undeliverable%'`); len(said) > 0 {
		t.Errorf("who replied five times is said not to have been reached: %q", said)
	}
}

// wrote are the kinds of the letters that somebody was sent, in order.
func (p *programme) wrote(to string) string {
	p.t.Helper()
	kinds := p.one(`select kind from gavel.mail where state = 'sent' order by queued_at, id`)
	if len(p.mails(to)) < len(kinds) {
		return "on its way"
	}
	return strings.Join(kinds, ", ")
}

// TestLeaveIsNoSilenceAndABounceNoHearing lives through two cases side by side, on a clock
// on which a day takes two seconds: of a rider on leave, whose mailbox answers by itself,
// and of one whose letter comes back.
func TestLeaveIsNoSilenceAndABounceNoHearing(t *testing.T) {
	p := newProgramme(t, 2)
	p.sql(`update poolpatrol.employee set language = 'hi' where id = 'EMP-1205'`)
	p.audit()
	var lives sync.WaitGroup
	lives.Go(func() { awayThenBack(p) })
	lives.Go(func() { bouncedThenHeard(p) })
	lives.Wait()
}

// daysSince waits until so many days have gone by since a van's case was opened, as the
// staff system knows the day.
func (p *programme) daysSince(van string, days int) {
	p.t.Helper()
	const past = `select (max(s.at) > c.opened_at + make_interval(days => $2))::text from poolpatrol.sync s, poolpatrol.case c
		where c.vanpool_id = $1 group by c.opened_at`
	p.until(fmt.Sprint(days, " days"), func() bool {
		got := p.one(past, van, days)
		return len(got) == 1 && got[0] == "true"
	})
}

// awayThenBack: nobody judges somebody on leave, whatever their mailbox answers; back at
// work they have three working days at least.
func awayThenBack(p *programme) {
	const rider = "rider15@riders.example.org"
	p.comes("VP-101", "pending_reply")
	p.sql(`insert into poolpatrol.away (org, employee_id, from_day) values ('north', 'EMP-1105', '2020-01-01')`)
	p.until("the clock stands", func() bool {
		return len(p.one(`select id from poolpatrol.case where vanpool_id = 'VP-101' and deadline_at is null
			and life->>'left' is not null`)) == 1
	})
	out := p.reply(rider, "I am out of the office until I am back.")
	p.byMailbox(append([]byte("Auto-Submitted: auto-replied\r\n"), out...))
	p.until("the automatic answer is kept and read by nobody", func() bool {
		return slices.Equal(p.one(`select m.state from gavel.mail_in m join poolpatrol.case c on c.id = m.case_id
			where c.vanpool_id = 'VP-101'`), []string{"dropped"})
	})
	p.daysSince("VP-101", 10)
	const stands = `select state || ' ' || (life->>'inbound') from poolpatrol.case where vanpool_id = 'VP-101'`
	if got := p.one(stands); got[0] != "pending_reply 0" {
		p.t.Errorf("ten days into a leave the case is %q", got)
	}
	p.sql(`delete from poolpatrol.away`)
	const days = `select count(*)::text from poolpatrol.case c
		join poolpatrol.case_event e on e.case_id = c.id and e.event->>'kind' = 'came_back',
		generate_series((e.at at time zone 'America/Los_Angeles')::date + 1, (c.deadline_at at time zone 'America/Los_Angeles')::date,
			'1 day') d
		where c.vanpool_id = 'VP-101' and c.deadline_at is not null and extract(isodow from d) < 6`
	p.until("three working days from their return", func() bool { n := p.one(days)[0]; return n >= "3" && len(n) == 1 })
	p.proposal("VP-101", "cancel_membership") // silence that was silence
}

// bouncedThenHeard: over a letter that came back nobody's membership ends; somebody who
// writes afterwards has had it.
func bouncedThenHeard(p *programme) {
	const rider, coordinator = "rider25@riders.example.org", "rider21@riders.example.org"
	p.sql(`update poolpatrol.vanpool set coordinator_id = 'EMP-1201' where id = 'VP-102'`)
	p.comes("VP-102", "pending_reply")
	p.until("a mail", func() bool { return len(p.mails(rider)) > 0 })
	p.byMailbox(cameBack(rider, p.mails(rider)[0].ID()))
	p.comes("VP-102", "hitl_review undeliverable")
	p.daysSince("VP-102", 10)
	if got := p.state("VP-102"); got != "hitl_review undeliverable" {
		p.t.Errorf("ten days after a bounce the case is %s", got)
	}
	card := p.proposal("VP-102", "settle_case")
	var shown struct{ Args map[string]any }
	p.call("GET", "/v1/proposals/"+card, nil, &shown)
	if shown.Args != nil {
		maps.Copy(shown.Args, map[string]any{"choice": "proceed", "reason": "it came back"})
		if status, said := p.tryDecide(card, "edit", "", shown.Args); status < http.StatusBadRequest {
			p.t.Errorf("a membership may be ended over a bounce: %d %s", status, said)
		}
	}
	p.byMailbox(p.reply(rider, "My mailbox was full. I have your letter."))
	p.comes("VP-102", "hitl_review unread_reply")
	p.cancels("VP-102")
	p.until("the last letter", func() bool { return len(p.mails(rider)) == 2 && len(p.mails(coordinator)) == 1 })
	head, text := unfolded(p.t, p.mails(rider)[1].Raw)
	for _, want := range []string{"सदस्यता", "कारण यह है", "समाप्त होती है", "आपका जवाब", "22:00-06:00"} {
		if !strings.Contains(text, want) {
			p.t.Errorf("the letter that ends a membership does not say %q:\n%s", want, text)
		}
	}
	if got := head["Content-Language"]; got != "hi" {
		p.t.Errorf("a letter in Hindi says that it is in %q", got)
	}
	head, text = unfolded(p.t, p.mails(coordinator)[0].Raw)
	if !strings.Contains(text, "One seat in VP-102 is free") || head["Content-Language"] != "en" ||
		strings.Contains(text+head["Subject"], "Rider25") || strings.Contains(text, "EMP-") || strings.Contains(text, "22:00") {
		p.t.Errorf("the coordinator is told, in %q:\n%s", head["Content-Language"], text)
	}
	var left struct{ Items []map[string]any }
	p.call("GET", "/v1/poolpatrol/removals", nil, &left)
	if len(left.Items) != 1 || left.Items[0]["employee_id"] != "EMP-1205" || left.Items[0]["effective_on"] == "" {
		p.t.Errorf("vendor and payroll are told %v", left.Items)
	}
	status, file, header := p.send("GET", "/v1/poolpatrol/removals?format=csv", nil, nil)
	if status != http.StatusOK || !strings.Contains(file, "EMP-1205") || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") {
		p.t.Errorf("as a file: %d %s", status, file)
	}
	var told []map[string]any
	page := struct {
		Items []map[string]any
		Next  string
		More  bool
	}{Next: "first", More: true}
	for page.More {
		at := page.Next
		page.More, page.Items = false, nil
		p.call("GET", "/v1/events?page_size=500&after="+at, nil, &page)
		told = append(told, page.Items...)
	}
	told = slices.DeleteFunc(told, func(e map[string]any) bool { return e["type"] != "removal" })
	if len(told) != 1 || told[0]["subject"] != "VP-102" || strings.Contains(fmt.Sprint(told), "EMP-1205") {
		p.t.Errorf("webhooks are told %v", told)
	}
}

// cameBack is the report of a mail server that a letter could not be delivered.
func cameBack(to, id string) []byte {
	text := "Return-Path: <>\nMessage-ID: <" + rand.Text() + "@mx.example.org>\nFrom: MAILER-DAEMON@mx.example.org\nTo: vanpools@example.org\n" +
		"Subject: Undelivered Mail\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=d\n\n" +
		"--d\nContent-Type: text/plain\n\nIt came back.\n--d\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n" +
		"Final-Recipient: rfc822; " + to + "\nAction: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 mailbox full\n\n" +
		"--d\nContent-Type: text/rfc822-headers\n\nMessage-ID: <" + id + ">\n\n--d--\n"
	return bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n"))
}
