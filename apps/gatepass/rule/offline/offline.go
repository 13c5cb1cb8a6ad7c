// Package offline is what a gate goes by while it has no network: the list of passes that it was last told of, public keys, what was
// revoked, and what it has let through itself since. It answers a scan with a word: out, in, ask, or stop.
//
// A gate that is alone never guesses. What is on the list and verifies goes through; what is revoked, over or forged is stopped; what
// it cannot know, because it may have been approved since, is a question. Read Gate.Judge first.
package offline

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Entry is one pass on a gate's list: what the guard must see, and nothing more of the person.
type Entry struct {
	Pass       number.Number
	Code       number.Code
	Token      int // the version that is alive
	Status     pass.Status
	Returnable bool
	From       time.Time
	Until      time.Time
	DueBack    time.Time
	Since      time.Time // when the last that is known of it happened
	PersonName string
	PersonBack bool
	Items      []item.Item
}

// EntryOf is a pass as a gate of a site lists it; false where it has no business there: not approved, over for good, or
// of another site.
func EntryOf(p pass.Pass, site string) (Entry, bool) {
	listed := p.Status == pass.Approved || p.Status == pass.Exited && p.IsReturnable
	if !listed || p.Deleted() || p.SiteID != site {
		return Entry{}, false
	}
	e := Entry{Pass: p.Number, Code: p.Code, Token: p.Token, Status: p.Status, Returnable: p.IsReturnable,
		From: p.ValidFrom, Until: p.ValidUntil, DueBack: p.DueBack(),
		PersonName: p.PersonName, PersonBack: p.PersonBack, Items: slices.Clone(p.Items)}
	if n := len(p.History); n > 0 {
		e.Since = p.History[n-1].At
	}
	return e, true
}

// A List is what a gate was last told, by pass.
type List map[number.Number]Entry

// A Delta is what changed between two lists.
type Delta struct {
	Put  []Entry // in order of their numbers
	Gone []number.Number
}

// Diff is what to send to a gate that has one list, for it to have another.
func Diff(had, now List) Delta {
	var d Delta
	for n, e := range now {
		if old, ok := had[n]; !ok || !same(old, e) {
			d.Put = append(d.Put, e)
		}
	}
	for n := range had {
		if _, ok := now[n]; !ok {
			d.Gone = append(d.Gone, n)
		}
	}
	slices.SortFunc(d.Put, func(a, b Entry) int { return number.Compare(a.Pass, b.Pass) })
	slices.SortFunc(d.Gone, number.Compare)
	return d
}

// With is the list after a delta. The list stays as it was.
func (l List) With(d Delta) List {
	next := make(List, len(l)+len(d.Put))
	for n, e := range l {
		next[n] = e
	}
	for _, n := range d.Gone {
		delete(next, n)
	}
	for _, e := range d.Put {
		next[e.Pass] = e
	}
	return next
}

func same(a, b Entry) bool {
	times := a.From.Equal(b.From) && a.Until.Equal(b.Until) && a.DueBack.Equal(b.DueBack) && a.Since.Equal(b.Since)
	return times && slices.Equal(a.Items, b.Items) && a.Pass == b.Pass && a.Code == b.Code && a.Token == b.Token &&
		a.Status == b.Status && a.Returnable == b.Returnable &&
		a.PersonName == b.PersonName && a.PersonBack == b.PersonBack
}

// A Word is the answer to a scan. The zero value is no answer.
type Word string

// The words.
const (
	GoOut Word = "allow_exit"
	GoIn  Word = "allow_return"
	Ask   Word = "ask"
	Stop  Word = "deny"
)

// A Reason says why, by a key of the messages.
type Reason string

// The reasons.
const (
	Fine          Reason = ""
	Unreadable    Reason = "unreadable"         // it is no pass
	Forged        Reason = "forged"             // or signed with a key that this gate does not know
	OtherOrg      Reason = "other_organisation" // a pass of somebody else
	Revoked       Reason = "revoked"
	NotListed     Reason = "not_listed"     // approved since the last word from the server, or of another site
	OnlineOnly    Reason = "online_only"    // a name without a signature
	OldCode       Reason = "old_code"       // a newer code was made for the pass
	NotYetValid   Reason = "not_yet_valid"  //
	Expired       Reason = "expired"        //
	AlreadyOut    Reason = "already_out"    // and not to come back
	AlreadyBack   Reason = "already_back"   //
	ClockNotSure  Reason = "clock_not_sure" // the device's clock and the server's differ by too much
	NothingListed Reason = "no_list"        // this gate has never been told anything
)

// A Verdict is the answer to a scan.
type Verdict struct {
	Word   Word
	Reason Reason
	Entry  Entry // as the gate knows it, where it may show it
	Late   bool  // somebody comes back after they were due
}

