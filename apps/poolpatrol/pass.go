package poolpatrol

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A PassKind says why every van was looked at.
type PassKind string

// The kinds of pass.
const (
	Monthly PassKind = "monthly"  // because it is time
	Daily   PassKind = "daily"    // the vans with an open case, because it is time
	Asked   PassKind = "asked"    // because a person wanted it
	ReAudit PassKind = "re_audit" // one van, because its case did
)

// A PassState says how far a pass has come.
type PassState string

// The states. All but the first are ends.
const (
	PassRunning PassState = "running"
	PassDone    PassState = "done"
	PassRefused PassState = "refused" // the records were too old to judge anybody on
)

// A Pass is one look at every van: what it read, and what it found so far.
type Pass struct {
	ID       string
	Kind     PassKind
	AskedBy  string // id of who did; Gavel's own where it was time
	Snapshot string // what it reads; empty before that is pinned
	Policy   string // digest of the thresholds it goes by
	State    PassState
	Reason   string // why it was refused
	After    fleet.VanpoolID
	Planned  int // vans there are to look at
	Verified int
	Failed   int
	Errored  int
	BeganAt  time.Time
	EndedAt  *time.Time
}

// Looked is how many vans have been looked at.
func (p Pass) Looked() int { return p.Verified + p.Failed + p.Errored }

// PassInput is what a pass's workflow is given.
type PassInput struct {
	Org   identity.Org  `json:"org"`
	Pass  string        `json:"pass"`
	Clock durable.Clock `json:"clock"`
}

// recordPass is the kind of the records of passes in the log.
const recordPass log.Kind = "poolpatrol_pass"

const passColumns = `id, kind, asked_by, coalesce(snapshot, ''), policy, state, reason, after_van, planned, verified, failed, errored, began_at, ended_at`

// StartPass has every van looked at. The same key again finds the pass that was
// started by it; started says which. Whether the records are fresh enough is told
// here, so that who asks need not wait for it, and seen to again when they are
// read.
func (s *Store) StartPass(ctx context.Context, actor identity.Actor, kind PassKind, key string) (p Pass, started bool, err error) {
	if err := s.rules.May(actor, actAudit); err != nil {
		return p, false, err
	}
	if key == "" {
		key = rand.Text()
	}
	if len(key) > 120 {
		return p, false, fault.New(fault.Invalid, "the key of a pass has at most 120 characters")
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if p, err = passBy(ctx, tx, "key", key); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		now := s.clock.Now()
		if err := refuseStale(ctx, tx, now); err != nil {
			return err
		}
		p = Pass{ID: newID("PASS"), Kind: kind, AskedBy: actor.ID, Policy: policyDigest(audit.Standard()), State: PassRunning, BeganAt: now}
		started = true
		return s.insertPass(ctx, tx, actor, key, p)
	})
	return p, started, err
}

// refuseStale refuses to audit on records that are too old, in the words of the
// audit itself.
func refuseStale(ctx context.Context, tx pgx.Tx, now time.Time) error {
	taken, err := readAge(ctx, tx)
	if err != nil {
		return err
	}
	return audit.Fresh(taken, now)
}

// insertPass writes the pass, its record and the word to the engine.
func (s *Store) insertPass(ctx context.Context, tx pgx.Tx, actor identity.Actor, key string, p Pass) error {
	const insert = `insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, began_at) values ($1, $2, $3, $4, $5, $6, $7)`
	if _, err := tx.Exec(ctx, insert, actor.Org, p.ID, p.Kind, key, p.AskedBy, p.Policy, p.BeganAt); err != nil {
		return fmt.Errorf("insert pass: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: p.BeganAt, Kind: recordPass, App: Name, Actor: actor, Subject: p.ID,
		Body: map[string]any{"did": "started", "kind": string(p.Kind), "policy": p.Policy}})
	if err != nil {
		return err
	}
	input, err := json.Marshal(PassInput{Org: actor.Org, Pass: p.ID, Clock: s.clock}) //nolint:gosec // the id of a pass, not a password
	if err != nil {
		return err
	}
	return outbox.AddStart(ctx, tx, actor.Org, Name+"/"+string(actor.Org)+"/pass:"+p.ID,
		outbox.Start{Workflow: PassName, Queue: Name, Subject: p.ID, Input: input})
}

// Pass reads one pass.
func (s *Store) Pass(ctx context.Context, actor identity.Actor, id string) (p Pass, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return p, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err = passBy(ctx, tx, "id", id)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.New(fault.NotFound, "no pass is called %.40q", id).WithNext("see the list of passes")
	}
	return p, err
}

// Passes lists passes over all vans, the newest first: those that began before a
// moment, which may be zero.
func (s *Store) Passes(ctx context.Context, actor identity.Actor, before time.Time, limit int) (all []Pass, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const page = `select ` + passColumns + ` from poolpatrol.pass where kind not in ('daily', 're_audit') and ($1::timestamptz is null or began_at < $1) order by began_at desc, id limit $2`
	var from *time.Time
	if !before.IsZero() {
		from = &before
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, from, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pass])
		return err
	})
	return all, err
}

// passBy finds a pass by one of its unique columns.
func passBy(ctx context.Context, tx pgx.Tx, column, value string) (Pass, error) {
	query := map[string]string{
		"id":  `select ` + passColumns + ` from poolpatrol.pass where id = $1`,
		"key": `select ` + passColumns + ` from poolpatrol.pass where key = $1`,
	}[column]
	rows, _ := tx.Query(ctx, query, value)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pass])
}

// newID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint and tries again.
func newID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}

// collided reports whether an id that was drawn was there already.
func collided(err error, table string) bool { return postgres.Violates(err, table+"_pkey") }

// policyDigest names a set of thresholds.
func policyDigest(p audit.Policy) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and texts of our own
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
