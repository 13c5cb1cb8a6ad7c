package notify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Route says whose a mail that came in is: the case of an organisation that an
// address or a message id was given out for. That a route is there proves nothing
// about who sent the mail; a reply address is verified with address.Book.Verify.
type Route struct {
	Key  string
	Org  identity.Org
	Case casefile.CaseID
}

// ReplyKey is what the route of a reply address is kept under.
func ReplyKey(addr string) string { return "reply:" + address.Local(addr) }

// IDKey is what the route of a message id is kept under.
func IDKey(messageID string) string { return "id:" + address.Bare(messageID) }

// Routes finds whose a mail is. It sees every organisation, and only this table.
type Routes struct{ sys *postgres.System }

// NewRoutes reads routes with the system's role.
func NewRoutes(sys *postgres.System) *Routes { return &Routes{sys} }

// maxFind is how many keys are looked for at once: what a mail can refer to.
const maxFind = 200

// Find returns the routes that there are under some keys, in the order of the
// keys. What has none is left out.
func (r *Routes) Find(ctx context.Context, keys []string) ([]Route, error) {
	if len(keys) > maxFind {
		return nil, fault.New(fault.TooLarge, "at most %d routes are looked for at once, not %d", maxFind, len(keys))
	}
	const find = `select r.key, r.org, r.case_id from unnest($1::text[]) with ordinality k(key, n)
		join gavel_sys.mail_routes r using (key) order by k.n`
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return !utf8.ValidString(k) || strings.ContainsRune(k, 0) })
	rows, err := r.sys.Query(ctx, find, keys)
	if err != nil {
		return nil, fmt.Errorf("find routes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Route])
	if err != nil {
		return nil, fmt.Errorf("find routes: %w", err)
	}
	return found, nil
}

// addRoutes writes the routes of a mail into the batch that queues it.
func addRoutes(b *pgx.Batch, m Mail) {
	const insert = `insert into gavel_sys.mail_routes (key, org, case_id) values ($1, $2, $3) on conflict do nothing`
	b.Queue(insert, IDKey(m.MessageID), m.Org, m.Case)
	if m.ReplyTo != "" {
		b.Queue(insert, ReplyKey(m.ReplyTo), m.Org, m.Case)
	}
}
