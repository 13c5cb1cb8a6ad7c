package store

import (
	"github.com/jackc/pgx/v5"
)

// LivePasses is what pages that show several passes listen to; one pass is told by its id.
const LivePasses = "gatepass_*"

// LivePass is what a page that shows one pass listens to.
func LivePass(id string) string { return "gatepass_" + id }

// Announce tells open pages which passes have moved, for records that the log has just taken in: a transaction that notifies
// makes all others wait while it commits, and somebody stands at the gate.
func Announce(b *pgx.Batch, orgs, records []string) {
	const notify = `
		select pg_notify('gavel_live', json_build_object('org', r.org, 'object', 'gatepass_' || r.subject,
			'version', (r.json::json #>> '{body,version}')::bigint)::text)
		from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
		where r.kind = $3`
	b.Queue(notify, orgs, records, string(RecordPass))
}
