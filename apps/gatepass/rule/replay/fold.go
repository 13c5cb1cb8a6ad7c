package replay

import (
	"cmp"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// A Reason is why an event is a question.
type Reason string

// The reasons that are found when events are held against each other and the pass. They can go again when an earlier event arrives.
const (
	OutTwice       Reason = "out_twice"
	OutAfterBack   Reason = "out_after_back"
	BackTwice      Reason = "back_twice"
	BackWithoutOut Reason = "back_without_out"
	NotApproved    Reason = "not_approved"
	Revoked        Reason = "revoked" // the pass had been taken back when the server heard of it
	NotInTime      Reason = "not_in_time"
	NotReturnable  Reason = "not_returnable"
	WrongSite      Reason = "wrong_site"
	WrongItems     Reason = "wrong_items"
)

// Facts are what the server knows of a pass beside its scans.
type Facts struct {
	Approved   time.Time // zero where nobody has
	Deleted    time.Time // zero where nobody has
	From       time.Time
	Until      time.Time
	Returnable bool
	Site       string
	Items      []item.Item // as they went out
}

// A Known is an event that the server has.
type Known struct {
	Event
	Digest   Digest
	Site     string    // of the gate
	Received time.Time // by the server's clock
	Held     Reason    // why it was not let in; empty where it was
}

// A State is where a pass stands by its events: one place, never two.
type State struct {
	Status     pass.Status
	PersonBack bool
	Out, Back  Digest // the events that count; empty where there is none
	OutAt      time.Time
	BackAt     time.Time
	Items      []item.Item
}

// Outside reports whether the person of the pass is out.
func (s State) Outside() bool { return s.Status == pass.Exited && !s.PersonBack }

// A Clash is an event that does not fit.
type Clash struct {
	Digest Digest
	Reason Reason
	With   Digest // the event that counts instead; empty where it is the pass that speaks against it
}

// Rules are what is forgiven to clocks.
type Rules struct {
	Grace time.Duration // as the pass's own
	Skew  time.Duration // how far a device's clock may be from the server's
}

// Standard is a quarter of an hour of grace, and clocks that are two minutes apart.
func Standard() Rules { return Rules{Grace: pass.Standard().Grace, Skew: 2 * time.Minute} }

// fold holds all events of one pass against it, in the order in which they happened, and says where that leaves it and which
// of them do not fit. It gives the same for the same events in whatever order they came.
func (r Rules) fold(f Facts, events []moment) (State, []Clash) {
	s := State{Status: pass.Pending, Items: slices.Clone(f.Items)}
	if !f.Approved.IsZero() {
		s.Status = pass.Approved
	}
	var clashes []Clash
	for _, m := range ordered(events) {
		if reason, with := r.judge(f, s, m); reason != "" {
			clashes = append(clashes, Clash{m.Digest, reason, with})
			continue
		}
		s = s.after(m)
	}
	return s, clashes
}

// A moment is an event and when it happened, as far as can be known.
type moment struct {
	Known
	when time.Time
}

// moments is when events happened: by the device's clock, but never before what the same device did before. A clock that was put
// back does not turn a return into one before its exit.
func moments(all []Known) []moment {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Known) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Seq, b.Seq), a.At.Compare(b.At), cmp.Compare(a.Digest, b.Digest))
	})
	out := make([]moment, 0, len(sorted))
	for i, k := range sorted {
		m := moment{k, k.At}
		if i > 0 && k.Seq > 0 && out[i-1].Device == k.Device && out[i-1].Seq > 0 && out[i-1].when.After(m.when) {
			m.when = out[i-1].when
		}
		out = append(out, m)
	}
	return out
}

// ordered is events as they happened; of two at the same moment the order is the same for everybody.
func ordered(events []moment) []moment {
	return slices.SortedFunc(slices.Values(events), func(a, b moment) int {
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.Device, b.Device), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Digest, b.Digest))
	})
}

// judge says why an event does not fit; no reason where it does.
func (r Rules) judge(f Facts, s State, m moment) (Reason, Digest) {
	switch {
	case f.Approved.IsZero() || m.when.Add(r.Skew).Before(f.Approved):
		return NotApproved, ""
	case !f.Deleted.IsZero() && m.Received.After(f.Deleted):
		return Revoked, ""
	case m.Site != f.Site:
		return WrongSite, ""
	case m.Kind == pass.ScanExit:
		return r.out(f, s, m)
	}
	return back(f, s, m)
}

func (r Rules) out(f Facts, s State, m moment) (Reason, Digest) {
	switch {
	case s.Status == pass.Exited:
		return OutTwice, s.Out
	case s.Status == pass.Returned:
		return OutAfterBack, s.Back
	case m.when.Before(f.From.Add(-r.Grace-r.Skew)) || m.when.After(f.Until.Add(r.Skew)):
		return NotInTime, ""
	}
	return "", ""
}

func back(f Facts, s State, m moment) (Reason, Digest) {
	switch {
	case s.Status == pass.Approved:
		return BackWithoutOut, ""
	case s.Status == pass.Returned:
		return BackTwice, s.Back
	case !f.Returnable:
		return NotReturnable, s.Out
	}
	if _, _, err := item.Return(s.Items, m.Items); err != nil {
		return WrongItems, s.Out
	}
	return "", ""
}

// after is the state after an event that fits.
func (s State) after(m moment) State {
	if m.Kind == pass.ScanExit {
		s.Status, s.Out, s.OutAt = pass.Exited, m.Digest, m.when
		return s
	}
	s.Items, _, _ = item.Return(s.Items, m.Items) // it fits: judge has tried it
	s.PersonBack, s.Back, s.BackAt = true, m.Digest, m.when
	if !item.AnyOpen(s.Items) {
		s.Status = pass.Returned
	}
	return s
}
