package record

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Sync says when records of one kind were last handed over whole, or said to be
// current. Riders come with the vanpools.
type Sync struct {
	Kind   intake.Kind
	At     time.Time // zero where they never came
	Way    string    // csv, scim or api
	By     string
	SHA256 string // of the file, where there was one
	Rows   int
	Fresh  bool // nobody is judged on records that are not
}

// NotedAs is the kind under which a handover of another is noted.
func NotedAs(k intake.Kind) intake.Kind {
	if k == intake.Riders {
		return intake.Vanpools
	}
	return k
}

func putSync(ctx context.Context, tx pgx.Tx, actor identity.Actor, y Sync) error {
	const put = `insert into poolpatrol.sync (org, kind, at, way, by, sha256, rows) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (org, kind) do update set at = excluded.at, way = excluded.way, by = excluded.by, sha256 = excluded.sha256,
		rows = excluded.rows`
	if _, err := tx.Exec(ctx, put, actor.Org, NotedAs(y.Kind), y.At, y.Way, actor.ID, y.SHA256, y.Rows); err != nil {
		return fmt.Errorf("note that %s came: %w", y.Kind, err)
	}
	return nil
}

// Confirm is somebody's word that what is on record is current, although no file
// came. At least one kind is named.
func (s *Records) Confirm(ctx context.Context, actor identity.Actor, kinds ...intake.Kind) error {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return err
	}
	if len(kinds) == 0 {
		return fault.New(fault.Invalid, "say which records are current")
	}
	for _, k := range kinds {
		if _, err := intake.ParseKind(string(k)); err != nil {
			return err
		}
	}
	now := s.clock.Now()
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		for _, k := range kinds {
			if err := putSync(ctx, tx, actor, Sync{Kind: k, At: now, Way: "api"}); err != nil {
				return err
			}
			_, err := log.Append(ctx, tx, log.Record{At: now, Kind: recordImport, App: programme.Name, Actor: actor, Subject: string(k),
				Body: map[string]any{"kind": string(k), "confirmed": true}})
			if err != nil {
				return err
			}
		}
		return s.came(ctx, tx, actor.Org, now)
	})
}

// Syncs says how old the records of each kind are, those among them that never
// came.
func (s *Records) Syncs(ctx context.Context, actor identity.Actor) (all []Sync, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	came := map[intake.Kind]Sync{}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var y Sync
		rows, _ := tx.Query(ctx, `select kind, at, way, by, sha256, rows from poolpatrol.sync`)
		_, err := pgx.ForEachRow(rows, []any{&y.Kind, &y.At, &y.Way, &y.By, &y.SHA256, &y.Rows}, func() error {
			came[y.Kind] = y
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read how old the records are: %w", err)
	}
	now := s.clock.Now()
	for _, k := range intake.Kinds() {
		if NotedAs(k) != k {
			continue
		}
		y := came[k]
		y.Kind, y.At = k, y.At.UTC()
		y.Fresh = fleet.Records{Taken: y.At}.Fresh(now)
		all = append(all, y)
	}
	return all, nil
}
