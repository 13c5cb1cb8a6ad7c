package docrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A session is one shell, as somebody has it open while they read a document.
type session struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	heard *hearing
	ended chan error // what the shell ended with
	kill  func()
	grace time.Duration // between being told to end and being killed
}

// startShell opens a shell that ends at the first command that fails.
func (r *runner) startShell(ctx context.Context) (*session, error) {
	ctx, kill := context.WithCancel(ctx)
	s := &session{cmd: exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-s"), ended: make(chan error, 1),
		heard: &hearing{to: r.Out, done: make(chan struct{}, 1)}, kill: kill, grace: r.moments}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = r.clone, r.environ, s.heard, s.heard
	s.cmd.WaitDelay = r.moments
	in, err := s.cmd.StdinPipe()
	if err == nil {
		s.in, err = in, s.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if _, err := io.WriteString(in, "set -euo pipefail\n"); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// pages has every page of the server whose address was printed fetched by who is
// signed in there.
const pages = `for page in %s; do
  case "$page" in "${GAVEL_SERVER:-none}"/?*) curl -fsS -o /dev/null -H "Authorization: Bearer $GAVEL_TOKEN" -H 'Accept: text/html' "$page"; echo "   $page answers" ;; esac
done
`

var addressForm = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[A-Za-z0-9_./-]*`)

// run types a script into the shell and waits for its end. Its commands read
// nothing, and each is shown before it runs.
func (s *session) run(ctx context.Context, script string) error {
	s.heard.forget()
	if err := s.enter(ctx, fmt.Sprintf("set -v; source %s </dev/null; { set +v; } 2>/dev/null; echo %s\n", script, doneLine)); err != nil {
		return err
	}
	found := slices.Compact(slices.Sorted(slices.Values(addressForm.FindAllString(s.heard.text(), -1))))
	if len(found) == 0 {
		return nil
	}
	var all bytes.Buffer
	for _, page := range found {
		fmt.Fprintf(&all, "%s ", page)
	}
	if err := s.enter(ctx, fmt.Sprintf(pages, all.String())+"echo "+doneLine+"\n"); err != nil {
		return fmt.Errorf("a page whose address was printed does not answer: %w", err)
	}
	return nil
}

// enter types lines and waits until the shell has done them.
func (s *session) enter(ctx context.Context, lines string) error {
	if _, err := io.WriteString(s.in, lines); err != nil {
		return err
	}
	select {
	case <-s.heard.done:
		return nil
	case err := <-s.ended:
		s.ended <- nil // close waits for it, too
		return errors.Join(errors.New("the shell has ended"), err)
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errors.New("it does not end")
		}
		return ctx.Err()
	}
}

// close ends the shell, also one whose command does not end: what that leaves is
// ended with everything else.
func (s *session) close() {
	defer s.kill()
	_ = s.in.Close() // it may have ended
	select {
	case <-s.ended:
	case <-time.After(s.grace):
		s.kill()
		<-s.ended
	}
}

// interrupted runs a script in a shell of its own until it has printed an address
// that answers, presses Ctrl-C, and sees that it ends by that and leaves nothing.
func (r *runner) interrupted(ctx context.Context, script string) error {
	before, err := os.ReadDir(r.temp())
	if err != nil {
		return err
	}
	heard := &hearing{to: r.Out, address: make(chan string, 1)}
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-euvo", "pipefail", script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.clone, r.environ, heard, heard
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = endPatience
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return errors.Join(errors.New("it ended before it printed an address"), err)
	case page := <-heard.address:
		err = fetch(ctx, page)
	}
	err = errors.Join(err, cmd.Cancel(), endedBy(<-ended, syscall.SIGINT))
	after, readErr := os.ReadDir(r.temp())
	if len(after) > len(before) {
		err = errors.Join(err, fmt.Errorf("it left %v", after))
	}
	return errors.Join(err, readErr)
}

// endedBy forgives a process for having ended by a signal: itself, or with the code by
// which a shell says that a command did.
func endedBy(err error, signal syscall.Signal) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == signal ||
		exit.ExitCode() == 128+int(signal) {
		return nil
	}
	return err
}

// fetch opens a page.
func fetch(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, http.NoBody)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s answers %s", page, res.Status)
	}
	return nil
}

// doneLine is what the shell prints after a script; it is passed on to nobody.
const doneLine = "docrun:the-block-has-ended"

// A hearing passes output on, line by line, and remembers what it was.
type hearing struct {
	to      io.Writer
	address chan string   // gets the first address; nil: nobody waits for one
	done    chan struct{} // is told of doneLine

	mu   sync.Mutex
	rest []byte // of a line that has not ended
	kept bytes.Buffer
	told bool
}

func (h *hearing) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rest = append(h.rest, p...)
	for {
		at := bytes.IndexByte(h.rest, '\n')
		if at < 0 {
			return len(p), nil
		}
		if err := h.line(h.rest[:at+1]); err != nil {
			return len(p), err
		}
		h.rest = h.rest[at+1:]
	}
}

func (h *hearing) line(line []byte) error {
	if strings.HasSuffix(string(line), doneLine+"\n") && h.done != nil {
		h.done <- struct{}{}
		return nil
	}
	h.kept.Write(line)
	if at := addressForm.Find(line); at != nil && h.address != nil && !h.told {
		h.told = true
		h.address <- string(at)
	}
	if bytes.HasPrefix(line, []byte("export GAVEL_")) {
		return nil // what a shell shows before it evaluates it: thirty lines of settings, keys among them
	}
	_, err := h.to.Write(masked(line))
	return err
}

var (
	secretForm   = regexp.MustCompile(`\b([A-Za-z0-9_]*(?:KEYS?|TOKEN|SECRET|PASSWORD))=('[^']*'|"[^"$]*"|[^\s'"$][^\s]*)`)
	passwordForm = regexp.MustCompile(`(://[^/\s:@]*:)[^/\s@]+@`)
)

// masked is a line without the values of secrets: what a shell shows before it
// evaluates it holds those of the dev stack, and a log is read by many. A value that
// the line only has computed is no secret yet.
func masked(line []byte) []byte {
	line = secretForm.ReplaceAll(line, []byte("$1=********"))
	return passwordForm.ReplaceAll(line, []byte("$1********@"))
}

func (h *hearing) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept.Reset()
}

func (h *hearing) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kept.String()
}
