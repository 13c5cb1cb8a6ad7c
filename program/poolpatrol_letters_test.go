package program

import (
	"encoding/base64"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/notify/notifytest"
)

var letterCases = flag.Int("letter-cases", 40, "cases whose mails are read, a multiple of 20")

// TestNoMailTellsOfAnotherRider has vans fail, lives through some of
// their cases, and reads every mail that went out, as the mail server has it: no
// mail holds anything of anybody but its recipient, and of them only what belongs
// there. Everybody's data can be told from everybody else's.
func TestNoMailTellsOfAnotherRider(t *testing.T) {
	vans := *letterCases
	box := newPit(t)
	g := newPatrol(t, box.Address, "Vanpools <"+box.From+">", 10*time.Second)
	g.post = box
	all, town := souls(vans)
	g.fillTown(all, town)
	go g.keepFresh()
	g.audit()
	l := &letters{patrol: g, role: map[string]part{}, replied: map[string]bool{}, done: map[string]bool{}, riders: map[string]soul{}}
	for i, s := range all {
		l.role[s.Van] = part(i / 5 % 10)
		if s.Fails != "" {
			l.riders[s.Van] = s // the last who fails
		}
	}
	some := vans / 20
	want := map[string]int{"first": vans, "draft": some, "again": some, "closing": some, "removed": some}
	if !g.eventually(3, func() bool { return l.goOn(want) }) {
		t.Fatalf("the letters were never all written: %v", l.sent())
	}
	var mails []notifytest.Taken
	if !g.eventually(1, func() bool { mails = box.Mails(); return len(mails) >= sum(l.sent()) }) {
		t.Fatalf("%d mails were sent and %d have arrived", sum(l.sent()), len(mails))
	}
	r := newRegister(all)
	for _, m := range mails {
		if found := r.leaks(t, m.Raw); len(found) > 0 {
			t.Errorf("a mail to %s: %s\n%s", m.To, strings.Join(found, "; "), m.Raw)
		}
	}
	for _, id := range twice(mails) {
		t.Errorf("%s went out twice", id)
	}
	cases := len(g.asks(`select id from poolpatrol.case`))
	if cases < vans {
		t.Errorf("%d cases, want %d", cases, vans)
	}
	leakyLettersAreFound(t, r, all, mails[0])
	fmt.Printf("letters: %d mails of %d cases were read (%v), and none tells of anybody but its recipient\n", len(mails), cases, l.sent())
}

func sum(all map[string]int) (n int) {
	for _, one := range all {
		n += one
	}
	return n
}

// A part is what becomes of a van: of every ten the riders of two write and are
// answered or looked at again, one's records are mended, one's memberships end, and
// nobody does anything about the others.
type part int

// The parts.
const (
	answered part = iota
	lookedAtAgain
	mended
	cancelled
)

// letters are two hundred cases while they are lived through.
type letters struct {
	*patrol

	role    map[string]part
	replied map[string]bool // by van
	done    map[string]bool // by card
	riders  map[string]soul
	mended  bool
}

// sent counts the letters that went out, by kind.
func (l *letters) sent() map[string]int {
	all := map[string]int{}
	for _, kind := range l.asks(`select kind from gavel.mail where state = 'sent'`) {
		all[kind]++
	}
	return all
}

// goOn does what people do next, and reports whether enough letters of every kind
// have gone out.
func (l *letters) goOn(want map[string]int) bool {
	done := true
	sent := l.sent()
	for kind, n := range want {
		done = done && sent[kind] >= n
	}
	if done {
		return true
	}
	if sent["first"] >= want["first"] && !l.mended {
		l.mend()
	}
	l.write()
	const open = `select p.id || ' ' || p.tool || ' ' || c.vanpool_id from gavel.proposal p join poolpatrol.case c on c.org = p.org
		and c.id = p.case_id where p.state = 'open' and p.kind = 'call' order by p.n`
	for _, line := range l.asks(open) {
		asked := strings.Fields(line)
		if of := l.role[asked[2]]; of == mine[asked[1]] && !l.done[asked[0]] {
			l.answer(asked[0])
		}
	}
	return false
}

