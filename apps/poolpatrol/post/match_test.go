package post_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/post"
)

var key = post.Key("0123456789abcdef0123456789abcdef")

// desk is a small set of threads.
type desk []post.Thread

func (d desk) OfCase(c fleet.CaseID) []post.Thread {
	var out []post.Thread
	for _, t := range d {
		if t.Case == c {
			out = append(out, t)
		}
	}
	return out
}

func (d desk) OfMessage(id string) (post.Thread, bool) {
	for _, t := range d {
		if strings.Contains(id, string(t.ID)) {
			return t, true
		}
	}
	return post.Thread{}, false
}

var threads = desk{
	{ID: "THREAD-00000001", Case: "CASE-A3F8B291", Employee: "EMP-1001", Address: "robin@example.com"},
	{ID: "THREAD-00000002", Case: "CASE-A3F8B291", Employee: "EMP-1002", Address: "sam@example.com"},
	{ID: "THREAD-00000003", Case: "CASE-00000009", Employee: "EMP-1003", Address: "kim@example.com"},
}

func replyTo(t testing.TB, i int) string {
	t.Helper()
	a, err := key.ReplyAddress(threads[i].Case, threads[i].ID, "in.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAMailFindsItsThreadByTheSurestSign promises the order: our own address,
// then what it refers to, then its subject if the sender is on the case.
func TestAMailFindsItsThreadByTheSurestSign(t *testing.T) {
	forged := strings.Replace(replyTo(t, 0), ".", ".aaaaaaaaaa", 1)[:len("case+CASE-A3F8B291.aaaaaaaaaa")] + "@in.example.com"
	for _, tt := range []struct {
		name string
		mail post.Mail
		want fleet.ThreadID
		by   post.By
	}{
		{"our address", post.Mail{To: []string{"other@example.com", replyTo(t, 0)}}, "THREAD-00000001", post.ByToken},
		{"our address in other letters", post.Mail{To: []string{strings.ToUpper(replyTo(t, 1))}}, "THREAD-00000002", post.ByToken},
		{"our address before everything else", post.Mail{To: []string{replyTo(t, 1)}, InReplyTo: "<THREAD-00000003@m>", From: "robin@example.com", Subject: "Re: [CASE-00000009]"}, "THREAD-00000002", post.ByToken},
		{"a forged token falls through", post.Mail{To: []string{forged}, From: "x@example.com"}, "", post.Unmatched},
		{"another thread's token on this case", post.Mail{To: []string{strings.Replace(replyTo(t, 2), "CASE-00000009", "CASE-A3F8B291", 1)}}, "", post.Unmatched},
		{"in reply to", post.Mail{InReplyTo: "<THREAD-00000002@m>"}, "THREAD-00000002", post.ByReferences},
		{"references", post.Mail{References: []string{"<unknown@m>", "<THREAD-00000003@m>"}}, "THREAD-00000003", post.ByReferences},
		{"subject and a known sender", post.Mail{Subject: "Re: membership [case-a3f8b291]", From: "Sam@Example.com"}, "THREAD-00000002", post.BySubject},
		{"subject and a stranger", post.Mail{Subject: "[CASE-A3F8B291]", From: "stranger@example.com"}, "", post.Unmatched},
		{"subject and nobody", post.Mail{Subject: "[CASE-A3F8B291]"}, "", post.Unmatched},
		{"nothing", post.Mail{Subject: "lunch?", From: "sam@example.com"}, "", post.Unmatched},
	} {
		got, by := post.Match(tt.mail, key, threads)
		if got.ID != tt.want || by != tt.by {
			t.Errorf("%s: got %q by %q, want %q by %q", tt.name, got.ID, by, tt.want, tt.by)
		}
	}
}

// TestOnlyAProvedReplyIsActedOn promises what is done with each kind of mail.
func TestOnlyAProvedReplyIsActedOn(t *testing.T) {
	robin := post.Mail{From: "robin@example.com", DMARC: true, HasReturnPath: true, ReturnPath: "robin@example.com"}
	with := func(change func(*post.Mail)) post.Mail {
		m := robin
		change(&m)
		return m
	}
	for _, tt := range []struct {
		name string
		mail post.Mail
		by   post.By
		want post.Standing
	}{
		{"the rider, proved", robin, post.ByToken, post.Act},
		{"by references", robin, post.ByReferences, post.Act},
		{"by signature alone", with(func(m *post.Mail) { m.DMARC, m.DKIM = false, true }), post.ByToken, post.Act},
		{"by subject alone", robin, post.BySubject, post.AskPerson},
		{"not proved", with(func(m *post.Mail) { m.DMARC = false }), post.ByToken, post.AskPerson},
		{"somebody else on the case", with(func(m *post.Mail) { m.From = "sam@example.com" }), post.ByToken, post.AskPerson},
		{"nobody's", robin, post.Unmatched, post.Quarantine},
		{"an absence note", with(func(m *post.Mail) { m.AutoSubmitted = "auto-replied" }), post.ByToken, post.Ignore},
		{"a person's mail that says so", with(func(m *post.Mail) { m.AutoSubmitted = "No" }), post.ByToken, post.Act},
		{"a list", with(func(m *post.Mail) { m.Precedence = "List" }), post.ByToken, post.Ignore},
		{"bulk", with(func(m *post.Mail) { m.Precedence = "bulk" }), post.ByToken, post.Ignore},
		{"an old absence note", with(func(m *post.Mail) { m.Precedence = "auto_reply" }), post.ByToken, post.Ignore},
		{"asks for no answers", with(func(m *post.Mail) { m.AutoSuppress = "All" }), post.ByToken, post.Ignore},
		{"an empty return path", with(func(m *post.Mail) { m.ReturnPath = "" }), post.ByToken, post.Ignore},
		{"a bounce", with(func(m *post.Mail) {
			m.ReturnPath, m.ContentType = "", "multipart/report; report-type=delivery-status"
		}), post.ByToken, post.Bounce},
		{"a bounce in plain words", with(func(m *post.Mail) { m.From, m.ReturnPath = "MAILER-DAEMON@mx.example.com", "" }), post.ByReferences, post.Bounce},
		{"a bounce of something else", with(func(m *post.Mail) { m.From, m.ReturnPath = "mailer-daemon@mx.example.com", "" }), post.Unmatched, post.Ignore},
		{"a read receipt", with(func(m *post.Mail) { m.ContentType = "multipart/report; report-type=disposition-notification" }), post.ByToken, post.Ignore},
	} {
		if got := post.Weigh(tt.mail, threads[0], tt.by); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestThreeAutomaticMailsADayAndNoMore promises the loop guard at its edges.
func TestThreeAutomaticMailsADayAndNoMore(t *testing.T) {
	now := madeup.Now()
	ago := func(hours ...float64) []time.Time {
		var out []time.Time
		for _, h := range hours {
			out = append(out, now.Add(-time.Duration(h*float64(time.Hour))))
		}
		return out
	}
	for _, tt := range []struct {
		earlier []time.Time
		want    bool
	}{
		{nil, true}, {ago(1, 2), true}, {ago(1, 2, 3), false}, {ago(1, 2, 23.99), false}, {ago(1, 2, 24), true}, {ago(30, 40, 50, 60), true},
	} {
		if got := post.MaySend(tt.earlier, now); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.earlier, got, tt.want)
		}
	}
}

// TestATokenIsGoodForItsThreadAndKeyOnly promises that tokens differ with case,
// thread and key, and survive changes of case.
func TestATokenIsGoodForItsThreadAndKeyOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := func(label string) [4]byte {
			var b [4]byte
			copy(b[:], rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, label))
			return b
		}
		one := post.Thread{Case: fleet.NewCase(id("case")), ID: fleet.NewThread(id("thread"))}
		other := post.Thread{Case: fleet.NewCase(id("case 2")), ID: fleet.NewThread(id("thread 2"))}
		a, err := key.ReplyAddress(one.Case, one.ID, "in.example.com")
		if err != nil {
			t.Fatal(err)
		}
		if got, by := post.Match(post.Mail{To: []string{strings.ToLower(a)}}, key, desk{other, one}); by != post.ByToken || got != one {
			t.Fatalf("%s was not recognised", a)
		}
		if one != other {
			if got, by := post.Match(post.Mail{To: []string{a}}, key, desk{other}); by != post.Unmatched {
				t.Fatalf("%s was taken for %v", a, got)
			}
		}
		foreign := post.Key("another key of thirty-two bytes!!")
		if _, by := post.Match(post.Mail{To: []string{a}}, foreign, desk{one}); by != post.Unmatched {
			t.Fatalf("%s was taken under another key", a)
		}
	})
	if _, err := post.Key("short").Token("CASE-00000001", "THREAD-00000001"); err == nil {
		t.Error("a short key was used")
	}
}

