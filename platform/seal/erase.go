package seal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Ground is why a person's data is erased. It goes into the log, which never
// changes, so it is one of these words and not a text.
type Ground string

// The grounds.
const (
	OnRequest  Ground = "request"   // the person asked for it
	Retention  Ground = "retention" // its time is over
	CourtOrder Ground = "court_order"
	Mistake    Ground = "mistake" // it should never have been collected
)

// A Request asks for an erasure.
type Request struct {
	Subject   Subject
	Ground    Ground
	Reference string // the number of the letter or ticket, without spaces; may be empty. It goes into the log
}

var referenceForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/:-]{0,59}$`)

func (r Request) check() error {
	if err := r.Subject.check(); err != nil {
		return err
	}
	switch {
	case !slices.Contains([]Ground{OnRequest, Retention, CourtOrder, Mistake}, r.Ground):
		return fault.New(fault.Invalid, "%.40q is no ground for an erasure", r.Ground)
	case r.Reference != "" && !referenceForm.MatchString(r.Reference):
		return fault.New(fault.Invalid, "a reference is the number of a letter or ticket: 1 to 60 characters without spaces")
	}
	return nil
}

// An Erasure says what was done for one subject, and what could not be. In JSON
// it is the body of the record in the log.
type Erasure struct {
	Subject Subject        `json:"-"` // the record's own subject, time and actor
	At      time.Time      `json:"-"`
	By      string         `json:"-"`
	Record  audit.RecordID `json:"-"`

	Ground    Ground `json:"ground"`
	Reference string `json:"reference,omitempty"`

	Keys    int `json:"keys"`    // destroyed
	Objects int `json:"objects"` // that nobody can read any more
	// ObjectsDigest is the SHA-256 of the objects' digests in order, each
	// followed by a new line: gavel.sealed still lists them, to be compared.
	ObjectsDigest blob.Digest   `json:"objects_sha256"`
	Listed        []blob.Digest `json:"listed,omitempty"` // the first of them
	Others        int           `json:"others"`           // other people named in some of them, who lose those, too

	Rows []Reached `json:"rows"` // what each eraser did, in order

	Exports   int        `json:"exports"`             // that hold the subject's data and had left before
	Unreached []Exported `json:"unreached,omitempty"` // the first of them; Vault.Exports lists all
}

// Bounds of what a record lists; with the most erasers it still fits.
const (
	mostListed   = 20
	mostExports  = 8
	mostErasers  = 24
	mostLeft     = 80 // bytes
	mostAttempts = 3
)

// Erase destroys every key listed for a subject, has every eraser blank its
// rows, and records both, in one transaction. It needs the act subject.erase, and
// is refused under a legal hold on the subject, on a case with their data, or on
// somebody whose data lies under the same key.
//
// Doing it again changes nothing and returns the first erasure, unless rows of
// the subject have come back meanwhile: those are blanked and recorded anew.
func (v *Vault) Erase(ctx context.Context, actor identity.Actor, req Request) (Erasure, error) {
	if err := v.may(actor, "subject.erase"); err != nil {
		return Erasure{}, err
	}
	return v.erase(ctx, actor, req)
}

// erase is Erase once it is known that the actor may.
func (v *Vault) erase(ctx context.Context, actor identity.Actor, req Request) (Erasure, error) {
	if err := req.check(); err != nil {
		return Erasure{}, err
	}
	for attempt := 1; ; attempt++ {
		done, refusal, err := v.eraseOnce(ctx, actor, req)
		if err == nil {
			return done, refusal
		}
		if !deadlocked(err) || attempt == mostAttempts {
			return Erasure{}, fmt.Errorf("erase %s: %w", req.Subject, err)
		}
	}
}

// deadlocked reports whether the server broke off our transaction because it
// and one that seals for several subjects waited for each other.
func deadlocked(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "40P01"
}

// eraseOnce does it, or returns why not. A refusal is recorded, and therefore
// committed; an error is rolled back.
func (v *Vault) eraseOnce(ctx context.Context, actor identity.Actor, req Request) (done Erasure, refusal, err error) {
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		at := v.now().UTC().Truncate(time.Microsecond)
		if err := lockAlone(ctx, tx, actor.Org, req.Subject); err != nil {
			return err
		}
		p, err := makePlan(ctx, tx, actor.Org, req.Subject)
		if err != nil {
			return err
		}
		did, holds, err := v.blank(ctx, tx, actor.Org, p, at)
		if err != nil {
			return err
		}
		if len(holds) > 0 {
			refusal = held(req.Subject, holds)
			return recordRefusal(ctx, tx, actor, req.Subject, holds, at)
		}
		if p.earlier != nil && len(p.keys) == 0 && !reachedAny(did.rows) {
			done, err = readErasure(ctx, tx, req.Subject, p.earlier.Record)
			return err
		}
		if p.exports, err = exportsAbout(ctx, tx, actor.Org, req.Subject); err != nil {
			return err
		}
		done = p.erasure(actor, req, did.rows, at)
		if err := v.commit(ctx, tx, actor, p, &done); err != nil {
			return err
		}
		return recordBlanked(ctx, tx, actor, did.blanked, done)
	})
	return done, refusal, err
}

// lockAlone waits until nobody seals anything about the subject, nobody erases
// and nobody changes a hold, and keeps it so until the transaction ends.
func lockAlone(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) error {
	if err := lockOrg(ctx, tx, org); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1, $2)`, int32(subjectLocks), lockNumber(org, s.String()))
	return err
}

func lockOrg(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1, $2)`, int32(orgLocks), lockNumber(org, ""))
	return err
}

// commit destroys the keys and writes down that it was done.
func (v *Vault) commit(ctx context.Context, tx pgx.Tx, actor identity.Actor, p plan, e *Erasure) error {
	const destroy = `
		update gavel.seal_key set master = null, wrapped = null, destroyed_at = $3
		where org = $1 and id = any($2) and destroyed_at is null`
	tag, err := tx.Exec(ctx, destroy, actor.Org, p.keys, e.At)
	if err != nil {
		return fmt.Errorf("destroy keys: %w", err)
	}
	if got := int(tag.RowsAffected()); got != len(p.keys) {
		return fmt.Errorf("%d keys were destroyed where %d are locked", got, len(p.keys))
	}
	e.Record, err = audit.Append(ctx, tx, audit.Record{
		At: e.At, Kind: audit.Erasure, Actor: actor, Subject: e.Subject.String(), Body: e})
	if err != nil {
		return err
	}
	n := 1
	if p.earlier != nil {
		n = p.earlier.N + 1
	}
	const insert = `insert into gavel.erasure (org, subject, n, at, record_id) values ($1, $2, $3, $4, $5)`
	_, err = tx.Exec(ctx, insert, actor.Org, e.Subject.String(), n, e.At, e.Record)
	return err
}
