package program_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
)

// A town is a whole installation of its own, that a test may break: the real
// parts, a server and a worker, as processes.
type town struct {
	*devstack.Stack
	t     testing.TB
	base  string // the server's address
	token string // an officer's
}

// newTown builds one; more are parts beside those that a server and a worker need.
func newTown(t testing.TB, more ...devstack.Part) *town {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-town-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL runs as somebody else
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*wait.Patience()) // it is built, too
	defer cancel()
	stack, err := devstack.Up(ctx, devstack.Options{Dir: dir, Parts: append(more, devstack.Serve, devstack.Worker)})
	if err != nil {
		t.Fatal(errors.Join(err, tearDown(dir)))
	}
	town := &town{Stack: stack, t: t, base: stack.Settings()["GAVEL_SERVER"]}
	t.Cleanup(town.remove)
	for _, tok := range stack.Tokens() {
		if tok.Org == "north" && tok.Role == identity.Officer {
			town.token = tok.Token
		}
	}
	return town
}

// tearDown stops what was started of a town that could not be finished.
func tearDown(dir string) error {
	half, err := devstack.Open(dir)
	if err != nil {
		return err
	}
	return half.Remove(context.Background())
}

func (w *town) remove() {
	if w.t.Failed() {
		w.showLogs()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.Remove(ctx); err != nil {
		w.t.Error(err)
	}
}

func (w *town) showLogs() {
	logs, _ := filepath.Glob(filepath.Join(w.Dir(), "*", "*.log"))
	more, _ := filepath.Glob(filepath.Join(w.Dir(), "*.log"))
	for _, name := range append(logs, more...) {
		text, _ := os.ReadFile(name)
		w.t.Logf("== %s\n%s", filepath.Base(name), text[max(0, len(text)-3000):])
	}
}

// again starts a part after it was killed or stopped.
func (w *town) again(p devstack.Part) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return w.Start(ctx, p)
}

func (w *town) kill(p devstack.Part) {
	w.t.Helper()
	if err := w.Kill(p); err != nil {
		w.t.Fatal(err)
	}
}

// heard is what a process says while a test looks.
type heard struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to it.
func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(p)
}

// String is all of it.
func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// another starts one more process of gavel beside the town's own, and stops it
// by its id when the test ends. It returns what the process says.
func (w *town) another(subcommand string) *heard {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.Dir(), "bin", "gavel"), subcommand, "--config", w.SettingsFile())
	cmd.Env = append(withoutSettings(os.Environ()), "GAVEL_LISTEN=127.0.0.1:0", "GAVEL_PUBLIC_URL=")
	out := &heard{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil || w.t.Failed() {
			text := out.String()
			w.t.Logf("another %s: %v\n%s", subcommand, err, text[max(0, len(text)-3000):])
		}
	})
	return out
}

// anotherServer is the address of one more server.
func (w *town) anotherServer() string {
	w.t.Helper()
	out := w.another("serve")
	var said struct{ Msg, Address string }
	wait.Try(w.t, func() error {
		for line := range strings.Lines(out.String()) {
			if json.Unmarshal([]byte(line), &said) == nil && said.Msg == "listening" {
				return nil
			}
		}
		return fmt.Errorf("another server does not listen:\n%s", out)
	})
	return "http://" + said.Address
}

// withoutSettings leaves out what points at another stack: the environment wins
// over the town's own settings file.
func withoutSettings(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GAVEL_") })
}

// call speaks to a server's API and decodes its answer into out, if any.
func (w *town) call(base, method, path string, body, out any, headers ...string) (int, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	if res.StatusCode >= 400 {
		return res.StatusCode, fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, answer)
	}
	if out != nil {
		return res.StatusCode, json.Unmarshal(answer, out)
	}
	return res.StatusCode, nil
}

// A caseSeen is what these tests look at of a case.
type caseSeen struct {
	ID, State, Status string
	Version           int64
}

func (w *town) open(key string, dueInS int) (caseSeen, error) {
	var c caseSeen
	_, err := w.call(w.base, "POST", "/v1/cases",
		map[string]any{"app": "general", "key": key, "title": "Look into " + key, "due_in_s": dueInS}, &c)
	return c, err
}

// openUntilTaken opens a case as a person would who is told that a part is away:
// again, until it is taken. The key makes it one case however often.
func (w *town) openUntilTaken(key string, dueInS int) (c caseSeen, err error) {
	wait.Holds(1, func() bool { c, err = w.open(key, dueInS); return err == nil })
	return c, err
}

func (w *town) get(id string) (caseSeen, error) {
	var c caseSeen
	_, err := w.call(w.base, "GET", "/v1/cases/"+id, nil, &c)
	return c, err
}

// await polls a case until its state is one of those wanted.
func (w *town) await(id string, states ...string) (c caseSeen, err error) {
	came := wait.Holds(1, func() bool {
		if c, err = w.get(id); err == nil && slices.Contains(states, c.State) {
			return true
		}
		time.Sleep(400 * time.Millisecond) // 64 at a time stay below what one caller may ask
		return false
	})
	if !came {
		return c, fmt.Errorf("case %s is %+v, want it %v: %w", id, c, states, err)
	}
	return c, nil
}

// history is the kinds of a case's entries, oldest first, and fails on a gap in
// their numbers.
func (w *town) history(id string) ([]string, error) {
	var page struct {
		Items []struct {
			Seq  int64
			Kind string
		}
	}
	if _, err := w.call(w.base, "GET", "/v1/cases/"+id+"/entries?page_size=200", nil, &page); err != nil {
		return nil, err
	}
	kinds := make([]string, len(page.Items))
	for i, e := range page.Items {
		at := len(page.Items) - 1 - i
		if e.Seq != int64(at+1) {
			return nil, fmt.Errorf("case %s: entry number %d stands at %d", id, e.Seq, at+1)
		}
		kinds[at] = e.Kind
	}
	return kinds, nil
}
