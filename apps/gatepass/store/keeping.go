package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/timetable"
)

// KeepName is the name the engine knows the keeper by; it never changes.
const KeepName = "gatepass.Keep"

// sweeps is when the keeper looks, by the installation's clock.
var sweeps = timetable.Kind{App: Name, Name: "keeping", Subject: "keeping", Workflow: KeepName,
	Slots: []calendar.Slot{{Name: "sweep", On: true, Plan: calendar.Plan{Each: calendar.Hours, Hours: 1}}}}

// How long things are kept unless an organisation sets it otherwise.
const (
	photosKept = 30 * day
	namesKept  = 365 * day
	talksKept  = 30 * day
	day        = 24 * time.Hour
)

// Retention says what is kept how long.
func Retention() []postgres.Retention {
	return []postgres.Retention{
		{What: "gatepass_photos", Keep: photosKept, Ends: postgres.EndsByTime},
		{What: "gatepass_names", Keep: namesKept, Ends: postgres.EndsByTime},
		{What: "gatepass_talks", Keep: talksKept, Ends: postgres.EndsByTime},
		{What: "gatepass_passes", Ends: postgres.EndsNever},
	}
}

// WakeKeeper begins the keeper of an organisation where none is at work: there was nothing that says something of somebody, or there has
// never been one. It ends once there is nothing left.
func (s *Store) WakeKeeper(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	t, err := timetable.Read(ctx, tx, sweeps, org)
	if err != nil {
		return err
	}
	nothing := false
	if err := tx.QueryRow(ctx, `select `+nothingLeft).Scan(&nothing); err != nil || !nothing && t.Slots[0].Next != nil {
		return err
	}
	if t, err = timetable.Hold(ctx, tx, sweeps, org); err != nil {
		return err
	}
	t.Slots[0].Look(s.Now(), time.UTC)
	if err := t.Save(ctx, tx); err != nil {
		return err
	}
	return timetable.Wake(ctx, tx, sweeps, org, s.clock)
}

// nothingLeft is whether nothing says anything of anybody any more.
const nothingLeft = `not exists (select from gatepass.pass where erased_at is null)
	and not exists (select from gatepass.talk where person_name <> '')`

// A KeepTurn is what the keeper does next.
type KeepTurn struct {
	Due  bool      `json:"due,omitempty"`
	Next time.Time `json:"next,omitzero"`
	Over bool      `json:"over,omitempty"` // there is nothing left that says anything of anybody
}

// KeepDue says whether it is time to look. A step that is done again says that it is not: what was said the first time is in the history.
func (s *Store) KeepDue(ctx context.Context, org identity.Org, at time.Time) (turn KeepTurn, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		turn = KeepTurn{}
		if err := tx.QueryRow(ctx, `select `+nothingLeft).Scan(&turn.Over); err != nil || turn.Over {
			return err
		}
		t, err := timetable.Hold(ctx, tx, sweeps, org)
		if err != nil {
			return err
		}
		slot := &t.Slots[0]
		slot.Look(at, time.UTC)
		if turn.Due = slot.Due(at); turn.Due {
			slot.Take(at.UTC().Format(time.RFC3339), at, time.UTC)
		}
		turn.Next = t.Next()
		return t.Save(ctx, tx)
	})
	return turn, err
}

// mostKept is how many are looked at in one statement.
const mostKept = 100

// OldPhotos are the photos that an organisation keeps no longer, by their ids, after one of them.
func (s *Store) OldPhotos(ctx context.Context, org identity.Org, before time.Time, after string) ([]string, error) {
	const some = `select id from gatepass.photo where taken_at < $1 and id > $2 and trouble <> '` + timeOver + `' order by id limit $3`
	return s.ids(ctx, org, some, before, after, mostKept)
}

// OldHolders are the passes whose holders an organisation names no longer. Who is still to come back stays named.
func (s *Store) OldHolders(ctx context.Context, org identity.Org, before time.Time, after string) ([]string, error) {
	const some = `select id from gatepass.pass where erased_at is null and created_at < $1 and id > $2
			and greatest(valid_until, exit_time, return_time, rejected_at, deleted_at) < $1
			and not (status = 'exited' and returnable and deleted_at is null)
		order by id limit $3`
	return s.ids(ctx, org, some, before, after, mostKept)
}

// OldTalks are the conversations that ended long enough ago.
func (s *Store) OldTalks(ctx context.Context, org identity.Org, before time.Time, after string) ([]string, error) {
	const some = `select id from gatepass.talk where ended_at < $1 and id > $2 and person_name <> '' order by id limit $3`
	return s.ids(ctx, org, some, before, after, mostKept)
}

func (s *Store) ids(ctx context.Context, org identity.Org, sql string, args ...any) (all []string, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sql, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for what is kept no longer: %w", err)
	}
	return all, nil
}

// Patience is how long a conversation waits for its person. It is counted on a watch: a clock that is fast in a demonstration ends no
// conversation while somebody types.
func (s *Store) Patience() reference.Patience {
	return reference.Patience{Idle: max(reference.Idle, s.clock.Passes(reference.Idle)),
		Longest: max(reference.Longest, s.clock.Passes(reference.Longest))}
}

// SilentTalks are the conversations in which nobody has written for too long.
func (s *Store) SilentTalks(ctx context.Context, org identity.Org, at time.Time) (all []Talk, err error) {
	const silent = `select ` + talkColumns + ` from gatepass.talk where ended_at is null and (touched_at < $1 or begun_at < $2)
		order by id limit $3`
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		p := s.Patience()
		rows, _ := tx.Query(ctx, silent, at.Add(-p.Idle), at.Add(-p.Longest), mostKept)
		all, err = pgx.CollectRows(rows, scanTalk)
		return err
	})
	return all, err
}

// PhotoType is the type of subject that a single photo is, by its id, so that it can go before the name of whom it shows.
const PhotoType = "photo"

// timeOver is why a photo that was kept its time cannot be shown.
const timeOver = "its time is over"

// forgetPhoto takes away what was drawn from a photo. That it was taken, and when, stays.
func forgetPhoto(ctx context.Context, tx pgx.Tx, id string) (int, error) {
	const blank = `update gatepass.photo set jpeg = '', jpeg_bytes = 0, thumb = '', trouble = '` + timeOver + `'
		where id = $1 and trouble <> '` + timeOver + `'`
	tag, err := tx.Exec(ctx, blank, id)
	if err != nil {
		return 0, fmt.Errorf("forget a photo: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
