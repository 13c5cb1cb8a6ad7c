package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// CaseName is the name the engine knows cases by; it never changes.
const CaseName = "netra.Case"

// AnalystName is the name of the agent that words briefings; it never changes.
const AnalystName = "district_analyst"

// Cases says how cases are named and who works them.
func Cases() casefile.Kind { return casefile.Kind{App: Name, RefPrefix: "NETRA", Workflow: CaseName} }

// A Standing is how a district stands after the newest look at it.
type Standing struct {
	alert.Standing

	LGD      int
	CaseID   casefile.CaseID // its newest case
	Silent   bool            // its sources are
	SilentAt *time.Time      // since when
	Heard    alert.Heard
}

type standingRow struct {
	LGD      int
	At       time.Time
	Band     string
	Below    *time.Time
	CaseBand string
	CaseAt   *time.Time
	CaseID   casefile.CaseID
	Open     bool
	Silent   bool
	SilentAt *time.Time
	Heard    []byte
}

func (r standingRow) standing() (s Standing, err error) {
	s = Standing{LGD: r.LGD, CaseID: r.CaseID, Silent: r.Silent, SilentAt: r.SilentAt}
	s.At, s.Below, s.Open = r.At, r.Below, r.Open
	if r.CaseAt != nil {
		s.CaseAt = *r.CaseAt
	}
	return s, errors.Join(s.Band.UnmarshalText([]byte(r.Band)), s.Case.UnmarshalText([]byte(r.CaseBand)), json.Unmarshal(r.Heard, &s.Heard))
}

const standingColumns = `lgd, at, band, below, case_band, case_at, case_id, open, silent, silent_at, heard`

// HoldStandings keeps another look at the same districts waiting until the transaction ends.
func HoldStandings(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(7426127, hashtext($1))`, org)
	return err
}

// StandingsIn is how each district stands.
func StandingsIn(ctx context.Context, tx pgx.Tx) (map[int]Standing, error) {
	rows, _ := tx.Query(ctx, `select `+standingColumns+` from netra.standing`)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[standingRow])
	if err != nil {
		return nil, fmt.Errorf("read how districts stand: %w", err)
	}
	out := map[int]Standing{}
	for _, r := range all {
		if out[r.LGD], err = r.standing(); err != nil {
			return nil, fmt.Errorf("how district %d stands: %w", r.LGD, err)
		}
	}
	return out, nil
}

// Standings is how each district stands, for who may read scores.
func (s *Store) Standings(ctx context.Context, actor identity.Actor) (all map[int]Standing, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = StandingsIn(ctx, tx)
		return err
	})
	return all, err
}

// PutStandings writes how districts stand.
func PutStandings(ctx context.Context, tx pgx.Tx, org identity.Org, all []Standing) error {
	const put = `insert into netra.standing (org, ` + standingColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		on conflict (org, lgd) do update set at = excluded.at, band = excluded.band, below = excluded.below,
		case_band = excluded.case_band, case_at = excluded.case_at, case_id = excluded.case_id, open = excluded.open,
		silent = excluded.silent, silent_at = excluded.silent_at, heard = excluded.heard`
	var b pgx.Batch
	for _, s := range all {
		heard, err := json.Marshal(s.Heard)
		if err != nil {
			return err
		}
		var caseAt *time.Time
		if !s.CaseAt.IsZero() {
			caseAt = &s.CaseAt
		}
		b.Queue(put, org, s.LGD, s.At, s.Band.String(), s.Below, s.Case.String(), caseAt, s.CaseID, s.Open, s.Silent, s.SilentAt, heard)
	}
	return tx.SendBatch(ctx, &b).Close()
}

// An Alert is one crossing, with what was found then.
type Alert struct {
	Case     casefile.CaseID
	LGD      int
	District string
	State    string
	Band     score.Band
	From     score.Band // the band before
	Score    float64
	At       time.Time
	Settings int64 // the version of the limits
	Found    alert.Found
	EndedAt  *time.Time
	Ended    string // "calm", "higher"; empty: not yet
}

const alertColumns = `case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found, ended_at, ended`

func scanAlert(row pgx.CollectableRow) (a Alert, err error) {
	var band, from string
	var found []byte
	if err := row.Scan(&a.Case, &a.LGD, &a.District, &a.State, &band, &from, &a.Score, &a.At, &a.Settings, &found, &a.EndedAt,
		&a.Ended); err != nil {
		return a, err
	}
	a.At = a.At.UTC()
	return a, errors.Join(a.Band.UnmarshalText([]byte(band)), a.From.UnmarshalText([]byte(from)), json.Unmarshal(found, &a.Found))
}

// AddAlert writes a crossing down, once for a case.
func AddAlert(ctx context.Context, tx pgx.Tx, org identity.Org, a Alert) error {
	found, err := json.Marshal(a.Found)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `insert into netra.alert (org, case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`, org, a.Case, a.LGD, a.District, a.State, a.Band.String(),
		a.From.String(), a.Score, a.At, a.Settings, found)
	return err
}

