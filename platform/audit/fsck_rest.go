package audit

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// listingLooks is how often a published checkpoint that is not listed is looked at.
const listingLooks = 20

// checkQueue looks at what waits for the tree.
func checkQueue(ctx context.Context, q querier, r *Report) error {
	const waits = `
		select q.org, q.record_id, r.id is not null, coalesce(p.seq, -1) from gavel_sys.log_queue q
		left join gavel.record r on r.org = q.org and r.id = q.record_id
		left join gavel.record_place p on p.org = q.org and p.record_id = q.record_id`
	rows, _ := q.Query(ctx, waits) // ForEachRow reports Query's error too
	var org identity.Org
	var id RecordID
	var there bool
	var seq int64
	_, err := pgx.ForEachRow(rows, []any{&org, &id, &there, &seq}, func() error {
		r.Waiting++
		switch {
		case !there:
			r.find("queue", "record %s of %s waits for the log, and is not there", id, org)
		case seq >= 0:
			r.find("queue", "record %s of %s waits for the log, and is entry %d already", id, org, seq)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what waits for the log: %w", err)
	}
	return nil
}

// checkAstray names what was set aside because its record was gone. Where the record
// is back, it is judged like any other.
func checkAstray(ctx context.Context, q querier, r *Report) error {
	const gone = `select a.org, a.record_id from gavel_sys.log_astray a
		where not exists (select from gavel.record r where r.org = a.org and r.id = a.record_id) order by a.n`
	rows, _ := q.Query(ctx, gone)
	var org identity.Org
	var id RecordID
	_, err := pgx.ForEachRow(rows, []any{&org, &id}, func() error {
		r.find("queue", "record %s of %s was to go into the log, and is not there", id, org)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what was set aside: %w", err)
	}
	return nil
}

// checkUnplaced looks for records that are neither in the tree nor waiting for
// it, a page of all records at a time.
func checkUnplaced(ctx context.Context, q querier, r *Report) error {
	const pageEnd = `select org, id from gavel.record where (org, id) > ($1, $2) order by org, id offset $3 limit 1`
	const unplaced = `
		select r.org, r.id from gavel.record r
		where (r.org, r.id) > ($1, $2) and ($3 = '' or (r.org, r.id) <= ($3, $4))
			and not exists (select from gavel.record_place p where p.org = r.org and p.record_id = r.id)
			and not exists (select from gavel_sys.log_queue q where q.org = r.org and q.record_id = r.id)`
	type key struct{ Org, ID string }
	var from key
	for {
		rows, _ := q.Query(ctx, pageEnd, from.Org, from.ID, fsckPage-1)
		ends, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
		if err != nil {
			return fmt.Errorf("look for records outside the log: %w", err)
		}
		ends = append(ends, key{}) // an empty one has no end
		rows, _ = q.Query(ctx, unplaced, from.Org, from.ID, ends[0].Org, ends[0].ID)
		lost, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
		if err != nil {
			return fmt.Errorf("look for records outside the log: %w", err)
		}
		for _, l := range lost {
			r.find("record", "record %s of %s is neither in the log nor waiting for it", l.ID, l.Org)
		}
		if ends[0].Org == "" {
			return nil
		}
		from = ends[0]
	}
}

// A publication is one checkpoint that was copied out.
type publication struct {
	N, Size int64
	Note    *string
}

// checkPublished compares the copies outside with what is here.
func checkPublished(ctx context.Context, q querier, c FsckConfig, r *Report) error {
	var last publication
	for {
		const some = `select p.n, p.size, c.note from gavel_sys.log_published p
			left join gavel_sys.log_checkpoint c on c.size = p.size where p.n > $1 order by p.n limit 1000`
		rows, _ := q.Query(ctx, some, last.N)
		page, err := pgx.CollectRows(rows, pgx.RowToStructByPos[publication])
		if err != nil {
			return fmt.Errorf("read what was published: %w", err)
		}
		if len(page) == 0 {
			break
		}
		for _, p := range page {
			if p.N != last.N+1 || p.Size <= last.Size {
				r.find("published", "publication %d of checkpoint %d follows publication %d of checkpoint %d: some are missing or were "+
					"moved",
					p.N, p.Size, last.N, last.Size)
			}
			last = p
			if err := comparePublished(ctx, q, c.Shelf, p, r); err != nil {
				return err
			}
		}
	}
	return compareLatest(ctx, q, c, last, r)
}

func comparePublished(ctx context.Context, q querier, s Shelf, p publication, r *Report) error {
	if p.Note == nil {
		r.find("published", "checkpoint %d was published, and is not there any more", p.Size)
		return nil
	}
	if s == nil {
		return nil
	}
	found, _, err := s.GetNamed(ctx, checkpointName(p.Size))
	switch {
	case fault.Is(err, fault.NotFound):
		r.find("published", "the published copy of checkpoint %d is not there any more", p.Size)
	case err != nil:
		return fmt.Errorf("read the published checkpoint %d: %w", p.Size, err)
	case !bytes.Equal(found, []byte(*p.Note)):
		r.find("published", "the published copy of checkpoint %d is not the checkpoint that is here", p.Size)
	}
	r.Published++
	if c, err := ParseCheckpoint(string(found)); err == nil {
		return compareLeaves(ctx, q, s, c.Tree, r)
	}
	return nil
}

// compareLatest looks at the copy that moves.
func compareLatest(ctx context.Context, q querier, of FsckConfig, last publication, r *Report) error {
	if of.Shelf == nil {
		return nil
	}
	found, _, err := of.Shelf.GetNamed(ctx, latestName)
	if fault.Is(err, fault.NotFound) {
		if last.N > 0 {
			r.find("published", "the newest published checkpoint is not there any more")
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the newest published checkpoint: %w", err)
	}
	c, err := ParseCheckpoint(string(found))
	if err != nil {
		r.find("published", "what is published as the newest checkpoint is none: it was changed")
		return nil
	}
	here, err := settled(ctx, q, c.Tree.N, of.Again)
	switch {
	case err != nil:
		return err
	case c.Tree.N < last.Size:
		r.find("published", "the newest published checkpoint is %d, and %d had been published: it was put back", c.Tree.N, last.Size)
	case c.Tree.N > here.newest:
		r.find("published", "a checkpoint of %d entries was published, and the log has %d: it was cut, or restored from an older copy",
			c.Tree.N, here.newest)
		return compareLeaves(ctx, q, of.Shelf, c.Tree, r)
	case here.note != c.Note:
		r.find("published", "the newest published checkpoint, %d, is not the checkpoint that is here", c.Tree.N)
		return compareLeaves(ctx, q, of.Shelf, c.Tree, r)
	case !here.listed:
		r.find("published", "checkpoint %d is published as the newest, and not listed as published: the list was cut", c.Tree.N)
	}
	return nil
}

// settled looks at what is known of a published checkpoint, again while it is not
// listed: a server that is publishing it this moment lists it in the next.
func settled(ctx context.Context, q querier, size int64, again <-chan time.Time) (found here, err error) {
	for range listingLooks {
		found, err = lookHere(ctx, q, size)
		if err != nil || found.listed || found.note == "" || again == nil {
			break
		}
		select {
		case <-ctx.Done():
			return found, ctx.Err()
		case <-again:
		}
	}
	return found, err
}

// A here is what this database knows of the checkpoint of one size.
type here struct {
	note   string // empty where there is none
	newest int64  // size of the newest checkpoint
	listed bool   // as published
}

func lookHere(ctx context.Context, q querier, size int64) (here, error) {
	const look = `select coalesce((select note from gavel_sys.log_checkpoint where size = $1), ''),
		(select coalesce(max(size), 0) from gavel_sys.log_checkpoint),
		exists (select from gavel_sys.log_published where size = $1)`
	rows, _ := q.Query(ctx, look, size)
	return pgx.CollectOneRow(rows, func(row pgx.CollectableRow) (h here, err error) {
		err = row.Scan(&h.note, &h.newest, &h.listed)
		return h, err
	})
}
