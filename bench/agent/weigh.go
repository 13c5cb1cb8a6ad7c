package main

import (
	"context"
	"time"
)

// weight is what lies in some tables.
type weight struct{ rows, bytes float64 }

// settling is how long a contestant has to finish what it does after a case is
// over, such as clearing away tasks, before it is weighed.
const settling = 2 * time.Second

// keptSQL counts the rows of all tables, and their bytes with indexes and dead
// rows, in the database it runs in.
const keptSQL = `
	select coalesce(sum((xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', c.oid::regclass),
			false, true, '')))[1]::text::bigint), 0)::float8,
		coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`

// weigh adds up what lies in some databases.
func (g *ground) weigh(ctx context.Context, databases []string) (weight, error) {
	select {
	case <-time.After(settling):
	case <-ctx.Done():
	}
	var all weight
	for _, name := range databases {
		var w weight
		if err := g.ask(ctx, name, keptSQL, &w.rows, &w.bytes); err != nil {
			return all, err
		}
		all.rows += w.rows
		all.bytes += w.bytes
	}
	return all, nil
}

// meters are how often the model was asked so far, and how many bytes the
// cluster has written to its log.
func (g *ground) meters(ctx context.Context) (asked int, wal float64, err error) {
	err = g.ask(ctx, "postgres", "select (pg_current_wal_insert_lsn() - '0/0')::float8", &wal)
	if err != nil {
		return 0, 0, err
	}
	saw, err := g.model.report(ctx)
	return saw.Requests, wal, err
}
