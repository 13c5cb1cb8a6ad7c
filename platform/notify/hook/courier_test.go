package hook_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

func some(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("P-%d", i)
	}
	return all
}

func (r *rig) delivered(t testing.TB) int {
	t.Helper()
	return r.count(t, `select count(*) from gavel.webhook_message where state = 'delivered'`)
}

func TestOneAtATimeToEachWebhookHoweverManyCouriers(t *testing.T) {
	r := newRig(t, nil)
	v := receive(t, func(http.ResponseWriter, int, delivery) { time.Sleep(2 * time.Millisecond) })
	r.register(t, v.url, "decision")
	for range 4 {
		r.start(t, nil)
	}
	r.happen(t, postgrestest.North, audit.Decision, some(60)...)
	await(t, "all of them", func() bool { return r.delivered(t) == 60 })
	if v.most != 1 || len(v.all()) != 60 || len(v.ids()) != 60 {
		t.Errorf("%d at once, %d sent, %d of them different", v.most, len(v.all()), len(v.ids()))
	}
}

// A courier that dies between sending and noting leaves a message that is sent
// again, under the same id.
func TestACourierThatDiesLosesNothing(t *testing.T) {
	r := newRig(t, nil)
	var hang atomic.Bool
	hang.Store(true)
	gone := make(chan struct{})
	v := receive(t, func(_ http.ResponseWriter, n int, _ delivery) {
		if n == 3 && hang.Load() {
			<-gone
		}
	})
	r.register(t, v.url, "decision")
	stop := r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, some(10)...)
	await(t, "the fourth", func() bool { return len(v.all()) == 4 })
	stop()
	hang.Store(false)
	close(gone)
	if _, err := r.db.System.Exec(t.Context(), `update gavel.webhook set busy_until = '-infinity'`); err != nil { // its lease ends
		t.Fatal(err)
	}
	r.start(t, nil)
	await(t, "all of them", func() bool { return r.delivered(t) == 10 })
	if len(v.ids()) != 10 || len(v.all()) != 11 {
		t.Errorf("%d different messages arrived, %d in all; want 10, and one of them twice", len(v.ids()), len(v.all()))
	}
}

