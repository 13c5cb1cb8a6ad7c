// Package langgraph runs the peer that bench/agent measures Gavel against:
// LangGraph with its PostgreSQL checkpointer, in Node processes of its own. Read
// Start first, and peer.mjs for what the peer does.
package langgraph

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// maxLine bounds one line of the peer, in bytes.
const maxLine = 1 << 20

//go:embed .npmrc package.json package-lock.json peer.mjs
var files embed.FS

// A Config says what the peer works with.
type Config struct {
	Database    string // URL of a database of its own
	Connections int    // of one process's pool
	Model       string // base URL of a chat API
	// Durability is when a checkpoint is saved: "async", beside the next step,
	// is the library's own choice; "sync" is before it.
	Durability string
	Setup      bool // make the checkpointer's tables; the first process does
}

// A Peer is one running process.
type Peer struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has gone; what follows is final then
	said  bytes.Buffer  // on its standard error, for whoever asks why it ended
	err   error

	mu      sync.Mutex // guards what follows
	stdin   io.WriteCloser
	waiting map[string]chan event // by case
}

// event is a line of the peer.
type event struct {
	Ready   bool   `json:"ready"`
	Waiting string `json:"waiting"`
	Done    string `json:"done"`
	Answer  string `json:"answer"`
	Act     string `json:"act"`
	Failed  string `json:"failed"`
	Error   string `json:"error"`
}

// Start installs the peer's packages, if this version of them is not in the
// cache, and starts one process, which ends with the context or Close.
func Start(ctx context.Context, c Config) (*Peer, error) {
	script, err := install(ctx)
	if err != nil {
		return nil, err
	}
	p := &Peer{waiting: map[string]chan event{}, ended: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, "node", script) //nolint:gosec // the script is ours, embedded above
	p.cmd.Stderr = &p.said
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NODE_ENV=production"} // no tracing, no keys
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	ready := p.expect("")
	go p.listen(out)
	if err := p.tell(map[string]any{"database": c.Database, "connections": c.Connections, "model": c.Model,
		"durability": c.Durability, "setup": c.Setup}); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if _, err := p.await(ctx, ready); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// PID is the process's id.
func (p *Peer) PID() int { return p.cmd.Process.Pid }

// Case runs one case to its end, approves when the peer has stopped at the gate,
// and returns its last words. A case that ends without its act is an error.
func (p *Peer) Case(ctx context.Context, id string) (string, error) {
	stopped := p.expect(id)
	if err := p.tell(map[string]string{"start": id}); err != nil {
		return "", err
	}
	if e, err := p.await(ctx, stopped); err != nil || e.Waiting == "" {
		return "", errors.Join(err, complaint(e, "it did not stop at the gate"))
	}
	ended := p.expect(id)
	if err := p.tell(map[string]string{"decide": id, "verdict": "approve"}); err != nil {
		return "", err
	}
	e, err := p.await(ctx, ended)
	if err != nil || e.Done == "" || e.Act != "sent" {
		return "", errors.Join(err, complaint(e, "it did not act and end after the decision"))
	}
	return e.Answer, nil
}

func complaint(e event, otherwise string) error {
	if e.Failed != "" {
		return fmt.Errorf("the peer failed: %.2000s", e.Error)
	}
	return errors.New(otherwise)
}

// Close lets the process end and waits for it.
func (p *Peer) Close() error {
	p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	return p.err
}

// expect is where the next event of a case will come; of the empty case it is
// the peer being ready.
func (p *Peer) expect(id string) chan event {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := make(chan event, 1)
	p.waiting[id] = ch
	return ch
}

func (p *Peer) await(ctx context.Context, ch chan event) (event, error) {
	select {
	case e := <-ch:
		return e, nil
	case <-p.ended:
		return event{}, fmt.Errorf("the peer ended: %.2000s", p.said.String())
	case <-ctx.Done():
		return event{}, ctx.Err()
	}
}

func (p *Peer) tell(line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err = p.stdin.Write(append(data, '\n'))
	return err
}

// listen hands the peer's lines to those who wait for them, until it ends.
func (p *Peer) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // not one of ours: a library's own words
		}
		id := e.Waiting + e.Done + e.Failed // one of them
		p.mu.Lock()
		ch := p.waiting[id]
		delete(p.waiting, id)
		p.mu.Unlock()
		if ch != nil {
			ch <- e
		}
	}
	p.err = errors.Join(lines.Err(), p.cmd.Wait())
	close(p.ended)
}

// install puts the packages into the cache, in a folder named by the digest of
// the lock file, and the script beside them. It returns the script's path.
func install(ctx context.Context) (string, error) {
	cache, err := devstack.CacheDir()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "peers", "langgraph")
	digest, err := digestOf(".npmrc", "package.json", "package-lock.json")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(parent, digest)
	if _, err := os.Stat(dir); err != nil {
		if err := npm(ctx, parent, dir); err != nil {
			return "", err
		}
	}
	// Modules are found from where the script lies, so it lies with them, under
	// a name that no other version of it has.
	digest, err = digestOf("peer.mjs")
	if err != nil {
		return "", err
	}
	script := filepath.Join(dir, "peer-"+digest+".mjs")
	return script, write("peer.mjs", script)
}

// npm installs the locked packages; a half-installed folder is never seen.
func npm(ctx context.Context, parent, dir string) error {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	half, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	for _, name := range []string{".npmrc", "package.json", "package-lock.json"} {
		if err := write(name, filepath.Join(half, name)); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts")
	cmd.Dir = half
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%.2000s", err, out)
	}
	if err := os.Rename(half, dir); err != nil {
		if _, gone := os.Stat(dir); gone == nil {
			return nil // another run was faster
		}
		return err
	}
	return nil
}

func digestOf(names ...string) (string, error) {
	sum := sha256.New()
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func write(name, to string) error {
	data, err := files.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
