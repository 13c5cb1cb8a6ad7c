package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// A SenderConfig is what a Sender needs. Times are real ones, whatever the
// installation's clock: they are about mail servers and processes. Zero means what
// stands beside the field.
type SenderConfig struct {
	Post   *Post
	System *postgres.System // finds mails that are due, of every organisation
	Acts   *act.Store
	Cases  *casefile.Store // knows the workflows that are told how mails end; nil: none is
	Sink   Sink
	Logger *slog.Logger

	AtOnce       int           // mails under way at a time; 8
	SendTimeout  time.Duration // of one handing over; 1 minute
	Settle       time.Duration // after which nothing of a broken connection is on its way any more; 2 minutes
	FirstBackoff time.Duration // doubled with each try, more or less; 15 seconds
	MostBackoff  time.Duration // 30 minutes
	GiveUp       time.Duration // how long a mail that is not taken is tried; 3 days
}

// A Sender takes mails to a sink, each once. Several may run at once, in one
// process or many.
type Sender struct {
	SenderConfig
}

// SendInterval is how often to give Run its tick.
const SendInterval = time.Second

// heldEvery is how often a mail that a pause holds looks whether it still does.
const heldEvery = time.Minute

// NewSender makes a sender.
func NewSender(c SenderConfig) *Sender {
	for _, d := range []struct {
		field *time.Duration
		usual time.Duration
	}{
		{&c.SendTimeout, time.Minute}, {&c.Settle, 2 * time.Minute}, {&c.FirstBackoff, 15 * time.Second},
		{&c.MostBackoff, 30 * time.Minute}, {&c.GiveUp, 72 * time.Hour},
	} {
		if *d.field <= 0 {
			*d.field = d.usual
		}
	}
	if c.AtOnce <= 0 {
		c.AtOnce = 8
	}
	return &Sender{c}
}

// Run sends what is due, at every tick, until the context ends. Trouble is logged
// and tried again, never returned. What is under way then is finished.
func (s *Sender) Run(ctx context.Context, tick <-chan time.Time) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
		for ctx.Err() == nil {
			n, err := s.Pass(ctx)
			if err != nil && ctx.Err() == nil {
				s.Logger.ErrorContext(ctx, "mails that are due cannot be read", "error", err)
			}
			if err != nil || n < s.AtOnce {
				break
			}
		}
	}
}

// Pass sends one batch of what is due and says how many mails it took up.
func (s *Sender) Pass(ctx context.Context) (int, error) {
	jobs, err := s.claim(ctx)
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, j := range jobs {
		wg.Go(func() {
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.lease()*9/10)
			defer stop()
			if err := s.carry(ctx, j); err != nil {
				s.Logger.WarnContext(ctx, "a mail could not be brought further; it is tried again", "mail", j.ID, "try", j.Tries,
					"error", err)
			}
		})
	}
	wg.Wait()
	return len(jobs), nil
}

// lease is how long whoever has taken up a mail may be silent. It is longer than
// the handing over and than anything of it can be on its way: who comes after may
// believe the other side's "no".
func (s *Sender) lease() time.Duration { return 2*s.SendTimeout + s.Settle }

// A job is a mail that was taken up.
type job struct {
	Org        identity.Org
	ID         string
	HasCase    bool
	ArgsSHA256 string
	Tries      int
	Begun      bool    // somebody before us may have handed it over
	Age        float64 // seconds since the first try began
	Quiet      float64 // seconds since the latest try before this one began
	fence      int64   // of its act
	repeat     bool    // the other side may have it, and tells a repeat
	held       bool    // a pause kept it from being tried
	doubted    bool    // the other side may have it under another key
	why        string  // nobody is sure of it; empty: the connection broke
}

// claim takes up mails that are due.
func (s *Sender) claim(ctx context.Context) ([]job, error) {
	const claim = `
		with due as materialized (
			select org, id, state, last_try_at from gavel.mail where state in ('queued', 'sending') and due_at <= clock_timestamp()
			order by due_at limit $1 for update skip locked)
		update gavel.mail m set state = 'sending', tries = m.tries + 1, due_at = clock_timestamp() + make_interval(secs => $2),
			first_try_at = coalesce(m.first_try_at, clock_timestamp()), last_try_at = clock_timestamp()
		from due where m.org = due.org and m.id = due.id
		returning m.org, m.id, m.case_id is not null, m.args_sha256, m.tries, due.state = 'sending',
			extract(epoch from clock_timestamp() - m.first_try_at)::float8,
			coalesce(extract(epoch from clock_timestamp() - due.last_try_at), 0)::float8`
	rows, err := s.System.Query(ctx, claim, s.AtOnce, s.lease().Seconds())
	if err != nil {
		return nil, fmt.Errorf("take up mails: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (j job, err error) {
		err = row.Scan(&j.Org, &j.ID, &j.HasCase, &j.ArgsSHA256, &j.Tries, &j.Begun, &j.Age, &j.Quiet)
		return j, err
	})
}

