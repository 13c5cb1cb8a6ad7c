// Package idempotency remembers which requests were run and what they were
// answered, so that one sent twice is done once.
//
// A request is claimed before it runs (Claim) and its answer kept when it has
// succeeded (Claim.Finish). Whoever sends the same request while it runs is told
// so, and afterwards gets the first answer again. A request that failed is let go
// (Claim.Release): nothing was done, and the sender may correct it.
//
// A claim whose holder died can be taken over once its lease has run out. That is
// safe only because what lies beneath has keys of its own: the same decision, note
// or order again changes nothing. docs/design/api.md has the reasons.
package idempotency

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the table of claims.
func Migrations() postgres.MigrationSet { return postgres.Embedded("idempotency", migrations) }

// Keep is how long an answer can be had again.
const Keep = 7 * 24 * time.Hour

// MaxBody bounds the answer that is kept, in bytes.
const MaxBody = 1 << 20

// A Request is what a sender marked with a key.
type Request struct {
	Actor identity.Actor
	Route string        // the kind of request: a key means something within one
	Key   string        // chosen by the sender
	Print [32]byte      // SHA-256 of everything that makes it this request and no other
	Lease time.Duration // longer than it may run; whoever claims it later takes it over
}

// An Answer is what a request was answered with.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// A Store keeps claims. It is safe for use by many goroutines.
type Store struct{ db *postgres.DB }

// NewStore keeps claims in a database.
func NewStore(db *postgres.DB) *Store { return &Store{db} }

// A Claim is the right to run a request, or the answer it had.
type Claim struct {
	Answer *Answer // of the first time; nil: run it
	store  *Store
	req    Request
	fence  int64
}

var keyForm = regexp.MustCompile(`^[\x21-\x7e]{8,120}$`)

// ErrInFlight is a request that is being run at this moment.
var ErrInFlight = errors.New("the same request is being run")

// ErrOther is a key that was sent with another request before.
var ErrOther = errors.New("the key is that of another request")

// Claim claims a request. Faults: Invalid for a key of another form, or that was
// used for another request; Conflict, wrapping ErrInFlight, while the same one is
// being run.
func (s *Store) Claim(ctx context.Context, r Request) (*Claim, error) {
	if !keyForm.MatchString(r.Key) {
		return nil, fault.New(fault.Invalid, "an Idempotency-Key is 8 to 120 printable characters without spaces").
			WithNext("make one for each thing you want done: a random one is good")
	}
	c := &Claim{store: s, req: r}
	err := s.db.InOrg(ctx, r.Actor.Org, func(tx pgx.Tx) error {
		for range 5 { // one that fails may be let go between the two looks
			taken, err := c.take(ctx, tx)
			if err != nil || taken {
				return err
			}
			if err := c.look(ctx, tx); !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		return fault.New(fault.Unavailable, "the same request is sent over and over at this moment")
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// take inserts the claim, or takes over one whose holder has died.
func (c *Claim) take(ctx context.Context, tx pgx.Tx) (bool, error) {
	const claim = `
		insert into gavel.idempotency as i (org, actor, route, key, print, lease_until)
		values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
		on conflict (org, actor, route, key) do update
			set fence = i.fence + 1, lease_until = excluded.lease_until
			where i.state = 'running' and i.lease_until < clock_timestamp() and i.print = excluded.print
		returning fence`
	rows, _ := tx.Query(ctx, claim, c.req.Actor.Org, c.req.Actor.ID, c.req.Route, c.req.Key, c.req.Print[:], c.req.Lease.Seconds())
	fences, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return false, fmt.Errorf("claim a request: %w", err)
	}
	if len(fences) == 1 {
		c.fence = fences[0]
	}
	return len(fences) == 1, nil
}

// look reads what is there already.
func (c *Claim) look(ctx context.Context, tx pgx.Tx) error {
	const read = `select print, state, coalesce(status, 0), coalesce(headers, ''), coalesce(body, '')
		from gavel.idempotency where org = $1 and actor = $2 and route = $3 and key = $4`
	var seen, body []byte
	var state, headers string
	var a Answer
	err := tx.QueryRow(ctx, read, c.req.Actor.Org, c.req.Actor.ID, c.req.Route, c.req.Key).Scan(&seen, &state, &a.Status, &headers, &body)
	switch {
	case err != nil:
		return err
	case [32]byte(seen) != c.req.Print:
		return fault.From(fault.Invalid, ErrOther, "this Idempotency-Key was sent with another request").
			WithNext("make a new key for each thing you want done")
	case state == "running":
		return fault.From(fault.Conflict, ErrInFlight, "the same request is being run at this moment").
			WithNext("send it again in a second, with the same key")
	}
	a.Body = body
	c.Answer = &a
	if headers == "" {
		return nil
	}
	return json.Unmarshal([]byte(headers), &a.Header)
}

// Finish keeps the answer of a request that succeeded. It does nothing where
// somebody else has taken the claim over meanwhile.
func (c *Claim) Finish(ctx context.Context, a Answer) error {
	if len(a.Body) > MaxBody {
		return fault.New(fault.Internal, "an answer of %d bytes is too long to be kept", len(a.Body))
	}
	headers, err := json.Marshal(a.Header)
	if err != nil {
		return err
	}
	const keep = `update gavel.idempotency set state = 'done', status = $6, headers = $7, body = $8
		where org = $1 and actor = $2 and route = $3 and key = $4 and fence = $5 and state = 'running'`
	return c.exec(ctx, keep, a.Status, string(headers), a.Body)
}

// Release lets go of a request that did not succeed.
func (c *Claim) Release(ctx context.Context) error {
	const free = `delete from gavel.idempotency
		where org = $1 and actor = $2 and route = $3 and key = $4 and fence = $5 and state = 'running'`
	return c.exec(ctx, free)
}

func (c *Claim) exec(ctx context.Context, sql string, more ...any) error {
	args := append([]any{c.req.Actor.Org, c.req.Actor.ID, c.req.Route, c.req.Key, c.fence}, more...)
	err := c.store.db.InOrg(ctx, c.req.Actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("end a claim: %w", err)
	}
	return nil
}

// Purge removes answers of all organisations that nobody can ask for any more,
// and returns how many.
func Purge(ctx context.Context, sys *postgres.System) (int64, error) {
	const old = `delete from gavel.idempotency where at < now() - make_interval(secs => $1) and lease_until < now()`
	tag, err := sys.Exec(ctx, old, Keep.Seconds())
	return tag.RowsAffected(), err
}

// Eraser takes the words out of every kept answer, whoever is erased: which of
// them name the person is not known, and a repeat then gets the status and the
// address of what was made, which are enough.
func Eraser() seal.Eraser {
	const blank = `update gavel.idempotency set body = '' where body <> ''`
	return seal.Eraser{Name: "idempotency", Erase: func(ctx context.Context, tx pgx.Tx, _ seal.Subject, _ time.Time) (seal.Reach, error) {
		tag, err := tx.Exec(ctx, blank)
		return seal.Reach{Rows: int(tag.RowsAffected())}, err
	}}
}