// A Gate is what a device at a gate knows.
type Gate struct {
	Org     string // its organisation's token.Tag
	Keys    token.Keys
	List    List // nil where it has never had one
	Revoked token.Revoked
	Done    []Done        // what it let through itself, and the server has not confirmed, in order
	Skew    time.Duration // between the device's clock and the server's when they last spoke
	Rules   Rules
}

// A Done is one event that the gate let through.
type Done struct {
	Pass  number.Number
	Event pass.Event
	At    time.Time // as Gate.DateOf said
	Items []item.Back
}

// Rules are what an organisation sets for gates that are alone.
type Rules struct {
	Grace time.Duration // as the pass's own
	Skew  time.Duration // how far the clocks may be apart
}

// Standard is a quarter of an hour of grace, and clocks that are two minutes apart.
func Standard() Rules { return Rules{Grace: pass.Standard().Grace, Skew: 2 * time.Minute} }

// DateOf is the moment under which a gate writes down what it lets through: now by its clock, and after everything that it knows of the
// pass. Clocks differ by a minute, and who comes back at another gate within that minute has not come back before they left.
func (g Gate) DateOf(n number.Number, now time.Time) time.Time {
	if e, ok := g.known(n); ok && !e.Since.Before(now) {
		return e.Since.Add(time.Millisecond)
	}
	return now
}

// Judge answers what was scanned, at a moment of the device's clock.
func (g Gate) Judge(scanned string, now time.Time) Verdict {
	scan, err := token.Read(scanned)
	switch {
	case err != nil:
		return Verdict{Word: Stop, Reason: Unreadable}
	case scan.Token == "":
		return Verdict{Word: Ask, Reason: OnlineOnly}
	}
	t, err := g.Keys.Verify(scan.Token)
	if err != nil {
		return Verdict{Word: Stop, Reason: notOurs(err)}
	}
	if t.Org != g.Org {
		return Verdict{Word: Stop, Reason: OtherOrg}
	}
	if g.Revoked.Dead(t) {
		return Verdict{Word: Stop, Reason: Revoked}
	}
	return g.listed(t, now)
}

// notOurs is why a token was not believed: a key that is not known is what a forger would sign with, too.
func notOurs(err error) Reason {
	if at, ok := fault.PlaceOf(err); ok && at.Code == token.Malformed {
		return Unreadable
	}
	return Forged
}

// listed answers a token that verifies, by the list. Times are the list's where it has the pass, because it is newer than the paper.
func (g Gate) listed(t token.Token, now time.Time) Verdict {
	e, known := g.known(t.Pass)
	switch {
	case g.List == nil:
		return Verdict{Word: Ask, Reason: NothingListed}
	case !known && now.After(t.Until):
		return Verdict{Word: Stop, Reason: Expired}
	case !known:
		return Verdict{Word: Ask, Reason: NotListed}
	case t.Version < e.Token:
		return Verdict{Word: Stop, Reason: OldCode}
	}
	switch e.Status {
	case pass.Approved:
		return g.leave(e, now)
	case pass.Exited:
		if !e.Returnable {
			return Verdict{Word: Stop, Reason: AlreadyOut, Entry: e}
		}
		return Verdict{Word: GoIn, Entry: e, Late: now.After(e.DueBack)}
	}
	return Verdict{Word: Stop, Reason: AlreadyBack, Entry: e}
}

// leave answers who wants to go out. Whether it is time is not known to a clock that is wrong.
func (g Gate) leave(e Entry, now time.Time) Verdict {
	switch {
	case g.Skew.Abs() > g.Rules.Skew:
		return Verdict{Word: Ask, Reason: ClockNotSure, Entry: e}
	case now.Before(e.From.Add(-g.Rules.Grace)):
		return Verdict{Word: Stop, Reason: NotYetValid, Entry: e}
	case now.After(e.Until):
		return Verdict{Word: Stop, Reason: Expired, Entry: e}
	}
	return Verdict{Word: GoOut, Entry: e}
}

// known is a pass as the gate knows it: the list, and what it did itself since.
func (g Gate) known(n number.Number) (Entry, bool) {
	e, ok := g.List[n]
	if !ok {
		return Entry{}, false
	}
	for _, d := range g.Done {
		if d.Pass != n {
			continue
		}
		if d.At.After(e.Since) {
			e.Since = d.At
		}
		switch d.Event {
		case pass.ScanExit:
			e.Status = pass.Exited
		case pass.ScanReturn:
			e = e.back(d.Items)
		}
	}
	return e, true
}

// back is an entry after a return: out still while things of it are.
func (e Entry) back(items []item.Back) Entry {
	e.PersonBack = true
	if after, _, err := item.Return(e.Items, items); err == nil {
		e.Items = after
	}
	if !item.AnyOpen(e.Items) {
		e.Status = pass.Returned
	}
	return e
}
