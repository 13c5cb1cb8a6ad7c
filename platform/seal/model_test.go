package seal_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/seal"
)

// A world is what should be true of a vault after some acts, kept the simple
// way: a list.
type world struct {
	r      *rig
	round  string // makes names unique among the rounds that share a database
	things []thing
	holds  map[string]string // the hold on a subject
	gone   map[string]bool
}

// A thing was sealed; a conversation's things share their fate.
type thing struct {
	env  seal.Envelope
	who  []string
	talk string
}

func (w *world) subject(name string) seal.Subject { return rider(name + "-" + w.round) }

// reach is who has data under the keys that erasing a person would destroy.
func (w *world) reach(name string) (talks map[string]bool, people []string) {
	talks, people = map[string]bool{}, []string{name}
	for _, th := range w.things {
		if slices.Contains(th.who, name) && th.talk != "" {
			talks[th.talk] = true
		}
	}
	for _, th := range w.things {
		if !w.lost(th) && (slices.Contains(th.who, name) || talks[th.talk]) {
			people = append(people, th.who...)
		}
	}
	return talks, people
}

// lost reports whether a thing must not open any more.
func (w *world) lost(th thing) bool {
	for _, other := range w.things {
		if th.talk != "" && other.talk == th.talk && slices.ContainsFunc(other.who, func(n string) bool { return w.gone[n] }) {
			return true
		}
	}
	return slices.ContainsFunc(th.who, func(n string) bool { return w.gone[n] })
}

func (w *world) seal(t *rapid.T) {
	people := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"A", "B", "C", "D"}), 1, 3, rapid.ID).Draw(t, "people")
	th := thing{who: people, talk: rapid.SampledFrom([]string{"", "", "t1", "t2"}).Draw(t, "talk")}
	m := seal.Matter{Purpose: "mail"}
	for _, n := range people {
		m.Subjects = append(m.Subjects, w.subject(n))
	}
	if th.talk != "" {
		m.Conversation = th.talk + "-" + w.round
	}
	refused := w.lost(th)
	e, err := w.r.seal(m, "of "+w.round)
	if errors.Is(err, seal.ErrErased) != refused || !refused && err != nil {
		t.Fatalf("seal for %v in %q: got %v, want refused %v", people, th.talk, err, refused)
	}
	if err == nil {
		th.env = e
		w.things = append(w.things, th)
	}
}

func (w *world) erase(t *rapid.T) {
	name := rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(t, "who")
	_, people := w.reach(name)
	held := slices.ContainsFunc(people, func(n string) bool { return w.holds[n] != "" })
	_, err := w.r.Erase(w.r.t.Context(), admin(north), asked(w.subject(name)))
	if fault.Is(err, fault.Conflict) != held || !held && err != nil {
		t.Fatalf("erase %s: got %v, want held %v by %v", name, err, held, w.holds)
	}
	if !held {
		w.gone[name] = true
	}
}

func (w *world) hold(t *rapid.T) {
	name := rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(t, "who")
	if id := w.holds[name]; id != "" {
		if err := w.r.Release(w.r.t.Context(), admin(north), id, "settled"); err != nil {
			t.Fatal(err)
		}
		delete(w.holds, name)
		return
	}
	h, err := w.r.Hold(w.r.t.Context(), admin(north), seal.Target{Subject: w.subject(name)}, "suit", time.Time{})
	if fault.Is(err, fault.Conflict) != w.gone[name] || !w.gone[name] && err != nil {
		t.Fatalf("hold %s: got %v, want refused %v", name, err, w.gone[name])
	}
	if err == nil {
		w.holds[name] = h.ID
	}
}

func (w *world) check(t *rapid.T) {
	for _, th := range w.things {
		got, err := w.r.open(w.r.Vault, th.env)
		if lost := w.lost(th); lost && !errors.Is(err, seal.ErrErased) || !lost && (err != nil || got != "of "+w.round) {
			t.Fatalf("of %v in %q: got %q, %v, want lost %v", th.who, th.talk, got, err, lost)
		}
	}
}

// TestWhatOpensIsExactlyWhatNobodyErased promises, for any order of sealing,
// holding, releasing and erasing, that a thing opens unless one of the people in
// it, or in its conversation, was erased; and that a hold keeps all it should.
func TestWhatOpensIsExactlyWhatNobodyErased(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{r: r, round: fmt.Sprint("r", r.clock().Unix()), holds: map[string]string{}, gone: map[string]bool{}}
		t.Repeat(map[string]func(*rapid.T){"seal": w.seal, "seal more": w.seal, "erase": w.erase, "hold": w.hold})
		w.check(t)
	})
}
