package review

import (
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
)

// InboxObject is what pages that show an inbox listen to.
const InboxObject = "inbox"

// Announce tells open pages which proposals have moved, and inboxes that
// something has, for records that the log has just taken in. What is new there
// comes with a turn's record or with none, so an inbox is told of turns that asked
// somebody, too. See casefile.Announce for when it runs.
func Announce(b *pgx.Batch, orgs, records []string) {
	const notify = `
		with moved as (
			select r.org, r.json::json #>> '{body,proposal}' as proposal
			from unnest($1::text[], $2::text[]) taken(org, id) join gavel.record r using (org, id)
			where r.kind in ($3, $4, $5)
				or r.kind = $6 and r.json::jsonb #> '{body,calls}' @> '[{"verdict": "ask"}]'
		), told as (
			select org, proposal as object from moved where proposal is not null
			union
			select org, $7 from moved
		)
		select pg_notify('gavel_live', json_build_object('org', org, 'object', object, 'version',
		(extract(epoch from clock_timestamp()) * 1000)::bigint)::text)
		from told`
	b.Queue(notify, orgs, records, string(audit.Decision), string(KindProposal), string(KindAttention), string(audit.ModelCall),
		InboxObject)
}
