package notify_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/seal"
)

// once makes the first conversation go wrong and no other.
func once(f notifytest.Fault) func() notifytest.Fault {
	var n atomic.Int64
	return func() notifytest.Fault {
		if n.Add(1) == 1 {
			return f
		}
		return notifytest.None
	}
}

// nobodyKnows are the faults after which a server that cannot be asked may have the
// mail or not.
var nobodyKnows = []notifytest.Fault{notifytest.CutData, notifytest.TookAndCut, notifytest.CutAndLost, notifytest.Hangs}

func TestWhateverGoesWrongAMailArrivesOnceOrSaysWhyNot(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for _, asks := range []bool{false, true} {
		for _, fault := range notifytest.Faults() {
			c := r.file(t, "R-7")
			m := r.queue(t, r.letter(c, "R-7"))
			r.server.Fail(once(fault))
			sink := r.sink(t)
			if asks {
				sink = asking{sink, r.server}
			}
			patience := 30 * time.Second
			if fault == notifytest.Hangs {
				patience = 3 * time.Second // which it takes
			}
			r.settle(t, r.senderWithin(patience, sink))
			got, arrived := r.get(t, m.ID), r.server.Count(m.MessageID)
			a, err := r.acts.Get(t.Context(), north, m.ID)
			if err != nil {
				t.Fatal(err)
			}
			if refused := fault == notifytest.NoSuchUser || fault == notifytest.NeverData; refused != (got.State == notify.Undeliverable) {
				t.Errorf("it %q: the mail is %s", fault, got.State)
			}
			wantEntries := []string{notify.EntryQueued, "mail_" + string(got.State)}
			switch {
			case got.State == notify.Sent && arrived == 1 && a.State == act.Done:
			case got.State == notify.Undeliverable && arrived == 0 && a.State == act.Failed && got.Reason != "":
			case got.State == notify.Unknown && arrived <= 1 && a.State == act.Unknown && got.Reason != "" && !asks &&
				slices.Contains(nobodyKnows, fault):
				asked := all[string](t, r.db, `select kind from gavel.proposal where case_id = $1 and state = 'open'`, c.ID)
				if !slices.Equal(asked, []string{"act_unknown"}) {
					t.Errorf("it %q: a person is asked %q", fault, asked)
				}
			default:
				t.Errorf("it %q, asked %v: the mail is %s (%s), its act %s, and it arrived %d times", fault, asks, got.State, got.Reason,
					a.State, arrived)
			}
			if e := r.entries(t, c); !slices.Equal(e, wantEntries) {
				t.Errorf("it %q: the case has %q, want %q", fault, e, wantEntries)
			}
			if strings.Contains(r.log.String(), "rider.example") {
				t.Fatalf("it %q: the log names somebody:\n%s", fault, r.log)
			}
		}
	}
}

func TestTheServersWordsAreOnTheCaseAndGoWithTheReader(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	l := r.letter(c, "R-7")
	l.InReplyTo = "no.such.user.of.ours@rider.example"
	m := r.queue(t, l)
	r.server.Fail(once(notifytest.NoSuchUser))
	r.settle(t, r.sender(r.sink(t)))
	const words = "550 5.1.1 <[address]>: no such user here"
	if got := r.get(t, m.ID); !strings.Contains(got.Reason, words) {
		t.Errorf("got %q", got.Reason)
	}
	said := func() int {
		return all[int](t, r.db, `select count(*)::int from gavel.case_entry where body like '%no such user%'`)[0] +
			all[int](t, r.db, `select count(*)::int from gavel.mail where reason like '%no such user%'`)[0]
	}
	if said() != 2 {
		t.Errorf("the words stand in %d places, want the entry and the mail", said())
	}
	for _, table := range []string{"gavel.record", "gavel.act", "gavel.proposal"} {
		if n := all[int](t, r.db, `select count(*)::int from `+table+` x where x::text like '%no such user%'`)[0]; n != 0 {
			t.Errorf("they stand in %s, where an erasure of the reader may not reach", table)
		}
	}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: seal.Subject{Type: "rider", ID: "R-7"}, Ground: seal.OnRequest,
		Reference: "DSR-1"}); err != nil {
		t.Fatal(err)
	}
	if said() != 0 {
		t.Errorf("after the erasure they stand in %d places", said())
	}
	if n := all[int](t, r.db, `select count(*)::int from gavel.mail x where x::text like '%no.such.user%'`)[0]; n != 0 {
		t.Error("after the erasure the id that their own program made stands there")
	}
}