// carry brings one mail as far as it will go now.
func (s *Sender) carry(ctx context.Context, j job) error {
	if j.HasCase {
		claim, err := s.Acts.Begin(ctx, j.Org, j.ID, j.ArgsSHA256, s.lease())
		switch {
		case fault.Is(err, fault.Unavailable): // another sender has it still, or the database is away
			return err
		case err != nil:
			return fmt.Errorf("begin mail %s: %w", j.ID, err)
		case claim.Standing == act.Held:
			j.held = !j.Begun && claim.Act.State != act.Running
			return s.putBack(ctx, j, Queued, heldEvery, "A pause is on.")
		case claim.Standing == act.Ended: // its end is on record, in one transaction with the mail's
			return nil
		}
		j.fence, j.Begun, j.doubted, j.why = claim.Fence, claim.Standing == act.Unsure, claim.Doubted, claim.Act.Reason
	}
	if j.Begun {
		again, err := s.ask(ctx, &j)
		if err != nil || !again {
			return err
		}
	}
	return s.send(ctx, j)
}

// send hands a mail over, of which it is certain that nobody has, or that the
// other side tells a repeat.
func (s *Sender) send(ctx context.Context, j job) error {
	var m Mail
	var c Content
	err := s.Post.db.InOrg(ctx, j.Org, func(tx pgx.Tx) (err error) {
		m, c, err = s.Post.Open(ctx, tx, j.Org, j.ID)
		return err
	})
	switch {
	case errors.Is(err, seal.ErrErased):
		return s.end(ctx, j, Undeliverable, "The recipient's data was erased before it was sent.")
	case err != nil:
		return errors.Join(err, s.release(ctx, j, Queued, s.backoff(j), "It could not be read."))
	}
	limited, stop := context.WithTimeout(ctx, s.SendTimeout)
	defer stop()
	err = s.Sink.Send(limited, s.Post.message(m, c))
	if err == nil {
		return s.end(ctx, j, Sent, "")
	}
	f := fateOf(err)
	s.Logger.InfoContext(ctx, "a mail was not answered for", "mail", j.ID, "try", j.Tries, "error", err)
	switch {
	case f.Fate == Never && j.repeat: // of this one; of the first nobody knows
		return s.end(ctx, j, Unknown, f.Words)
	case f.Fate == Never:
		return s.end(ctx, j, Undeliverable, f.Words)
	case f.Fate == Later && j.repeat:
		return s.release(ctx, j, Sending, s.backoff(j), f.Words)
	case f.Fate == Later:
		if j.Age >= s.GiveUp.Seconds() {
			return s.end(ctx, j, Undeliverable, "Not taken within "+s.GiveUp.String()+". "+f.Words)
		}
		return s.release(ctx, j, Queued, s.backoff(j), f.Words)
	}
	return s.unsure(ctx, j, f.Words)
}

// unsure leaves a mail that may have been taken to whoever can find out, or ends
// it as unknown.
func (s *Sender) unsure(ctx context.Context, j job, words string) error {
	_, asks := s.Sink.(Asker)
	if _, repeats := s.Sink.(Repeater); repeats || asks {
		return s.release(ctx, j, Sending, max(s.Settle, s.backoff(j)), words)
	}
	return s.end(ctx, j, Unknown, words)
}

// ask finds out about a mail that somebody may have handed over. It reports
// whether it may be handed over now; where not, the mail has ended or waits.
func (s *Sender) ask(ctx context.Context, mine *job) (again bool, err error) {
	j := *mine
	cut := cmp.Or(j.why, "The connection broke before the mail server had answered.")
	if r, ok := s.Sink.(Repeater); ok && !j.doubted && j.Age < (r.RepeatsFor()-s.lease()).Seconds() {
		mine.repeat = true
		return true, nil
	}
	asker, ok := s.Sink.(Asker)
	if !ok {
		return false, s.end(ctx, j, Unknown, cut)
	}
	m, err := s.Post.Get(ctx, j.Org, j.ID)
	if err != nil {
		return false, err
	}
	limited, stop := context.WithTimeout(ctx, s.SendTimeout)
	defer stop()
	there, err := asker.Has(limited, m.MessageID)
	switch {
	case err != nil && j.Age < s.GiveUp.Seconds():
		return false, s.release(ctx, j, Sending, max(s.Settle, s.backoff(j)), cut)
	case err != nil:
		return false, s.end(ctx, j, Unknown, cut+" It could not be asked within "+s.GiveUp.String()+".")
	case there:
		return false, s.end(ctx, j, Sent, "")
	case j.doubted:
		return false, s.end(ctx, j, Unknown, cut)
	case j.Quiet < s.Settle.Seconds(): // something of it may be on its way
		return false, s.release(ctx, j, Sending, s.Settle, cut)
	}
	return true, nil
}

// backoff is how long to wait before another try: as long as it was tried so far,
// so that the time doubles. How often it was taken up says nothing: a pause does
// that, too.
func (s *Sender) backoff(j job) time.Duration {
	return min(max(s.FirstBackoff, time.Duration(j.Age*float64(time.Second))), s.MostBackoff)
}
