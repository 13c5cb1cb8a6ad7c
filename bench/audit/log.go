package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/audit"
)

// measureLog fills the log up to n entries and prints what it costs to prove
// and to check.
func (g *ground) measureLog(ctx context.Context, n int) error {
	began := time.Now()
	if err := g.fill(ctx, n); err != nil {
		return err
	}
	for { // the sequencer that runs beside us may be at it
		if _, err := g.sequencer.Drain(ctx); err != nil {
			return err
		}
		c, err := audit.Newest(ctx, g.sys)
		if err != nil {
			return err
		}
		if c.Tree.N >= int64(n) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Printf("filled to %d entries, in the tree after %v\n", n, time.Since(began).Round(time.Millisecond))
	if err := g.measureProofs(ctx); err != nil {
		return err
	}
	if err := g.measureBytes(ctx); err != nil {
		return err
	}
	began = time.Now()
	report, err := audit.Fsck(ctx, audit.FsckConfig{System: g.sys, Trusted: []audit.Verifier{g.public}})
	if err != nil {
		return err
	}
	took := time.Since(began)
	fmt.Printf("verify everything: %v for %d entries, %d tiles, %d checkpoints (%.0f entries/s), %d findings\n",
		took.Round(time.Millisecond),
		report.Size, report.Tiles, report.Checkpoints, float64(report.Size)/took.Seconds(), len(report.Findings))
	if !report.Clean() {
		return fmt.Errorf("the log is not clean: %v", report.Findings[0])
	}
	return nil
}

// fill appends in large transactions until the log will have n entries.
func (g *ground) fill(ctx context.Context, n int) error {
	rows, _ := g.sys.Query(ctx, `select count(*) from gavel.record`)
	have, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(4)
	const each = 500
	for ; have < n; have += each {
		group.Go(func() error {
			b := &pgx.Batch{}
			for range each {
				if _, err := audit.AppendLater(b, newDecision().record()); err != nil {
					return err
				}
			}
			return g.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.SendBatch(ctx, b).Close() })
		})
	}
	return group.Wait()
}

// measureProofs proves entries all over the log and prints the largest proof.
func (g *ground) measureProofs(ctx context.Context) error {
	newest, err := audit.Newest(ctx, g.sys)
	if err != nil {
		return err
	}
	const proofs = 200
	largest, took := 0, time.Duration(0)
	for i := range int64(proofs) {
		rows, _ := g.sys.Query(ctx, `select record_id from gavel.record_place where seq = $1`, i*newest.Tree.N/proofs)
		id, err := pgx.CollectOneRow(rows, pgx.RowTo[audit.RecordID])
		if err != nil {
			return err
		}
		began := time.Now()
		p, err := audit.Prove(ctx, g.sys, id)
		if err != nil {
			return err
		}
		took += time.Since(began)
		e, err := audit.Get(ctx, g.sys, id)
		if err != nil {
			return err
		}
		if c, err := p.Holds([]byte(e.JSON)); err != nil || !c.SignedBy(g.public) {
			return fmt.Errorf("entry %d: the proof does not hold: %w", p.Seq, err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			return err
		}
		largest = max(largest, len(text))
	}
	fmt.Printf("proof of an entry: at most %d bytes of JSON, made in %v, at %d entries\n", largest, (took / proofs).
		Round(10*time.Microsecond), newest.Tree.N)
	return nil
}

// measureBytes prints what an entry takes on disk, with all indexes.
func (g *ground) measureBytes(ctx context.Context) error {
	const sizes = `select count(*), avg(length(json))::int,
		pg_total_relation_size('gavel.record')::float8, pg_total_relation_size('gavel.record_place')::float8,
		pg_total_relation_size('gavel_sys.log_tile')::float8, pg_total_relation_size('gavel_sys.log_checkpoint')::float8 from gavel.record`
	rows, _ := g.sys.Query(ctx, sizes)
	var n, text int
	var record, place, tile, checkpoint float64
	_, err := pgx.ForEachRow(rows, []any{&n, &text, &record, &place, &tile, &checkpoint}, func() error { return nil })
	if err != nil {
		return err
	}
	per := func(bytes float64) int { return int(bytes / float64(n)) }
	fmt.Printf("bytes per entry: %d (record %d with a text of %d, place %d, tiles %d, checkpoints %d)\n",
		per(record+place+tile+checkpoint), per(record), text, per(place), per(tile), per(checkpoint))
	return nil
}
