package program

import (
	"bytes"
	"crypto/rand"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/notify/notifytest"
)

// draw picks what happens next.
func (w *walker) draw() (string, func(*walker) string) {
	type kind struct {
		weight int
		name   string
		do     func(*walker) string
	}
	kinds := []kind{
		{6, "decision", (*walker).decides}, {4, "reply", (*walker).replies}, {2, "unproven reply", (*walker).repliesUnproven},
		{1, "automatic reply", (*walker).repliesByItself}, {1, "bounce", (*walker).bounces}, {2, "leave", (*walker).leave},
		{3, "records", (*walker).records},
		{1, "rider leaves", (*walker).riderLeaves}, {1, "van", (*walker).vanStops}, {2, "wrong person", (*walker).wrongPerson},
		{2, "mail is looked at", (*walker).looksAtMail},
		{1, "audit", (*walker).audits}, {3, "days pass", (*walker).daysPass},
	}
	sum := 0
	for _, k := range kinds {
		sum += k.weight
	}
	n := w.dice.IntN(sum)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			return k.name, k.do
		}
	}
	panic("the weights do not add up")
}

func (w *walker) someone() string { return w.riders[w.dice.IntN(len(w.riders))] }

// lastTo is the last mail that reached somebody.
func (w *walker) lastTo(who string) (m notifytest.Taken, ok bool) {
	all := w.mails(strings.ToLower(who) + "@riders.example.org")
	if len(all) == 0 {
		return m, false
	}
	return all[len(all)-1], true
}

// sends brings a mail in and waits until it is kept; then the walk remembers it.
func (w *walker) sends(what, who string, raw []byte) string {
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		w.t.Error(err)
		return "unreadable"
	}
	id := strings.Trim(m.Header.Get("Message-ID"), "<>")
	w.delivers(raw)
	const kept = `select state || ' ' || reason from gavel.mail_in where message_id = $1`
	state := ""
	if !w.eventually(1, func() bool { state = strings.Join(w.asks(kept, id), ","); return state != "" }) {
		w.t.Errorf("%s: a mail that was taken in is not kept", w.van)
	}
	w.notes(what, w.van, who, id)
	return who + " " + state
}

// answer is what somebody's mail program sends in reply to the last mail to them,
// as the institution's mail server passes it on.
func (w *walker) answer(who, proof, more string) []byte {
	last, ok := w.lastTo(who)
	if !ok {
		return nil
	}
	m, err := netmail.ReadMessage(strings.NewReader(last.Raw))
	if err != nil {
		w.t.Error(err)
		return nil
	}
	return fmt.Appendf(nil, "Authentication-Results: mx.example.org; dmarc=%s header.from=riders.example.org\r\nFrom: "+
		"%s@riders.example.org\r\nTo: %s\r\nSubject: Re: %s\r\nMessage-ID: <%s@riders.example.org>\r\n%sIn-Reply-To: %s\r\n\r\nPlease "+
		"wait, I want to say something. %s\r\n",
		proof, strings.ToLower(who), m.Header.Get("Reply-To"), m.Header.Get("Subject"), rand.Text(), more, m.Header.Get("Message-ID"),
		rand.Text())
}

func (w *walker) replies() string         { return w.reply("reply", "pass", "") }
func (w *walker) repliesUnproven() string { return w.reply("reply", "fail", "") }
func (w *walker) repliesByItself() string {
	return w.reply("auto", "pass", "Auto-Submitted: auto-replied\r\n")
}

func (w *walker) reply(what, proof, more string) string {
	who := w.someone()
	raw := w.answer(who, proof, more)
	if raw == nil {
		return who + " has no mail to answer"
	}
	return w.sends(what, who, raw)
}

func (w *walker) bounces() string {
	who := w.someone()
	last, ok := w.lastTo(who)
	if !ok {
		return who + " has no mail that could come back"
	}
	return w.sends("bounce", who, cameBack(strings.ToLower(who)+"@riders.example.org", last.ID()))
}

// leave begins for somebody, or ends.
func (w *walker) leave() string {
	who := w.someone()
	if w.away[who] {
		w.comesBack(who)
		return who + " is back"
	}
	w.does(`insert into poolpatrol.away (org, employee_id, from_day) values ('north', $1, $2::date - 1)`, who, w.clock.Now())
	w.away[who] = true
	w.notes("away", w.van, who, "")
	return who + " is away"
}

func (w *walker) comesBack(who string) {
	w.ends("away", who)
	w.does(`delete from poolpatrol.away where employee_id = $1`, who)
	delete(w.away, who)
}

// records change: somebody comes to fail, or to fit, or it is not on record any more
// where they live and when they work.
func (w *walker) records() string {
	who := w.someone()
	switch {
	case w.fits[who]:
		w.spoil(who)
		return who + " does not fit any more"
	case w.dice.IntN(3) == 0:
		w.does(`with a as (delete from poolpatrol.assignment where employee_id = $1)
			update poolpatrol.employee set home_lat = null, home_lng = null, home_zip = '', changed_at = $2
			where id = $1`, who, w.clock.Now())
		w.notes("gap", w.van, who, "")
		return who + " cannot be judged"
	}
	w.onRecord(who, "SHIFT_DAY", 37.55)
	w.fits[who] = true
	w.notes("fits", w.van, who, "")
	return who + " fits"
}

