package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Stack is the parts that live in one data folder. Its methods may be called
// from several goroutines and processes; a lock on the folder orders them.
type Stack struct {
	dir    string            // data folder, absolute
	ground                   // where it is used
	log    io.Writer         // progress
	told   string            // whom the S3 server tells of new objects; empty for nobody
	gavel  string            // the program of ours that is run; empty for the checkout's
	more   map[string]string // settings of ours that no part comes with

	inMemory bool // whether a new cluster is kept in memory

	mu      sync.Mutex // guards what follows
	state   state
	secrets map[string]string
	held    []int // sockets that keep ports from others until their servers have them
}

// Dir is the data folder.
func (s *Stack) Dir() string { return s.dir }

// Status says how each part that was ever started in the folder is now.
func (s *Stack) Status() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Status
	for _, p := range Parts() {
		if rec, ok := s.state.Parts[p]; ok {
			all = append(all, Status{Part: p, Alive: rec.alive(), record: rec})
		}
	}
	return all
}

// A Status is a part as the state file and /proc know it.
type Status struct {
	Part  Part `json:"part"`
	Alive bool `json:"alive"`
	record
}

// Start starts a part again on the same port and data, and waits until it
// answers. It is a no-op when the part runs.
func (s *Stack) Start(ctx context.Context, p Part) error {
	return s.locked(ctx, func() error { return s.bringUp(ctx, p) })
}

// Stop ends a part in an orderly way and keeps its data.
func (s *Stack) Stop(ctx context.Context, p Part) error {
	return s.locked(ctx, func() error { return s.stop(ctx, p) })
}

// Kill ends a part with SIGKILL, as a crash would, and keeps its data.
func (s *Stack) Kill(p Part) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return s.locked(ctx, func() error {
		return s.state.Parts[p].end(ctx, syscall.SIGKILL, killPatience)
	})
}

// Down stops every part, the last started first, and verifies that none of
// their processes is left. The data stays.
func (s *Stack) Down(ctx context.Context) error {
	return s.locked(ctx, func() error { return s.down(ctx) })
}

// Remove stops every part and wipes the data folder.
func (s *Stack) Remove(ctx context.Context) error {
	return s.locked(ctx, func() error {
		if err := s.down(ctx); err != nil {
			return err
		}
		if home := s.state.PostgresHome; home != "" && home != s.dir {
			if err := os.RemoveAll(home); err != nil {
				return fault.From(fault.Internal, err, "wipe %s", home)
			}
		}
		if err := os.RemoveAll(s.dir); err != nil {
			return fault.From(fault.Internal, err, "wipe %s", s.dir)
		}
		return nil
	})
}

// down stops all parts; the folder is locked.
func (s *Stack) down(ctx context.Context) error {
	var errs []error
	for _, p := range slices.Backward(Parts()) {
		if _, ok := s.state.Parts[p]; ok {
			errs = append(errs, s.stop(ctx, p))
		}
	}
	for p, rec := range s.state.Parts {
		if rec.alive() {
			errs = append(errs, fault.New(fault.Conflict, "%s is still running, pid %d", p, rec.PID))
		}
	}
	return errors.Join(errs...)
}

// stop ends one part; the folder is locked.
func (s *Stack) stop(ctx context.Context, p Part) error {
	rec := s.state.Parts[p]
	if rec.alive() {
		s.say("stopping %s (pid %d)", p, rec.PID)
	}
	if err := rec.end(ctx, specOf(p).signal(), stopPatience); err != nil {
		return fmt.Errorf("stop %s: %w", p, err)
	}
	if p == Postgres {
		return s.awaitBackendsGone(ctx)
	}
	return nil
}

// locked runs f while no other command works on the data folder, with the
// state as the folder has it now.
func (s *Stack) locked(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := lockFile(ctx, s.lockName(), func() {
		s.say("another devstack command is at work on %s; waiting for it", s.dir)
	})
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.load(); err != nil {
		return err
	}
	return f()
}

func (s *Stack) lockName() string { return s.path("lock") }

// Addresses are the host:port pairs of a part by name; the first name of each
// part is the one its clients use.
func (s *Stack) Addresses(p Part) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.state.Parts[p].Addresses)
}

// say tells a person what is being done.
func (s *Stack) say(format string, args ...any) {
	fmt.Fprintf(s.log, "devstack: "+format+"\n", args...)
}

// path is a file in the data folder.
func (s *Stack) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// Endpoints are the addresses of a part as a person or a client uses them.
func (s *Stack) Endpoints(p Part) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, e := range specOf(p).endpoints {
		all = append(all, e.before+s.address(p, e.port)+e.after)
	}
	return all
}
