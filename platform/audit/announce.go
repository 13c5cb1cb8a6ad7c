package audit

import "github.com/jackc/pgx/v5"

// Tell adds to a batch a notice for each record of a kind, of those that the log has just taken in: open pages that show
// its subject, under a prefix, fetch themselves again. The record's body says the version. See Announcer.
func Tell(b *pgx.Batch, orgs, records []string, kind Kind, prefix string) {
	const notify = `
		select pg_notify('gavel_live', json_build_object('org', r.org, 'object', $4::text || r.subject,
			'version', (r.json::json #>> '{body,version}')::bigint)::text)
		from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
		where r.kind = $3`
	b.Queue(notify, orgs, records, string(kind), prefix)
}
