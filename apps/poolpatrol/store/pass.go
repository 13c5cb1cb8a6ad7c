package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// PassForm is what the id of a pass looks like.
var PassForm = regexp.MustCompile(`^PASS-[0-9A-F]{8}$`)

// LockPass reads a pass and keeps others from moving it on meanwhile.
func LockPass(ctx context.Context, tx pgx.Tx, id string) (Pass, error) {
	rows, _ := tx.Query(ctx, `select `+passColumns+` from poolpatrol.pass where id = $1 for update`, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pass])
}

// tell has open pages look again.
const tell = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version', $3::bigint)::text)`

// Tries is how often ids are drawn anew that were there already.
const Tries = 3

// LiveObject is the name under which open pages hear of a pass.
func LiveObject(id string) string { return "pass_" + id }

// Of is how many vans of the pass ended so.
func (p Pass) Of(o audit.Outcome) int {
	switch o {
	case audit.Failed:
		return p.Failed
	case audit.Errored:
		return p.Errored
	}
	return p.Verified
}

// Version grows with every word of a pass, as its notices count it.
func (p Pass) Version() int64 {
	if p.State != PassRunning {
		return int64(p.Looked()) + 1
	}
	return int64(p.Looked())
}

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
// started by it; started says which. Somebody else with the same key is told of that
// pass, and so is who loses by a moment. Whether the records are fresh enough is told
// here, so that who asks need not wait for it, and seen to again when they are
// read.
func (s *Store) StartPass(ctx context.Context, actor identity.Actor, kind PassKind, key string) (p Pass, started bool, err error) {
	if err := s.rules.May(actor, programme.ActAudit); err != nil {
		return p, false, err
	}
	if key == "" {
		key = rand.Text()
	}
	if len(key) > 120 {
		return p, false, fault.New(fault.Invalid, "the key of a pass has at most 120 characters")
	}
	p, started, err = s.startPass(ctx, actor, kind, key)
	if postgres.Violates(err, "pass_once") { // another began in this moment, and has committed
		p, started, err = s.startPass(ctx, actor, kind, key)
	}
	return p, started, err
}

func (s *Store) startPass(ctx context.Context, actor identity.Actor, kind PassKind, key string) (p Pass, started bool, err error) {
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if p, err = PassBy(ctx, tx, "key", key); !errors.Is(err, pgx.ErrNoRows) {
			if err == nil && p.AskedBy != actor.ID {
				return begunBy(p)
			}
			return err
		}
		now := s.clock.Now()
		if err := RefuseStale(ctx, tx, now); err != nil {
			return err
		}
		p = Pass{ID: NewID("PASS"), Kind: kind, AskedBy: actor.ID, Policy: PolicyDigest(audit.Standard()), State: PassRunning, BeganAt: now}
		started = true
		return s.insertPass(ctx, tx, actor, key, p)
	})
	return p, started, err
}

// begunBy tells somebody of the pass that another began before them.
func begunBy(p Pass) error {
	since := p.BeganAt.UTC().Format(time.DateTime)
	if p.State != PassRunning {
		return fault.New(fault.Conflict, "%s has had every van audited meanwhile: %s, begun at %s UTC", p.AskedBy, p.ID, since).
			WithNext("see what %s found; to have them audited once more, open the page again", p.ID)
	}
	return fault.New(fault.Conflict, "every van is being audited: %s began %s at %s UTC", p.AskedBy, p.ID, since).
		WithNext("follow %s in the list of passes; to have them audited once more, wait until it is done and open the page again", p.ID)
}

// RefuseStale refuses to audit on records that are too old, in the words of the
// audit itself.
func RefuseStale(ctx context.Context, tx pgx.Tx, now time.Time) error {
	taken, err := record.ReadAge(ctx, tx)
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
	_, err := log.Append(ctx, tx, log.Record{At: p.BeganAt, Kind: recordPass, App: programme.Name, Actor: actor, Subject: p.ID,
		Body: map[string]any{"did": "started", "kind": string(p.Kind), "policy": p.Policy}})
	if err != nil {
		return err
	}
	input, err := json.Marshal(PassInput{Org: actor.Org, Pass: p.ID, Clock: s.clock}) //nolint:gosec // the id of a pass, not a password
	if err != nil {
		return err
	}
	return outbox.AddStart(ctx, tx, actor.Org, programme.Name+"/"+string(actor.Org)+"/pass:"+p.ID,
		outbox.Start{Workflow: PassName, Queue: programme.Name, Subject: p.ID, Input: input})
}

// Pass reads one pass.
func (s *Store) Pass(ctx context.Context, actor identity.Actor, id string) (p Pass, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return p, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err = PassBy(ctx, tx, "id", id)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return p, fault.New(fault.NotFound, "no pass is called %.40q", id).WithNext("see the list of passes")
	}
	return p, err
}

// A PassMark is the last pass of a page, where the next one goes on. Several may have
// begun in one moment, so the moment alone does not tell.
type PassMark struct {
	At time.Time // zero for the beginning of the list
	ID string
}

// MarkOf is how a page that ends with this pass is left.
func MarkOf(p Pass) PassMark { return PassMark{p.BeganAt, p.ID} }

func (m PassMark) String() string { return m.At.UTC().Format(time.RFC3339Nano) + "/" + m.ID }

// ParseMark reads what String wrote; nothing is the beginning of the list. An address
// that somebody kept from when there was only the moment is still one.
func ParseMark(text string) (m PassMark, err error) {
	if text == "" {
		return m, nil
	}
	at, id, whole := strings.Cut(text, "/")
	if whole && !PassForm.MatchString(id) {
		return m, fault.New(fault.Invalid, "the list has no page that begins at %.60q", text).WithNext("begin the list anew")
	}
	if m.At, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return m, fault.New(fault.Invalid, "the list has no page that begins at %.60q", text).WithNext("begin the list anew")
	}
	m.ID = id
	return m, nil
}

// Passes lists passes over all vans, the newest first: those after a mark.
func (s *Store) Passes(ctx context.Context, actor identity.Actor, after PassMark, limit int) (all []Pass, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + passColumns + ` from poolpatrol.pass where kind not in ('daily', 're_audit') and ($1::timestamptz is null or (began_at, id) < ($1, $2)) order by began_at desc, id desc limit $3`
	var from *time.Time
	if !after.At.IsZero() {
		from = &after.At
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, from, after.ID, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pass])
		return err
	})
	return all, err
}

// PassBy finds a pass by one of its unique columns.
func PassBy(ctx context.Context, tx pgx.Tx, column, value string) (Pass, error) {
	query := map[string]string{
		"id":  `select ` + passColumns + ` from poolpatrol.pass where id = $1`,
		"key": `select ` + passColumns + ` from poolpatrol.pass where key = $1`,
	}[column]
	rows, _ := tx.Query(ctx, query, value)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pass])
}

// NewID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint and tries again.
func NewID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}

// collided reports whether an id that was drawn was there already.
func collided(err error, table string) bool { return postgres.Violates(err, table+"_pkey") }

// PolicyDigest names a set of thresholds.
func PolicyDigest(p audit.Policy) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and texts of our own
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// PassName is the name the engine knows a pass by; it never changes.
const PassName = "poolpatrol.Pass"
