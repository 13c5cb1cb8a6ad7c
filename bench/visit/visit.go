// Package visit is somebody in front of a demonstration: it starts the program, reads what
// that prints, presses Ctrl-C, and looks whether anything is left.
package visit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// A Visit is a demonstration that somebody has started.
type Visit struct {
	Began time.Time
	Lines []string // what was printed
	Page  string   // the address to open
	Mail  string   // the address of the mailbox

	home string // where it makes its folder
	cmd  *exec.Cmd
	pids []int
}

// Home makes a folder for what a visit writes. PostgreSQL's account passes through it.
func Home() (string, error) {
	home, err := os.MkdirTemp("", "gavel-try-")
	if err != nil {
		return "", err
	}
	return home, os.Chmod(home, 0o755) //nolint:gosec // as said
}

// Begin starts a demonstration of a program from a folder, and reads what it prints.
func Begin(ctx context.Context, gavel, from, home string) (*Visit, error) {
	v := &Visit{Began: time.Now(), home: home}
	v.cmd = exec.CommandContext(ctx, gavel, "demo")
	v.cmd.Dir, v.cmd.Env = from, append(os.Environ(), "TMPDIR="+home)
	v.cmd.Stderr = os.Stderr
	v.cmd.Cancel = func() error { return v.cmd.Process.Signal(os.Interrupt) }
	v.cmd.WaitDelay = time.Minute
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		v.Lines = append(v.Lines, lines.Text())
		if at, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "open "); ok {
			v.Page = strings.TrimSpace(at)
		}
		if at, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "mail "); ok {
			v.Mail, _, _ = strings.Cut(strings.TrimSpace(at), " ")
		}
		if strings.HasPrefix(strings.TrimSpace(lines.Text()), "stop ") {
			return v, nil
		}
	}
	return nil, errors.Join(errors.New("the demonstration ended before it began"), v.cmd.Wait())
}

// Inside is what the demonstration has started.
func (v *Visit) Inside() (*devstack.Stack, error) {
	found, err := filepath.Glob(filepath.Join(v.home, "gavel-demo-*", "parts"))
	if err != nil || len(found) != 1 {
		return nil, errors.Join(err, fmt.Errorf("the demonstration lives in %v", found))
	}
	stack, err := devstack.Open(found[0])
	if err != nil {
		return nil, err
	}
	v.pids = nil
	for _, s := range stack.Status() {
		v.pids = append(v.pids, s.PID)
	}
	return stack, nil
}

// Walk has a script walk through it in a browser. Its pictures stay in a folder of .dev
// for people to look at.
func (v *Visit) Walk(ctx context.Context, script, pictures string, args ...string) error {
	shots, err := filepath.Abs(filepath.Join(".dev/shots", pictures))
	if err != nil {
		return err
	}
	args = append([]string{script, "--base", v.Page, "--out", shots}, args...)
	cmd := exec.CommandContext(ctx, "node", args...) //nolint:gosec // the page is what our own program printed
	cmd.Dir, cmd.Stdout, cmd.Stderr = "devstack/tools/browser", os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+v.home)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("walk through it in a browser: %w", err)
	}
	return nil
}

// Leave presses Ctrl-C, and looks whether anything is left.
func (v *Visit) Leave() error {
	began := time.Now()
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_ = v.cmd.Wait() // it ends as interrupted, which is no fault here
	left, err := filepath.Glob(filepath.Join(v.home, "gavel-demo-*"))
	if err != nil || len(left) > 0 {
		return errors.Join(err, fmt.Errorf("after Ctrl-C there is %v", left))
	}
	for _, pid := range v.pids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			return fmt.Errorf("after Ctrl-C process %d is there", pid)
		}
	}
	fmt.Printf("Ctrl-C: %d processes and their folder are gone after %.1f s\n", len(v.pids), time.Since(began).Seconds())
	return nil
}
