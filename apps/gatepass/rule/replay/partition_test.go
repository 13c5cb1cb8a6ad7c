package replay_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/offline"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
)

// A world is a server and two gates, with a network between them that comes and goes.
type world struct {
	*rapid.T
	now      time.Time
	h        replay.History
	gates    []*side
	asked    map[replay.Digest]bool // questions that are open, as reports told them
	fates    map[replay.Digest]replay.Fate
	scans    map[number.Number][]replay.Known // everything that any gate let through, in truth
	arrivals []string                         // every signed event that reached the server, in that order
	online   int
	met      map[string]bool
}

// A side is one gate: what it knows, what it has not sent, and how far its clock is off.
type side struct {
	book
	gate   offline.Gate
	queue  []string
	linked bool
	off    time.Duration
	last   time.Time // of what it did: a device's own order counts before its clock
}

var passes = []number.Number{"GP-2026-0001", "GP-2026-0002"}

func newWorld(t *rapid.T, met map[string]bool) *world {
	w := &world{T: t, now: nine, h: history(), met: met, asked: map[replay.Digest]bool{}, fates: map[replay.Digest]replay.Fate{},
		scans: map[number.Number][]replay.Known{}}
	keys, err := token.NewKeys(device("K").Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B"} {
		s := &side{book: book{name: name}, linked: true, off: time.Duration(rapid.IntRange(-60, 60).Draw(t, "off")) * time.Second}
		s.gate = offline.Gate{Org: token.Tag("north"), Keys: keys, Rules: offline.Standard(), Skew: s.off}
		w.gates = append(w.gates, s)
		w.sync(s)
	}
	return w
}

func (w *world) qr(n number.Number) string {
	text, err := token.Mint(token.Token{Org: token.Tag("north"), Pass: n, Version: 1, From: nine, Until: at(8 * 60), Returnable: true},
		key("K"))
	if err != nil {
		w.Fatal(err)
	}
	return text
}

// sync tells a gate what there is, as the server's list does.
func (w *world) sync(s *side) {
	s.gate.List = offline.List{}
	for n, st := range replay.Standard().States(w.h) {
		if st.Status == pass.Approved || st.Status == pass.Exited {
			s.gate.List[n] = offline.Entry{Pass: n, Token: 1, Status: st.Status, Returnable: true, From: nine, Until: at(8 * 60),
				DueBack: at(8 * 60), Since: st.OutAt}
		}
	}
}

// scan holds a pass before a gate's camera.
func (w *world) scan(s *side, n number.Number) {
	if s.linked && len(s.queue) == 0 {
		w.scanOnline(s, n)
		return
	}
	v := s.gate.Judge(w.qr(n), w.now.Add(s.off))
	kind, ok := map[offline.Word]pass.Event{offline.GoOut: pass.ScanExit, offline.GoIn: pass.ScanReturn}[v.Word]
	if !ok {
		return
	}
	when := s.gate.DateOf(n, w.now.Add(s.off))
	text := s.write(w.T, n, kind, when)
	s.queue = append(s.queue, text)
	s.gate.Done = append(s.gate.Done, offline.Done{Pass: n, Event: kind, At: when})
	if when.After(s.last) {
		s.last = when
	}
	w.scans[n] = append(w.scans[n], replay.Known{Event: replay.Event{At: s.last, Device: s.name, Seq: s.seq, Kind: kind},
		Digest: replay.DigestOf(text)})
}

// scanOnline is the server's own answer: it lets through what fits, and nothing else.
func (w *world) scanOnline(s *side, n number.Number) {
	kind := pass.ScanExit
	switch replay.Standard().States(w.h)[n].Status {
	case pass.Exited:
		kind = pass.ScanReturn
	case pass.Returned:
		return
	}
	w.online++
	d := replay.Digest(fmt.Sprintf("online-%d", w.online))
	k := replay.Known{Event: replay.Event{ID: string(d), Device: s.name, Pass: n, Kind: kind, At: w.h.DateOf(n, w.now)}, Digest: d,
		Site: "plant-1", Received: w.now}
	w.h.Known = append(w.h.Known, k)
	w.scans[n] = append(w.scans[n], k)
	w.met["online"] = true
	w.sync(s)
}

// send lets a gate send some of what it has not had confirmed, not always the oldest; the confirmation may get lost.
func (w *world) send(s *side, from, upTo int) {
	batch := slices.Clone(s.queue[from:upTo])
	rep, err := replay.Standard().Merge(w.h, batch, w.now)
	if err != nil {
		w.Fatal(err)
	}
	w.h.Known = append(w.h.Known, rep.Added...)
	w.arrivals = append(w.arrivals, batch...)
	w.note(rep)
	w.met["gap"] = w.met["gap"] || len(rep.Gaps) > 0
	if rapid.IntRange(0, 3).Draw(w.T, "lost") == 0 {
		w.met["confirmation lost"] = true
		return
	}
	s.queue, s.gate.Done = slices.Delete(s.queue, from, upTo), slices.Delete(s.gate.Done, from, upTo)
	w.sync(s)
}

