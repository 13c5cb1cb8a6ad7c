package devstack

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// lockFile takes an exclusive lock on a file, making it where it is missing.
// It calls waiting once if another process holds the lock. The kernel drops the
// lock when the holder dies, so a crash never leaves one behind.
func lockFile(ctx context.Context, name string, waiting func()) (unlock func(), err error) {
	for said := false; ; {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fault.From(fault.NotFound, err, "lock %s", name)
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && sameFile(f, name) {
			return func() { f.Close() }, nil
		}
		f.Close()
		switch {
		case err == nil: // the file was wiped while we waited: lock the new one
			continue
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, fault.From(fault.Internal, err, "lock %s", name)
		case !said:
			said = true
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, fault.From(fault.Unavailable, ctx.Err(), "wait for the lock %s", name)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// sameFile reports whether the open file is still the one under its name.
func sameFile(f *os.File, name string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(held, named)
}
