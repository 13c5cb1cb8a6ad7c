package docrun

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// adoptOrphans has the kernel give us every process below us whose parent has ended,
// however far it went: so nothing that a document starts can be overlooked.
func adoptOrphans() error {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER of prctl(2)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("be given what documents leave running: %w", errno)
	}
	return nil
}

// A process is one of those below us.
type process struct {
	pid, parent int
	name        string
	ended       bool
}

// below lists the processes below us that have not ended.
func below() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	all := map[int]process{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				all[pid] = p
			}
		}
	}
	var ours []process
	for _, p := range all {
		at := p
		for at.parent > 0 && at.parent != os.Getpid() {
			at = all[at.parent]
		}
		if at.parent == os.Getpid() && !p.ended {
			ours = append(ours, p)
		}
	}
	return ours
}

func readProcess(pid int) (process, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	begin, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')') // the name may hold anything
	fields := strings.Fields(string(data[end+1:]))
	if begin < 0 || len(fields) < 2 {
		return process{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	return process{pid, parent, string(data[begin+1 : end]), fields[0] == "Z" || fields[0] == "X"}, err == nil
}

// waitForOrphans gives what is running a moment to end, and lists what does not.
func waitForOrphans(ctx context.Context, patience time.Duration) []string {
	until := time.Now().Add(patience)
	for len(below()) > 0 && time.Now().Before(until) && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	var names []string
	for _, p := range below() {
		names = append(names, fmt.Sprintf("%s (process %d)", p.name, p.pid))
	}
	return names
}

// endAll ends what is left of ours, each by its id.
func endAll(out io.Writer, patience time.Duration) error {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, p := range below() {
			fmt.Fprintf(out, "ending %s, process %d\n", p.name, p.pid)
			_ = syscall.Kill(p.pid, signal) // it may have ended meanwhile
		}
		for until := time.Now().Add(patience); len(below()) > 0 && time.Now().Before(until); {
			time.Sleep(100 * time.Millisecond)
		}
	}
	if n := len(below()); n > 0 {
		return fmt.Errorf("%d processes do not end", n)
	}
	return nil
}
