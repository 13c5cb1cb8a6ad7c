package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
)

// A View is one part of an inbox.
type View string

// The views.
const (
	NeedsMe View = "needs_me" // what the person may decide, and is to
	Waiting View = "waiting"  // what they asked for or have signed, and others decide
	Snoozed View = "snoozed"  // what they put off
	Done    View = "done"     // what they have decided since a moment
)

// A Why is by what right something is in a person's inbox.
type Why string

// The reasons.
const (
	WhyRole      Why = "role"      // one of their roles decides it
	WhyAssigned  Why = "assigned"  // to them
	WhyConfirm   Why = "confirm"   // it is done for them
	WhyDelegated Why = "delegated" // they decide in somebody's stead
	WhyAsked     Why = "asked"     // they asked for it, or it was asked for in their name
	WhySigned    Why = "signed"    // they have approved it, and others must, too
	WhyDecided   Why = "decided"   // they did
)

// A Group is a part of what needs somebody, by its date.
type Group string

// The groups, in the order of a page.
const (
	Overdue Group = "overdue" // its date has come
	Today   Group = "today"   // before the end of the day
	Later   Group = "later"   // or never
)

// An InboxQuery asks for a page of an inbox.
type InboxQuery struct {
	View     View      // empty means NeedsMe
	Group    Group     // one part of NeedsMe; empty for all of it
	App      string    // empty for all
	Kind     string    // empty for all
	Since    time.Time // the beginning of the reader's day, from which on Done counts; zero means a day ago
	EndOfDay time.Time // what parts Today from Later; zero means a day after Since
	After    string    // page token: Next of the page before
	Limit    int       // 1 to 200; zero means 50
}

// An Item is one line of an inbox.
type Item struct {
	Proposal Proposal         // without its words
	Finding  *finding.Finding // what was found, and about whom; nil before findings were kept, and once erased
	Line     string           // the first line of that, in English, or what the proposal would do; may be empty
	CaseRef  string
	Case     string // the case's title
	Why      Why    // empty in Snoozed
	For      string // actor id of the one in whose stead
	Class    Class
	DueAt    time.Time // zero for never
	Group    Group     // by that date; of what still waits
	Overdue  bool
	Claim    Claim // who is looking, if it is somebody else
	Signed   int   // how many have approved, where several must
	// Of Done: what they decided, and until when it can be undone; zero where it
	// cannot any more.
	Decision  string
	Verdict   Verdict
	DecidedAt time.Time
	UndoUntil time.Time

	SnoozedUntil time.Time
}

// A Page of an inbox. Next is the token of the page after, empty when there is
// none.
type Page struct {
	Items []Item
	Next  string
}

// Inbox reads one view of a person's inbox, the most urgent first; of Done the
// latest first. What is assigned to somebody else is in nobody's inbox but
// theirs. What has passed its date is in none.
func (s *Store) Inbox(ctx context.Context, actor identity.Actor, q InboxQuery) (page Page, err error) {
	if err := s.rules.May(actor, actInbox); err != nil {
		return Page{}, err
	}
	k, err := newKeys(actor, q, s.clock.Now())
	if err != nil {
		return Page{}, err
	}
	k.reads = s.rules.May(actor, actRead) == nil
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if k.q.View == NeedsMe {
			if err := s.lookUp(ctx, tx, k); err != nil {
				return err
			}
		}
		rows, _ := tx.Query(ctx, k.page(), k.args)
		page.Items, err = pgx.CollectRows(rows, scanItem)
		return err
	})
	if err != nil {
		return Page{}, fmt.Errorf("read the inbox: %w", err)
	}
	s.turn(&page, k)
	return page, nil
}

// turn completes a page that was read with one item more than it has.
func (s *Store) turn(page *Page, k *keys) {
	for i := range page.Items {
		s.finish(&page.Items[i], k)
	}
	if len(page.Items) > k.q.Limit {
		page.Items = page.Items[:k.q.Limit]
		page.Next = page.Items[k.q.Limit-1].cursor(k.q.View)
	}
}

// finish fills in what only code knows.
func (s *Store) finish(it *Item, k *keys) {
	p := it.Proposal
	it.Class = s.classOf(p)
	if it.Finding != nil && !k.reads { // names of others are for who may read proposals
		it.Finding, it.Line = nil, ""
	}
	it.DueAt = p.DueAt
	if it.DueAt.IsZero() {
		it.DueAt = p.ExpiresAt
	}
	if p.State == Open {
		it.Group = k.groupOf(it.DueAt)
	}
	it.Overdue = it.Group == Overdue
	if it.Claim.By == k.me {
		it.Claim = Claim{}
	}
	if !it.UndoUntil.After(k.now) {
		it.UndoUntil = time.Time{}
	}
}
