package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/seal"
)

// HolderType is the type of subject whom a pass is about, by the pass's id: "holder:0192…". Whoever has several passes is several
// subjects: nothing here says that two passes are one person's.
const HolderType = "holder"

// Eraser takes what a pass says of its holder, a single photo, and what is left of a conversation. The number of a pass, its times and
// what happened stay: they say of nobody who it was.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: Name, Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		switch s.Type {
		case TalkType:
			return forgetTalk(ctx, tx, s.ID, at)
		case PhotoType:
			n, err := forgetPhoto(ctx, tx, s.ID)
			return seal.Reach{Rows: n}, err
		case HolderType:
			return forgetHolder(ctx, tx, s.ID, at)
		}
		return seal.Reach{}, nil // nobody of ours
	}}
}

// forgetHolder takes the holder out of a pass, of what happened to it, and of conversations that are under way.
func forgetHolder(ctx context.Context, tx pgx.Tx, id string, at time.Time) (seal.Reach, error) {
	const blank = `update gatepass.pass set person_name = '', description = '', employee_ref = '', host_ref = '', vehicle_plate = '',
			reject_reason = '', deleted_reason = '', erased_at = $2
		where id = $1 and erased_at is null returning case_id`
	rows, _ := tx.Query(ctx, blank, id, at)
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank a pass: %w", err)
	}
	reach := seal.Reach{Rows: len(cases), Cases: cases}
	for _, sql := range []string{`update gatepass.scan set reason = '' where pass_id = $1 and reason <> ''`,
		`update gatepass.arrival set reason = '', text = '' where number = (select number from gatepass.pass where id = $1) and reason <> ''`,
		`update gatepass.event set reason = '' where pass_id = $1 and reason <> ''`,
		`update gatepass.item set name = '', serial = '', asset = '', condition_out = '' where pass_id = $1 and name <> ''`,
		`update gatepass.talk set pending_tool = '', pending_parameters = '{}', shown = '[]', seen = '[]', said = '[]' where ended_at is null
			and (current_pass_id = $1 or seen @> jsonb_build_array(jsonb_build_object('ID', $1::text)))`} {
		tag, err := tx.Exec(ctx, sql, id)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank what happened to a pass: %w", err)
		}
		reach.Rows += int(tag.RowsAffected())
	}
	return reach, nil
}

// forgetTalk ends a conversation and takes what it was about out of it, and whose it was. Its transcript and its photos are sealed for it.
func forgetTalk(ctx context.Context, tx pgx.Tx, id string, at time.Time) (seal.Reach, error) {
	if err := EndTalk(ctx, tx, id, at); err != nil {
		return seal.Reach{}, err
	}
	rows, _ := tx.Query(ctx, `update gatepass.talk set person_name = '' where id = $1 and person_name <> '' returning case_id`, id)
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("forget a conversation: %w", err)
	}
	tag, err := tx.Exec(ctx, `update gatepass.talk_photo set name = '' where talk = $1 and name <> ''`, id)
	if err != nil {
		return seal.Reach{}, fmt.Errorf("forget the photos of a conversation: %w", err)
	}
	return seal.Reach{Rows: len(cases) + int(tag.RowsAffected()), Cases: cases}, nil
}
