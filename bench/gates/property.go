package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A property is the test of package agent in one of its two forms.
type property struct {
	test  string
	where string
	flag  string // how many cases
	cases int
	seed  uint64
	each  time.Duration // what a case may take, on the average
}

func throughTheLoop(cases int, seed uint64) property {
	return property{test: "TestNoActWithoutItsApproval", where: "through the loop", flag: "-gates", cases: cases, seed: seed,
		each: time.Second}
}

func onTheEngine(cases int, seed uint64) property {
	return property{test: "TestNoActWithoutItsApprovalOnTheEngine", where: "on the real engine", flag: "-engine-gates", cases: cases,
		seed: seed, each: 10 * time.Second}
}

// mustHold runs the property and shows what it prints as it comes.
func (p property) mustHold(ctx context.Context, root string) error {
	out, err := p.run(ctx, root, os.Stdout)
	if err != nil {
		return fmt.Errorf("%s: %w", p.test, err)
	}
	if n := held(out); n != p.cases {
		return fmt.Errorf("%s went well and says that %d cases did, not %d", p.test, n, p.cases)
	}
	return nil
}

// slack is for compiling, and for cases that wait.
const slack = 10 * time.Minute

// run runs the property, copies what it prints to show, and returns it. The
// error is the test's status.
func (p property) run(ctx context.Context, root string, show io.Writer, more ...string) (string, error) {
	timeout := slack + time.Duration(p.cases)*p.each
	args := append([]string{"test"}, more...)
	args = append(args, "./platform/agent", "-run", "^"+p.test+"$", "-count=1", "-v", "-timeout", timeout.String(),
		"-args", p.flag, strconv.Itoa(p.cases), "-gates-seed", strconv.FormatUint(p.seed, 10))
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the arguments are made above
	cmd.Dir = root
	var out bytes.Buffer
	both := io.MultiWriter(&out, show)
	cmd.Stdout, cmd.Stderr = both, both
	// The test is a child of go's: both go when we are told to.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	return out.String(), err
}

var heldLine = regexp.MustCompile(`(?m)^gates: (\d+) of \d+ random cases .* went as decided$`)

// held is how many cases a run says went as decided. A run that found no test
// to run says nothing, and go calls it a success.
func held(out string) int {
	m := heldLine.FindStringSubmatch(out)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // too many digits are no number of cases, either
	return n
}

var caseLine = regexp.MustCompile(`case (\d+) of seed \d+: `)

// firstCase is the first case, counted from one, that went wrong in the way of
// shows.
func (p property) firstCase(out string, shows *regexp.Regexp) (nth int, ok bool) {
	if !strings.Contains(out, "--- FAIL: "+p.test+" ") {
		return 0, false // it was not the property that failed
	}
	at := caseLine.FindAllStringSubmatchIndex(out, -1)
	for i, m := range at {
		end := len(out)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if n, err := strconv.Atoi(out[m[2]:m[3]]); err == nil && shows.MatchString(out[m[1]:end]) {
			return n + 1, true
		}
	}
	return 0, false
}

// moduleRoot is the folder of the module we are in.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("ask go where the module is: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", fmt.Errorf("run this inside the module: go knows of no go.mod here (%q)", mod)
	}
	return filepath.Dir(mod), nil
}
