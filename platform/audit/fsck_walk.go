package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// fsckPage is how many entries are read at a time: whole tiles, and far less
// than a statement may take.
const fsckPage = 64 * tileWidth

// A walk goes over the log from its first entry to its last and rebuilds the
// tree twice, from the records' texts and from the stored leaves. Where the two
// disagree, the next signed checkpoint says which of them is as it was.
type walk struct {
	sys      *postgres.System
	r        *Report
	keys     *keyCheck
	losses   lossCheck
	known    []Checkpoint // not yet reached, smallest first
	upto     int64
	progress func(done, total int64)

	content, tiled edge
	doubts         []doubt
	gap            gap
	counted        int64 // the number of the last checkpoint
	good           int64 // size of the last checkpoint that fits
	broken         int64 // size of the first that fits nothing
	lost           int64 // how many of those came after it
	upper          map[int]storedTile
}

// A doubt is an entry whose record does not have the hash in the tree.
type doubt struct {
	seq           int64
	record        RecordID
	content, leaf tlog.Hash
}

// maxDoubts bounds what is remembered between two checkpoints.
const maxDoubts = maxFindings

// A gap is a run of numbers that no record has.
type gap struct{ from, to int64 }

// A storedTile is the tile of an upper level that was looked at last.
type storedTile struct {
	n    int64
	data []byte
}

// An fsckRow is an entry with everything that is stored about it. Fields of the
// record are nil where it is gone.
type fsckRow struct {
	seq                                            int64
	org                                            identity.Org
	id                                             RecordID
	at                                             *time.Time
	kind, app, actorKind, actorID, subject, source *string
}

func (w *walk) run(ctx context.Context) error {
	w.upper = map[int]storedTile{}
	for lo := int64(0); lo < w.upto; lo += fsckPage {
		hi := min(lo+fsckPage, w.upto)
		leaves, err := w.readLeaves(ctx, lo, hi)
		if err != nil {
			return err
		}
		checkpoints, err := w.readCheckpoints(ctx, lo, hi)
		if err != nil {
			return err
		}
		if err := w.page(ctx, lo, hi, leaves, checkpoints); err != nil {
			return err
		}
		if w.progress != nil {
			w.progress(hi, w.upto)
		}
	}
	w.closeGap()
	w.blame("neither")
	if w.lost > 0 {
		w.r.find("checkpoint", "%d later checkpoints do not fit either", w.lost)
	}
	if w.upto > 0 {
		w.r.Root = w.content.root().String()
	}
	checkBeyond(w.known, w.upto, w.r)
	return w.readBeyond(ctx)
}

// page goes over the entries from lo to hi and holds each checkpoint on the way
// against the tree so far.
func (w *walk) page(ctx context.Context, lo, hi int64, leaves map[int64][]byte, checkpoints []storedCheckpoint) error {
	// The subselect is there so that each record is looked up by its key,
	// whatever the planner believes about the size of the tables.
	const entries = `
		select p.seq, p.org, p.record_id, r.at, r.kind, r.app, r.actor_kind, r.actor_id, r.subject, r.json
		from gavel.record_place p left join lateral (
			select * from gavel.record where org = p.org and id = p.record_id offset 0) r on true
		where p.seq >= $1 and p.seq < $2 order by p.seq`
	rows, _ := w.sys.Query(ctx, entries, lo, hi) // ForEachRow reports Query's error too
	next := lo
	step := func(row *fsckRow) error {
		w.entry(next, row, leaves)
		next++
		for len(checkpoints) > 0 && checkpoints[0].size == next {
			if err := w.checkpoint(ctx, checkpoints[0]); err != nil {
				return err
			}
			checkpoints = checkpoints[1:]
		}
		w.compareKnown(next)
		return nil
	}
	var e fsckRow
	scan := []any{&e.seq, &e.org, &e.id, &e.at, &e.kind, &e.app, &e.actorKind, &e.actorID, &e.subject, &e.source}
	_, err := pgx.ForEachRow(rows, scan, func() error {
		for next < e.seq {
			if err := step(nil); err != nil {
				return err
			}
		}
		return step(&e)
	})
	for err == nil && next < hi {
		err = step(nil)
	}
	if err != nil {
		return fmt.Errorf("check entries %d to %d: %w", lo, hi-1, err)
	}
	return nil
}

