package pass

import (
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
)

// A Guard is something that must hold for an event to happen.
type Guard string

// The guards.
const (
	FieldsValid     Guard = "fields_valid"
	NotWatched      Guard = "not_watched"       // nobody has to look at the person first
	NotOwn          Guard = "not_own"           // who decides is not who made it, nor stands in for them
	StandsInRightly Guard = "stands_in_rightly" // a delegation is to them, of these passes, and of today
	WindowGiven     Guard = "window_given"      // times that are sent make sense
	NotEarly        Guard = "not_early"
	NotOver         Guard = "not_over"
	Later           Guard = "later" // an extension ends after now, and there is one
	AtSite          Guard = "at_site"
	PhotoTaken      Guard = "photo_taken"
	ToComeBack      Guard = "to_come_back"
	OutForGood      Guard = "out_for_good" // it is not returnable yet
	ItemsMatch      Guard = "items_match"
	ReasonShort     Guard = "reason_short"
	ReasonGiven     Guard = "reason_given"
	SecondAdmin     Guard = "second_admin" // it is forced, and another administrator agreed
)

// A Request is an event that somebody asks for.
type Request struct {
	Event Event
	By    Actor
	At    time.Time // now, by the server's clock
	Via   Via

	Name    string // the caller's name as an older client sends it; checked and not believed
	Version int    // that the caller has read; zero where they did not say
	Reason  string

	ValidFrom, ValidUntil, ExpectedReturnAt time.Time // new ones; zero where they stay

	SiteID   string // where it is scanned; none counts as the pass's own
	Photo    string // the id of a photo that was checked; none where there is none
	Override string // why there is none, from a supervisor
	Watched  bool   // the watchlist has the person, and nobody has cleared them
	Items    []item.Back

	Force  bool
	Second string // the id of the other administrator who agreed to it
}

// most is how long a reason may be, in characters.
const mostReason = 500

// holds says why a guard does not hold; an empty code where it does. A refusal for what the request lacks names the field.
func (r Rules) holds(g Guard, p Pass, q Request) (Code, []FieldError) {
	switch g {
	case NotWatched:
		return when(q.Watched, OnWatchlist)
	case NotOwn:
		own := q.By.ID == p.CreatedBy.ID || q.By.StandsIn != nil && q.By.StandsIn.For == p.CreatedBy.ID
		return when(own && !r.OwnAllowed, SelfApproval)
	case StandsInRightly:
		return when(q.By.StandsIn != nil && !q.By.StandsIn.covers(q.By.ID, p, q.At), RoleForbidden)
	case NotEarly:
		return when(q.At.Before(p.ValidFrom.Add(-r.Grace)), NotYetValid)
	case NotOver:
		return r.notOver(p, q)
	case AtSite:
		return when(q.SiteID != "" && q.SiteID != p.SiteID || !q.By.mayAt(p.SiteID), WrongSite)
	case ToComeBack:
		return when(!p.IsReturnable, NotReturnable)
	case OutForGood:
		return when(p.IsReturnable, InvalidState)
	case SecondAdmin:
		return when(!q.Force || q.Second == "" || q.Second == q.By.ID, InUse)
	}
	return r.carries(g, p, q)
}

// carries is holds for what a request must bring with it.
func (r Rules) carries(g Guard, p Pass, q Request) (Code, []FieldError) {
	switch g {
	case PhotoTaken:
		excused := q.By.Supervisor && strings.TrimSpace(q.Override) != ""
		return wrong(q.Photo == "" && !excused, PhotoRequired, "photo", "required")
	case WindowGiven:
		return windowGiven(p, q)
	case Later:
		return later(p, q)
	case ItemsMatch:
		_, _, err := item.Return(p.Items, q.Items)
		return wrong(err != nil, Validation, "items", "mismatch")
	case ReasonShort:
		return wrong(len([]rune(q.Reason)) > mostReason, Validation, "reason", "too_long")
	case ReasonGiven:
		if strings.TrimSpace(q.Reason) == "" {
			return wrong(true, Validation, "reason", "required")
		}
		return r.carries(ReasonShort, p, q)
	}
	return wrong(true, Validation, string(g), "unknown_guard") // a forgotten guard lets nobody through
}

// notOver holds while a pass may be used or approved: its last moment is one to leave at, and none to approve at.
func (r Rules) notOver(p Pass, q Request) (Code, []FieldError) {
	until := p.ValidUntil
	if q.Event == Approve && !q.ValidUntil.IsZero() {
		until = q.ValidUntil
	}
	return when(q.At.After(until) || q.Event == Approve && !q.At.Before(until), Expired)
}

func windowGiven(p Pass, q Request) (Code, []FieldError) {
	from, until := p.ValidFrom, p.ValidUntil
	if !q.ValidFrom.IsZero() {
		from = q.ValidFrom
	}
	if !q.ValidUntil.IsZero() {
		until = q.ValidUntil
		if !until.After(q.At) {
			return wrong(true, Validation, "valid_until", "past")
		}
	}
	if !until.After(from) {
		return wrong(true, Validation, "valid_until", "before_valid_from")
	}
	returnable := p.IsReturnable || q.Event == MakeReturnable
	switch back := q.ExpectedReturnAt; {
	case back.IsZero():
	case !returnable:
		return wrong(true, Validation, "expected_return_at", "not_returnable")
	case !back.After(from) || !back.After(q.At):
		return wrong(true, Validation, "expected_return_at", "past")
	}
	return "", nil
}

// later wants of an extension that it extends: an approved pass its end, one that is out its return.
func later(p Pass, q Request) (Code, []FieldError) {
	if p.Status == Exited {
		return wrong(!q.ExpectedReturnAt.After(p.DueBack()), Validation, "expected_return_at", "not_later")
	}
	return wrong(!q.ValidUntil.After(p.ValidUntil), Validation, "valid_until", "not_later")
}

func when(refused bool, c Code) (Code, []FieldError) {
	if refused {
		return c, nil
	}
	return "", nil
}

func wrong(refused bool, c Code, field, code string) (Code, []FieldError) {
	if refused {
		return c, []FieldError{{field, code}}
	}
	return "", nil
}
