package poolpatrol

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/identity"
)

// A shelf keeps the book of the newest pass that was pinned or read here, so that the
// steps which follow need not read and prove its snapshot again. Steps may run
// anywhere: what is not on the shelf is read. It is dropped when the pass has been
// settled, and where another worker did that, when the next pass comes. The zero
// shelf is empty.
type shelf struct {
	mu       sync.Mutex
	org      identity.Org
	snapshot string
	book     *fleet.Book
}

// put keeps a book instead of the one that was there.
func (s *shelf) put(org identity.Org, snapshot string, book *fleet.Book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.org, s.snapshot, s.book = org, snapshot, book
}

// drop lets go of the book of a pass that is over: it says where people live.
func (s *shelf) drop() { s.put("", "", nil) }

// get finds the book of a snapshot; nil where it is not here.
func (s *shelf) get(org identity.Org, snapshot string) *fleet.Book {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.book == nil || s.org != org || s.snapshot != snapshot {
		return nil
	}
	return s.book
}

// grounds are what an audit of a snapshot rests on: the book from the shelf if it is
// there and nobody has been erased from the snapshot, and what stands beside it.
func (a *app) grounds(ctx context.Context, tx pgx.Tx, org identity.Org, snapshot string) (g grounds, err error) {
	if g.book = a.shelf.get(org, snapshot); g.book != nil {
		var whole bool
		if err := tx.QueryRow(ctx, `select erased_at is null from poolpatrol.snapshot where id = $1`, snapshot).Scan(&whole); err != nil {
			return g, fmt.Errorf("read snapshot %s: %w", snapshot, err)
		}
		if whole {
			return g, g.readBeside(ctx, tx, area{})
		}
	}
	s, records, err := readSnapshot(ctx, tx, snapshot)
	if err != nil {
		return g, err
	}
	if g.book, err = fleet.NewBook(records); err != nil {
		return g, err
	}
	if s.ErasedAt == nil {
		a.shelf.put(org, snapshot, g.book)
	}
	return g, g.readBeside(ctx, tx, area{})
}
