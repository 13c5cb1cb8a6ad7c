package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Entry is a record as it is stored: JSON are the bytes that the tree holds
// the hash of.
type Entry struct {
	ID     RecordID
	Seq    int64 // its number in the log; -1 while the tree has not taken it in
	Record Record
	JSON   string
	Damage *fault.Error // why it cannot be read, where a reader goes on past such; Record is then empty
}

const entryColumns = `select r.id, coalesce(p.seq, -1), r.json from gavel.record r
	left join gavel.record_place p on p.org = r.org and p.record_id = r.id`

// anyOrg is true of every record, and lets a reader who sees all organisations
// find one by its id in the index, which begins with the organisation.
const anyOrg = `r.org in (select org from gavel_sys.organisation union all select '-')`

// Get reads one record. One of another organisation is not found.
func Get(ctx context.Context, q querier, id RecordID) (Entry, error) {
	rows, _ := q.Query(ctx, entryColumns+` where r.id = $1 and `+anyOrg, id)
	e, err := pgx.CollectOneRow(rows, scanEntry)
	if errors.Is(err, pgx.ErrNoRows) {
		return Entry{}, fault.New(fault.NotFound, "no record is called %.60q", id)
	}
	return e, err
}

// scanEntry refuses a record that cannot be read.
func scanEntry(row pgx.CollectableRow) (Entry, error) {
	e, err := scanAny(row)
	if err == nil && e.Damage != nil {
		return Entry{}, e.Damage
	}
	return e, err
}

// scanAny returns a record that cannot be read with what is wrong with it.
func scanAny(row pgx.CollectableRow) (Entry, error) {
	var e Entry
	if err := row.Scan(&e.ID, &e.Seq, &e.JSON); err != nil {
		return Entry{}, err
	}
	id, rec, err := ParseRecord([]byte(e.JSON))
	if err == nil && id != e.ID {
		err = fault.New(fault.Internal, "the record says it is %s", id)
	}
	if err != nil {
		e.Damage = fault.New(fault.Internal, "record %s is damaged: %w", e.ID, err).
			WithNext("find out what was changed: gavel audit fsck")
		return e, nil
	}
	e.Record = rec
	return e, nil
}

// A Query narrows a list of records. Empty fields narrow nothing.
type Query struct {
	Subject string
	Kind    Kind
	App     string
	Actor   string   // an actor's id
	Before  RecordID // page token: records with an earlier time than this one
	Limit   int      // 1 to 200; zero means 50
}

// List reads an organisation's records, newest first, and the token of the next page, empty when
// there is none. A record that cannot be read is an error: what is made from the list would be wrong without it.
func List(ctx context.Context, q querier, want Query) (entries []Entry, next RecordID, err error) {
	return list(ctx, q, want, scanEntry)
}

func list(ctx context.Context, q querier, want Query, scan pgx.RowToFunc[Entry]) (entries []Entry, next RecordID, err error) {
	limit := want.Limit
	if limit == 0 {
		limit = 50
	}
	if limit < 0 || limit > 200 {
		return nil, "", fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", want.Limit)
	}
	const page = entryColumns + `
		where ($1 = '' or r.subject = $1) and ($2 = '' or r.kind = $2) and ($3 = '' or r.app = $3)
			and ($4 = '' or r.actor_id = $4) and ($5 = '' or r.id < $5)
		order by r.id desc limit $6`
	rows, _ := q.Query(ctx, page, want.Subject, want.Kind, want.App, want.Actor, want.Before, limit+1)
	if entries, err = pgx.CollectRows(rows, scan); err != nil {
		return nil, "", fmt.Errorf("list records: %w", err)
	}
	if len(entries) > limit {
		entries = entries[:limit]
		next = entries[limit-1].ID
	}
	return entries, next, nil
}
