package act_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

var operator = identity.Actor{Kind: identity.Person, ID: "p:operator", Name: "Test Operator", Org: north,
	Roles: []identity.Role{identity.Operator}}

// pause pauses a scope and returns the pause.
func (r *rig) pause(t testing.TB, scope act.Scope) act.Pause {
	t.Helper()
	p, fresh, err := r.pauses.Set(t.Context(), admin, scope, "The letters are wrong.")
	if err != nil || !fresh {
		t.Fatalf("pause of %s: fresh %v, %v", scope, fresh, err)
	}
	return p
}

func (r *rig) lift(t testing.TB, p act.Pause) {
	t.Helper()
	if _, err := r.pauses.Lift(t.Context(), operator, p.ID, "They are right now."); err != nil {
		t.Fatal(err)
	}
}

func TestAPauseHoldsWhatHasNotBegun(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for _, tt := range []struct {
		scope        act.Scope
		outside, own act.Standing // what an outside act and a write of the agent then are
	}{
		{act.Everything, act.Held, act.Held},
		{act.EveryOutside, act.Held, act.Mine},
		{act.OneApp("poolpatrol"), act.Held, act.Held},
		{act.OneApp("airshed"), act.Mine, act.Mine},
		{act.Scope(agent.ID), act.Held, act.Held},
		{"agent:poolpatrol/other", act.Mine, act.Mine},
	} {
		before := r.planned(t, act.Outside)
		running := r.begin(t, before, lease)
		p := r.pause(t, tt.scope)
		again, fresh, err := r.pauses.Set(t.Context(), operator, tt.scope, "Another reason.")
		if err != nil || fresh || again.ID != p.ID || again.Reason != p.Reason {
			t.Errorf("pausing what is paused: got %+v, fresh %v, %v; want the pause that is on", again, fresh, err)
		}
		letter, write := r.planned(t, act.Outside), r.planned(t, act.Write)
		if c := r.begin(t, letter, lease); c.Standing != tt.outside {
			t.Errorf("pause of %s: an outside act is %s, want %s", tt.scope, c.Standing, tt.outside)
		}
		if c := r.begin(t, write, lease); c.Standing != tt.own {
			t.Errorf("pause of %s: a write is %s, want %s", tt.scope, c.Standing, tt.own)
		}
		if _, err := r.Finish(t.Context(), north, before.Key, running.Fence, done(`{}`), nil); err != nil {
			t.Errorf("pause of %s: what was running cannot finish: %v", tt.scope, err)
		}
		if tt.outside == act.Held {
			r.begin(t, letter, lease) // held once more, and recorded once
		}
		if on, err := r.pauses.On(t.Context(), north); err != nil || len(on) != 1 || on[0].Scope != tt.scope || on[0].ByID != admin.ID {
			t.Errorf("got %+v, %v", on, err)
		}
		r.lift(t, p)
		if tt.outside == act.Held {
			if c := r.begin(t, letter, lease); c.Standing != act.Mine || c.Fence != 1 {
				t.Errorf("end of the pause of %s: got %s under %d", tt.scope, c.Standing, c.Fence)
			}
		}
	}
	held := 0
	for _, s := range r.steps(t) {
		if s == "held" {
			held++
		}
	}
	if held != 7 { // once for each of the seven acts that were
		t.Errorf("the log says held %d times, want 7", held)
	}
}

func TestAHeldActCanBeUndone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.pause(t, act.Everything)
	p := r.planned(t, act.Outside)
	if c := r.begin(t, p, lease); c.Standing != act.Held || c.Act.State != act.OnHold {
		t.Fatalf("got %+v", c)
	}
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, err := r.Undo(t.Context(), tx, north, p.Key, "decision-1")
		return err
	})
	if err != nil || r.get(t, p).State != act.Undone {
		t.Errorf("got %v, %v", r.get(t, p).State, err)
	}
}

func TestOnlyWhoMayAndSaysWhyPausesAndLifts(t *testing.T) {
	r := newRig(t, durable.Clock{})
	machine, auditor := admin, admin
	machine.Kind, auditor.Roles = identity.Machine, []identity.Role{identity.Auditor}
	viewing := admin
	viewing.Viewing = identity.Operator
	set := func(who identity.Actor, scope act.Scope, reason string) error {
		_, _, err := r.pauses.Set(t.Context(), who, scope, reason)
		return err
	}
	p := r.pause(t, act.EveryOutside)
	lift := func(who identity.Actor, id, reason string) error {
		_, err := r.pauses.Lift(t.Context(), who, id, reason)
		return err
	}
	for _, tt := range []struct {
		what string
		err  error
		want fault.Kind
	}{
		{"an officer pauses", set(officer, act.Everything, "x"), fault.Refused},
		{"an auditor pauses", set(auditor, act.Everything, "x"), fault.Refused},
		{"a machine pauses", set(machine, act.Everything, "x"), fault.Refused},
		{"who looks as another pauses", set(viewing, act.Everything, "x"), fault.Refused},
		{"nobody pauses", set(identity.Actor{}, act.Everything, "x"), fault.SignIn},
		{"no reason", set(admin, act.Everything, " \n"), fault.Invalid},
		{"a long reason", set(admin, act.Everything, strings.Repeat("क", 2001)), fault.TooLarge},
		{"a reason that cannot be stored", set(admin, act.Everything, "x\x00"), fault.Invalid},
		{"no such scope", set(admin, "everything", "x"), fault.Invalid},
		{"an officer lifts", lift(officer, p.ID, "x"), fault.Refused},
		{"without a reason", lift(admin, p.ID, ""), fault.Invalid},
		{"no such pause", lift(admin, "pause_00000000000000000000000000", "x"), fault.NotFound},
		{"no id at all", lift(admin, "outside", "x"), fault.NotFound},
	} {
		wantKind(t, tt.what, tt.err, tt.want)
	}
	stranger := admin
	stranger.Org = south
	wantKind(t, "another organisation lifts", lift(stranger, p.ID, "x"), fault.NotFound)
	if on, err := r.pauses.On(t.Context(), north); err != nil || len(on) != 1 {
		t.Errorf("got %+v, %v; want the one pause", on, err)
	}
	if on, err := r.pauses.On(t.Context(), south); err != nil || len(on) != 0 {
		t.Errorf("south: got %+v, %v; want none", on, err)
	}
}