// note follows what reports say, as who asks the questions would.
func (w *world) note(rep replay.Report) {
	for _, o := range rep.Outcomes {
		was, before := w.fates[o.Digest]
		if before != (o.Fate == replay.Duplicate) {
			w.Fatalf("%s was %q and is %s", o.ID, was, o.Fate)
		}
		if !before {
			w.fates[o.Digest] = o.Fate
		}
		w.met[string(o.Fate)], w.met[string(o.Reason)] = true, true
	}
	for _, c := range rep.Raised {
		if w.asked[c.Digest] {
			w.Fatalf("%s is asked twice", c.Digest)
		}
		w.asked[c.Digest] = true
	}
	for _, d := range rep.Settled {
		w.met["settled"] = true
		delete(w.asked, d)
	}
	w.inOrOut()
}

// inOrOut holds every pass against its events: it is in one place, and its last event that counts says which.
func (w *world) inOrOut() {
	for n, s := range replay.Standard().States(w.h) {
		if s.Outside() && s.Status != pass.Exited || s.Outside() != (s.Out != "" && s.Back == "") {
			w.Fatalf("%s is both in and out: %+v", n, s)
		}
		if s.Back != "" && s.BackAt.Before(s.OutAt) {
			w.Fatalf("%s came back before it went: %+v", n, s)
		}
	}
}

// expected is the clashes of a pass, found by walking through what happened by the clock: out, then back, and nothing else fits.
func expected(scans []replay.Known) (clashes []replay.Digest, last pass.Event) {
	all := slices.Clone(scans)
	slices.SortStableFunc(all, func(a, b replay.Known) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return slices.Compare([]string{a.Device, fmt.Sprintf("%09d", a.Seq), string(a.Digest)},
			[]string{b.Device, fmt.Sprintf("%09d", b.Seq), string(b.Digest)})
	})
	next := []pass.Event{pass.ScanExit, pass.ScanReturn}
	for _, k := range all {
		if len(next) > 0 && k.Kind == next[0] {
			last, next = next[0], next[1:]
			continue
		}
		clashes = append(clashes, k.Digest)
	}
	return clashes, last
}

// TestTwoGatesAndAServerUnderRandomPartitions promises: every event once, every clash a question and nothing else, nobody both in and
// out, and the same end whoever came back to the network first.
func TestTwoGatesAndAServerUnderRandomPartitions(t *testing.T) {
	met := map[string]bool{}
	must := []string{"applied", "question", "duplicate", "online", "settled", "out_twice", "back_twice", "confirmation lost", "gap"}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(must), func(m string) bool { return met[m] })
	}
	for round := 0; round == 0 || round < 100 && len(missing()) > 0; round++ {
		rapid.Check(t, func(t *rapid.T) { partition(t, met) })
	}
	if len(missing()) > 0 {
		t.Errorf("no partition ever met %v: they prove less than they claim", missing())
	}
}

func partition(t *rapid.T, met map[string]bool) {
	w := newWorld(t, met)
	for range rapid.IntRange(5, 40).Draw(t, "steps") {
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 600_000).Draw(t, "ms")) * time.Millisecond)
		s := w.gates[rapid.IntRange(0, 1).Draw(t, "gate")]
		switch rapid.IntRange(0, 5).Draw(t, "step") {
		case 0:
			s.linked = !s.linked
		case 1:
			if s.linked && len(s.queue) > 0 {
				from := rapid.IntRange(0, len(s.queue)-1).Draw(t, "from")
				w.send(s, from, rapid.IntRange(from+1, len(s.queue)).Draw(t, "up to"))
			}
		default:
			w.scan(s, rapid.SampledFrom(passes).Draw(t, "pass"))
		}
	}
	for _, s := range w.gates { // the network is back
		for len(s.queue) > 0 {
			w.send(s, 0, len(s.queue))
		}
	}
	w.once()
	w.everyClashAsked()
	w.whoeverCameFirst()
}

// once wants every event that any gate let through, once.
func (w *world) once() {
	have := map[replay.Digest]int{}
	for _, k := range w.h.Known {
		have[k.Digest]++
		if k.Held != "" {
			w.Fatalf("an honest event is held: %s", k.Held)
		}
	}
	all := 0
	for _, scans := range w.scans {
		for _, k := range scans {
			all++
			if have[k.Digest] != 1 {
				w.Fatalf("%s is known %d times", k.Digest, have[k.Digest])
			}
		}
	}
	if all != len(have) {
		w.Fatalf("%d events happened and %d are known", all, len(have))
	}
}

func (w *world) everyClashAsked() {
	want := map[replay.Digest]bool{}
	for _, n := range passes {
		clashes, last := expected(w.scans[n])
		for _, d := range clashes {
			want[d] = true
		}
		if s := replay.Standard().States(w.h)[n]; s.Outside() != (last == pass.ScanExit) {
			w.Fatalf("%s: the last that counts is %q, and it is %+v", n, last, s)
		}
	}
	if !reflect.DeepEqual(w.asked, want) {
		w.Fatalf("asked is %v, want %v", w.asked, want)
	}
}

// whoeverCameFirst sends everything once more to a server that knows nothing of it, in any order and any parts.
func (w *world) whoeverCameFirst() {
	other := history()
	for _, k := range w.h.Known {
		if k.Seq == 0 {
			other.Known = append(other.Known, k)
		}
	}
	for _, text := range rapid.Permutation(w.arrivals).Draw(w.T, "order") {
		merge(w.T, &other, w.now, text)
	}
	r := replay.Standard()
	if !reflect.DeepEqual(r.States(other), r.States(w.h)) || !reflect.DeepEqual(r.Questions(other), r.Questions(w.h)) {
		w.Fatalf("in another order it ends otherwise: %v, %v", r.Questions(other), r.Questions(w.h))
	}
}
