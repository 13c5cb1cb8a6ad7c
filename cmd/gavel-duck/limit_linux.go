package main

import (
	"errors"
	"syscall"
)

// least is what the program needs to begin at all, in bytes: Go alone sets some 700 MB of addresses aside, most of which it never touches.
const least = 1280 << 20

// limit is the wall: beyond it the machine gives no memory, whatever DuckDB thinks of its own limit. Nothing is written to a file, and
// no core is left behind, which would hold the tables.
func limit(bytes uint64) error {
	if bytes < least {
		return errors.New("too little to begin with")
	}
	for what, most := range map[int]uint64{syscall.RLIMIT_AS: bytes, syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0, syscall.RLIMIT_NOFILE: 64} {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}
