package gatepass_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/durable"
)

// TestAScanReadsNoMoreTheMoreWasScannedBefore promises that what is known of one pass is found by indexes behind the wall between
// organisations: at a gate of five thousand scans as many rows are read for it as at one that is new.
func TestAScanReadsNoMoreTheMoreWasScannedBefore(t *testing.T) {
	r := newRig(t, durable.Clock{})
	quiet, busy := r.approved(t), r.approved(t)
	r.Set(t, `with busy as (select org, id, number from gatepass.pass where number = $1),
		scans as (insert into gatepass.scan (org, key, pass_id, kind, at, received, site_id, guard)
			select org, 'k' || n, id, 'scan_exit', now(), now(), 'main', 'p_gate' from busy, generate_series(1, 5000) n)
		insert into gatepass.arrival (org, digest, gate, event_id, seq, number, kind, at, received, sent_by, text)
			select org, lpad(n::text, 64, '0'), 'another', 'e' || n, n, number, 'scan_exit', now(), now(), 'p_gate', '{}'
			from busy, generate_series(1, 5000) n`, busy)
	r.Set(t, `analyze gatepass.scan, gatepass.arrival, gatepass.pass`)
	r.In(t, func(tx pgx.Tx) error {
		for name, most := range map[string]int{quiet: 20, busy: 25_000} { // of a pass all is read, and of others nothing
			before := rowsRead(t, tx)
			found, err := store.Known(t.Context(), tx, []string{"here"}, []number.Number{number.Number(name)}, []replay.Digest{"none"})
			if err != nil {
				return err
			}
			if n := rowsRead(t, tx) - before; n > most || (len(found) == 10_000) != (name == busy) {
				t.Errorf("of %s there are %d events, and %d rows were read", name, len(found), n)
			}
		}
		return nil
	})
}

// rowsRead is how many rows of scans and arrivals a transaction has read so far.
func rowsRead(t *testing.T, tx pgx.Tx) (n int) {
	t.Helper()
	const read = `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::bigint from pg_stat_xact_user_tables
		where schemaname = 'gatepass' and relname in ('scan', 'arrival')`
	if err := tx.QueryRow(t.Context(), read).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