func TestAPauseAndItsEndAreOnRecordWithWhoAndWhy(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.pause(t, act.OneApp("poolpatrol"))
	over, err := r.pauses.Lift(t.Context(), operator, p.ID, " They are right now. ")
	if err != nil || over.On() || over.EndedBy != operator.ID || over.EndReason != "They are right now." || over.Reason != p.Reason ||
		!over.At.Equal(p.At) {
		t.Fatalf("got %+v, %v", over, err)
	}
	_, err = r.pauses.Lift(t.Context(), admin, p.ID, "Again.")
	wantKind(t, "a second time", err, fault.Conflict)
	got, err := r.pauses.Get(t.Context(), officer, p.ID)
	if err != nil || got.EndReason != over.EndReason {
		t.Errorf("got %+v, %v", got, err)
	}
	log := all[string](t, r.db, `select concat_ws(' ', subject, json::json #>> '{actor,id}', json::json #>> '{body,step}',
		json::json #>> '{body,pause}')
		from gavel.record where subject like 'pause:%' order by id`)
	want := []string{"pause:app:poolpatrol p:admin paused " + p.ID, "pause:app:poolpatrol p:operator resumed " + p.ID}
	if !slices.Equal(log, want) {
		t.Errorf("the log says %q, want %q", log, want)
	}
	if n := all[int](t, r.db, `select count(*)::int from gavel.record where json like '%letters%' or json like '%right now%'`); n[0] != 0 {
		t.Error("a reason is in the log, from which nothing can be erased")
	}
	r.pause(t, act.OneApp("poolpatrol")) // the same scope again is another pause
}

func TestPausesThatAreOverComeInPages(t *testing.T) {
	r := newRig(t, durable.Clock{})
	var want []string
	for range 5 {
		p := r.pause(t, act.EveryOutside)
		r.lift(t, p)
		want = append([]string{p.ID}, want...)
	}
	var got []string
	for before := ""; ; {
		page, next, err := r.pauses.Over(t.Context(), officer, before, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page {
			got = append(got, p.ID)
		}
		if before = next; next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, _, err := r.pauses.Over(t.Context(), officer, "x", 2)
	wantKind(t, "a page that begins nowhere", err, fault.Invalid)
	_, _, err = r.pauses.Over(t.Context(), officer, "", 0)
	wantKind(t, "a page of nothing", err, fault.Invalid)
}

func TestWordIsLeftForWhatNoPauseHoldsAnyMore(t *testing.T) {
	r := newRig(t, durable.Clock{})
	var told []string
	r.pauses = act.NewPauses(act.PausesConfig{DB: r.db.App, Rules: policy.Standard(),
		Wake: func(_ context.Context, _ pgx.Tx, org identity.Org, keys []string) error {
			if org != north {
				t.Errorf("word for %s", org)
			}
			told = append(told, keys...)
			return nil
		}})
	letter, write, dead, over := r.planned(t, act.Outside), r.planned(t, act.Write), r.planned(t, act.Outside), r.planned(t, act.Outside)
	r.begin(t, dead, 10*time.Millisecond) // its holder dies before the pause
	c := r.begin(t, over, lease)
	if _, err := r.Finish(t.Context(), north, over.Key, c.Fence, act.End{State: act.Failed, Reason: "x"}, nil); err != nil {
		t.Fatal(err)
	}
	everything, outside := r.pause(t, act.Everything), r.pause(t, act.EveryOutside)
	time.Sleep(20 * time.Millisecond)
	for _, p := range []act.Plan{letter, write, dead} {
		if c := r.begin(t, p, lease); c.Standing != act.Held {
			t.Fatalf("got %s", c.Standing)
		}
	}
	on, err := r.pauses.On(t.Context(), north)
	if err != nil || len(on) != 2 || on[0].Held != 3 || on[1].Held != 2 {
		t.Errorf("got %+v, %v; want 3 held by everything and 2 by what goes outside", on, err)
	}
	r.lift(t, everything)
	if want := []string{write.Key}; !slices.Equal(told, want) {
		t.Errorf("after the first end word is left for %q, want %q", told, want)
	}
	r.begin(t, write, lease) // it goes on
	told = nil
	r.lift(t, outside)
	if want := []string{letter.Key, dead.Key}; !slices.Equal(told, want) {
		t.Errorf("after the second end word is left for %q, want %q", told, want)
	}
}
