package store

import (
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
)

// How long things are kept.
const (
	runsKept   = 400 * 24 * time.Hour // passes with what they read and found: a year, and the time to look back on it
	roadsKept  = 180 * 24 * time.Hour
	badgesKept = 60 * 24 * time.Hour // twice what the badge check looks back
)

// Retention says what of the programme is kept how long.
func Retention() []postgres.Retention {
	return []postgres.Retention{
		{What: "poolpatrol_records", Ends: postgres.EndsByErasure},
		{What: "poolpatrol_audits", Keep: runsKept, Ends: postgres.EndsByTime},
		{What: "poolpatrol_roads", Keep: roadsKept, Ends: postgres.EndsByTime},
		{What: "poolpatrol_badges", Keep: badgesKept, Ends: postgres.EndsByTime},
	}
}

// Purge deletes, in all organisations, what was kept its time, and returns how
// many rows that was. Now is the installation's clock. An audit run of a case
// stays as long as the case, with its pass and what that read; otherwise a snapshot
// goes with the last pass that read it.
func Purge(ctx context.Context, sys *postgres.System, now time.Time) (int64, error) {
	var n int64
	for _, old := range []struct {
		sql  string
		keep time.Duration
	}{
		{`delete from poolpatrol.audit_run r using poolpatrol.pass p where p.org = r.org and p.id = r.pass and p.ended_at < $1
			and r.case_id is null and not exists (select from poolpatrol.case c where c.org = r.org and c.audit_run = r.id)`, runsKept},
		{`delete from poolpatrol.pass p where ended_at < $1 and not exists (select from poolpatrol.audit_run r where r.org = p.org
			and r.pass = p.id)`, runsKept},
		{`delete from poolpatrol.snapshot s where taken_at < $1
			and not exists (select from poolpatrol.pass p where p.org = s.org and p.snapshot = s.id)`, runsKept},
		{`delete from poolpatrol.road where at < $1`, roadsKept},
		{`delete from poolpatrol.badge_day where on_day < $1::timestamptz::date`, badgesKept},
	} {
		tag, err := sys.Exec(ctx, old.sql, now.Add(-old.keep))
		if err != nil {
			return n, fmt.Errorf("delete what was kept its time: %w", err)
		}
		n += tag.RowsAffected()
	}
	jobs, err := job.Purge(ctx, sys, PassJob, now.Add(-runsKept))
	return n + jobs, err
}
