package evidence

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Grounds say what a case's evidence was when somebody looked. Nothing is ever taken
// away, so two counts say how far it had come, and a digest what that was. The text
// form, "3.17." and the digest, goes with what people read and comes back with the
// decision made on it.
type Grounds struct {
	Pieces  int    // pieces of evidence on the case
	Entered int    // versions of facts entered
	Digest  string // SHA-256 over both, in hex; empty where only the counts are known
}

// maxGrounds bounds the text form, in bytes.
const maxGrounds = 90

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// String is the text form.
func (g Grounds) String() string {
	text := strconv.Itoa(g.Pieces) + "." + strconv.Itoa(g.Entered)
	if g.Digest != "" {
		text += "." + g.Digest
	}
	return text
}

// ParseGrounds reads the text form, also one of counts alone.
func ParseGrounds(text string) (g Grounds, err error) {
	parts := strings.Split(text, ".")
	ok := len(text) <= maxGrounds && (len(parts) == 2 || len(parts) == 3 && digestForm.MatchString(parts[2]))
	if ok {
		var one, two error
		g.Pieces, one = strconv.Atoi(parts[0])
		g.Entered, two = strconv.Atoi(parts[1])
		g.Digest = strings.Join(parts[2:], "")
		ok = one == nil && two == nil && g.Pieces >= 0 && g.Entered >= 0
	}
	if !ok {
		return Grounds{}, fault.New(fault.Invalid, "%.20q does not say what evidence was there", text).
			WithNext("read the proposal, and send its grounds as they are")
	}
	return g, nil
}

// Grounds are what a case rests on now.
func (s *Store) Grounds(ctx context.Context, org identity.Org, id casefile.CaseID) (g Grounds, err error) {
	return s.GroundsAt(ctx, org, id, time.Time{})
}

// GroundsAt are what a case rested on at a moment; the zero moment is now.
func (s *Store) GroundsAt(ctx context.Context, org identity.Org, id casefile.CaseID, at time.Time) (g Grounds, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		g, err = GroundsIn(ctx, tx, id, at)
		return err
	})
	return g, err
}

// GroundsIn is GroundsAt in a transaction that acts for the case's organisation.
func GroundsIn(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (g Grounds, err error) {
	const now = `select (select count(*) from gavel.evidence where case_id = $1),
		coalesce((select entered from gavel.fact_count where case_id = $1), 0)`
	const then = `select (select count(*) from gavel.evidence where case_id = $1 and at <= $2),
		(select coalesce(max(nth), 0) from gavel.fact where case_id = $1 and at <= $2)`
	query, args := now, []any{id}
	if !at.IsZero() {
		query, args = then, []any{id, at}
	}
	if err = tx.QueryRow(ctx, query, args...).Scan(&g.Pieces, &g.Entered); err == nil {
		g.Digest, err = digestOf(ctx, tx, id, g)
	}
	if err != nil {
		return Grounds{}, fmt.Errorf("count what %s rests on: %w", id, err)
	}
	return g, nil
}

// GroundsText is GroundsIn in its text form, as package review asks for it.
func GroundsText(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (string, error) {
	g, err := GroundsIn(ctx, tx, id, at)
	return g.String(), err
}

// digestOf is the digest over a case's id and its first pieces of evidence and versions
// of facts: what each is known by, and the value of each fact.
func digestOf(ctx context.Context, tx pgx.Tx, id casefile.CaseID, g Grounds) (digest string, err error) {
	const over = `select encode(sha256(convert_to(concat_ws(E'\n\n', $1::text,
		(select string_agg(number || ' ' || key || ' ' || sha256, E'\n' order by number) from gavel.evidence where case_id = $1
		and number <= $2),
		(select string_agg(nth || ' ' || id || ' ' || version || ' ' || key || ' ' || value, E'\n' order by nth) from gavel.fact
			where case_id = $1 and nth <= $3)), 'UTF8')), 'hex')`
	err = tx.QueryRow(ctx, over, id, g.Pieces, g.Entered).Scan(&digest)
	return digest, err
}

// SameGrounds refuses, as Stale, a text form that is not what the case rests on now, and
// names what came since; counts alone are not enough. One that the case never rested on
// is Invalid. It is asked in the transaction of the decision that carries it.
func SameGrounds(ctx context.Context, tx pgx.Tx, id casefile.CaseID, text string) error {
	seen, err := ParseGrounds(text)
	if err != nil {
		return err
	}
	now, err := GroundsIn(ctx, tx, id, time.Time{})
	if err != nil || now == seen {
		return err
	}
	moved, err := movedIn(ctx, tx, id, seen)
	if err != nil {
		return err
	}
	what := "something"
	if len(moved) > 0 {
		what = Names(moved)
	}
	return fault.New(fault.Stale, "%s came to the case after you read it; nothing was done", what).
		WithNext("see what changed, then decide again")
}

// Names lists what moved: "E4, F17".
func Names(moved []Move) string {
	const most = 6
	all := make([]string, 0, most)
	for i, m := range moved {
		if i == most {
			return strings.Join(all, ", ") + " and more"
		}
		all = append(all, m.Name())
	}
	return strings.Join(all, ", ")
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
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		all, err = movedIn(ctx, tx, id, since)
		return err
	})
	return all, err
}

func movedIn(ctx context.Context, tx pgx.Tx, id casefile.CaseID, since Grounds) (all []Move, err error) {
	now, err := GroundsIn(ctx, tx, id, time.Time{})
	if err != nil || now == since {
		return nil, err
	}
	if err := everRested(ctx, tx, id, since, now); err != nil {
		return nil, err
	}
	rows, _ := tx.Query(ctx, pieceColumns+`where case_id = $1 and number > $2 order by number limit $3`, id, since.Pieces, MostMoves)
	pieces, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Piece])
	if err != nil {
		return nil, fmt.Errorf("look what came to %s: %w", id, err)
	}
	for i := range pieces {
		pieces[i].At = pieces[i].At.UTC()
		all = append(all, Move{At: pieces[i].At, Piece: &pieces[i]})
	}
	if now.Entered == since.Entered {
		return all, nil
	}
	facts, err := movedFacts(ctx, tx, id, since.Entered)
	if err != nil {
		return nil, fmt.Errorf("look what came to %s: %w", id, err)
	}
	return append(all, facts...), nil
}

// everRested refuses grounds that were never a case's: more than it has, or others.
func everRested(ctx context.Context, tx pgx.Tx, id casefile.CaseID, since, now Grounds) error {
	never := fault.New(fault.Invalid, "the case never rested on %d.%d as you say it", since.Pieces, since.Entered).
		WithNext("read the proposal, and send its grounds as they are")
	if since.Pieces > now.Pieces || since.Entered > now.Entered {
		return never
	}
	if since.Digest == "" {
		return nil
	}
	was, err := digestOf(ctx, tx, id, since)
	if err != nil {
		return fmt.Errorf("what %s rested on: %w", id, err)
	}
	if was != since.Digest {
		return never
	}
	return nil
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
