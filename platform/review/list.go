package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Query narrows a list of proposals.
type Query struct {
	State State  // empty means Open
	Case  string // empty for all
	App   string // empty for all
	Mine  bool   // only those that the actor may decide
	After string // page token: the last proposal of the page before
	Limit int    // 1 to 200; zero means 50
}

// List reads proposals that the actor may see, the most urgent first where they
// are open and the newest first otherwise, and the token of the next page, empty
// when there is none. Neither arguments nor what is shown are read.
func (s *Store) List(ctx context.Context, actor identity.Actor, q Query) (list []Proposal, next string, err error) {
	if err := s.rules.May(actor, "proposal.read"); err != nil {
		return nil, "", err
	}
	if err := q.check(); err != nil {
		return nil, "", err
	}
	if q.Mine && actor.Kind != identity.Person {
		return nil, "", nil // nothing is decided by who is no person
	}
	sql, args := q.statement(actor)
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sql, args)
		list, err = pgx.CollectRows(rows, scanProposal)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list proposals: %w", err)
	}
	if len(list) > q.Limit {
		list = list[:q.Limit]
		next = list[q.Limit-1].ID
	}
	return list, next, nil
}

// The parts of a page's statement. A part stands in it only if it is asked for,
// so that a page deep in a long list is found by the index and not by counting.
const (
	pageOfOpen  = `select ` + headColumns + ` from gavel.proposal p where p.org = @org and p.state = 'open'`
	pageOfEnded = `select ` + headColumns + ` from gavel.proposal p where p.org = @org and p.state = @state and p.state <> 'open'`
	afterOpen   = ` and (p.expires_at, p.n) > (select a.expires_at, a.n from gavel.proposal a where a.org = @org and a.id = @after)`
	afterEnded  = ` and p.n < (select a.n from gavel.proposal a where a.org = @org and a.id = @after)`
	ofCase      = ` and p.case_id = @case`
	ofApp       = ` and p.app = @app`
	// mine is what barredFrom and ownRight say, as a condition: by one's own right.
	// What somebody has delegated is in the inbox.
	mine = ` and (p.gate = 'confirm' and p.on_behalf_of = @me or p.gate = 'approve' and p.deciders && @roles::text[]
		and p.requested_by <> @me and p.on_behalf_of <> @me and not @me = any (p.makers))`
	byDate   = ` order by p.expires_at, p.n limit @limit`
	byNumber = ` order by p.n desc limit @limit`
)

func (q *Query) check() error {
	if q.State == "" {
		q.State = Open
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	states := []State{Open, Approved, Edited, Rejected, SentBack, Expired, Withdrawn, Superseded}
	switch {
	case q.Limit < 0 || q.Limit > 200:
		return fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	case !slices.Contains(states, q.State):
		return fault.New(fault.Invalid, "no state of a proposal is called %.20q", q.State)
	}
	return nil
}

// statement is the page that is asked for, with one item more, which tells
// whether there is a next one.
func (q Query) statement(a identity.Actor) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{"org": string(a.Org), "state": string(q.State), "after": q.After, "case": q.Case, "app": q.App,
		"me": a.ID, "roles": texts(a.Roles), "limit": q.Limit + 1}
	sql, after, order := pageOfOpen, afterOpen, byDate
	if q.State != Open {
		sql, after, order = pageOfEnded, afterEnded, byNumber
	}
	for _, part := range []struct {
		asked bool
		sql   string
	}{{q.After != "", after}, {q.Case != "", ofCase}, {q.App != "", ofApp}, {q.Mine, mine}} {
		if part.asked {
			sql += part.sql
		}
	}
	return sql + order, args
}