func TestAServerThatComesBackGetsWhatWaited(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	m := r.queue(t, r.letter(c, "R-7"))
	var tries atomic.Int64
	r.server.Fail(func() notifytest.Fault {
		if tries.Add(1) < 6 {
			return notifytest.Busy
		}
		return notifytest.None
	})
	r.settle(t, r.sender(r.sink(t)))
	if got := r.get(t, m.ID); got.State != notify.Sent || got.Tries != 6 || r.server.Count(m.MessageID) != 1 {
		t.Errorf("got %s after %d tries, arrived %d times", got.State, got.Tries, r.server.Count(m.MessageID))
	}
}

func TestAMailThatIsNeverTakenIsGivenUpWithTheLastWords(t *testing.T) {
	r := newRig(t, durable.Clock{})
	m := r.queue(t, r.letter(r.file(t, "R-7"), "R-7"))
	r.server.Fail(func() notifytest.Fault { return notifytest.LaterRcpt })
	s := r.sender(r.sink(t))
	s.GiveUp = 100 * time.Millisecond
	r.settle(t, s)
	if got := r.get(t, m.ID); got.State != notify.Undeliverable || !strings.Contains(got.Reason, "greylisted") || got.Tries < 2 {
		t.Errorf("got %s after %d tries: %s", got.State, got.Tries, got.Reason)
	}
}

// dying is a sink that hands over and never comes back, as in a process that was
// killed: its context ends, and so does what would have written the end down.
type dying struct {
	notify.Sink
	died chan struct{}
}

func (d dying) Send(ctx context.Context, m notify.Message) error {
	_ = d.Sink.Send(ctx, m)
	close(d.died)
	select {} // for good
}

func TestAfterACrashTheMailIsAskedAboutAndNotSentAgain(t *testing.T) {
	for _, asks := range []bool{false, true} {
		r := newRig(t, durable.Clock{})
		m := r.queue(t, r.letter(r.file(t, "R-7"), "R-7"))
		dead := make(chan struct{})
		go func() { _, _ = r.sender(dying{r.sink(t), dead}).Pass(context.Background()) }()
		<-dead
		sink, want := r.sink(t), notify.Unknown
		if asks {
			sink, want = asking{sink, r.server}, notify.Sent
		}
		s := r.sender(sink)
		if n, err := s.Pass(t.Context()); err != nil || n != 0 {
			t.Errorf("while its lease runs %d were taken up, %v", n, err)
		}
		r.admin(t, `update gavel.mail set due_at = clock_timestamp()`) // it is over
		r.admin(t, `update gavel.act set lease_until = clock_timestamp()`)
		r.settle(t, s)
		if got := r.get(t, m.ID); got.State != want || r.server.Count(m.MessageID) != 1 {
			t.Errorf("asked %v: got %s, arrived %d times", asks, got.State, r.server.Count(m.MessageID))
		}
	}
}

// A shop takes a key and tells a repeat by it, for as long as it says.
type shop struct {
	window time.Duration
	sent   map[string]int
	tries  int
	fail   error // the first answer
}

func (s *shop) Send(_ context.Context, m notify.Message) error {
	s.tries++
	if s.sent[m.Key] == 0 {
		s.sent[m.Key] = 1
	}
	if s.tries == 1 {
		return s.fail
	}
	return nil
}

func (s *shop) RepeatsFor() time.Duration { return s.window }

func TestASinkThatTellsRepeatsIsTriedAgainOnlyWhileItDoes(t *testing.T) {
	for _, tt := range []struct {
		window time.Duration
		want   notify.State
		tries  int
	}{
		{24 * time.Hour, notify.Sent, 2},
		{time.Millisecond, notify.Unknown, 1},
	} {
		r := newRig(t, durable.Clock{})
		m := r.queue(t, r.letter(r.file(t, "R-7"), "R-7"))
		to := &shop{window: tt.window, sent: map[string]int{}, fail: &notify.Failure{Fate: notify.Unsure, Words: "no answer",
			Err: errors.New("cut")}}
		r.settle(t, r.sender(to))
		if got := r.get(t, m.ID); got.State != tt.want || to.tries != tt.tries {
			t.Errorf("window %s: got %s after %d tries, want %s after %d", tt.window, got.State, to.tries, tt.want, tt.tries)
		}
	}
}

