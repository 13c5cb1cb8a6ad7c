package devstack

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// up brings up parts, which are in start order with all they need.
func (s *Stack) up(ctx context.Context, parts []Part) error {
	if err := os.Chmod(s.dir, 0o755); err != nil { // PostgreSQL's account passes through it
		return fault.From(fault.Invalid, err, "open the data folder %s", s.dir)
	}
	if err := s.fillSecrets(); err != nil {
		return err
	}
	defer s.letGo()
	// Gavel's own port is part of its public address, which sign-in must know
	// whether or not Gavel runs yet.
	for _, p := range append([]Part{Serve}, parts...) {
		if err := s.reservePorts(p); err != nil {
			return err
		}
	}
	if err := s.save(); err != nil {
		return err
	}
	for _, p := range parts { // the long work first, so that servers do not idle meanwhile
		if err := specOf(p).built(ctx, s); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if err := s.bringUp(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// bringUp makes one part run and answer. What runs already is only asked
// whether it answers, unless a newer program is to be run.
func (s *Stack) bringUp(ctx context.Context, p Part) error {
	sp := specOf(p)
	version, err := sp.versioned(ctx, s)
	if err != nil {
		return err
	}
	rec := s.state.Parts[p]
	if rec.alive() && rec.Version != version {
		s.say("%s has changed", p)
		if err := s.stop(ctx, p); err != nil {
			return err
		}
	}
	if !rec.alive() {
		if rec, err = s.launch(ctx, p, version); err != nil {
			return err
		}
	}
	if err := s.awaitAnswer(ctx, p, rec); err != nil {
		return err
	}
	if !rec.Settled {
		if err := sp.settled(ctx, s); err != nil {
			return fmt.Errorf("set up %s: %w", p, err)
		}
		rec.Settled = true
		s.state.Parts[p] = rec
		if err := s.save(); err != nil {
			return err
		}
	}
	return s.writeSettings()
}

// launch starts a part's server and writes down that it is ours.
func (s *Stack) launch(ctx context.Context, p Part, version string) (record, error) {
	sp := specOf(p)
	s.say("starting %s", p)
	if err := os.MkdirAll(s.path("log"), 0o755); err != nil {
		return record{}, fault.From(fault.Internal, err, "make the log folder")
	}
	if err := sp.prepared(ctx, s); err != nil {
		return record{}, fmt.Errorf("prepare %s: %w", p, err)
	}
	cmd, err := sp.command(ctx, s)
	if err != nil {
		return record{}, err
	}
	if cmd.dir == "" {
		cmd.dir = s.dir
	}
	rec := record{Version: version, Log: s.path("log", string(p)+".log"), Addresses: map[string]string{}}
	for _, name := range sp.ports {
		rec.Addresses[name] = s.address(p, name)
	}
	if rec.LogStart, err = rotate(rec.Log); err != nil {
		return record{}, err
	}
	if rec.process, err = cmd.launch(rec.Log); err != nil {
		return record{}, err
	}
	s.state.Parts[p] = rec
	return rec, s.save()
}

// awaitAnswer waits until a part does its work. A server that ends, or stays
// silent longer than its patience, is an error that shows the end of its log.
func (s *Stack) awaitAnswer(ctx context.Context, p Part, rec record) error {
	sp := specOf(p)
	start := time.Now()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		try, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := sp.answers(try, s)
		cancel()
		switch {
		case err == nil && rec.alive():
			return nil
		case ctx.Err() != nil:
			return fault.From(fault.Unavailable, ctx.Err(), "wait for %s", p)
		case !rec.alive():
			return fault.From(fault.Unavailable, err, "%s ended while starting; its log %s ends with:\n%s",
				p, rec.Log, rec.tail())
		case time.Since(start) > sp.patience:
			return fault.From(fault.Unavailable, err, "%s does not answer after %s; its log %s ends with:\n%s",
				p, sp.patience, rec.Log, rec.tail())
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// maxLog is the size in bytes at which a log is put aside when its server
// starts; one old log is kept.
const maxLog = 32 << 20

// rotate returns where in the log the next output will begin.
func rotate(name string) (start int64, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return 0, nil // no log yet
	case info.Size() < maxLog:
		return info.Size(), nil
	}
	if err := os.Rename(name, name+".old"); err != nil {
		return 0, fault.From(fault.Internal, err, "put aside the log %s", name)
	}
	return 0, nil
}

// maxOutput bounds how much of a log is read back, in bytes.
const maxOutput = 1 << 20

// output is what the process has written since it was started.
func (r record) output() []byte {
	f, err := os.Open(r.Log)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, _ := io.ReadAll(io.NewSectionReader(f, r.LogStart, maxOutput)) // what could be read is what there is
	return data
}

// tail is the end of that, for error messages.
func (r record) tail() string { return lastLines(string(r.output()), 12) }
