package review_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
)

func (w *world) begin(t *rapid.T) {
	m, r := w.matter(t), w.when(t)
	digest := m.final
	if digest == "" || rapid.IntRange(0, 7).Draw(t, "other") == 0 {
		digest = w.matter(t).p.ArgsSHA256 // of another call, or as proposed
	}
	w.beginOn(t, m, r, digest)
}

// beginOn has somebody take an act up, and holds what comes of it against the model.
func (w *world) beginOn(t *rapid.T, m *matter, r *rig, digest string) {
	c, err := r.acts.Begin(w.t.Context(), north, m.p.Key, digest, time.Hour)
	got := "fault " + fault.KindOf(err).Code()
	if err == nil {
		got = c.Standing.String()
	}
	want := w.expectClaim(m, r, digest)
	if got != want {
		t.Fatalf("begin %s (%s, act %s): got %s, want %s", m.p.ID, m.state, m.act, got, want)
	}
	if got == "mine" || got == "unsure" {
		w.claims = append(w.claims, claim{m, c.Fence})
		m.fence, m.alive, m.act = m.fence+1, true, act.Running
		if c.Fence != m.fence || got == "mine" && m.effects != 0 {
			t.Fatalf("%s: fence %d, want %d; %d effects before", m.p.ID, c.Fence, m.fence, m.effects)
		}
	}
	if got == "held" && m.act == act.Planned {
		m.act = act.OnHold
	}
}

func (w *world) expectClaim(m *matter, r *rig, digest string) string {
	switch {
	case m.act == "" || digest != m.final:
		return "fault refused"
	case m.act.Ended():
		return "ended"
	case m.undo && (r == w.today || m.lateYes):
		return "fault conflict"
	case m.alive:
		return "fault unavailable"
	case w.paused:
		return "held"
	case m.act == act.Running && m.p.Effect == act.Outside:
		return "unsure"
	}
	return "mine"
}

// claimed runs a step with some claim, old or current, once there is one.
func (w *world) claimed(step func(*rapid.T, claim)) func(*rapid.T) {
	return func(t *rapid.T) {
		if len(w.claims) > 0 {
			step(t, w.claims[rapid.IntRange(0, len(w.claims)-1).Draw(t, "claim")])
		}
	}
}

// do has a holder with a living lease do the outside effect, and perhaps die
// before it is written down. Whoever finds it there does not do it again.
func (w *world) do(_ *rapid.T, c claim) {
	if c.m.act == act.Running && c.fence == c.m.fence && c.m.alive && c.m.p.Effect == act.Outside && c.m.effects == 0 {
		c.m.effects++
	}
}

func (w *world) finish(t *rapid.T, c claim) {
	end := act.End{State: rapid.SampledFrom([]act.State{act.Done, act.Failed, act.Unknown}).Draw(t, "end")}
	var in func(pgx.Tx) (json.RawMessage, error)
	if c.m.p.Effect == act.Write && end.State == act.Done {
		in = func(tx pgx.Tx) (json.RawMessage, error) {
			_, err := tx.Exec(w.t.Context(), `insert into public.effect (key) values ($1)`, c.m.p.Key)
			return json.RawMessage(`{}`), err
		}
	}
	current := c.fence == c.m.fence && (c.m.act == act.Running || c.m.act == act.Done || c.m.act == act.Failed || c.m.act == act.Unknown)
	first := current && c.m.act == act.Running
	got, err := w.today.acts.Finish(w.t.Context(), north, c.m.p.Key, c.fence, end, in)
	if current != (err == nil) || !current && !fault.Is(err, fault.Conflict) {
		t.Fatalf("finish %s under fence %d (act %s, fence %d): got %v, want ok %v", c.m.p.ID, c.fence, c.m.act, c.m.fence, err, current)
	}
	if first {
		c.m.act, c.m.alive = end.State, false
		if in != nil {
			c.m.effects++
		}
	}
	if current && got.State != c.m.act {
		t.Fatalf("%s ended as %s, want %s", c.m.p.ID, got.State, c.m.act)
	}
}

// leave has a holder give its claim up: with doubt, or for certain that nothing
// was done.
func (w *world) leave(t *rapid.T, c claim) {
	w.leaveBehind(t, c, c.m.effects == 0 && rapid.Bool().Draw(t, "certain"))
}

func (w *world) leaveBehind(t *rapid.T, c claim, certain bool) {
	mine := c.m.act == act.Running && c.fence == c.m.fence
	var err error
	if certain {
		err = w.today.acts.GiveBack(w.t.Context(), north, c.m.p.Key, c.fence)
		if mine {
			c.m.act, c.m.alive = act.Planned, false
		}
	} else {
		err = w.today.acts.Release(w.t.Context(), north, c.m.p.Key, c.fence)
		if mine {
			c.m.alive = false
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func pausesOf(r *rig) *act.Pauses {
	return act.NewPauses(act.PausesConfig{DB: r.db.App, Clock: r.clock, Rules: policy.Standard()})
}

// resumeAll ends every pause that is on.
func resumeAll(t *testing.T, r *rig) error {
	on, err := pausesOf(r).On(t.Context(), north)
	for _, p := range on {
		if err == nil {
			_, err = pausesOf(r).Lift(t.Context(), person("p:admin", identity.OrgAdmin), p.ID, "Begin anew.")
		}
	}
	return err
}

func (w *world) pause(t *rapid.T) {
	admin := person("p:admin", identity.OrgAdmin)
	p, _, err := pausesOf(w.today).Set(w.t.Context(), admin, act.OneApp("poolpatrol"), "Wait.")
	if w.paused && err == nil {
		_, err = pausesOf(w.today).Lift(w.t.Context(), admin, p.ID, "Go on.")
	}
	if w.paused = !w.paused; err != nil {
		t.Fatal(err)
	}
}

// handOver has who holds an act go away in the middle of it, and somebody else take
// it up a day later. By chance alone some runs would never see it.
func (w *world) handOver(t *rapid.T) {
	for _, m := range slices.Backward(w.matters) {
		if m.act != act.Running || !m.alive {
			continue
		}
		w.leaveBehind(t, claim{m, m.fence}, false)
		w.beginOn(t, m, w.late, m.final)
		return
	}
	w.approve(t) // so that there is something to hold the next time
	w.begin(t)
}

// standIn has the deputy say yes in somebody's stead, who lets them first if nobody
// does: by chance alone some runs would never see it.
func (w *world) standIn(t *rapid.T) {
	if len(w.givers) == 0 {
		w.lend(t)
	}
	for _, m := range slices.Backward(w.matters) {
		if m.state == review.Open && m.p.Gate != review.ByOneself {
			w.say(t, m, w.today, deputy, w.today.answer(m.p, review.Approve))
			return
		}
	}
}
