package operation

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Work is what an operation does. It returns what came of it, as something that
// becomes JSON. It ends soon after its context does.
type Work func(ctx context.Context, p *Pen) (any, error)

// Start begins an operation and returns at once. It lives on when the request
// that started it ends.
func (d *Desk) Start(ctx context.Context, actor identity.Actor, kind, subject string, work Work) (Operation, error) {
	if !actor.Known() {
		return Operation{}, fault.New(fault.SignIn, "sign in to start an operation")
	}
	if err := d.may(actor, kind); err != nil {
		return Operation{}, err
	}
	now := d.Now().UTC().Truncate(time.Microsecond)
	id := "op_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
	own, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	j := &job{org: actor.Org, id: id, actor: actor.ID, stop: stop}
	if err := d.admit(j); err != nil {
		stop(nil)
		return Operation{}, err
	}
	const insert = `
		insert into gavel.operation (org, id, kind, subject, actor_id, lease_until, started_at, keep_until)
		values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6), $7, now() + make_interval(secs => $8))`
	err := d.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, actor.Org, id, kind, subject, actor.ID, lease.Seconds(), now, Keep.Seconds())
		return err
	})
	if err != nil {
		stop(nil)
		d.leave(j)
		return Operation{}, fmt.Errorf("start an operation: %w", err)
	}
	go d.work(own, j, work)
	return Operation{ID: id, Kind: kind, Subject: subject, Actor: actor.ID, State: Running, StartedAt: now}, nil
}

// work runs a job to its end and writes the end down.
func (d *Desk) work(ctx context.Context, j *job, work Work) {
	defer d.leave(j)
	defer j.stop(nil)
	pen := &Pen{desk: d, job: j, sum: sha256.New()}
	type end struct {
		result any
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		result, err := guarded(ctx, pen, work)
		ended <- end{result, err}
	}()
	beats, quiet := d.Beat(beat)
	defer quiet()
	for n := 0; ; n++ {
		select {
		case e := <-ended:
			if err := context.Cause(ctx); err != nil && ctx.Err() != nil {
				e.err = err
			}
			d.close(ctx, j, pen, e.result, e.err)
			return
		case <-beats:
			if time.Duration(n)*beat > longest {
				j.stop(errTooLong)
			} else if called, err := d.tick(ctx, j, pen.percent()); err == nil && called {
				j.stop(errCancelled)
			}
		}
	}
}

// guarded makes a panic an error: it would end the server.
func guarded(ctx context.Context, pen *Pen, work Work) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in an operation: %v", p)
		}
	}()
	return work(ctx, pen)
}

// tick says that the job is alive and how far it is, and reports whether it was
// called off.
func (d *Desk) tick(ctx context.Context, j *job, percent int) (called bool, err error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer stop()
	const alive = `update gavel.operation set lease_until = now() + make_interval(secs => $3), progress = $4
		where org = $1 and id = $2 and state = 'running' returning cancel`
	err = d.DB.InOrg(ctx, j.org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, alive, j.org, j.id, lease.Seconds(), percent).Scan(&called)
	})
	return called, err
}

// close writes an end down. The words of an error without a kind are ours, and
// go to the log only.
func (d *Desk) close(ctx context.Context, j *job, pen *Pen, result any, failed error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), lastWord)
	defer stop()
	state, text := Done, []byte(nil)
	if failed == nil {
		failed = pen.flush(ctx)
	}
	if failed == nil && result != nil {
		if text, failed = json.Marshal(result); failed == nil && len(text) > maxResult {
			failed = fault.New(fault.TooLarge, "what came of it has %d bytes; the most is %d", len(text), maxResult)
		}
	}
	var code, words, next string
	switch {
	case errors.Is(failed, errCancelled):
		state, text = Cancelled, nil
	case failed != nil:
		state, text = Failed, nil
		code = fault.KindOf(failed).Code()
		words, next = fault.Words(failed)
		d.Log.WarnContext(ctx, "an operation failed", slog.String("operation", j.id), slog.String("fault", code), slog.Any("error", failed))
	}
	if err := d.writeEnd(ctx, j, pen, state, text, code, words, next); err != nil {
		d.Log.ErrorContext(ctx, "the end of an operation was not written down", slog.String("operation", j.id), slog.Any("error", err))
	}
}

func (d *Desk) writeEnd(ctx context.Context, j *job, pen *Pen, state State, result []byte, code, words, next string) error {
	const end = `
		update gavel.operation set state = $3, ended_at = $4, result = $5, progress = case when $3 = 'done' then 100 else progress end,
			error_code = $6, error_text = left($7, 2000), error_next = left($8, 500),
			file_name = $9, file_type = $10, file_size = $11, file_sha256 = $12
		where org = $1 and id = $2 and state = 'running'`
	var body *string
	if result != nil {
		text := string(result)
		body = &text
	}
	f := pen.made(state)
	return d.DB.InOrg(ctx, j.org, func(tx pgx.Tx) error {
		var called bool
		const look = `select cancel from gavel.operation where org = $1 and id = $2 for update`
		if err := tx.QueryRow(ctx, look, j.org, j.id).Scan(&called); err != nil {
			return err
		}
		if called && state == Done { // somebody wanted none of it, and was not heard in time
			state, body, f = Cancelled, nil, File{}
		}
		if state != Done {
			if _, err := tx.Exec(ctx, `delete from gavel.operation_piece where org = $1 and operation = $2`, j.org, j.id); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, end, j.org, j.id, state, d.Now().UTC(), body, code, words, next, f.Name, f.Type, f.Size, f.SHA256)
		return err
	})
}

// A Pen is what work writes with: how far it is, and the file it makes.
type Pen struct {
	desk *Desk
	job  *job

	progress progress
	file     File
	n        int
	size     int64
	sum      hash.Hash
	rest     bytes.Buffer
}

// Progress says how far the work is, in per cent.
func (p *Pen) Progress(percent int) { p.progress.set(percent) }

func (p *Pen) percent() int { return p.progress.get() }

// File says what the bytes that are written are.
func (p *Pen) File(name, mediaType string) { p.file = File{Name: name, Type: mediaType} }

// pieceSize is how much of a file goes into one row.
const pieceSize = 1 << 20

// Put adds bytes to the file that the operation makes.
func (p *Pen) Put(ctx context.Context, b []byte) error {
	if p.size += int64(len(b)); p.size > MaxFile {
		return fault.New(fault.TooLarge, "the file has over %d MiB", MaxFile>>20).
			WithNext("ask for it without Prefer: respond-async; it is then sent as it is made")
	}
	p.sum.Write(b)
	for len(b) > 0 {
		k := min(len(b), pieceSize-p.rest.Len())
		p.rest.Write(b[:k])
		b = b[k:]
		if p.rest.Len() == pieceSize {
			if err := p.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes a piece.
func (p *Pen) flush(ctx context.Context) error {
	if p.rest.Len() == 0 {
		return nil
	}
	const insert = `insert into gavel.operation_piece (org, operation, n, bytes) values ($1, $2, $3, $4)`
	err := p.desk.DB.InOrg(ctx, p.job.org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, p.job.org, p.job.id, p.n, p.rest.Bytes())
		return err
	})
	p.n++
	p.rest.Reset()
	return err
}

// made is the file, once it is whole.
func (p *Pen) made(state State) File {
	if state != Done || p.file.Name == "" {
		return File{}
	}
	f := p.file
	f.Size, f.SHA256 = p.size, hex.EncodeToString(p.sum.Sum(nil))
	return f
}
