package seal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Target is what a hold is on: a subject or a case, one of the two.
type Target struct {
	Subject Subject
	Case    string
}

// String is the written form, "rider:R-7" or "case:case_01…".
func (t Target) String() string {
	if t.Case != "" {
		return caseType + ":" + t.Case
	}
	return t.Subject.String()
}

func (t Target) check() error {
	switch {
	case t.Case == "":
		return t.Subject.check()
	case t.Subject != Subject{}:
		return fault.New(fault.Invalid, "a hold is on a subject or on a case, not on both")
	case !caseForm.MatchString(t.Case):
		return fault.New(fault.Invalid, "%.60q is no id of a case", t.Case)
	}
	return nil
}

// A Hold keeps a subject's data, or that of everyone in a case, from being
// erased. Its reason is for people: it is in no log, and is blanked with the
// subject.
type Hold struct {
	ID          string
	Target      string
	Reason      string
	PlacedBy    string
	PlacedAt    time.Time
	Until       *time.Time // nil: until it is released
	ReleasedBy  *string
	ReleasedAt  *time.Time
	ReleaseNote string
}

const holdColumns = `
	select id, target, reason, placed_by, placed_at, until, released_by, released_at, release_note from gavel.legal_hold`

// holdKind is the kind of record that says a hold was placed or released.
const holdKind audit.Kind = "legal_hold"

// maxReason bounds a reason, in characters.
const maxReason = 1000

// Hold places a hold until a time, or until it is released where until is zero.
// It needs the act hold.change. There may be several on one target.
func (v *Vault) Hold(ctx context.Context, actor identity.Actor, on Target, reason string, until time.Time) (h Hold, err error) {
	if err := v.may(actor, "hold.change"); err != nil {
		return Hold{}, err
	}
	if err := errors.Join(on.check(), checkReason(reason)); err != nil {
		return Hold{}, err
	}
	at := v.now().UTC().Truncate(time.Microsecond)
	h = Hold{ID: newID("hold_", at), Target: on.String(), Reason: reason, PlacedBy: actor.ID, PlacedAt: at}
	if !until.IsZero() {
		if !until.After(at) {
			return Hold{}, fault.New(fault.Invalid, "the hold would end on %s, which has passed", until.UTC().Format(time.DateOnly))
		}
		until = until.UTC().Truncate(time.Microsecond)
		h.Until = &until
	}
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return v.placeHold(ctx, tx, actor, on, h) })
	if err != nil {
		return Hold{}, err
	}
	return h, nil
}

func (v *Vault) placeHold(ctx context.Context, tx pgx.Tx, actor identity.Actor, on Target, h Hold) error {
	if err := lockOrg(ctx, tx, actor.Org); err != nil {
		return err
	}
	if on.Case == "" {
		gone, err := latest(ctx, tx, actor.Org, on.Subject)
		if err != nil {
			return err
		}
		if gone != nil {
			return fault.New(fault.Conflict, "%s was erased on %s: there is nothing left to hold", on, gone.At.UTC().Format(time.DateOnly))
		}
	}
	const insert = `insert into gavel.legal_hold (org, id, target, reason, placed_by, placed_at, until) values ($1, $2, $3, $4, $5, $6, $7)`
	if _, err := tx.Exec(ctx, insert, actor.Org, h.ID, h.Target, h.Reason, h.PlacedBy, h.PlacedAt, h.Until); err != nil {
		return fmt.Errorf("place hold: %w", err)
	}
	body := map[string]any{"act": "placed", "hold": h.ID}
	if h.Until != nil {
		body["until"] = h.Until.Format(time.RFC3339)
	}
	_, err := audit.Append(ctx, tx, audit.Record{At: h.PlacedAt, Kind: holdKind, Actor: actor, Subject: h.Target, Body: body})
	return err
}