// entry puts one entry on both trees. What is missing on one side is taken from
// the other, so that one loss is one finding.
func (w *walk) entry(seq int64, row *fsckRow, leaves map[int64][]byte) {
	leaf, stored := leafOf(leaves, seq)
	if row == nil {
		if !w.losses.has(seq) {
			w.miss(seq)
		}
		w.content.add(leaf)
		w.tiled.add(leaf)
		return
	}
	w.closeGap()
	if row.source == nil {
		w.r.find("record", "entry %d is record %s of %s, which is not there", seq, row.id, row.org)
		w.content.add(leaf)
		w.tiled.add(leaf)
		return
	}
	w.r.Records++
	content := Leaf([]byte(*row.source))
	w.content.add(content)
	if !stored {
		w.tiled.add(content)
		return
	}
	w.tiled.add(leaf)
	if content != leaf {
		if len(w.doubts) < maxDoubts {
			w.doubts = append(w.doubts, doubt{seq, row.id, content, leaf})
		} else {
			w.r.More++
		}
		return // its text is in doubt; what its columns say of it is no matter
	}
	w.columns(row)
}

// columns compares a record's searchable columns with its text.
func (w *walk) columns(row *fsckRow) {
	id, rec, err := ParseRecord([]byte(*row.source))
	if err != nil {
		w.r.find("record", "entry %d, record %s: its text was never a record: %v", row.seq, row.id, err)
		return
	}
	for _, c := range []struct{ name, column, text string }{
		{"org", string(row.org), string(rec.Actor.Org)},
		{"id", string(row.id), string(id)},
		{"at", row.at.UTC().Format(atForm), rec.At.Format(atForm)},
		{"kind", *row.kind, string(rec.Kind)},
		{"app", *row.app, rec.App},
		{"actor_kind", *row.actorKind, string(rec.Actor.Kind)},
		{"actor_id", *row.actorID, rec.Actor.ID},
		{"subject", *row.subject, rec.Subject},
	} {
		if c.column != c.text {
			w.r.find("record", "entry %d, record %s: its column %s says %.80q, and its text %.80q", row.seq, row.id, c.name, c.column,
				c.text)
		}
	}
}

func (w *walk) miss(seq int64) {
	if w.gap.to != seq || w.gap.to == w.gap.from {
		w.closeGap()
		w.gap = gap{seq, seq}
	}
	w.gap.to = seq + 1
}

func (w *walk) closeGap() {
	switch n := w.gap.to - w.gap.from; {
	case n == 1:
		w.r.find("place", "entry %d is missing: no record has this number", w.gap.from)
	case n > 1:
		w.r.find("place", "entries %d to %d are missing: no record has these numbers", w.gap.from, w.gap.to-1)
	}
	w.gap = gap{}
}

// blame turns doubts into findings, now that it is known which side was changed.
func (w *walk) blame(changed string) {
	taken := map[tlog.Hash]int64{} // which doubtful entry the tree holds this hash for
	for _, d := range w.doubts {
		taken[d.leaf] = d.seq
	}
	for _, d := range w.doubts {
		from, moved := taken[d.content]
		switch {
		case moved:
			w.r.find("place", "record %s stands as entry %d, and the tree holds it as entry %d", d.record, d.seq, from)
		case changed == "tiles":
			w.r.find("tile", "tile %d of level 0 holds another hash for entry %d than record %s has: the tile was changed",
				d.seq/tileWidth, d.seq, d.record)
		case changed == "records":
			w.r.find("record", "entry %d, record %s: its text is not the one that was taken into the log", d.seq, d.record)
		default:
			w.r.find("record", "entry %d, record %s: its text and the tree disagree, and no signed checkpoint agrees with either", d.seq,
				d.record)
		}
	}
	w.doubts = nil
}