func TestAPauseHoldsMailsAndItsEndLetsThemGo(t *testing.T) {
	r := newRig(t, durable.Clock{})
	pauses := act.NewPauses(act.PausesConfig{DB: r.db.App, Rules: policy.Standard()})
	p, _, err := pauses.Set(t.Context(), admin, act.EveryOutside, "The letters are wrong.")
	if err != nil {
		t.Fatal(err)
	}
	m := r.queue(t, r.letter(r.file(t, "R-7"), "R-7"))
	s := r.sender(r.sink(t))
	for range 5 {
		if _, err := s.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.get(t, m.ID); got.State != notify.Queued || len(r.server.Mails()) != 0 {
			t.Errorf("under a pause it is %s and %d were sent", got.State, len(r.server.Mails()))
		}
		if begun := all[string](t, r.db, `select id from gavel.mail where id = $1 and first_try_at is not null`, m.ID); len(begun) > 0 {
			t.Error("the days it is held count as days that it was tried")
		}
		if _, err := r.db.System.Exec(t.Context(), `update gavel.mail set due_at = now()`); err != nil { // a minute later
			t.Fatal(err)
		}
	}
	if _, err := pauses.Lift(t.Context(), admin, p.ID, "They are right now."); err != nil {
		t.Fatal(err)
	}
	if _, err := r.db.System.Exec(t.Context(), `update gavel.mail set due_at = now()`); err != nil { // a minute later
		t.Fatal(err)
	}
	r.settle(t, s)
	if got := r.get(t, m.ID); got.State != notify.Sent {
		t.Errorf("after the pause it is %s", got.State)
	}
}

func TestManySendersSendEachMailOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	const many = 40
	for range many {
		r.queue(t, r.letter(c, "R-7"))
	}
	done := make(chan struct{})
	for range 3 {
		go func() {
			defer func() { done <- struct{}{} }()
			s := r.sender(r.sink(t))
			for {
				if n, err := s.Pass(t.Context()); err != nil || n == 0 {
					return
				}
			}
		}()
	}
	for range 3 {
		<-done
	}
	r.settle(t, r.sender(r.sink(t)))
	seen := map[string]int{}
	for _, m := range r.server.Mails() {
		seen[m.ID()]++
	}
	if len(seen) != many || len(r.server.Mails()) != many {
		t.Errorf("%d mails arrived, of %d ids; want %d of each", len(r.server.Mails()), len(seen), many)
	}
}

func TestAMailOfAClosedCaseStillGoesAndIsListed(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	m := r.queue(t, r.letter(c, "R-7"))
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, _, err := casefile.Apply(t.Context(), tx, c.ID, casefile.Change{Key: "closed", State: casefile.Closed, Status: "done",
			Entry: casefile.Entry{Kind: "closed", At: time.Now(), ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel",
				Text: "done"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.settle(t, r.sender(r.sink(t)))
	if list, err := r.OfCase(t.Context(), north, c.ID); err != nil || len(list) != 1 || list[0].ID != m.ID || list[0].State != notify.Sent {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestACasesWorkflowIsToldHowItsMailsEnded promises that who waits for a mail to
// arrive is woken by its end, whatever it is.
func TestACasesWorkflowIsToldHowItsMailsEnded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	c := r.file(t, "R-7")
	sent := r.queue(t, r.letter(c, "R-7"))
	r.settle(t, r.sender(r.sink(t)))
	refused := r.queue(t, r.letter(c, "R-7"))
	r.server.Fail(once(notifytest.NoSuchUser))
	r.settle(t, r.sender(r.sink(t)))
	got := map[string]string{}
	for _, line := range all[string](t, r.db,
		`select payload#>>'{input,mail}' || ' ' || (payload#>>'{input,state}') || ' ' || (payload#>>'{input,case}') || ' ' || target
		from gavel.outbox where kind = 'signal' and payload->>'name' = 'mail_ended'`) {
		mail, rest, _ := strings.Cut(line, " ")
		got[mail] = rest
	}
	to := string(c.ID) + " general/north/" + c.Key
	if want := map[string]string{sent.ID: "sent " + to, refused.ID: "undeliverable " + to}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
