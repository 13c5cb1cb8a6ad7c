package store

import (
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
)

// livePrefix begins what pages that show passes listen to.
const livePrefix = "gatepass_"

// LivePasses is what pages that show several passes listen to; one pass is told by its id.
const LivePasses = livePrefix + "*"

// LivePass is what a page that shows one pass listens to.
func LivePass(id string) string { return livePrefix + id }

// Announce tells open pages which passes have moved, for records that the log has just taken in: a transaction that notifies
// makes all others wait while it commits, and somebody stands at the gate.
func Announce(b *pgx.Batch, orgs, records []string) {
	audit.Tell(b, orgs, records, RecordPass, livePrefix)
}