// FuzzMatch promises that no header makes a mail of nobody's somebody's, but for
// the addresses and ids that were given out.
func FuzzMatch(f *testing.F) {
	f.Add("case+CASE-A3F8B291.abcdefghij@in.example.com", "Re: [CASE-A3F8B291]", "<x@y>")
	f.Add("CASE+case-a3f8b291.ABCDEFGHIJ@", "[CASE-A3F8B291][CASE-00000009]", "")
	f.Fuzz(func(t *testing.T, to, subject, ref string) {
		got, by := post.Match(post.Mail{To: []string{to}, Subject: subject, References: []string{ref}, From: "stranger@example.com"}, key, threads)
		if by == post.BySubject {
			t.Errorf("a stranger was matched by subject %q", subject)
		}
		if by == post.ByToken && !strings.EqualFold(strings.TrimSpace(to)[:29], replyTo(t, int(got.ID[len(got.ID)-1]-'1'))[:29]) {
			t.Errorf("%q was matched by token to %s", to, got.ID)
		}
	})
}

// TestHeadersKeepAThreadTogetherAndAreBounded promises ids, references and that
// nothing can add a header.
func TestHeadersKeepAThreadTogetherAndAreBounded(t *testing.T) {
	l := post.Letter{Subject: "Your vanpool membership [CASE-A3F8B291]"}
	seal := func(l post.Letter, chain []string) (post.Envelope, error) {
		return post.Seal(l, "MSG-12345678", "CASE-A3F8B291", "THREAD-00000001", key, "mail.example.com", "in.example.com", chain, [8]byte{1, 2, 3})
	}
	e, err := seal(l, []string{"<a@m>", "<b@m>"})
	if err != nil {
		t.Fatal(err)
	}
	if e.MessageID != "<MSG-12345678.0102030000000000@mail.example.com>" || e.InReplyTo != "<b@m>" || e.AutoSubmitted != "auto-generated" || e.ReplyTo != replyTo(t, 0) {
		t.Errorf("got %+v", e)
	}
	long := make([]string, 100)
	for i := range long {
		long[i] = "<" + strings.Repeat("x", i) + "@m>"
	}
	if e, err = seal(l, long); err != nil || len(e.References) != 20 || e.References[0] != long[0] || e.References[19] != long[99] {
		t.Errorf("a long chain became %d references, %v", len(e.References), err)
	}
	for _, bad := range []post.Letter{{Subject: "x\r\nBcc: y@example.com"}, {Subject: strings.Repeat("x", 3000)}} {
		if _, err := seal(bad, nil); err == nil {
			t.Errorf("subject %.20q was taken", bad.Subject)
		}
	}
}
