package hook

import (
	"context"
	"fmt"
)

// How much of the log is followed in one step.
const (
	hooksAtOnce   = 100
	recordsAtOnce = 500 // of each webhook
)

// follow queues messages for what the log has taken in since the last look. A
// record is committed with the event it is of, or neither is; it gets its place in
// the log once, and places only grow. So every event of a webhook's kinds becomes
// a message, once, whatever dies in between, and nothing else does. It is one
// statement: messages and the new place are there together.
//
// A webhook with many messages waiting is passed over until it has fewer.
func (c *Courier) follow(ctx context.Context) (moved int64, err error) {
	const step = `
		with hooks as (
			select h.org, h.id, h.kinds, h.place from gavel.webhook h
			where h.state = 'on' and exists (select from gavel.record_place p where p.org = h.org and p.seq > h.place)
				and (select count(*) from (select from gavel.webhook_message m where m.org = h.org and m.webhook = h.id
				and m.state = 'waiting' limit $1) waits) < $1
			order by h.org, h.id limit $2 for update of h skip locked),
		news as (
			select h.org, h.id, h.kinds, n.seq, n.record_id, n.kind, n.subject, n.at
			from hooks h cross join lateral (
				select p.seq, p.record_id, r.kind, r.subject, r.at
				from gavel.record_place p join gavel.record r on r.org = p.org and r.id = p.record_id
				where p.org = h.org and p.seq > h.place order by p.seq limit $3) n),
		queued as (
			insert into gavel.webhook_message (org, webhook, id, kind, subject, at, queued_at, due_at)
			select org, id, 'msg_' || substr(record_id, 5), kind, subject, at, $4, $4 from news where kind = any(kinds)
			on conflict do nothing)
		update gavel.webhook h set place = n.seq
		from (select org, id, max(seq) as seq from news group by org, id) n
		where h.org = n.org and h.id = n.id`
	tag, err := c.sys.Exec(ctx, step, MaxWaiting, hooksAtOnce, recordsAtOnce, c.store.now())
	if err != nil {
		return 0, fmt.Errorf("follow the log: %w", err)
	}
	return tag.RowsAffected(), nil
}