// EndAlert says why a crossing is over. Its case sees to the rest.
func EndAlert(ctx context.Context, tx pgx.Tx, id casefile.CaseID, why string, at time.Time) error {
	_, err := tx.Exec(ctx, `update netra.alert set ended = $2, ended_at = $3 where case_id = $1 and ended = ''`, id, why, at)
	return err
}

// AlertOf is the crossing that a case is about.
func AlertOf(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Alert, error) {
	rows, _ := tx.Query(ctx, `select `+alertColumns+` from netra.alert where case_id = $1`, id)
	a, err := pgx.CollectExactlyOneRow(rows, scanAlert)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, fault.New(fault.NotFound, "case %.60q is about no district", id)
	}
	return a, err
}

// AlertQuery narrows a list of crossings.
type AlertQuery struct {
	LGD   int // 0: of all districts
	Open  bool
	After Cursor
	Limit int
}

// ListedAt is where it stands in the list.
func (a Alert) ListedAt() Cursor { return Cursor{At: a.At, ID: string(a.Case)} }

// Alerts lists crossings, the newest first.
func (s *Store) Alerts(ctx context.Context, actor identity.Actor, q AlertQuery) (all []Alert, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + alertColumns + ` from netra.alert where ($1 = 0 or lgd = $1) and (not $2 or ended = '')
		and ($3::timestamptz is null or (crossed_at, case_id) < ($3, $4)) order by crossed_at desc, case_id desc limit $5`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, q.LGD, q.Open, q.After.Moment(), q.After.ID, q.Limit)
		all, err = pgx.CollectRows(rows, scanAlert)
		return err
	})
	return all, err
}

// A Review is what an officer decided about a crossing.
type Review struct {
	Act     string
	Case    casefile.CaseID
	Outcome string
	Reason  string
	Dissent string // what spoke against it, or who saw it otherwise
	ByID    string
	At      time.Time
}

// AddReview writes one down, once for an act.
func AddReview(ctx context.Context, tx pgx.Tx, org identity.Org, r Review) error {
	_, err := tx.Exec(ctx, `insert into netra.review (org, act, case_id, outcome, reason, dissent, by_id, at) values ($1, $2, $3, $4, $5, $6,
		$7, $8) on conflict do nothing`, org, r.Act, r.Case, r.Outcome, r.Reason, r.Dissent, r.ByID, r.At)
	return err
}

// ReviewsOf are those of a case, the oldest first.
func ReviewsOf(ctx context.Context, tx pgx.Tx, id casefile.CaseID) ([]Review, error) {
	rows, _ := tx.Query(ctx, `select act, case_id, outcome, `+unerased("reason")+`, dissent, by_id, at from netra.review where case_id = $1 order by at, act`, id)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Review])
}

// ScoreSource is where the scores on a case come from: our own rules.
const ScoreSource = "netra-score"

// Sources declares where what is kept comes from.
func Sources() []evidence.Source {
	return []evidence.Source{{Name: ScoreSource, Title: "Scores of districts", Licence: "the organisation's own; its signals keep their licences",
		Without: "a case has no facts", MaxBytes: 1 << 20}}
}
