package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordCorrection is the kind of the records of corrections in the log.
const recordCorrection log.Kind = "netra_correction"

// CorrectionCase begins the key of the case of a correction.
const CorrectionCase = "correction:"

// A CorrectionKind is what is wrong with a signal.
type CorrectionKind string

// The kinds.
const (
	WrongSignal     CorrectionKind = "wrong"     // what it says did not happen so
	DuplicateSignal CorrectionKind = "duplicate" // another signal tells of the same event
	WrongDistrict   CorrectionKind = "district"  // it happened in another district
)

// A CorrectionState is how far a correction has come.
type CorrectionState string

// The states.
const (
	CorrectionFiled    CorrectionState = "filed"
	CorrectionAccepted CorrectionState = "accepted"
	CorrectionRefused  CorrectionState = "refused"
)

// A Correction is what a district said is wrong with a signal.
type Correction struct {
	ID         string
	LGD        int
	EventID    string
	At         time.Time // of the signal
	Kind       CorrectionKind
	Other      string // the event that it is a duplicate of
	ToLGD      int    // 0: it stays
	Reason     string
	Case       casefile.CaseID
	FiledBy    string
	FiledRole  identity.Role
	FiledAt    time.Time
	State      CorrectionState
	Act        string
	ByID       string
	Why        string
	DecidedAt  *time.Time
	Recomputed []Recomputed
}

// A Recomputed is the score of a district before a correction and after it, as of one moment.
type Recomputed struct {
	LGD    int          `json:"district_lgd"`
	Hours  int          `json:"window_hours"`
	AsOf   time.Time    `json:"as_of"`
	Before score.Number `json:"before"`
	Was    score.Band   `json:"band_before"`
	After  score.Number `json:"after"`
	Is     score.Band   `json:"band_after"`
}

var correctionColumns = `id, lgd, event_id, at, kind, other, coalesce(to_lgd, 0), ` + unerased("reason") + `, case_id, filed_by, filed_role,
	filed_at, state, act, by_id, why, decided_at, recomputed`

func scanCorrection(row pgx.CollectableRow) (c Correction, err error) {
	var recomputed []byte
	err = row.Scan(&c.ID, &c.LGD, &c.EventID, &c.At, &c.Kind, &c.Other, &c.ToLGD, &c.Reason, &c.Case, &c.FiledBy, &c.FiledRole, &c.FiledAt,
		&c.State, &c.Act, &c.ByID, &c.Why, &c.DecidedAt, &recomputed)
	c.At, c.FiledAt = c.At.UTC(), c.FiledAt.UTC()
	return c, errors.Join(err, unmarshal(recomputed, &c.Recomputed))
}

// FileCorrection writes a correction down and opens its case.
func (s *Store) FileCorrection(ctx context.Context, actor identity.Actor, c Correction, title string) (Correction, error) {
	if err := s.rules.May(actor, ActCorrect); err != nil {
		return c, err
	}
	c.ID, c.FiledBy, c.FiledAt, c.State = newID("NCO"), actor.ID, s.Now(), CorrectionFiled
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		if c.At, err = signalTime(ctx, tx, c.LGD, c.EventID); err != nil {
			return err
		}
		if c.Kind == DuplicateSignal {
			if _, err := signalTime(ctx, tx, c.LGD, c.Other); err != nil {
				return err
			}
		}
		file, _, err := s.cases.OpenIn(ctx, tx, actor, casefile.Opening{App: Name, Key: CorrectionCase + c.ID, Title: title})
		if err != nil {
			return err
		}
		c.Case = file.ID
		return s.insertCorrection(ctx, tx, actor, c)
	})
	if violated, ok := errors.AsType[*pgconn.PgError](err); ok && violated.ConstraintName == "correction_open" {
		return c, fault.New(fault.Conflict, "a correction of signal %.60q waits already", c.EventID).
			WithNext("see the list of corrections").Because("netra_corrected")
	}
	return c, err
}

func (s *Store) insertCorrection(ctx context.Context, tx pgx.Tx, actor identity.Actor, c Correction) error {
	var to *int
	if c.ToLGD != 0 {
		to = &c.ToLGD
	}
	const insert = `insert into netra.correction (org, id, lgd, event_id, at, kind, other, to_lgd, reason, case_id, filed_by, filed_role,
		filed_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	if _, err := tx.Exec(ctx, insert, actor.Org, c.ID, c.LGD, c.EventID, c.At, c.Kind, c.Other, to, c.Reason, c.Case, c.FiledBy,
		c.FiledRole, c.FiledAt); err != nil {
		return fmt.Errorf("write correction %s down: %w", c.ID, err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: c.FiledAt, Kind: recordCorrection, App: Name, Actor: actor, Subject: c.ID,
		Body: map[string]any{"did": "filed", "kind": string(c.Kind), "district_lgd": c.LGD}})
	return err
}

// signalTime is when a signal of a district was, the newest of its id.
func signalTime(ctx context.Context, tx pgx.Tx, lgd int, event string) (at time.Time, err error) {
	const read = `select ts from netra.signal where event_id = $1 and lgd = $2 order by ts desc limit 1`
	err = tx.QueryRow(ctx, read, event, lgd).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return at, fault.New(fault.NotFound, "district %d has no signal %.60q", lgd, event).WithNext("see the signals on its page").
			Because("nothing_called", "id", event)
	}
	return at.UTC(), err
}

// CorrectionOfCase is the correction that a case is about; its row is locked.
func CorrectionOfCase(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (Correction, error) {
	return correctionBy(ctx, tx, `case_id = $1 for no key update`, string(id))
}

func correctionBy(ctx context.Context, tx pgx.Tx, which, what string) (Correction, error) {
	rows, _ := tx.Query(ctx, `select `+correctionColumns+` from netra.correction where `+which, what)
	c, err := pgx.CollectExactlyOneRow(rows, scanCorrection)
	if errors.Is(err, pgx.ErrNoRows) {
		return c, fault.New(fault.NotFound, "no correction is called %.60q", what).Because("nothing_called", "id", what)
	}
	return c, err
}

// Correction reads one.
func (s *Store) Correction(ctx context.Context, actor identity.Actor, id string) (c Correction, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, err = correctionBy(ctx, tx, `id = $1`, id)
		return err
	})
	return c, err
}

// ListedAt is where it stands in the list.
func (c Correction) ListedAt() Cursor { return Cursor{At: c.FiledAt, ID: c.ID} }

// Corrections lists them, the newest first: of a district and those that brought it a signal, or of all where its code is 0.
func (s *Store) Corrections(ctx context.Context, actor identity.Actor, lgd int, after Cursor, most int) (all []Correction, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	page := `select ` + correctionColumns + ` from netra.correction where ($1 = 0 or lgd = $1 or to_lgd = $1)
		and ($2::timestamptz is null or (filed_at, id) < ($2, $3)) order by filed_at desc, id desc limit $4`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, lgd, after.Moment(), after.ID, most)
		all, err = pgx.CollectRows(rows, scanCorrection)
		return err
	})
	return all, err
}

// DecideCorrection writes down what was decided, once.
func DecideCorrection(ctx context.Context, tx pgx.Tx, c Correction) error {
	if c.Recomputed == nil {
		c.Recomputed = []Recomputed{}
	}
	recomputed, err := json.Marshal(c.Recomputed)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `update netra.correction set state = $2, act = $3, by_id = $4, why = $5, decided_at = $6, recomputed = $7
		where id = $1 and state = 'filed'`, c.ID, c.State, c.Act, c.ByID, c.Why, c.DecidedAt, recomputed)
	return err
}
