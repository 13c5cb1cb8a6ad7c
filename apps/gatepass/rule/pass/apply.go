package pass

import (
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
)

// Rules are what an organisation may set. The zero value is the strictest.
type Rules struct {
	Grace      time.Duration // how long before its time somebody may leave
	OwnAllowed bool          // who made a pass may decide on it
}

// Standard lets people leave a quarter of an hour early, and nobody decide on what they made.
func Standard() Rules { return Rules{Grace: 15 * time.Minute} }

// NotGiven stands where a client of the first design, which asks for no reason, rejects a pass.
const NotGiven = "not given"

// A Change is what an event made of a pass, and what must be done together with it.
type Change struct {
	Pass        Pass
	Effects     []Effect
	Notices     []notice.Notice
	Differences []item.Difference // what came back otherwise than it went out
}

// Apply brings an event about, or says in a *Refusal why not. It changes nothing that it was handed.
func (r Rules) Apply(p Pass, q Request) (Change, error) {
	q.At = latest(q.At, p) // a clock that went back makes no history that did
	row, no := r.admit(p, q)
	if no == nil && !q.By.is(q.Name) {
		no = refuse(q.Event, ActorMismatch, FieldError{"name", "not_the_caller"})
	}
	if no == nil {
		no = r.guard(row, p, q)
	}
	if no != nil {
		return Change{}, r.explain(no, p, q)
	}
	return carry(row, p, q), nil
}

// Allowed is what somebody could do with a pass now, given what a request must bring: a photo, a reason, items. What takes
// more than one person, forcing, is not among it.
func (r Rules) Allowed(p Pass, by Actor, now time.Time) []Event {
	var all []Event
	for _, e := range Events() {
		q := Request{Event: e, By: by, At: latest(now, p)}
		row, no := r.admit(p, q)
		if no == nil && r.stands(row, p, q) {
			all = append(all, e)
		}
	}
	return all
}

// admit finds the row of an event, if whoever asks may ask for it and the pass is where it can happen.
func (r Rules) admit(p Pass, q Request) (Row, *Refusal) {
	switch {
	case q.By.ID == "" || q.By.Role == Nobody || q.By.Role != role[q.Event]:
		return Row{}, refuse(q.Event, RoleForbidden)
	case p.Deleted() || p.Status == None:
		return Row{}, refuse(q.Event, NotFound)
	case q.Version != 0 && q.Version != p.Version:
		return Row{}, refuse(q.Event, StaleVersion)
	}
	row, ok := find(p.Status, q.Event)
	if !ok {
		return Row{}, refuse(q.Event, InvalidState)
	}
	return row, nil
}

func (r Rules) guard(row Row, p Pass, q Request) *Refusal {
	for _, g := range row.If {
		if c, fields := r.holds(g, p, q); c != "" {
			return refuse(q.Event, c, fields...)
		}
	}
	return nil
}

// carried are the guards on what a request brings with it. The others are about the pass, the caller and the moment.
var carried = []Guard{PhotoTaken, WindowGiven, Later, ItemsMatch, ReasonShort, ReasonGiven}

// stands reports whether a row's guards hold as far as the request does not decide them.
func (r Rules) stands(row Row, p Pass, q Request) bool {
	row.If = slices.DeleteFunc(slices.Clone(row.If), func(g Guard) bool { return slices.Contains(carried, g) })
	return r.guard(row, p, q) == nil
}

// explain adds what helps whoever was refused. Nobody learns where a pass stands that is not theirs to know of.
func (r Rules) explain(no *Refusal, p Pass, q Request) *Refusal {
	if no.Code == RoleForbidden || no.Code == NotFound {
		return no
	}
	no.Current, no.Allowed = p.Status, r.Allowed(p, q.By, q.At)
	if no.Allowed == nil {
		no.Allowed = []Event{}
	}
	return no
}

// carry is the pass after an event that nothing speaks against.
func carry(row Row, p Pass, q Request) Change {
	c := Change{Pass: p.clone(), Effects: slices.Clone(row.Then)}
	n := &c.Pass
	n.Version++
	n.Status = row.To
	c.mark(row, q)
	if !n.IsReturnable {
		c.Effects = slices.DeleteFunc(c.Effects, func(e Effect) bool { return e == StartOverdueClock })
	}
	if slices.Contains(c.Effects, MintToken) || slices.Contains(c.Effects, KillToken) {
		n.Token++
	}
	n.note(q)
	if row.Tells != "" && !(row.Event == ScanReturn && n.Status == Exited) {
		told := notice.New(row.Tells, n.Number, n.Version)
		told.To = append(slices.Clone(told.To), row.Also...)
		c.Notices = []notice.Notice{told}
	}
	return c
}

// mark writes what an event says into the pass.
func (c *Change) mark(row Row, q Request) {
	n := &c.Pass
	switch row.Event {
	case Approve:
		n.ApprovedAt, n.ApprovedBy = q.At, q.By.Name
		n.reschedule(q)
	case Reject:
		n.RejectedAt, n.RejectedBy, n.Reason = q.At, q.By.Name, orNotGiven(q.Reason)
	case ScanExit:
		n.ExitTime, n.ExitPhoto = q.At, q.Photo
	case ScanReturn:
		c.comeBack(q)
	case Extend:
		n.reschedule(q)
	case MakeReturnable:
		n.IsReturnable = true
		n.reschedule(q)
	case Delete:
		n.DeletedAt, n.DeletedBy, n.DeletedReason = q.At, q.By.Name, strings.TrimSpace(q.Reason)
	}
}

// comeBack settles a return. While things are open the pass stays out, though its person may be in.
func (c *Change) comeBack(q Request) {
	n := &c.Pass
	n.Items, c.Differences, _ = item.Return(n.Items, q.Items) // the guard has tried it
	n.BackPhoto, n.PersonBack = q.Photo, true
	if item.AnyOpen(n.Items) {
		n.Status = Exited
		c.Effects = []Effect{TellGates}
		return
	}
	n.ReturnTime = q.At
}

func (p *Pass) reschedule(q Request) {
	for _, t := range []struct {
		now  *time.Time
		then time.Time
	}{{&p.ValidFrom, q.ValidFrom}, {&p.ValidUntil, q.ValidUntil}, {&p.ExpectedReturnAt, q.ExpectedReturnAt}} {
		if !t.then.IsZero() {
			*t.now = t.then
		}
	}
}

func (p *Pass) note(q Request) {
	reason := strings.TrimSpace(q.Reason)
	switch {
	case q.Event == Reject:
		reason = orNotGiven(q.Reason)
	case (q.Event == ScanExit || q.Event == ScanReturn) && q.Photo == "":
		reason = strings.TrimSpace(q.Override)
	}
	p.History = append(p.History, Entry{Status: p.Status, Event: q.Event, At: q.At, By: q.By.Name, ByID: q.By.ID, For: q.By.standsInFor(),
		Via: q.Via, Reason: reason})
}

func orNotGiven(reason string) string {
	if s := strings.TrimSpace(reason); s != "" {
		return s
	}
	return NotGiven
}

// latest is the later of a moment and the last that the pass's history knows.
func latest(at time.Time, p Pass) time.Time {
	if n := len(p.History); n > 0 && p.History[n-1].At.After(at) {
		return p.History[n-1].At
	}
	return at
}
