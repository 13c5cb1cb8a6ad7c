package console

import (
	"context"
	"errors"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// ask asks the log's package a question in a transaction of an organisation.
// The types of transaction and querier are left to the compiler: this package
// runs no SQL and names none of its types.
func ask[Tx, Q, A any](ctx context.Context, inOrg func(context.Context, identity.Org, func(Tx) error) error, org identity.Org,
	question func(context.Context, Q) (A, error)) (A, error) {
	var answer A
	err := inOrg(ctx, org, func(tx Tx) error {
		q, ok := any(tx).(Q)
		if !ok {
			return fault.New(fault.Internal, "a transaction cannot ask the log")
		}
		var err error
		answer, err = question(ctx, q)
		return err
	})
	return answer, err
}

// A logPage is one page of the list of records.
type logPage struct {
	entries []audit.Entry
	next    audit.RecordID // where the next page begins; empty on the last
}

func listing[Q any](list func(context.Context, Q, audit.Query) ([]audit.Entry, audit.RecordID, error), want audit.Query) func(context.Context, Q) (logPage, error) {
	return func(ctx context.Context, q Q) (page logPage, err error) {
		page.entries, page.next, err = list(ctx, q, want)
		return page, err
	}
}

func getting[Q any](get func(context.Context, Q, audit.RecordID) (audit.Entry, error), id audit.RecordID) func(context.Context, Q) (audit.Entry, error) {
	return func(ctx context.Context, q Q) (audit.Entry, error) { return get(ctx, q, id) }
}

func verifying[Q any](verify func(context.Context, Q, audit.RecordID, []audit.Verifier, audit.Shelf) (audit.Verification, error),
	id audit.RecordID, trusted []audit.Verifier, s audit.Shelf) func(context.Context, Q) (audit.Verification, error) {
	return func(ctx context.Context, q Q) (audit.Verification, error) { return verify(ctx, q, id, trusted, s) }
}

// A logState is how the log stands, as one organisation sees it.
type logState struct {
	checkpoint audit.Checkpoint // the newest; zero for a log without entries
	key        audit.Verifier
	waiting    []audit.Entry // of the organisation, not in the tree yet, newest first
	looked     bool          // there may be more that wait than were looked at
}

// maxWaiting is how many of the newest records are looked at for ones that the
// tree has not taken in; it takes them in within two seconds.
const maxWaiting = 200

func (c *Console) readState(ctx context.Context, org identity.Org) (s logState, err error) {
	s.checkpoint, err = ask(ctx, c.DB.InOrg, org, audit.Newest)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return s, err
	}
	keys, err := ask(ctx, c.DB.InOrg, org, audit.ReadKeys)
	if err != nil {
		return s, err
	}
	s.key = keys.Newest()
	page, err := ask(ctx, c.DB.InOrg, org, listing(audit.List, audit.Query{Limit: maxWaiting}))
	for _, e := range page.entries {
		if e.Seq < 0 {
			s.waiting = append(s.waiting, e)
		}
	}
	s.looked = len(s.waiting) == maxWaiting
	return s, err
}

// damage is what an error says about a log that contradicts itself. Such a text
// is kept from people elsewhere; here it is what they came for.
func damage(err error) (*fault.Error, bool) {
	f, ok := errors.AsType[*fault.Error](err)
	return f, ok && f.Kind == fault.Internal
}
