// Package operation carries work that takes longer than a request: a server
// works on it, any server can say how far it is, and who asked for it can call it
// off and fetch what came of it.
//
// Read Desk.Start, then Desk.work. An operation is not how a case moves on: that
// is the engine's. It is for answers that take their time, such as a bundle, and
// nothing depends on it: one that is lost with its server is started again.
package operation

import (
	"context"
	"embed"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of operations.
func Migrations() postgres.MigrationSet { return postgres.Embedded("operation", migrations) }

// A State is how far an operation has come.
type State string

// The states. All but the first are ends, and stay.
const (
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Bounds of operations.
const (
	MaxFile   = 64 << 20         // bytes of a file that one makes
	maxResult = 1 << 20          // bytes of JSON
	perServer = 8                // at a time
	perActor  = 2                // at a time, on one server
	Keep      = time.Hour        // after it was started, what came of it can be fetched
	longest   = 30 * time.Minute // then it is called off
	lease     = 20 * time.Second // a server that says nothing for so long is gone
	beat      = 2 * time.Second
	lastWord  = 5 * time.Second // for writing down how it ended
)

// An Operation is one piece of long work as it stands.
type Operation struct {
	ID        string
	Kind      string
	Subject   string // what it is about
	Actor     string // id of who asked for it
	State     State
	Progress  int             // per cent
	Result    json.RawMessage // nil unless Done, or where it is a file alone
	Error     *fault.Error    // nil unless Failed
	File      *File           // nil unless it made one
	StartedAt time.Time
	EndedAt   *time.Time
	Erased    bool // what came of it was taken away, because somebody was erased
}

// A File is what an operation made to be taken away.
type File struct {
	Name, Type string
	Size       int64
	SHA256     string // in hexadecimal
}

// rules say who may do what.
type rules interface {
	May(a identity.Actor, act string) error
}

// A Config is what a Desk works with.
type Config struct {
	DB *postgres.DB
	// Acts are the kinds of operation there are, and what one must be allowed to
	// start one and to have what came of it: who has lost that right meanwhile, or
	// came in as less than they were, does not get it.
	Acts  map[string]string
	Rules rules            // nil: nobody may anything
	Now   func() time.Time // the installation's clock, for the dates people read
	// Beat is what time passes by for the work itself: a channel that ticks, and
	// how to stop it.
	Beat func(time.Duration) (<-chan time.Time, func())
	Log  *slog.Logger
}

// A Desk starts operations and answers for them. It is safe for use by many
// goroutines.
type Desk struct {
	Config
	mu      sync.Mutex
	closed  bool
	running map[string]*job // by id
	group   sync.WaitGroup
}

// A job is an operation that this server works on.
type job struct {
	org   identity.Org
	id    string
	actor string
	stop  context.CancelCauseFunc
}

// NewDesk makes a desk. Run ends its work when the server ends.
func NewDesk(c Config) *Desk {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Desk{Config: c, running: map[string]*job{}}
}

// The reasons for which work is called off.
var (
	errCancelled = fault.New(fault.Conflict, "it was cancelled")
	errClosing   = fault.New(fault.Unavailable, "the server that worked on it was stopped").WithNext("start it again")
	errTooLong   = fault.New(fault.Unavailable, "it took longer than %s and was called off", longest)
	errLost      = fault.New(fault.Unavailable, "the server that worked on it went away").WithNext("start it again")
)

// may asks whether an actor may have to do with operations of a kind.
func (d *Desk) may(a identity.Actor, kind string) error {
	act, known := d.Acts[kind]
	if !known || d.Rules == nil {
		return fault.New(fault.Refused, "nobody may do this: no operation is called %.40q, or no policies are set up", kind)
	}
	return d.Rules.May(a, act)
}

// kinds are those of which an actor may have what came of them.
func (d *Desk) kinds(a identity.Actor) []string {
	all := slices.Sorted(maps.Keys(d.Acts))
	return slices.DeleteFunc(all, func(kind string) bool { return d.may(a, kind) != nil })
}

// admit makes room for a job, within the server's and the actor's share.
func (d *Desk) admit(j *job) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := 0
	for _, other := range d.running {
		if other.org == j.org && other.actor == j.actor {
			mine++
		}
	}
	switch {
	case d.closed:
		return errClosing
	case mine >= perActor:
		return fault.New(fault.TooMany, "%d operations of yours are running already", mine).WithNext("wait for one of them, or cancel it")
	case len(d.running) >= perServer:
		return fault.New(fault.TooMany, "this server has %d operations to work on already", len(d.running))
	}
	d.running[j.id] = j
	d.group.Add(1)
	return nil
}

func (d *Desk) leave(j *job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running, j.id)
	d.group.Done()
}

// Run waits until ctx ends, then calls off everything that is running and waits
// until it is written down.
func (d *Desk) Run(ctx context.Context) error {
	<-ctx.Done()
	d.mu.Lock()
	d.closed = true
	for _, j := range d.running {
		j.stop(errClosing)
	}
	d.mu.Unlock()
	d.group.Wait()
	return nil
}
