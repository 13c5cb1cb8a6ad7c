package demo

import (
	"errors"
	"os"
	"syscall"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform/fault"
)

// hold makes sure that a folder is one demonstration's at a time: a second one would
// join the parts of the first, and take them down on leaving. What holds it is a lock
// on the folder itself, which goes with the process however that ends.
func (s *Show) hold() error {
	if s.dir == "" {
		return nil // a new folder, which nobody else knows
	}
	const next = "name another folder: gavel demo --keep DIR"
	if err := os.MkdirAll(s.dir, 0o755); err != nil { //nolint:gosec // as claim says
		return fault.From(fault.Invalid, err, "make %s", s.dir).WithNext(next)
	}
	folder, err := os.Open(s.dir)
	if err != nil {
		return fault.From(fault.Invalid, err, "open %s", s.dir).WithNext(next)
	}
	if err = syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		s.held = folder
		return nil
	}
	_ = folder.Close()
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return fault.From(fault.Internal, err, "hold %s", s.dir)
	}
	running := "a demonstration runs in " + s.dir + " already"
	if stack, err := devstack.Open(s.stackDir()); err == nil && stack.Settings()["GAVEL_PUBLIC_URL"] != "" {
		running += ", at " + stack.Settings()["GAVEL_PUBLIC_URL"] + "/"
	}
	return fault.New(fault.Conflict, "%s", running).WithNext("open that one, or name another folder: gavel demo --keep DIR")
}
