package replay

import (
	"cmp"
	"crypto/ed25519"
	"maps"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/platform/fault"
)

// The reasons for which an event is held at the door. Only a person can let such an event count.
const (
	Unreadable    Reason = "unreadable"
	UnknownDevice Reason = "unknown_device"
	DeviceRevoked Reason = "device_revoked" // the device was taken out of service before the event arrived
	Forged        Reason = "forged"         // not signed by the device that it names
	ClockAhead    Reason = "clock_ahead"    // it says that it happened after it arrived
	IDReused      Reason = "id_reused"      // another event has its id
	SeqReused     Reason = "seq_reused"     // another event of the device has its number
	ChainBroken   Reason = "chain_broken"   // it does not follow the one before, or the next does not follow it
	UnknownPass   Reason = "unknown_pass"
)

// TakenOnline is on an event that the server took itself under the same id: the gate asked, and the answer did not reach it. It is the
// one reason that is no question.
const TakenOnline Reason = "taken_online"

// MostEvents is how many events one batch may have.
const MostEvents = 500

// A Device is a gate as the server knows it.
type Device struct {
	Key     ed25519.PublicKey
	Site    string
	Revoked time.Time // zero while it is in service
}

// A History is everything that arrival is held against.
type History struct {
	Devices map[string]Device
	Passes  map[number.Number]Facts
	Known   []Known
}

// A Fate is what became of one event of a batch.
type Fate string

// The fates.
const (
	Applied   Fate = "applied"
	Duplicate Fate = "duplicate" // the server has these very bytes, and said then what became of them
	Question  Fate = "question"
)

// An Outcome is what became of one event of a batch.
type Outcome struct {
	Digest Digest
	ID     string // empty where it cannot be read
	Fate   Fate
	Reason Reason // of a question
	With   Digest // the event that it clashes with, if there is one
}

// A Gap is events of a device that have not arrived, though later ones have.
type Gap struct {
	Device      string
	First, Last int64
}

// A Report is what a batch changes.
type Report struct {
	Outcomes []Outcome // one for each event of the batch, in its order
	Added    []Known   // what the server has now and had not
	Raised   []Clash   // questions that there were not: of this batch, and of events that count no longer
	Settled  []Digest  // events that fit now, whose questions are none any more
	States   map[number.Number]State
	Gaps     []Gap
}

// Merge takes a batch of signed events in. It asks for nothing twice: sent again, whole or in part, a batch changes nothing.
func (r Rules) Merge(h History, batch []string, now time.Time) (Report, error) {
	if len(batch) > MostEvents {
		return Report{}, fault.New(fault.TooLarge, "%d events at once, and at most %d are taken", len(batch), MostEvents)
	}
	before := r.clashes(h)
	var rep Report
	d := door{h: h, now: now, skew: r.Skew}
	d.know(h.Known)
	for _, text := range batch {
		o, k, isNew := d.take(text)
		if isNew {
			rep.Added = append(rep.Added, k)
			d.know([]Known{k})
		}
		rep.Outcomes = append(rep.Outcomes, o)
	}
	h.Known = slices.Concat(h.Known, rep.Added)
	after := r.clashes(h)
	rep.compare(before, after)
	rep.States, rep.Gaps = r.States(h), h.gaps()
	return rep, nil
}

// Admit lets an event count that was held at the door: a person has looked into it. It may still not fit.
func (r Rules) Admit(h History, digest Digest) (History, Report, error) {
	i := slices.IndexFunc(h.Known, func(k Known) bool { return k.Digest == digest })
	if i < 0 || !h.Known[i].Held.Admissible() {
		return h, Report{}, fault.New(fault.Conflict, "this event cannot be let count any more")
	}
	var rep Report
	before := r.clashes(h)
	h.Known = slices.Clone(h.Known)
	h.Known[i].Held = ""
	rep.compare(before, r.clashes(h))
	rep.States = r.States(h)
	return h, rep, nil
}

// Admissible reports whether a person may let an event count that is held for this reason: its device did sign it.
func (r Reason) Admissible() bool {
	return slices.Contains([]Reason{DeviceRevoked, ClockAhead, SeqReused, ChainBroken}, r)
}

// compare says what is a question now and was none, and the other way round.
func (rep *Report) compare(before, after map[Digest]Clash) {
	for i, o := range rep.Outcomes {
		if c, clash := after[o.Digest]; clash && o.Fate == Applied {
			rep.Outcomes[i].Fate, rep.Outcomes[i].Reason, rep.Outcomes[i].With = Question, c.Reason, c.With
		}
	}
	for d, c := range after {
		if was, there := before[d]; !there || was.Reason != c.Reason && was.Reason.Admissible() {
			rep.Raised = append(rep.Raised, c)
		}
	}
	for d := range before {
		if _, is := after[d]; !is {
			rep.Settled = append(rep.Settled, d)
		}
	}
	slices.SortFunc(rep.Raised, func(a, b Clash) int { return cmp.Compare(a.Digest, b.Digest) })
	slices.Sort(rep.Settled)
}

// byPass is the events that were let in, by pass, with when they happened.
func (h History) byPass() map[number.Number][]moment {
	var in []Known
	for _, k := range h.Known {
		if k.Held == "" {
			in = append(in, k)
		}
	}
	all := map[number.Number][]moment{}
	for _, m := range moments(in) {
		all[m.Pass] = append(all[m.Pass], m)
	}
	return all
}

// DateOf is the moment under which a server writes down an event that it takes itself: now, and after everything that it knows of the
// pass. A gate's clock may be ahead, and what the server answered on the strength of an exit must not come before it.
func (h History) DateOf(n number.Number, now time.Time) time.Time {
	for _, m := range h.byPass()[n] {
		if !m.when.Before(now) {
			now = m.when.Add(time.Millisecond)
		}
	}
	return now
}

// States is where every pass stands.
func (r Rules) States(h History) map[number.Number]State {
	events := h.byPass()
	all := make(map[number.Number]State, len(h.Passes))
	for n, f := range h.Passes {
		all[n], _ = r.fold(f, events[n])
	}
	return all
}

// clashes is every question that a history holds, by event: what was held at the door, and what does not fit.
func (r Rules) clashes(h History) map[Digest]Clash {
	all := map[Digest]Clash{}
	for _, k := range h.Known {
		if k.Held != "" && k.Held != TakenOnline {
			all[k.Digest] = Clash{Digest: k.Digest, Reason: k.Held}
		}
	}
	for n, events := range h.byPass() {
		_, clashes := r.fold(h.Passes[n], events)
		for _, c := range clashes {
			all[c.Digest] = c
		}
	}
	return all
}

// Questions is every question that a history holds, in the order of their digests.
func (r Rules) Questions(h History) []Clash {
	return slices.SortedFunc(maps.Values(r.clashes(h)), func(a, b Clash) int { return cmp.Compare(a.Digest, b.Digest) })
}

// gaps is what devices have numbered and not sent.
func (h History) gaps() []Gap {
	seen := map[string][]int64{}
	for _, k := range h.Known {
		if k.Seq > 0 && slices.Contains([]Reason{"", DeviceRevoked, ClockAhead, UnknownPass, TakenOnline}, k.Held) {
			seen[k.Device] = append(seen[k.Device], k.Seq)
		}
	}
	var gaps []Gap
	for _, device := range slices.Sorted(maps.Keys(seen)) {
		next := int64(1)
		for _, seq := range slices.Sorted(slices.Values(seen[device])) {
			if seq > next {
				gaps = append(gaps, Gap{device, next, seq - 1})
			}
			next = max(next, seq+1)
		}
	}
	return gaps
}
