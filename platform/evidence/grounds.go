package evidence

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Grounds say how far a case's evidence had come when somebody looked: nothing
// is ever taken away, so two counts name the state. Its text form, "3.17", goes
// with a page and comes back with the decision made on it.
type Grounds struct {
	Pieces  int // pieces of evidence on the case
	Entered int // versions of facts entered
}

// String is the text form.
func (g Grounds) String() string { return strconv.Itoa(g.Pieces) + "." + strconv.Itoa(g.Entered) }

// ParseGrounds reads the text form.
func ParseGrounds(text string) (g Grounds, err error) {
	pieces, entered, ok := strings.Cut(text, ".")
	if ok = ok && len(text) <= 20; ok {
		var one, two error
		g.Pieces, one = strconv.Atoi(pieces)
		g.Entered, two = strconv.Atoi(entered)
		ok = one == nil && two == nil && g.Pieces >= 0 && g.Entered >= 0
	}
	if !ok {
		return Grounds{}, fault.New(fault.Invalid, "%.20q does not say what evidence was there", text)
	}
	return g, nil
}

// Grounds are what a case rests on now.
func (s *Store) Grounds(ctx context.Context, org identity.Org, id casefile.CaseID) (g Grounds, err error) {
	const now = `select (select count(*) from gavel.evidence where case_id = $1),
		coalesce((select entered from gavel.fact_count where case_id = $1), 0)`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, now, id).Scan(&g.Pieces, &g.Entered)
	})
	if err != nil {
		return Grounds{}, fmt.Errorf("count what %s rests on: %w", id, err)
	}
	return g, nil
}

// GroundsAt are what a case rested on at a moment.
func (s *Store) GroundsAt(ctx context.Context, org identity.Org, id casefile.CaseID, at time.Time) (g Grounds, err error) {
	const then = `select (select count(*) from gavel.evidence where case_id = $1 and at <= $2),
		(select coalesce(max(nth), 0) from gavel.fact where case_id = $1 and at <= $2)`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, then, id, at).Scan(&g.Pieces, &g.Entered)
	})
	if err != nil {
		return Grounds{}, fmt.Errorf("count what %s rested on: %w", id, err)
	}
	return g, nil
}

// A Move is one thing that came to a case after somebody looked: a piece of
// evidence, or a fact that is new or has another value.
type Move struct {
	At     time.Time
	Piece  *Piece     // nil for a fact
	Before *fact.Fact // as it was then; nil if it was not there
	Now    *fact.Fact
}

// Name is what people call it: "E4", "F17".
func (m Move) Name() string {
	if m.Piece != nil {
		return m.Piece.ID()
	}
	return string(m.Now.ID)
}

// MostMoves bounds what Moved lists of pieces and of facts.
const MostMoves = 50

// Moved lists what came to a case since it rested on these grounds: pieces by
// number, then facts by number, of each at most MostMoves. Grounds beyond what is
// there are nobody's, and refused.
func (s *Store) Moved(ctx context.Context, org identity.Org, id casefile.CaseID, since Grounds) (all []Move, err error) {
	now, err := s.Grounds(ctx, org, id)
	switch {
	case err != nil || now == since:
		return nil, err
	case since.Pieces > now.Pieces || since.Entered > now.Entered:
		return nil, fault.New(fault.Invalid, "the case never rested on %s", since)
	}
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, pieceColumns+`where case_id = $1 and number > $2 order by number limit $3`, id, since.Pieces, MostMoves)
		pieces, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Piece])
		if err != nil {
			return err
		}
		for i := range pieces {
			pieces[i].At = pieces[i].At.UTC()
			all = append(all, Move{At: pieces[i].At, Piece: &pieces[i]})
		}
		if now.Entered == since.Entered {
			return nil
		}
		facts, err := movedFacts(ctx, tx, id, since.Entered)
		all = append(all, facts...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look what came to %s: %w", id, err)
	}
	return all, nil
}

// movedFacts lists the facts that have versions after the nth, as they were and
// as they are.
func movedFacts(ctx context.Context, tx pgx.Tx, id casefile.CaseID, nth int) ([]Move, error) {
	newest, err := facts(ctx, tx, `(select distinct on (number) * from gavel.fact where case_id = $1 and nth > $2
		order by number, version desc limit $3) f order by f.number`, id, nth, MostMoves)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	ids := make([]string, len(newest))
	for i, f := range newest {
		ids[i] = string(f.ID)
	}
	old, err := facts(ctx, tx, `(select distinct on (number) * from gavel.fact where case_id = $1 and nth <= $2 and id = any ($3)
		order by number, version desc) f`, id, nth, ids)
	if err != nil {
		return nil, err
	}
	before := map[fact.ID]*fact.Fact{}
	for i := range old {
		before[old[i].ID] = &old[i]
	}
	at, err := enteredAt(ctx, tx, id, ids)
	if err != nil {
		return nil, err
	}
	all := make([]Move, len(newest))
	for i := range newest {
		all[i] = Move{At: at[newest[i].ID], Before: before[newest[i].ID], Now: &newest[i]}
	}
	return all, nil
}

// enteredAt is when the newest version of some facts was entered.
func enteredAt(ctx context.Context, tx pgx.Tx, id casefile.CaseID, ids []string) (map[fact.ID]time.Time, error) {
	const when = `select id, max(at) from gavel.fact where case_id = $1 and id = any ($2) group by id`
	rows, _ := tx.Query(ctx, when, id, ids)
	all := map[fact.ID]time.Time{}
	var one fact.ID
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&one, &at}, func() error {
		all[one] = at.UTC()
		return nil
	})
	return all, err
}
