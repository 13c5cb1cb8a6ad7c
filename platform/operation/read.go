package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

var idForm = regexp.MustCompile(`^op_[0-9A-HJKMNP-TV-Z]{26}$`)

func noSuch(id string) error {
	return fault.New(fault.NotFound, "no operation of yours is called %.40q", id)
}

const columns = `id, kind, subject, actor_id, state, progress, coalesce(result, ''), error_code, error_text, error_next,
	file_name, file_type, file_size, file_sha256, started_at, ended_at, erased, lease_until < now()`

func scan(row pgx.CollectableRow) (Operation, error) {
	var o Operation
	var result, code, text, next string
	var f File
	var lost bool
	err := row.Scan(&o.ID, &o.Kind, &o.Subject, &o.Actor, &o.State, &o.Progress, &result, &code, &text, &next,
		&f.Name, &f.Type, &f.Size, &f.SHA256, &o.StartedAt, &o.EndedAt, &o.Erased, &lost)
	if err != nil {
		return Operation{}, err
	}
	if result != "" {
		o.Result = []byte(result)
	}
	if f.Name != "" && !o.Erased {
		o.File = &f
	}
	switch {
	case o.State == Failed:
		o.Error = &fault.Error{Kind: kindOf(code), Text: text, Next: next}
	case o.State == Running && lost: // nobody will write its end down
		o.State, o.Error = Failed, errLost
	}
	return o, nil
}

func kindOf(code string) fault.Kind {
	for _, k := range fault.Kinds() {
		if k.Code() == code {
			return k
		}
	}
	return fault.Internal
}

// Get reads an operation of the actor's own, if they may still have what came of
// it. Any other is not found: what comes of one is for who asked for it.
func (d *Desk) Get(ctx context.Context, actor identity.Actor, id string) (o Operation, err error) {
	if o, err = d.own(ctx, actor, id); err != nil {
		return o, err
	}
	if err := d.may(actor, o.Kind); err != nil {
		return Operation{}, err
	}
	return o, nil
}

// own reads an operation of the actor's own, whatever they may now.
func (d *Desk) own(ctx context.Context, actor identity.Actor, id string) (o Operation, err error) {
	if !actor.Known() {
		return o, fault.New(fault.SignIn, "sign in to see your operations")
	}
	if !idForm.MatchString(id) {
		return o, noSuch(id)
	}
	const one = `select ` + columns + ` from gavel.operation where org = $1 and id = $2 and actor_id = $3 and keep_until > now()`
	err = d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, actor.Org, id, actor.ID)
		o, err = pgx.CollectOneRow(rows, scan)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return o, noSuch(id)
	}
	return o, err
}

// lookEvery is how often somebody who waits is told.
const lookEvery = 200 * time.Millisecond

// Wait reads an operation, and where it is running waits for its end, for so long
// at most.
func (d *Desk) Wait(ctx context.Context, actor identity.Actor, id string, most time.Duration) (Operation, error) {
	o, err := d.Get(ctx, actor, id)
	if err != nil || o.State != Running || most <= 0 {
		return o, err
	}
	beats, quiet := d.Beat(lookEvery)
	defer quiet()
	for left := most; left > 0 && o.State == Running; left -= lookEvery {
		select {
		case <-ctx.Done():
			return o, context.Cause(ctx)
		case <-beats:
		}
		if o, err = d.Get(ctx, actor, id); err != nil {
			return o, err
		}
	}
	return o, nil
}

// List reads the actor's newest operations, of the kinds that they may still have,
// and the token of the next page.
func (d *Desk) List(ctx context.Context, actor identity.Actor, before string, limit int) (list []Operation, next string, err error) {
	if limit == 0 {
		limit = 50
	}
	if limit < 0 || limit > 200 {
		return nil, "", fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", limit)
	}
	if before != "" && !idForm.MatchString(before) {
		return nil, "", fault.New(fault.Invalid, "the page token %.40q is not one of ours", before)
	}
	const page = `select ` + columns + ` from gavel.operation
		where org = $1 and actor_id = $2 and ($3 = '' or id < $3) and kind = any ($5) and keep_until > now() order by id desc limit $4`
	err = d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, actor.ID, before, limit+1, d.kinds(actor))
		list, err = pgx.CollectRows(rows, scan)
		return err
	})
	if len(list) > limit {
		list = list[:limit]
		next = list[limit-1].ID
	}
	return list, next, err
}

// Cancel calls an operation off, wherever it runs; it ends within a few seconds.
// Who started it may, whatever they may now: it gives them nothing. One that has
// ended is a Conflict.
func (d *Desk) Cancel(ctx context.Context, actor identity.Actor, id string) (Operation, error) {
	if actor.Viewing != "" {
		return Operation{}, fault.New(fault.Refused, "who looks as another role changes nothing").WithNext("end the view, then cancel it")
	}
	o, err := d.own(ctx, actor, id)
	if err != nil {
		return o, err
	}
	if o.State != Running {
		return Operation{}, fault.New(fault.Conflict, "%s is %s already", id, o.State)
	}
	const call = `update gavel.operation set cancel = true where org = $1 and id = $2 and state = 'running'`
	err = d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, call, actor.Org, id)
		return err
	})
	if err != nil {
		return o, fmt.Errorf("cancel %s: %w", id, err)
	}
	d.mu.Lock()
	if j := d.running[id]; j != nil { // here: no need to wait for its beat
		j.stop(errCancelled)
	}
	d.mu.Unlock()
	return o, nil
}

// WriteFile writes out the file that an operation made: all of it, or an error.
func (d *Desk) WriteFile(ctx context.Context, actor identity.Actor, o Operation, w io.Writer) error {
	const piece = `select bytes from gavel.operation_piece where org = $1 and operation = $2 and n = $3`
	for n, left := 0, o.File.Size; left > 0; n++ {
		var b []byte
		err := d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, piece, actor.Org, o.ID, n).Scan(&b) })
		if err != nil {
			return fmt.Errorf("piece %d of the file of %s: %w", n, o.ID, err)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		left -= int64(len(b))
	}
	return nil
}

// Purge removes operations of all organisations whose hour has passed, with what
// came of them, and returns how many.
func Purge(ctx context.Context, sys *postgres.System) (int64, error) {
	tag, err := sys.Exec(ctx, `delete from gavel.operation where keep_until < now()`)
	return tag.RowsAffected(), err
}

// Eraser takes away what came of every operation, whoever is erased, and
// calls off those that run: which of them name the person is not known, and any
// can be started again.
func Eraser() seal.Eraser {
	const blank = `update gavel.operation set result = null, erased = true, cancel = state = 'running'
		where not erased and (result is not null or file_size > 0 or state = 'running')`
	return seal.Eraser{Name: "operation", Erase: func(ctx context.Context, tx pgx.Tx, _ seal.Subject, _ time.Time) (seal.Reach, error) {
		if _, err := tx.Exec(ctx, `delete from gavel.operation_piece`); err != nil {
			return seal.Reach{}, err
		}
		tag, err := tx.Exec(ctx, blank)
		return seal.Reach{Rows: int(tag.RowsAffected())}, err
	}}
}
