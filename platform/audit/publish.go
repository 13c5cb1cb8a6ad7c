package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

// PublishInterval is how often a publisher should be ticked: often enough that
// little can be rewritten unseen, seldom enough that copies stay few.
const PublishInterval = 10 * time.Second

// witnessTimeout bounds one message to the outside address.
const witnessTimeout = 10 * time.Second

// A Shelf is a place outside the database where checkpoints are kept under
// names, and nothing is overwritten by accident; blob.Store is one.
type Shelf interface {
	PutNamed(ctx context.Context, name string, data []byte, prev blob.ETag) (blob.ETag, error)
	GetNamed(ctx context.Context, name string) ([]byte, blob.ETag, error)
}

// latestName is the copy that moves.
const latestName = "log/latest"

// checkpointName is where the copy of a checkpoint lies for good.
func checkpointName(size int64) string { return fmt.Sprintf("log/checkpoint/%d", size) }

// A PublisherConfig says where checkpoints go.
type PublisherConfig struct {
	System  *postgres.System
	Shelf   Shelf
	Witness string // address that is sent every published checkpoint by POST; empty for none
	Logger  *slog.Logger
}

// A Publisher copies checkpoints out of the database, to people who would
// notice if the log were rewritten. Every server may run one. Its methods are
// for one goroutine at a time.
type Publisher struct {
	sys     *postgres.System
	shelf   Shelf
	witness string
	told    int64 // size of the checkpoint the witness last took
	client  *http.Client
	logger  *slog.Logger
}

// NewPublisher checks the outside address.
func NewPublisher(c PublisherConfig) (*Publisher, error) {
	if err := checkWitness(c.Witness); err != nil {
		return nil, err
	}
	return &Publisher{sys: c.System, shelf: c.Shelf, witness: c.Witness, logger: c.Logger,
		client: &http.Client{Timeout: witnessTimeout, CheckRedirect: noRedirect}}, nil
}

// noRedirect keeps checkpoints from going where nobody sent them.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// checkWitness asks for https, except on this machine. A checkpoint is public;
// that it reaches the witness unchanged is what matters.
func checkWitness(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return fault.New(fault.Invalid, "the log's outside address is malformed").WithNext("use https://host/path")
	}
	ip, _ := netip.ParseAddr(u.Hostname())
	if u.Scheme != "https" && !(u.Scheme == "http" && ip.IsLoopback()) {
		return fault.New(fault.Invalid, "the log's outside address must begin with https://")
	}
	return nil
}

// Run publishes at every tick until the context ends. Trouble is logged when it
// comes, changes and goes, and tried again, never returned: nobody waits for a
// publication.
func (p *Publisher) Run(ctx context.Context, tick <-chan time.Time) error {
	said := trouble{
		bad:  func(err error) { p.logger.ErrorContext(ctx, "the log's checkpoint is not published", "error", err) },
		good: func() { p.logger.InfoContext(ctx, "the log's checkpoints are published again") },
	}
	return ticked(ctx, tick, func() error { return p.Publish(ctx) }, &said)
}

// Publish copies the newest checkpoint to the shelf, and tells the witness. One
// that is out already is not copied again. A Conflict means that what lies
// outside contradicts this database: one of them was changed, or this one was
// restored from an older copy.
func (p *Publisher) Publish(ctx context.Context) error {
	err := p.toShelf(ctx)
	if fault.Is(err, fault.Conflict) {
		return err // and nobody else is told of another history either
	}
	return errors.Join(err, p.toWitness(ctx)) // which is tried though the shelf is away
}

// toShelf moves the pointer, then writes the copy that stays, once it is proved
// that the tree here has grown out of what is outside. The pointer goes first, so
// that nothing ever lies outside that it does not cover; the leaves go before it,
// so that they are there for whatever it covers. What is outside is read before
// what is here, so that it cannot be ahead of us in good faith.
func (p *Publisher) toShelf(ctx context.Context) error {
	o, err := readOutside(ctx, p.shelf)
	if err != nil {
		return err
	}
	c, err := Newest(ctx, p.sys)
	if fault.Is(err, fault.NotFound) && o.Tree.N == 0 {
		return nil // nothing to say yet
	}
	if fault.Is(err, fault.NotFound) {
		c.Origin, err = o.Origin, nil // whose database is empty now
	}
	if err != nil {
		return err
	}
	if o.Tree.N == 0 {
		o, err = lookAgain(ctx, p.sys, p.shelf)
	} else {
		err = o.fits(ctx, p.sys, c.Origin, c.Tree)
	}
	if err != nil {
		return err
	}
	if o.Tree.N < c.Tree.N {
		if moved, err := p.move(ctx, o, c); err != nil || !moved {
			return err
		}
	}
	if err := p.putOnce(ctx, c); err != nil {
		return err
	}
	return p.note(ctx, c)
}

// move makes a checkpoint the newest outside. Where another server has moved it
// just now the next tick looks again.
func (p *Publisher) move(ctx context.Context, o outside, c Checkpoint) (bool, error) {
	if err := putLeaves(ctx, p.sys, p.shelf, o.Tree, c.Tree); err != nil {
		return false, err
	}
	_, err := p.shelf.PutNamed(ctx, latestName, []byte(c.Note), o.version)
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// putOnce writes the copy that stays. If there is one it must be the same.
func (p *Publisher) putOnce(ctx context.Context, c Checkpoint) error {
	_, err := p.shelf.PutNamed(ctx, checkpointName(c.Tree.N), []byte(c.Note), blob.Absent)
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	found, _, err := p.shelf.GetNamed(ctx, checkpointName(c.Tree.N))
	if err != nil {
		return fmt.Errorf("read the published checkpoint: %w", err)
	}
	if !bytes.Equal(found, []byte(c.Note)) {
		return fault.New(fault.Conflict, "the published checkpoint of %d entries is not the one in this database: one of them was changed",
			c.Tree.N).
			WithNext("stop writing and compare: gavel audit fsck")
	}
	return nil
}

// note remembers what is outside, so that fsck knows what to look for. Numbers
// have no gaps: the lock is the log's own.
func (p *Publisher) note(ctx context.Context, c Checkpoint) error {
	return p.sys.InTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(lockKey)+1); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, listPublished, c.Tree.N); err != nil {
			return fmt.Errorf("note the publication of checkpoint %d: %w", c.Tree.N, err)
		}
		return nil
	})
}

// toWitness sends the newest checkpoint to the outside address, once for each
// size. A witness that does not answer is told the newest one when it does.
func (p *Publisher) toWitness(ctx context.Context) error {
	if p.witness == "" {
		return nil
	}
	c, err := Newest(ctx, p.sys)
	if fault.Is(err, fault.NotFound) || err == nil && c.Tree.N <= p.told {
		return nil
	}
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.witness, strings.NewReader(c.Note))
	if err != nil {
		return fmt.Errorf("tell the witness: %w", err)
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := p.client.Do(req)
	if err != nil {
		return fault.From(fault.Unavailable, err, "the log's outside address does not answer")
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fault.New(fault.Unavailable, "the log's outside address answers %s", resp.Status)
	}
	p.told = c.Tree.N
	return nil
}
