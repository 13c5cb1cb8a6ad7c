package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
)

// A durability is what a server promises of what it has confirmed.
type durability struct {
	Fsync, FullPages, Commit string
	Waited                   string // synchronous_standby_names
	Replicas                 int    // that follow
}

// durable looks whether what PostgreSQL confirms is there after a crash, for each
// role that writes: synchronous_commit can be another for each.
func (d Database) durable(ctx context.Context) Result {
	const look = `select current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
		current_setting('synchronous_standby_names'), (select count(*)::int from pg_stat_replication)`
	worst := Result{NotSetUp, "not configured", ""}
	for _, login := range [][2]string{{d.AppURL, postgres.AppRole}, {d.SystemURL, postgres.SystemRole}} {
		url, role := login[0], login[1]
		if url == "" {
			continue
		}
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return notChecked(role)
		}
		rows, _ := conn.Query(ctx, look)
		found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[durability])
		_ = conn.Close(context.WithoutCancel(ctx))
		if err != nil {
			return notChecked(role)
		}
		if got := found.judge(role); worst.Detail == "not configured" || got.Status != OK {
			worst = got
		}
		if worst.Status == Fail {
			break
		}
	}
	return worst
}

// judge says what a crash, or a replica that takes over, could lose.
func (d durability) judge(role string) Result {
	var off []string
	for _, s := range [][2]string{{"fsync", d.Fsync}, {"full_page_writes", d.FullPages}} {
		if s[1] != "on" {
			off = append(off, s[0]+" = "+s[1])
		}
	}
	switch {
	case len(off) > 0:
		return Result{Fail, strings.Join(off, ", ") + ": a crash can leave a damaged database",
			"set both to on in postgresql.conf and restart it; take a new base backup"}
	case d.Commit == "off":
		return Result{Fail, "synchronous_commit = off for " + role + ": a crash loses what was answered with success",
			"alter role " + role + " reset synchronous_commit; the same for the database and postgresql.conf"}
	case d.Waited != "" && d.Commit == "local":
		return Result{Warn, "synchronous_commit = local for " + role + ": replicas are set up to be waited for, and are not",
			"set it to on, or read docs/runbook/failover.md"}
	case d.Replicas > 0 && d.Waited == "":
		return Result{Warn, fmt.Sprintf("%d follow, and none is waited for: one that takes over lacks the last moments", d.Replicas),
			"set synchronous_standby_names, or begin with gavel recover after every failover: docs/runbook/failover.md"}
	}
	return Result{OK, "confirmed is on disk", ""}
}