// onRecord says when somebody works and where they live.
func (w *walker) onRecord(who, shift string, lat float64) {
	w.ends("gap", who)
	w.does(`with a as (delete from poolpatrol.assignment where employee_id = $1 and shift_id <> $3),
		b as (insert into poolpatrol.assignment values ('north', $1, $3, '2020-01-01') on conflict do nothing)
		update poolpatrol.employee set home_lat = $4, home_lng = -121.95, home_zip = '94555', changed_at = $2
		where id = $1`, who, w.clock.Now(), shift, lat)
}

// spoil makes somebody's shift wrong, or their home too far.
func (w *walker) spoil(who string) {
	w.ends("fits", who)
	w.fits[who] = false
	if w.dice.IntN(2) == 0 {
		w.onRecord(who, "SHIFT_NIGHT", 37.55)
		return
	}
	w.onRecord(who, "SHIFT_DAY", 39.9)
}

func (w *walker) riderLeaves() string {
	who := w.someone()
	w.notes("left", w.van, who, "")
	w.does(`update poolpatrol.rider set removed_on = $2::date where employee_id = $1 and removed_on is null`, who, w.clock.Now())
	return who
}

// vanStops takes the van out of service for up to three days.
func (w *walker) vanStops() string {
	const set = `update poolpatrol.vanpool set status = $2, changed_at = $3 where id = $1`
	days := 1 + w.dice.IntN(3)
	w.does(set, w.van, "inactive", w.clock.Now())
	time.Sleep(time.Duration(days) * 2 * time.Second)
	w.does(set, w.van, "active", w.clock.Now())
	return fmt.Sprint(days)
}

// awaitCards are the cards that are open about the van, or will be within four days of
// the installation's clock. That none comes is an answer too.
func (w *walker) awaitCards() (open []card) {
	for end := w.clock.Now().Add(4 * 24 * time.Hour); len(open) == 0 && w.clock.Now().Before(end) && w.t.Context().
		Err() == nil; time.Sleep(100 * time.Millisecond) {
		open = w.cards(w.van)
	}
	return open
}

// decides answers a card that is open, as somebody who may.
func (w *walker) decides() string {
	open := w.awaitCards()
	if len(open) == 0 {
		return "nothing is asked"
	}
	c := open[w.dice.IntN(len(open))]
	n := w.dice.IntN(10)
	switch {
	case c.tool == "settle_case":
		choice := []string{"exception", "false_positive", "re_audit", "re_audit", "proceed", "proceed", "proceed", "reached", "reached",
			"re_audit"}[n]
		w.met["chose: "+choice]++
		return fmt.Sprint(c.id, " ", choice, " ", w.settleAs(c, choice))
	case n < 6:
		return fmt.Sprint(c.id, " ", c.tool, " approve ", w.answers(w.token, c, "approve", "it is right", nil))
	case n < 8:
		return fmt.Sprint(c.id, " ", c.tool, " reject ", w.answers(w.token, c, "reject", "not like this", nil))
	}
	if c.tool == "cancel_membership" { // of somebody else than was asked about
		c.args["employee_id"] = w.someone()
	} else {
		c.args["body"] = "Thank you. We are looking into it, and will write again."
	}
	return fmt.Sprint(c.id, " ", c.tool, " edit ", c.args["employee_id"], " ", w.answers(w.token, c, "edit", "better so", c.args))
}

// settleAs answers what becomes of a case.
func (w *walker) settleAs(c card, choice string) int {
	c.args["choice"], c.args["reason"] = choice, "as it was seen"
	switch choice {
	case "exception":
		c.args["until"] = w.clock.Now().AddDate(0, 0, 20+w.dice.IntN(300)).Format(time.DateOnly)
	case "reached":
		c.args["employee_id"] = w.someone()
	}
	return w.answers(w.token, c, "edit", "as it was seen", c.args)
}

// wrongPerson has somebody decide who may not, or on what they were not shown.
func (w *walker) wrongPerson() string {
	open := w.awaitCards()
	if len(open) == 0 {
		return "nothing is asked"
	}
	return w.refused(open[w.dice.IntN(len(open))])
}

// refused has somebody answer a card who may not, or who was shown something else.
func (w *walker) refused(c card) string {
	token := w.nobody()
	if w.dice.IntN(3) == 0 {
		c.etag, token = `"stale"`, w.token
	}
	status := w.answers(token, c, "approve", "it is right", nil)
	if status < 400 {
		w.t.Errorf("broken: %s of %s was decided by somebody who may not, or who saw something else: %d", c.id, w.van, status)
	}
	w.met["refused"]++
	return fmt.Sprint(c.id, " ", c.tool, " ", status)
}

// heldMail are the mails about the van that wait for a person.
func (w *walker) heldMail() []string {
	return w.asks(`select m.id from gavel.mail_in m join poolpatrol.case c on c.org = m.org and c.id = m.case_id where c.vanpool_id = $1
		and m.state = 'held' order by m.id`, w.van)
}

// looksAtMail decides about mail that nobody could be sure of.
func (w *walker) looksAtMail() string {
	held := w.heldMail()
	if len(held) == 0 {
		return "none waits"
	}
	way := []string{"accept", "discard"}[w.dice.IntN(2)]
	status, _ := w.call("POST", "/v1/mail/"+held[0]+"/"+way, map[string]any{"note": "looked at"}, nil)
	return fmt.Sprint(way, " ", status)
}

func (w *walker) audits() string {
	w.current()
	status, _ := w.call("POST", "/v1/poolpatrol/passes", map[string]any{"kind": "asked"}, nil)
	return fmt.Sprint(status)
}

// daysPass waits up to nine days: past a deadline.
func (w *walker) daysPass() string {
	days := 1 + w.dice.IntN(9)
	time.Sleep(time.Duration(days) * 2 * time.Second)
	return fmt.Sprint(days)
}
