package evidence

import (
	"context"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Source is where data comes from, as an application declares it.
type Source struct {
	Name          string // short and stable: "firms-viirs"
	Title         string // as people know it
	Licence       string // on what terms it may be used and passed on
	ExpectedEvery time.Duration
	Without       string // what stops working if it stays silent, for the sources page
	Personal      bool   // its bytes say something about persons and are kept sealed
	MaxBytes      int64  // of one snapshot; 0 for DefaultMaxBytes
}

// DefaultMaxBytes bounds a snapshot of a source that names no bound.
const DefaultMaxBytes = 256 << 20

// Given is the source of what a person hands in.
func Given() Source {
	return Source{Name: "given", Title: "Handed in", Licence: "as the person who handed it in says"}
}

var sourceForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{1,39}$`)

func (s Source) check() error {
	switch {
	case !sourceForm.MatchString(s.Name):
		return fault.New(fault.Internal, "source %.60q: use 2 to 40 of a-z, 0-9, - and _, a letter first", s.Name)
	case s.Title == "" || len(s.Title) > 200 || len(s.Licence) > 1000 || len(s.Without) > 1000:
		return fault.New(fault.Internal, "source %s has no title, or a text that is too long", s.Name)
	case s.ExpectedEvery < 0 || s.MaxBytes < 0:
		return fault.New(fault.Internal, "source %s has a bound below zero", s.Name)
	}
	return nil
}

// Sources lists the sources in the order they were declared.
func (s *Store) Sources() []Source {
	out := make([]Source, len(s.order))
	for i, name := range s.order {
		out[i] = s.sources[name]
	}
	return out
}

// Source is a source by its name.
func (s *Store) Source(name string) (Source, bool) {
	src, known := s.sources[name]
	return src, known
}

// Freshness is how a source stands with one organisation.
type Freshness struct {
	Source  Source
	Last    time.Time     // of the last good fetch; zero if there never was one
	Size    int64         // of that snapshot, in bytes
	Delay   time.Duration // how long overdue the next one is; zero if it is not
	Fetches int64         // in the last thirty days
}

// Overdue reports whether a source that has spoken has not spoken again in time. One that
// never spoke is not in use yet: that is no alarm.
func (f Freshness) Overdue() bool { return !f.Last.IsZero() && f.Silent() }

// Silent reports whether a source that should speak has not spoken in time.
func (f Freshness) Silent() bool {
	return f.Source.ExpectedEvery > 0 && (f.Last.IsZero() || f.Delay > 0)
}

// Freshness tells of every source when it last spoke.
func (s *Store) Freshness(ctx context.Context, org identity.Org) (out []Freshness, err error) {
	const newest = `
		select s.name, f.fetched_at, coalesce(b.size, 0),
		       (select count(*) from gavel.fetch n where n.source = s.name and n.fetched_at > $2)
		from unnest($1::text[]) with ordinality s(name, place)
		left join lateral (select fetched_at, org, sha256 from gavel.fetch
		                   where source = s.name order by fetched_at desc limit 1) f on true
		left join gavel.snapshot b on b.org = f.org and b.sha256 = f.sha256
		order by s.place`
	now := s.clock.Now()
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, s.order, now.Add(-30*24*time.Hour))
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Freshness, error) {
			var f Freshness
			var name string
			var last *time.Time
			err := row.Scan(&name, &last, &f.Size, &f.Fetches)
			f.Source = s.sources[name]
			if last != nil {
				f.Last = last.UTC()
				f.Delay = f.Source.delay(f.Last, now)
			}
			return f, err
		})
		return err
	})
	return out, err
}

func (s Source) delay(last, now time.Time) time.Duration {
	if s.ExpectedEvery == 0 {
		return 0
	}
	return max(0, now.Sub(last)-s.ExpectedEvery)
}