func TestABacklogWaitsInTheLogAndNothingOfItIsLost(t *testing.T) {
	r := newRig(t, fast(t, 5*time.Second)) // what failed early is tried again soon
	var up atomic.Bool
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) {
		if !up.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	r.register(t, v.url, "decision")
	const all = hook.MaxWaiting + 600
	r.happen(t, postgrestest.North, audit.Decision, some(all)...)
	r.start(t, nil)
	waiting := func() int { return r.count(t, `select count(*) from gavel.webhook_message`) }
	await(t, "as many as may wait", func() bool { return waiting() >= hook.MaxWaiting })
	time.Sleep(200 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if n := waiting(); n >= all {
		t.Errorf("%d messages wait", n)
	}
	up.Store(true)
	await(t, "all of them", func() bool { return r.delivered(t) == all })
	if n := len(v.ids()); n != all {
		t.Errorf("%d different ones arrived, want %d", n, all)
	}
}

func TestEnablingSkipsWhatWasMissedUnlessAskedTo(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	off := func(why string) {
		t.Helper()
		if _, err := r.Disable(t.Context(), admin, w.ID, why); err != nil {
			t.Fatal(err)
		}
	}
	on := func(missed hook.Missed) {
		t.Helper()
		if _, err := r.Enable(t.Context(), admin, w.ID, "x", missed); err != nil {
			t.Fatal(err)
		}
	}
	off("a first time")
	r.happen(t, postgrestest.North, audit.Decision, "P-skipped")
	time.Sleep(100 * time.Millisecond) // the courier may look, and need not have
	on(hook.SkipMissed)
	off("a second time")
	r.happen(t, postgrestest.North, audit.Decision, "P-missed")
	on(hook.SendMissed)
	r.happen(t, postgrestest.North, audit.Decision, "P-now")
	await(t, "two", func() bool { return len(v.all()) == 2 })
	time.Sleep(100 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	var subjects []string
	for _, m := range r.messages(t, w.ID) {
		subjects = append(subjects, m.Subject)
	}
	slices.Sort(subjects)
	if want := []string{"P-missed", "P-now"}; !slices.Equal(subjects, want) || len(v.all()) != 2 {
		t.Errorf("got %v, want %v", subjects, want)
	}
	if _, err := r.Enable(t.Context(), admin, w.ID, "x", hook.SkipMissed); !fault.Is(err, fault.Conflict) {
		t.Errorf("on twice: %v", err)
	}
}

func TestATestIsSentOnceAlsoWhileTheWebhookIsOff(t *testing.T) {
	r := newRig(t, nil)
	v := receive(t, func(w http.ResponseWriter, n int, _ delivery) {
		if n == 0 {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	w, secret := r.register(t, v.url, "decision")
	if _, err := r.Disable(t.Context(), admin, w.ID, "x"); err != nil {
		t.Fatal(err)
	}
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.Decision, "P-1") // it is off
	for i, want := range []hook.MessageState{hook.GivenUp, hook.Delivered} {
		m, err := r.Test(t.Context(), admin, w.ID)
		if err != nil || m.Kind != hook.TestKind {
			t.Fatalf("got %+v, %v", m, err)
		}
		await(t, "the test", func() bool { return r.messages(t, w.ID)[0].State == want })
		if d := v.all()[i]; d.id() != m.ID || !verifies(d, secret) {
			t.Errorf("got %s %s", d.id(), d.body)
		}
	}
	time.Sleep(100 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if got, err := r.Get(t.Context(), admin, w.ID); err != nil || got.State != hook.Off || len(v.all()) != 2 {
		t.Errorf("got %+v, %v, %d sent", got, err, len(v.all()))
	}
}

func TestAMessageIsSentAgainUnderItsIDWhenSomebodyAsks(t *testing.T) {
	r := newRig(t, nil)
	var down atomic.Bool
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	d := next(t, r, v)
	await(t, "the first", func() bool { return r.delivered(t) == 1 })
	for i, broken := range []bool{false, true} {
		down.Store(broken)
		if m, err := r.Resend(t.Context(), admin, w.ID, d.id()); err != nil || m.State != hook.Waiting {
			t.Fatalf("got %+v, %v", m, err)
		}
		await(t, "another", func() bool { return r.messages(t, w.ID)[0].Attempts == i+2 })
	}
	m, tries, err := r.Message(t.Context(), admin, w.ID, d.id())
	if err != nil || len(tries) != 3 || tries[1].By != admin.ID || tries[0].By != "" || tries[2].Fault != hook.FaultServer {
		t.Fatalf("got %+v, %v", tries, err)
	}
	if m.State != hook.Delivered || len(v.ids()) != 1 || v.all()[2].body != d.body {
		t.Errorf("it was taken once, and is %s; %d ids arrived", m.State, len(v.ids()))
	}
	if n := r.count(t, `select count(*) from gavel.record where kind = 'webhook' and json like '%resent%'`); n != 2 {
		t.Errorf("%d records of who asked", n)
	}
	if _, err := r.Resend(t.Context(), admin, w.ID, "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV"); !fault.Is(err, fault.NotFound) {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestNothingLeavesWhileTheOrganisationIsPaused(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	var paused, asked atomic.Bool
	paused.Store(true)
	w, _ := r.register(t, v.url, "decision")
	r.start(t, func(c *hook.CourierConfig) {
		c.Paused = func(_ context.Context, org identity.Org) (bool, error) {
			asked.Store(true)
			return paused.Load() && org == postgrestest.North, nil
		}
	})
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "a look", func() bool { return asked.Load() && len(r.messages(t, w.ID)) == 1 })
	time.Sleep(100 * time.Millisecond) // for what must not come; a busy machine can only be too slow to show it
	if m := r.messages(t, w.ID); len(v.all()) != 0 || len(m) != 1 || m[0].Attempts != 0 {
		t.Errorf("%d left, %+v", len(v.all()), m)
	}
	paused.Store(false)
	await(t, "it to go on", func() bool { return len(v.all()) == 1 })
}

func TestARemovedWebhookLeavesItsRecordAndNothingElse(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, _ := r.register(t, v.url, "decision")
	stop := r.start(t, nil)
	next(t, r, v)
	await(t, "the first", func() bool { return r.delivered(t) == 1 })
	stop()
	if err := r.Remove(t.Context(), admin, w.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"webhook", "webhook_secret", "webhook_message", "webhook_attempt"} {
		if n := r.count(t, `select count(*) from gavel.`+table); n != 0 {
			t.Errorf("gavel.%s has %d rows", table, n)
		}
	}
	if n := r.count(t, `select count(*) from gavel.record where kind = 'webhook' and subject = $1`, w.ID); n != 2 {
		t.Errorf("%d records, want one of its beginning and one of its end", n)
	}
}

func TestAnswersGoWithTimeAndWithEveryErasure(t *testing.T) {
	r := newRig(t, nil)
	v := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { _, _ = w.Write([]byte("thank you, Zubeida")) })
	w, _ := r.register(t, v.url, "decision")
	r.start(t, nil)
	next(t, r, v)
	await(t, "the first", func() bool { return r.delivered(t) == 1 })
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		reach, err := hook.Eraser().Erase(t.Context(), tx, seal.Subject{Type: "rider", ID: "R-7"}, time.Now())
		if err == nil && reach.Rows != 1 {
			t.Errorf("it reached %d rows", reach.Rows)
		}
		return err
	})
	if err != nil || r.count(t, `select count(*) from gavel.webhook_attempt where answer <> ''`) != 0 {
		t.Errorf("an answer is left: %v", err)
	}
	for later, want := range map[time.Duration]int{0: 1, hook.Keep - time.Hour: 1} {
		if _, err := hook.Purge(t.Context(), r.db.System, time.Now().Add(later)); err != nil || len(r.messages(t, w.ID)) != want {
			t.Errorf("%v later there are %d, %v", later, len(r.messages(t, w.ID)), err)
		}
	}
	if n, err := hook.Purge(t.Context(), r.db.System, time.Now().Add(hook.Keep+time.Hour)); err != nil || n != 1 ||
		len(r.messages(t, w.ID)) != 0 {
		t.Errorf("%d went, %v", n, err)
	}
}

func TestAChangeNeedsTheVersionThatWasRead(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, _ := r.register(t, v.url, "decision")
	d := hook.Draft{URL: v.url + "/new", Title: "Another", Kinds: []string{"case", "act"}, Reason: "moved"}
	got, err := r.Change(t.Context(), admin, w.ID, w.Version, d)
	if err != nil || got.URL != d.URL || got.Title != d.Title || got.Version != w.Version+1 || !slices.Equal(got.Kinds, d.Kinds) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := r.Change(t.Context(), admin, w.ID, w.Version, d); !fault.Is(err, fault.Stale) {
		t.Errorf("an old version: %v", err)
	}
}
