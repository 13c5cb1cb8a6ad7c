package pass

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
)

// A Belated is one event of a gate that counts and that the record hears of afterwards, with where it leaves the pass. Whether it
// counts, and before or after what, package replay has said: what happened at a gate is not asked for permission again.
type Belated struct {
	Event  Event // ScanExit or ScanReturn
	By     Actor
	At     time.Time // when it happened
	Reason string    // why there is no photo

	Status     Status
	PersonBack bool
	Items      []item.Item
	Known      time.Time // when the record came to know of it
}

// Hear writes an event of a gate into a pass that arrives late. The history goes on where it stands, and says when the record heard of it:
// lines are added, in their order. The times of leaving and coming back are those at which it happened.
func Hear(p Pass, l Belated) Change {
	c := Change{Pass: p.clone(), Effects: []Effect{TellGates}}
	n := &c.Pass
	n.Version++
	n.Status, n.PersonBack, n.Items = l.Status, l.PersonBack, slices.Clone(l.Items)
	told := notice.Exited
	if l.Event == ScanExit {
		n.ExitTime = noEarlier(l.At, n.ApprovedAt)
		c.Effects = append(c.Effects, StartOverdueClock)
	} else {
		told = notice.Returned
	}
	switch {
	case n.Status != Returned:
		n.ReturnTime = time.Time{}
	case l.Event == ScanReturn:
		n.ReturnTime = noEarlier(l.At, n.ExitTime)
		c.Effects = append(c.Effects, StopOverdueClock)
	default:
		n.ReturnTime = noEarlier(n.ReturnTime, n.ExitTime)
	}
	n.History = append(n.History, Entry{Status: n.Status, Event: l.Event, At: latest(l.Known, p), By: l.By.Name, ByID: l.By.ID, Via: AtGate,
		Reason: l.Reason})
	if l.Event == ScanExit || n.Status == Returned {
		c.Notices = []notice.Notice{notice.New(told, n.Number, n.Version)}
	}
	return c
}

// noEarlier is a moment, or another where that is later.
func noEarlier(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
