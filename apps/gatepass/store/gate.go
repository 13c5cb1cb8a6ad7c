package store

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/offline"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Gate is a key with which a paired device signs what it lets through, and where that device stands.
type Gate struct {
	ID     string
	Device string // the paired device, by its id
	Public ed25519.PublicKey
	Site   string
	Name   string // of the gate; empty where the site has none by name
	MadeAt time.Time
	MadeBy string
}

const gateColumns = `id, device, public, site_id, gate_id, made_at, made_by`

// AddGate writes a key down, or gives back what is known of it: the same key twice is one gate.
func AddGate(ctx context.Context, tx pgx.Tx, org identity.Org, g Gate) (Gate, error) {
	const insert = `insert into gatepass.gate (org, ` + gateColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (org, public) do nothing`
	if _, err := tx.Exec(ctx, insert, org, g.ID, g.Device, []byte(g.Public), g.Site, g.Name, g.MadeAt, g.MadeBy); err != nil {
		return g, fmt.Errorf("write a gate's key: %w", err)
	}
	rows, _ := tx.Query(ctx, `select `+gateColumns+` from gatepass.gate where public = $1`, []byte(g.Public))
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Gate])
}

// GateIn reads a gate by its id.
func GateIn(ctx context.Context, tx pgx.Tx, id string) (g Gate, found bool, err error) {
	rows, _ := tx.Query(ctx, `select `+gateColumns+` from gatepass.gate where id = $1`, id)
	g, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Gate])
	if errors.Is(err, pgx.ErrNoRows) {
		return g, false, nil
	}
	return g, err == nil, err
}

// A Listing is what a gate of a site is told of its passes: all of them, or what has changed since it last asked.
type Listing struct {
	offline.Delta
	Revoked token.Revoked
	Whole   bool   // it is everything, and what is not in it is not there
	Next    string // what to ask with next time
}

// mostListed bounds the list of a site.
const mostListed = 20_000

// Listed is what a gate of a site is to know since a cursor of an earlier answer; everything where there is none, or it is of another
// database. What was committed out of order is sent twice rather than missed.
func (s *Store) Listed(ctx context.Context, org identity.Org, site, since string) (l Listing, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		var next, end uint64
		const where = `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
		if err := tx.QueryRow(ctx, where).Scan(&next, &end); err != nil {
			return err
		}
		from, bad := strconv.ParseUint(since, 10, 63)
		l.Next, l.Whole = strconv.FormatUint(next, 10), bad != nil || from == 0 || from > end
		if l.Whole {
			from = 0
		}
		return l.fill(ctx, tx, site, from, s.Now())
	})
	return l, err
}

// fill reads the passes of a site that changed from a transaction on. A whole list leaves out what has no business at a gate, and of what
// was revoked that whose code is over by itself.
func (l *Listing) fill(ctx context.Context, tx pgx.Tx, site string, from uint64, now time.Time) error {
	const some = ` from gatepass.pass p where p.site_id = $1 and p.changed >= ($2::text)::xid8
		and (not $3 or p.deleted_at is null and (p.status = 'approved' or p.status = 'exited' and p.returnable)
			or p.deleted_at is not null and p.token > 0 and p.valid_until > $4) order by p.number limit $5`
	rows, _ := tx.Query(ctx, `select `+passColumns+some, site, strconv.FormatUint(from, 10), l.Whole, now.Add(-24*time.Hour), mostListed+1)
	all, err := pgx.CollectRows(rows, scanPass)
	if err != nil {
		return fmt.Errorf("list the passes of site %s: %w", site, err)
	}
	if len(all) > mostListed {
		return fault.New(fault.TooLarge, "site %s has more than %d passes in use", site, mostListed)
	}
	if err := fill(ctx, tx, all); err != nil {
		return err
	}
	l.Revoked = token.Revoked{}
	for _, k := range all {
		if k.Deleted() && k.Token > 0 {
			l.Revoked[k.Number] = k.Token
		}
		if e, ok := offline.EntryOf(k.Pass, site); ok {
			l.Put = append(l.Put, e)
		} else {
			l.Gone = append(l.Gone, k.Number)
		}
	}
	return nil
}

// A Turn is what went through a gate since a moment: of the shift that is handed over.
type Turn struct{ Out, Back, StillOut int }

// TurnOf counts what a guard let through since a moment, and who of those who left is not back.
func (s *Store) TurnOf(ctx context.Context, org identity.Org, guard string, since time.Time) (t Turn, err error) {
	const count = `select count(*) filter (where s.kind = 'scan_exit'), count(*) filter (where s.kind = 'scan_return'),
			count(distinct p.id) filter (where s.kind = 'scan_exit' and p.status = 'exited' and p.returnable and not p.person_back
				and p.deleted_at is null)
		from (select pass_id, kind from gatepass.scan where guard = $1 and at >= $2
			union all select q.id, a.kind from gatepass.arrival a join gatepass.pass q on q.org = a.org and q.number = a.number
				where a.guard = $1 and a.at >= $2 and a.held = '') s
		join gatepass.pass p on p.id = s.pass_id`
	err = s.In(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, count, guard, since).Scan(&t.Out, &t.Back, &t.StillOut) })
	return t, err
}

// texts are values as a statement takes them.
func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}