// mine is who answers which card.
var mine = map[string]part{"send_email_for_review": answered, "settle_case": lookedAtAgain, "cancel_membership": cancelled}

// write has riders write once their letters have come.
func (l *letters) write() {
	got := map[string]bool{}
	if len(l.replied) < len(l.role)/5 {
		for _, m := range l.post.Mails() {
			got[m.To] = true
		}
	}
	for van, of := range l.role {
		if to := l.riders[van].Email; (of == answered || of == lookedAtAgain) && !l.replied[van] && got[to] {
			l.delivers(l.reply(to, "I have a question about this."))
			l.replied[van] = true
		}
	}
}

// mend makes everybody fit in some vans.
func (l *letters) mend() {
	l.mended = true
	for van, of := range l.role {
		if of == mended {
			l.does(`with s as (select v.schedule, w.lat, w.lng from poolpatrol.vanpool v join poolpatrol.site w on w.org = v.org
				and w.id = v.site_id where v.id = $1),
				ids as (select employee_id from poolpatrol.rider where vanpool_id = $1),
				h as (update poolpatrol.shift set schedule = s.schedule from s
				where id in (select a.shift_id from poolpatrol.assignment a join ids using (employee_id)))
				update poolpatrol.employee set home_lat = s.lat, home_lng = s.lng, changed_at = $2 from s
				where id in (select employee_id from ids)`, van, l.clock.Now())
		}
	}
}

// answer decides what is asked: approves it, or has the van looked at again.
func (l *letters) answer(id string) {
	c, ok := l.card(id)
	if !ok {
		return
	}
	verdict, reason, edit := "approve", "it is right", map[string]any(nil)
	if c.tool == "settle_case" {
		c.args["choice"] = "re_audit"
		verdict, reason, edit = "edit", "look again", c.args
	}
	l.done[id] = l.answers(l.token, c, verdict, reason, edit) < 300
}

// leakyLettersAreFound alters a letter so that it tells something it may not, one
// thing at a time, and sees to it that the same reader finds it.
func leakyLettersAreFound(t *testing.T, r register, all []soul, m notifytest.Taken) {
	t.Helper()
	own := r.byEmail[m.To]
	var mate, stranger soul
	for _, s := range all {
		if s.Van == own.Van && s.ID != own.ID {
			mate = s
		}
		if s.Van != own.Van {
			stranger = s
		}
	}
	head, _, _ := strings.Cut(m.Raw, "\r\n\r\n")
	var kept []string
	for line := range strings.SplitSeq(head, "\r\n") {
		if name, _, _ := strings.Cut(line, ":"); strings.EqualFold(name, "To") || strings.EqualFold(name, "Subject") ||
			strings.EqualFold(name, "From") {
			kept = append(kept, line)
		}
	}
	plain := func(more, text string) string {
		return strings.Join(kept, "\r\n") + "\r\n" + more + "\r\n" + text + "\r\n"
	}
	if found := r.leaks(t, plain("", "Dear "+own.Given+",")); len(found) > 0 {
		t.Errorf("an innocent letter is found: %v", found)
	}
	leaky := map[string]string{"to somebody who fits": strings.ReplaceAll(plain("", "Hello"), own.Email, r.byVan[own.Van][0].Email),
		"their own home": plain("", own.Address), "their own id": plain("X-Who: "+own.ID+"\r\n", "Hello"),
		"their last name": plain("", "Dear "+own.Family)}
	for _, s := range []soul{mate, stranger} {
		for mark, what := range s.marks() {
			leaky[s.ID+" "+what] = plain("", "Your colleague: "+mark+".")
			leaky[s.ID+" "+what+" in a header"] = plain("X-Note: "+mark+"\r\n", "Hello")
			leaky[s.ID+" "+what+" in HTML, encoded"] = plain("Content-Type: multipart/alternative; boundary=b\r\n",
				"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n"+
					base64.StdEncoding.EncodeToString([]byte("<p>"+mark+"</p>"))+"\r\n--b--")
		}
	}
	for name, raw := range leaky {
		if len(r.leaks(t, raw)) == 0 {
			t.Errorf("a letter that tells %s is not found", name)
		}
	}
}
