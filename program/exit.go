package program

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// The exit codes. Scripts rely on them: they never change their meaning.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitSignIn      = 4
	exitRefused     = 5
	exitConflict    = 6
	exitWaiting     = 7
	exitProblems    = 8
	exitInterrupted = 130
)

// exitCodes is the table people read: gavel help exit-codes.
func exitCodes() []struct {
	code    int
	meaning string
} {
	return []struct {
		code    int
		meaning string
	}{
		{exitOK, "ok"},
		{exitFailed, "failed: a part does not answer, or a mistake of ours"},
		{exitUsage, "usage: a flag, an argument, a setting or the input is not right"},
		{exitNotFound, "not found"},
		{exitSignIn, "sign-in needed: no token, or one that is not accepted"},
		{exitRefused, "refused by policy or role"},
		{exitConflict, "stale or conflict: it changed since it was read, or it is too late"},
		{exitWaiting, "still waiting for a person"},
		{exitProblems, "ran, and found problems"},
		{exitInterrupted, "interrupted"},
	}
}

// exitOf is the exit code of each kind of fault.
func exitOf(kind fault.Kind) int {
	switch kind {
	case fault.Invalid, fault.TooLarge:
		return exitUsage
	case fault.NotFound:
		return exitNotFound
	case fault.SignIn:
		return exitSignIn
	case fault.Refused:
		return exitRefused
	case fault.Conflict, fault.Stale, fault.Unconfirmed:
		return exitConflict
	case fault.Internal, fault.TooMany, fault.Unavailable:
		return exitFailed
	}
	return exitFailed
}

var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("asked to end")
)

// A verdict is the end of a command that did its work and printed what it
// found: there is nothing more to say, but the exit code tells.
type verdict int

// Error is for logs; a verdict is not reported to people.
func (v verdict) Error() string { return fmt.Sprintf("ended with code %d", int(v)) }

// exitCode is the code a command ends with.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if v, ok := errors.AsType[verdict](err); ok {
		return int(v)
	}
	if errors.Is(err, errInterrupted) || errors.Is(err, errTerminated) {
		return exitInterrupted
	}
	return exitOf(fault.KindOf(err))
}

func exitCodesHelp() string {
	var b strings.Builder
	b.WriteString("What a command ended with. The code is the same in every form of output.\n\n")
	for _, e := range exitCodes() {
		fmt.Fprintf(&b, "  %-4d %s\n", e.code, e.meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}
