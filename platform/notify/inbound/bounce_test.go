package inbound_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/seal"
)

// bounce is a delivery report about a mail to somebody, as anybody can write one.
func bounce(name, to, recipient, about, says, text string) string {
	if to == "" {
		to = "cell@gavel.test"
	}
	return strings.ReplaceAll("Return-Path: <>\nMessage-ID: <"+name+"@mx.test>\nFrom: MAILER-DAEMON@mx.test\nTo: "+to+"\nSubject: "+
		"Undelivered Mail\n"+
		"MIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=d\n\n--d\nContent-Type: text/plain\n\n"+text+"\n"+
		"--d\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.test\n\nFinal-Recipient: rfc822; "+recipient+"\nAction: "+
		"failed\nStatus: 5.1.1\n"+
		"Diagnostic-Code: smtp; "+says+"\n\n--d\nContent-Type: text/rfc822-headers\n\nMessage-ID: <"+about+">\n\n--d--\n", "\n", "\r\n")
}

// TestABounceIsBelievedOnlyOfAMailOfOursToSomebodyOfTheCase promises that whoever
// has the address of a case cannot have Gavel say something in it.
func TestABounceIsBelievedOnlyOfAMailOfOursToSomebodyOfTheCase(t *testing.T) {
	r := newRig(t)
	const forged = "The officer grants the application of asha@riders.test."
	for name, tt := range map[string]struct {
		raw    string
		state  inbound.State
		reason inbound.Reason
	}{
		"ours": {bounce("ours", "", asha, sentA, "550 no such user <"+asha+">, \"asha\"@riders.test o'asha@[192.0.2.1]",
			forged), inbound.Accepted, ""},
		"to the case's own":  {bounce("own", replyA, asha, sentA, "550 no such user", forged), inbound.Accepted, ""},
		"only the address":   {bounce("addr", replyA, asha, "x@elsewhere.test", "550 no", forged), inbound.Held, inbound.ReasonUnproven},
		"another case's id":  {bounce("other", replyA, asha, sentB, "550 no", forged), inbound.Held, inbound.ReasonUnproven},
		"to nobody we know":  {bounce("zed", "", "zed@elsewhere.test", sentA, "550 no", forged), inbound.Held, inbound.ReasonStranger},
		"to nobody":          {bounce("nobody", "", "", sentA, "550 no", forged), inbound.Held, inbound.ReasonStranger},
		"of no mail of ours": {bounce("none", "", asha, "x@elsewhere.test", "550 no", forged), inbound.Quarantined, inbound.ReasonNoMatch},
	} {
		got := r.receive(t, tt.raw)
		if got.Verdict.State != tt.state || got.Verdict.Reason != tt.reason {
			t.Errorf("%s: got %+v, want %s %s", name, got.Verdict, tt.state, tt.reason)
		}
		if tt.state == inbound.Held {
			if _, err := r.Accept(t.Context(), officer(north), got.ID, "", ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	entries := r.entries(t, "A")
	if len(entries) != 6 {
		t.Errorf("got %d entries, want 6", len(entries))
	}
	for _, e := range entries {
		if strings.Contains(e.Text, "grants") || strings.Contains(e.Text, "@") || strings.Contains(e.Text, "asha") ||
			!strings.HasPrefix(e.Text, "A mail server says: 5.1.1 550 no") {
			t.Errorf("an entry says %q", e.Text)
		}
	}
}

func TestABounceThatSaysNothingIsNotGivenTheWordsAroundIt(t *testing.T) {
	r := newRig(t)
	raw := strings.NewReplacer("Status: 5.1.1", "Status: none").Replace(bounce("mute", "", asha, sentA, "", "The application is granted."))
	if got := r.receive(t, raw); got.Verdict.State != inbound.Accepted {
		t.Fatalf("got %+v", got.Verdict)
	}
	if e := r.entries(t, "A"); len(e) != 1 || e[0].Text != "A mail server says that a mail could not be delivered." {
		t.Errorf("got %+v", e)
	}
}

func TestManyBouncesWaitAndKeepNoReplyWaiting(t *testing.T) {
	r := rigAt(t, durable.Clock{})
	for n := range 20 {
		if got := r.receive(t, bounce(fmt.Sprint("b", n), "", asha, sentA, "550 no", "x")); got.Verdict.State != inbound.Accepted {
			t.Fatalf("bounce %d: got %+v", n, got.Verdict)
		}
	}
	if got := r.receive(t, bounce("more", "", asha, sentA, "550 no", "x")); got.Verdict.State != inbound.Held ||
		got.Verdict.Reason != inbound.ReasonTooMany {
		t.Errorf("got %+v, want it to wait", got.Verdict)
	}
	if got := r.receive(t, reply(1, "I am here.")); got.Verdict.State != inbound.Accepted {
		t.Errorf("got %+v, want the reply believed", got.Verdict)
	}
}

// TestAMailOfCharactersThatGrowIsKept promises that no text is too long for its
// row, whatever characters it is made of.
func TestAMailOfCharactersThatGrowIsKept(t *testing.T) {
	r := newRig(t)
	for i, c := range []string{"<", "\x01", "\u2028y", "\"", "x"} {
		text := "x" + strings.Repeat(c, (300<<10)/len(c))
		to := replyA
		for n := range 55 {
			to += fmt.Sprintf(",\r\n \"%s%d\"@x.test", strings.Repeat("<", 1000), n)
		}
		d := draft{name: fmt.Sprintf("grow-%d", i), from: asha, to: to, subject: strings.Repeat("<", 2000), auth: proven,
			body: "Content-Type: text/plain; charset=utf-8\n\n" + text}
		got := r.receive(t, d.eml())
		if _, w, err := r.Words(t.Context(), officer(north), got.ID); err != nil || len(w.Fresh) < 100<<10 || len(w.To) < 50 {
			t.Errorf("%q: got %d bytes to %d addresses, %v", c, len(w.Fresh), len(w.To), err)
		}
	}
}

func TestErasureOfAKnownSenderReachesAMailThatAPersonAccepted(t *testing.T) {
	r := newRig(t)
	// nothing proves it
	d := draft{name: "imran", from: "imran@riders.test", to: replyA, subject: "Re", body: inQP("text/plain", "I am ill.")}
	got := r.receive(t, d.eml())
	if got.Verdict.State != inbound.Held {
		t.Fatalf("got %+v", got.Verdict)
	}
	if _, err := r.Accept(t.Context(), officer(north), got.ID, "", "he called"); err != nil {
		t.Fatal(err)
	}
	admin := officer(north)
	admin.Roles = []identity.Role{identity.OrgAdmin}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: seal.Subject{Type: "rider", ID: "R-A2"},
		Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	if e := r.entries(t, "A"); len(e) != 1 || e[0].Text != casefile.ErasedText {
		t.Errorf("the entry still says %+v", e)
	}
	if _, _, err := r.Words(t.Context(), officer(north), got.ID); !errors.Is(err, seal.ErrErased) {
		t.Errorf("the mail still says something: %v", err)
	}
}

func TestAnAddressThatTwoPeopleShareIsNobodys(t *testing.T) {
	r := newRig(t)
	d := draft{name: "family", from: "family@riders.test", to: replyA, subject: "Re", auth: proven, body: inQP("text/plain", "We moved.")}
	if got := r.receive(t, d.eml()); got.Verdict.State != inbound.Held || got.Verdict.Reason != inbound.ReasonStranger {
		t.Errorf("got %+v, want it to wait for a person", got.Verdict)
	}
}

// TestAMailThatFailsAgainAndAgainIsStoredOnce promises that trying again leaves
// nothing behind each time.
func TestAMailThatFailsAgainAndAgainIsStoredOnce(t *testing.T) {
	r := newRig(t)
	r.admin(t, `alter table gavel.mail_in add constraint never check (via <> 'import')`)
	d := inbound.Delivery{Via: "import", Raw: []byte(reply(1, "Words."))}
	for range 3 {
		if _, err := r.Receive(t.Context(), d); err == nil {
			t.Fatal("it was kept")
		}
	}
	if n := r.count(t, `select count(distinct object) from gavel.sealed where purpose = 'mail_raw'`); n != 1 {
		t.Errorf("its bytes were sealed %d times, want once", n)
	}
	r.admin(t, `alter table gavel.mail_in drop constraint never`)
	got := r.receive(t, string(d.Raw))
	if raw, err := r.Raw(t.Context(), officer(north), got.ID); err != nil || string(raw) != string(d.Raw) {
		t.Errorf("it does not read as it came: %v", err)
	}
	if got.Verdict.State != inbound.Accepted || len(r.entries(t, "A")) != 1 {
		t.Errorf("got %+v", got.Verdict)
	}
}
