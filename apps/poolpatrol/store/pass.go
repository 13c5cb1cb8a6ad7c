package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/term"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/postgres"
)

// PassJob is the long work that a pass over many vans is. A second look at one van, for
// its case, is a pass and no such work: its case does it.
var PassJob = job.Kind{App: programme.Name, Name: "pass", Prefix: "PASS", Workflow: PassName,
	Act: programme.ActAudit, Read: programme.ActRead, Pages: "/poolpatrol/passes"}

// What a pass is at, in a word.
const (
	DoingRecords = "records" // they are read and pinned
	DoingVans    = "vans"    // they are audited
)

// LockPass reads a pass and keeps others from moving it on meanwhile.
func LockPass(ctx context.Context, tx pgx.Tx, id string) (Pass, error) {
	rows, _ := tx.Query(ctx, `select `+passColumns+` from poolpatrol.pass where id = $1 for update`, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Pass])
}

// Tries is how often ids are drawn anew that were there already.
const Tries = 3

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

// A PassKind says why every van was looked at.
type PassKind string

// The kinds of pass.
const (
	Monthly PassKind = "monthly"  // because it is time
	Daily   PassKind = "daily"    // the vans with an open case, because it is time
	Asked   PassKind = "asked"    // because a person wanted it
	ReAudit PassKind = "re_audit" // one van, because its case did
)

// A Pass is one look at every van: what it read, and what it found so far.
type Pass struct {
	ID       string
	Kind     PassKind
	AskedBy  string    // id of who did; Gavel's own where it was time
	Snapshot string    // what it reads; empty before that is pinned
	Policy   string    // digest of the thresholds it goes by
	Terms    int64     // the version of the programme's terms that they are of
	State    job.State // refused: the records were too old to judge anybody on, or somebody called it off
	Reason   string    // why it was refused
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

const passColumns = `id, kind, asked_by, coalesce(snapshot, ''), policy, terms_version, state, reason, after_van, planned, verified, failed, errored, began_at, ended_at`

// StartPass has every van looked at, or gives the pass that is at it, or that was started
// by the same key; started says which. Whether the records are fresh enough is told here,
// so that who asks need not wait for it, and seen to again when they are read.
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
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		now := s.clock.Now()
		if p, started, err = s.beginPass(ctx, tx, actor, kind, key, now); err != nil || !started {
			return err
		}
		return RefuseStale(ctx, tx, now)
	})
	return p, started, err
}

// about is what a pass looks at: every van, or those with an open case.
func (k PassKind) about() string {
	if k == Daily {
		return "open_cases"
	}
	return "every_van"
}

// beginPass starts a pass, or gives the one there is.
func (s *Store) beginPass(ctx context.Context, tx pgx.Tx, actor identity.Actor, kind PassKind, key string,
	at time.Time) (p Pass, started bool, err error) {
	t, version, err := term.InForce(ctx, tx, actor.Org)
	if err != nil {
		return p, false, err
	}
	p = Pass{ID: PassJob.NewID(), Kind: kind, AskedBy: actor.ID, Policy: PolicyDigest(t.Policy(version)), Terms: version,
		State: job.Running, BeganAt: at}
	b, err := job.Start(ctx, tx, PassJob, job.Order{ID: p.ID, Key: key, About: kind.about(), Actor: actor, At: at,
		Input: PassInput{Org: actor.Org, Pass: p.ID, Clock: s.clock},
		Body:  map[string]any{"kind": string(kind), "policy": p.Policy, "terms_version": version}})
	if err != nil {
		return p, false, err
	}
	if b.Lost != "" {
		if _, err := closePass(ctx, tx, b.Lost, job.End{State: job.Refused, Reason: job.LostReason, At: at}); err != nil {
			return p, false, err
		}
	}
	if !b.Started {
		p, err = PassBy(ctx, tx, "id", b.ID)
		return p, false, err
	}
	const insert = `insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, terms_version, began_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`
	if _, err := tx.Exec(ctx, insert, actor.Org, p.ID, p.Kind, key, p.AskedBy, p.Policy, p.Terms, p.BeganAt); err != nil {
		return p, false, fmt.Errorf("insert pass: %w", err)
	}
	return p, true, nil
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
		return p, fault.New(fault.NotFound, "no pass is called %.40q", id).WithNext("see the list of passes").Because("no_pass", "id", id)
	}
	return p, err
}

// PassJobOf is how far a pass is; the zero Job of one that is no such work, or from before
// that was kept.
func (s *Store) PassJobOf(ctx context.Context, actor identity.Actor, id string) (j job.Job, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return j, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		j, err = job.Find(ctx, tx, PassJob, id)
		return err
	})
	return j, err
}

// listedAt is where it stands in the list.
func (p Pass) listedAt() list.Cursor { return list.Cursor{At: p.BeganAt, ID: p.ID} }

// Passes lists passes over all vans, the newest first, from a token on, and gives that of
// what follows.
func (s *Store) Passes(ctx context.Context, actor identity.Actor, after string, limit int) (all []Pass, next string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, "", err
	}
	const page = `select ` + passColumns + ` from poolpatrol.pass
		where kind not in ('daily', 're_audit') and ($1::timestamptz is null or (began_at, id) < ($1, $2)) order by began_at desc, id desc
		limit $3`
	return list.Part(keptToken(after), limit, Pass.listedAt, func(from list.Cursor, most int) (all []Pass, err error) {
		err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, page, from.Moment(), from.ID, most)
			all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Pass])
			return err
		})
		return all, err
	})
}

// keptToken is a token as lists have them. An address that somebody kept from when a stroke
// stood before the id, or when there was only the moment, is still one.
func keptToken(after string) string {
	at, id, _ := strings.Cut(after, "/")
	switch {
	case after == "" || strings.Contains(after, " "):
		return after
	case id == "":
		id = "0" // stands before every id
	}
	return at + " " + id
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