// Release ends a hold. It needs the same act as placing one, and a reason.
func (v *Vault) Release(ctx context.Context, actor identity.Actor, id, reason string) error {
	if err := v.may(actor, "hold.change"); err != nil {
		return err
	}
	if err := checkReason(reason); err != nil {
		return err
	}
	at := v.now().UTC().Truncate(time.Microsecond)
	return v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := lockOrg(ctx, tx, actor.Org); err != nil {
			return err
		}
		const release = `
			update gavel.legal_hold set released_by = $3, released_at = $4, release_note = $5
			where org = $1 and id = $2 and released_at is null returning target`
		var target string
		err := tx.QueryRow(ctx, release, actor.Org, id, actor.ID, at, reason).Scan(&target)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "no hold called %.40q is in force", id)
		}
		if err != nil {
			return fmt.Errorf("release hold: %w", err)
		}
		body := map[string]any{"act": "released", "hold": id}
		_, err = audit.Append(ctx, tx, audit.Record{At: at, Kind: holdKind, Actor: actor, Subject: target, Body: body})
		return err
	})
}

func checkReason(s string) error {
	if n := utf8.RuneCountInString(strings.TrimSpace(s)); n == 0 || n > maxReason || strings.ContainsRune(s, 0) {
		return fault.New(fault.Invalid, "a reason has 1 to %d characters", maxReason)
	}
	return nil
}

// Holds lists the holds in force, newest first, at most 1,000.
func (v *Vault) Holds(ctx context.Context, actor identity.Actor) (holds []Hold, err error) {
	if err := v.may(actor, "subject.read"); err != nil {
		return nil, err
	}
	const inForce = holdColumns + `
		where org = $1 and released_at is null and (until is null or until > $2) order by id desc limit 1000`
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, inForce, actor.Org, v.now())
		holds, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Hold])
		return err
	})
	return holds, err
}

// activeHolds are the holds in force on any of the targets.
func activeHolds(ctx context.Context, tx pgx.Tx, org identity.Org, targets []string, at time.Time) ([]Hold, error) {
	const onThese = holdColumns + `
		where org = $1 and target = any($2) and released_at is null and (until is null or until > $3) order by id`
	rows, _ := tx.Query(ctx, onThese, org, targets, at)
	holds, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Hold])
	if err != nil {
		return nil, fmt.Errorf("look for holds: %w", err)
	}
	return holds, nil
}

// blankHolds takes the words out of the holds that were on an erased subject, or
// on a case in which something of theirs was blanked. One in force keeps them: it
// refuses the erasure anyway.
func blankHolds(ctx context.Context, tx pgx.Tx, org identity.Org, targets []string, at time.Time) (int, error) {
	const blank = `
		update gavel.legal_hold set reason = '', release_note = ''
		where org = $1 and target = any($2) and (reason <> '' or release_note <> '')
		  and (released_at is not null or until <= $3)`
	tag, err := tx.Exec(ctx, blank, org, targets, at)
	return int(tag.RowsAffected()), err
}

// held is the refusal in words.
func held(s Subject, holds []Hold) error {
	first := holds[0]
	on := "on " + first.Target
	if first.Target == s.String() {
		on = "on them"
	}
	until := ""
	if first.Until != nil {
		until = " until " + first.Until.UTC().Format(time.DateOnly)
	}
	return fault.New(fault.Conflict, "%s is not erased: there is a legal hold %s, %s%s", s, on, first.ID, until).
		WithNext("ask who placed it, %s, whether it may be released", first.PlacedBy)
}

// recordRefusal says in the log that an erasure was asked for and refused.
func recordRefusal(ctx context.Context, tx pgx.Tx, actor identity.Actor, s Subject, holds []Hold, at time.Time) error {
	ids := make([]string, 0, len(holds))
	for _, h := range holds {
		ids = append(ids, h.ID)
	}
	body := map[string]any{"act": "erase", "holds": len(ids), "listed": slices.Clip(ids[:min(len(ids), mostListed)])}
	_, err := audit.Append(ctx, tx, audit.Record{At: at, Kind: audit.Refusal, Actor: actor, Subject: s.String(), Body: body})
	return err
}
