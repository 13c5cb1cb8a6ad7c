// Package recovery begins again after a restore without doing anything twice.
//
// A database that was restored, or a replica that lagged and took over, is older
// than the world: what it has as planned, queued or claimed may have been done, and
// cases may do again what they did in the time that was lost. So Begin, with no
// server and no worker running, holds everything that goes outside and counts every
// open effect as one that may have happened. Servers and workers start, cases come
// to where they were, and nothing leaves. End lets go: what was open is asked about
// by its key, at the other side or of a person; and whatever a case that was in the
// middle of something sends from then on is asked about as well, until somebody has
// looked and frees it.
//
// Read Begin, then End. docs/design/recovery.md has the reasons.
package recovery

import (
	"context"
	"embed"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the table of recoveries; it builds on the acts', the mails' and
// the agents'.
func Migrations() postgres.MigrationSet { return postgres.Embedded("recovery", migrations) }

// Record is the kind of the records about recoveries, which belong to the
// installation.
const Record audit.Kind = "recovery"

// An Engine says how far the engine is.
type Engine string

// The two ways it can be. There is no default: who restores knows.
const (
	Same  Engine = "same"  // restored to the very same moment, with the database
	Ahead Engine = "ahead" // of another moment, or empty: every open case begins anew from the record
)

// Serving lists how processes that carry out effects call themselves to the
// database.
func Serving() []string { return []string{"gavel-serve", "gavel-worker"} }

// A Recovery is one as it stands.
type Recovery struct {
	ID        string     `json:"id"` // "recovery_" and a ULID
	Engine    Engine     `json:"engine"`
	Reason    string     `json:"reason"`
	By        string     `json:"by"`
	At        time.Time  `json:"at"`
	Acts      int64      `json:"acts"`    // that may have been done in the time that was lost, letters among them
	Letters   int64      `json:"letters"` // of these
	Word      int64      `json:"word"`    // mails to our own staff
	Anew      int64      `json:"anew"`    // workflows begun anew from the record
	EndedAt   *time.Time `json:"ended_at,omitempty"`
	EndedBy   string     `json:"ended_by,omitempty"`
	EndReason string     `json:"end_reason,omitempty"`
	Cases     int64      `json:"cases"` // in doubt when it ended
}

// On reports whether it holds what goes outside.
func (r Recovery) On() bool { return r.EndedAt == nil }

const columns = `id, engine, reason, by_id, at, acts, letters, word, anew, ended_at, coalesce(ended_by, ''), coalesce(end_reason, ''), coalesce(cases, 0)`

// newest is the latest recovery; the zero Recovery where there was none.
func newest(ctx context.Context, tx pgx.Tx) (Recovery, error) {
	rows, _ := tx.Query(ctx, `select `+columns+` from gavel_sys.recovery order by ended_at desc nulls first limit 1`)
	r, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Recovery])
	if errors.Is(err, pgx.ErrNoRows) {
		return Recovery{}, nil
	}
	return r, err
}

// A Word is what an operator says for the log: who they are and why.
type Word struct {
	By     string // an id without spaces
	Reason string
	At     time.Time // on the installation's clock
}

const (
	maxReason = 2_000
	lockKey   = 0x6761_7665_6c72_6376 // "gavelrcv": one who begins, ends or frees at a time
)

var byForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,99}$`)

func (w *Word) check() error {
	w.Reason, w.At = strings.TrimSpace(w.Reason), w.At.UTC().Truncate(time.Microsecond)
	switch {
	case w.Reason == "":
		return fault.New(fault.Invalid, "the reason is missing: it goes into the log")
	case utf8.RuneCountInString(w.Reason) > maxReason:
		return fault.New(fault.TooLarge, "the reason has over %d characters", maxReason)
	case !utf8.ValidString(w.Reason) || strings.ContainsRune(w.Reason, 0):
		return fault.New(fault.Invalid, "the reason holds a character that cannot be stored")
	case !byForm.MatchString(w.By):
		return fault.New(fault.Invalid, "who does it is 1 to 100 of letters, digits and . _ : @ + -, not %.40q", w.By)
	}
	return nil
}

// actor is the operator, in an organisation's records.
func (w Word) actor(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.System, ID: "operator:" + w.By, Name: w.By, Org: org}
}

func organisations(ctx context.Context, tx pgx.Tx) ([]identity.Org, error) {
	rows, _ := tx.Query(ctx, `select org from gavel_sys.organisation order by org`)
	return pgx.CollectRows(rows, pgx.RowTo[identity.Org])
}

func lock(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(lockKey))
	return err
}

// A Config is what a recovery goes through.
type Config struct {
	System *postgres.System
	Cases  *casefile.Store // knows the workflows of cases
	// Wake leaves word for whoever waits with acts that nothing holds any more.
	Wake func(ctx context.Context, tx pgx.Tx, org identity.Org, keys []string) error
}
