package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a server or a worker. It can be killed and started again.
type process struct {
	name string
	make func() *exec.Cmd
	in   func(io.Writer) error // what it is told on its standard input; nil for nothing
	log  string                // file that it writes to

	mu    sync.Mutex // guards what follows
	cmd   *exec.Cmd
	stdin io.Closer
	gone  chan struct{} // closed when it has ended
}

// start starts it. It does not wait until it is ready.
func (p *process) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := p.make()
	cmd.Stdout, cmd.Stderr = out, out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is in its log, or was our doing
		close(gone)
	}()
	p.cmd, p.stdin, p.gone = cmd, stdin, gone
	if p.in == nil {
		return nil
	}
	return p.in(stdin)
}

// kill ends it with SIGKILL, as a crash would, and waits until it has gone.
func (p *process) kill() { p.end(syscall.SIGKILL) }

// end asks it to end and, after a while, sees to it.
func (p *process) end(with syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Signal(with)
	p.stdin.Close()
	select {
	case <-p.gone:
	case <-time.After(30 * time.Second):
		p.cmd.Process.Signal(syscall.SIGKILL)
		<-p.gone
	}
	p.cmd = nil
}

// alive reports whether it runs.
func (p *process) alive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// tail is the end of its log.
func (p *process) tail() string {
	text, _ := os.ReadFile(p.log)
	return string(text[max(0, len(text)-3000):])
}

// patienceToStart is how long a process may take until it is ready.
const patienceToStart = time.Minute

// awaitReady waits until a server says that it is, or a worker's log does.
func (p *process) awaitReady(ready func() bool) error {
	for end := time.Now().Add(patienceToStart); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ready() {
			return nil
		}
		if !p.alive() {
			break
		}
	}
	return fmt.Errorf("%s is not ready; it wrote:\n%s", p.name, p.tail())
}

func answersOK(client *http.Client, address string) func() bool {
	return func() bool {
		res, err := client.Get(address) //nolint:noctx // bounded by the client's own timeout
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	}
}

// newServer is the installed program as a server. It is told its settings by its
// environment, which nobody else's settings reach.
func newServer(g *ground, program, name, address string) (*process, error) {
	at, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(at); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is not there: run make build", program), err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + g.stack.Dir()}
	for key, value := range g.settings {
		env = append(env, key+"="+value)
	}
	env = append(env, "GAVEL_LISTEN="+address, "GAVEL_PUBLIC_URL=http://"+address, "GAVEL_LOG_LEVEL=warn")
	return &process{name: name, log: filepath.Join(g.stack.Dir(), name+".log"), make: func() *exec.Cmd {
		cmd := exec.Command(at, "serve") //nolint:noctx // ours, and how it ends is what is being tried
		cmd.Env = env
		return cmd
	}}, nil
}

// newWorker is this program in its other role.
func newWorker(g *ground, name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &process{name: name, log: filepath.Join(g.stack.Dir(), name+".log"), in: g.place.tell, make: func() *exec.Cmd {
		return exec.Command(self, workerRole) //nolint:noctx // ourselves, and it ends with us
	}}, nil
}

func (p *process) saysReady() bool { return strings.Contains(p.tail(), workerReady) }
