package devstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	stopPatience = 20 * time.Second // an orderly stop; SIGKILL follows
	killPatience = 10 * time.Second // for the kernel to take a killed process away
)

// A process is a server we started: enough to find it again, and never to
// signal a stranger who was given the same pid.
type process struct {
	PID  int    `json:"pid"`
	Born uint64 `json:"born"` // start time in clock ticks since boot
	Boot string `json:"boot"` // the boot those ticks count from
}

// A command is how a server is run.
type command struct {
	path string
	args []string
	env  []string // all of it; nothing is inherited
	dir  string   // working folder; empty means the data folder
	as   *syscall.Credential
}

// launch starts a server in a session of its own with its output appended to a
// log file, so that it outlives us and our terminal.
func (c command) launch(logFile string) (process, error) {
	out, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return process{}, fault.From(fault.Internal, err, "open the log %s", logFile)
	}
	defer out.Close()
	cmd := exec.Command(c.path, c.args...)
	cmd.Env, cmd.Dir = c.env, c.dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.as}
	if err := cmd.Start(); err != nil {
		return process{}, fault.From(fault.Internal, err, "start %s", c.path)
	}
	p := process{PID: cmd.Process.Pid}
	// Read before Wait: until then the pid cannot belong to anyone else.
	stat, err := readStat(p.PID)
	boot, bootErr := bootID()
	go func() { _ = cmd.Wait() }() // reaps it when it ends before we do; how it ended is in its log
	if err := errors.Join(err, bootErr); err != nil {
		return process{}, fault.From(fault.Internal, err, "identify process %d", p.PID)
	}
	p.Born, p.Boot = stat.born, boot
	return p, nil
}

// alive reports whether this very process still runs.
func (p process) alive() bool {
	if p.PID <= 0 {
		return false
	}
	stat, err := readStat(p.PID)
	if err != nil || stat.dead || stat.born != p.Born {
		return false
	}
	boot, err := bootID()
	return err == nil && boot == p.Boot
}

// end signals the process and waits for its end; SIGKILL follows when it takes
// longer than patience. A process that is not ours any more is left alone.
func (p process) end(ctx context.Context, signal syscall.Signal, patience time.Duration) error {
	if !p.alive() {
		return nil
	}
	handle, err := os.FindProcess(p.PID) // a pidfd: it keeps naming this process even if the pid is reused
	if err != nil {
		return fault.From(fault.Internal, err, "find process %d", p.PID)
	}
	defer handle.Release()
	if !p.alive() {
		return nil
	}
	if err := handle.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fault.From(fault.Internal, err, "signal process %d", p.PID)
	}
	if p.goneWithin(ctx, patience) {
		return nil
	}
	if signal != syscall.SIGKILL && ctx.Err() == nil {
		return p.end(ctx, syscall.SIGKILL, killPatience)
	}
	return fault.New(fault.Unavailable, "process %d does not end", p.PID)
}

func (p process) goneWithin(ctx context.Context, patience time.Duration) bool {
	deadline := time.Now().Add(patience)
	for p.alive() {
		if ctx.Err() != nil || time.Now().After(deadline) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}

// procStat is what we read of /proc/<pid>/stat.
type procStat struct {
	dead bool
	born uint64
}

func readStat(pid int) (procStat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}, err
	}
	return parseStat(pid, data)
}

// parseStat reads what the kernel says of a process. One whose first thread has ended
// is there as long as others end: they hold its ports.
func parseStat(pid int, data []byte) (procStat, error) {
	// The second field is the program's name in brackets and may hold anything.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	const state, threads, born = 0, 17, 19 // fields 3, 20 and 22 of proc(5)
	if len(fields) <= born {
		return procStat{}, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	ticks, err := strconv.ParseUint(fields[born], 10, 64)
	alone := fields[threads] == "0" || fields[threads] == "1"
	return procStat{dead: fields[state] == "Z" && alone || fields[state] == "X", born: ticks}, err
}

func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}
