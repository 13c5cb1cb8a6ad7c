// Package devstack runs the real parts Gavel stands on, privately, on loopback:
// a PostgreSQL cluster, a Temporal server, an S3 server, a mail sink, an OIDC
// provider, a collector of traces, a simulator of a commission and Gavel itself. Development and tests use
// the same parts as an installation does, so nothing has to be pretended.
//
// Everything belongs to one data folder (.dev in the checkout by default, or in the
// module of an application that has its Gavel from a checkout): the data, the logs,
// the ports, the generated secrets and the state file that says which processes are
// ours. Up starts what is missing and is a no-op where all of it runs; Down stops
// exactly what Up started.
//
// Read Up first, then specs in spec.go: it is the table of the parts. The
// servers are built from the pinned modules under tools/ by build.go. It needs
// Linux (/proc), a Go toolchain and the binaries of PostgreSQL 15.
package devstack

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Part is one server of the stack.
type Part string

// The parts, in the order they are started.
const (
	Postgres   Part = "postgres"   // the record
	Temporal   Part = "temporal"   // the clock and the to-do list
	S3         Part = "s3"         // bytes
	Mail       Part = "mail"       // an SMTP sink with an inbox API
	IMAP       Part = "imap"       // a mailbox, for tests of mail that comes in
	OIDC       Part = "oidc"       // sign-in, with demo people
	Collector  Part = "collector"  // takes spans and keeps them in a file, for tests
	UI         Part = "ui"         // Temporal's Web UI
	Commission Part = "commission" // a simulator of a commission that takes reports
	Toxiproxy  Part = "toxiproxy"  // a connection to another part that goes wrong when asked to, for bars
	Serve      Part = "serve"      // gavel serve
	Worker     Part = "worker"     // gavel worker
)

// Parts lists every part in start order.
func Parts() []Part {
	return []Part{Postgres, Temporal, S3, Mail, IMAP, OIDC, Collector, UI, Commission, Toxiproxy, Serve, Worker}
}

// groups are names that stand for several parts.
var groups = map[string][]Part{
	"gavel": {Serve, Worker},
	// the collector, the mailbox, the UI, the simulator and what is for bars only when asked for by name
	"all": {Postgres, Temporal, S3, Mail, OIDC, Serve, Worker},
}

// ParseParts turns names into parts, in start order and with everything they
// need; "gavel" is serve and worker, "all" is everything but the
// collector and the Web UI. No
// names means PostgreSQL and Temporal.
func ParseParts(names []string) ([]Part, error) {
	if len(names) == 0 {
		return []Part{Postgres, Temporal}, nil
	}
	var asked []Part
	for _, name := range names {
		switch group, ok := groups[name]; {
		case ok:
			asked = append(asked, group...)
		case slices.Contains(Parts(), Part(name)):
			asked = append(asked, Part(name))
		default:
			return nil, fault.New(fault.Invalid, "no part is called %.40q", name).
				WithNext("the parts are %v, gavel and all", Parts())
		}
	}
	return withNeeds(asked), nil
}

// withNeeds adds what the parts need and puts all of it in start order.
func withNeeds(asked []Part) []Part {
	var all []Part
	for _, p := range slices.Backward(Parts()) { // a part needs only earlier ones
		if slices.Contains(asked, p) {
			all = append(all, p)
			asked = append(asked, specOf(p).needs...)
		}
	}
	slices.Reverse(all)
	return all
}

// Options say what Up shall bring up and where.
type Options struct {
	Dir   string    // data folder; empty means .dev in the enclosing checkout, or in an application's own module
	Parts []Part    // what is asked for; empty means PostgreSQL and Temporal
	Log   io.Writer // progress for a person; nil for none

	// InMemory keeps PostgreSQL's files in memory where there is room: for tests, which
	// make a database each, and not for what measures or ends PostgreSQL by force.
	InMemory bool

	// Notices is the address that the S3 server tells of new objects, with a name and a
	// password in it where it asks for them; empty for none. It is not kept.
	Notices string

	Gavel    string            // the program that Serve and Worker run; empty to build the checkout's, or the application's own
	Settings map[string]string // more of them for Gavel, such as a clock; not kept either
}

// Up brings up the parts asked for and what they need, waits until each really
// answers, and writes the settings file. It leaves alone what already runs and
// starts again what has died, on the same ports and data. The servers outlive
// the calling process.
func Up(ctx context.Context, o Options) (*Stack, error) {
	s, err := newStack(o)
	if err != nil {
		return nil, err
	}
	parts := o.Parts
	if len(parts) == 0 {
		parts = []Part{Postgres, Temporal}
	}
	if err := s.claim(); err != nil {
		return nil, err
	}
	err = s.locked(ctx, func() error { return s.up(ctx, withNeeds(parts)) })
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Build makes the programs of the parts asked for and what they need, and
// starts nothing. It uses no data folder.
func Build(ctx context.Context, o Options) error {
	s, err := newStack(o)
	if err != nil {
		return err
	}
	for _, p := range withNeeds(o.Parts) {
		if sp := specOf(p); sp.tool.name != "" {
			if err := s.build(ctx, sp.tool); err != nil {
				return err
			}
		}
	}
	return nil
}

// claim makes the data folder. A folder with somebody's files in it is refused,
// because reset wipes the whole of it.
func (s *Stack) claim() error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fault.From(fault.Invalid, err, "make the data folder %s", s.dir)
	}
	if s.dir == filepath.Join(s.home, defaultDir) || exists(s.lockName()) {
		return nil
	}
	inside, err := os.ReadDir(s.dir)
	if err != nil {
		return fault.From(fault.Invalid, err, "look into the data folder %s", s.dir)
	}
	if len(inside) > 0 && !exists(s.lockName()) { // another up may just have claimed it
		return fault.New(fault.Conflict, "%s holds files that are not a dev stack's", s.dir).
			WithNext("name an empty or a new folder with --dir")
	}
	return nil
}

// Open reads the stack of a data folder; it starts nothing.
func Open(dir string) (*Stack, error) {
	s, err := newStack(Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.stateFile()); err != nil {
		return nil, fault.From(fault.NotFound, err, "there is no dev stack in %s", s.dir).
			WithNext("start one: go run ./devstack/cmd/devstack up --dir %s", s.dir)
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Find opens the stack a test shall use: the one named by GAVEL_DEVSTACK, else
// the one in .dev of the enclosing checkout or application.
func Find() (*Stack, error) {
	s, err := Open(os.Getenv("GAVEL_DEVSTACK"))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if err != nil || !slices.ContainsFunc(s.Status(), func(st Status) bool { return st.Alive }) {
		return nil, fault.From(fault.NotFound, err, "no dev stack is up: run `make dev`, or run the tests with `make test`")
	}
	return s, nil
}

// defaultDir is the data folder's name in a checkout.
const defaultDir = ".dev"

// newStack resolves the folders a stack lives in and reads nothing else.
func newStack(o Options) (*Stack, error) {
	s := &Stack{dir: o.Dir, log: o.Log, told: o.Notices, gavel: o.Gavel, more: o.Settings, inMemory: o.InMemory}
	if s.log == nil {
		s.log = io.Discard
	}
	at, err := groundHere()
	if err != nil && s.dir == "" {
		return nil, err
	}
	s.ground = at // empty outside a checkout: enough to stop a stack, not to build one
	if s.dir == "" {
		s.dir = filepath.Join(s.home, defaultDir)
	}
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return nil, fault.From(fault.Invalid, err, "data folder %s", o.Dir)
	}
	return s, nil
}
