package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A keeper has a process of one of our roles running, and starts another when it
// ends, as an installation would.
type keeper struct {
	role  string
	place place
	log   string // file that its processes write to
	stop  chan struct{}
	done  chan struct{}

	mu    sync.Mutex // guards what follows
	child *child
	away  time.Duration // before the next one is started
	up    chan struct{} // closed when the present one is ready
	alone int           // how often one ended that nobody had killed
	hit   bool          // the present one was killed
}

// keep starts a keeper and waits until its first process is ready.
func keep(ctx context.Context, role string, p place, log string) (*keeper, error) {
	k := &keeper{role: role, place: p, log: log, stop: make(chan struct{}), done: make(chan struct{}), up: make(chan struct{})}
	go k.run()
	return k, k.await(ctx)
}

// patienceToStart is how long a process may take until it is ready, the engine's
// own start included.
const patienceToStart = time.Minute

// await waits until the present process is ready.
func (k *keeper) await(ctx context.Context) error {
	k.mu.Lock()
	up := k.up
	k.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patienceToStart):
		return fmt.Errorf("the %s is not ready after %v; it wrote:\n%s", k.role, patienceToStart, tail(k.log))
	}
}

func (k *keeper) run() {
	defer close(k.done)
	for {
		c, err := launch(k.role, k.place, k.log)
		if err != nil {
			fmt.Println("start the "+k.role+":", err) // whoever waits for it says the rest
			return
		}
		k.mu.Lock()
		k.child, k.hit = c, false
		up := k.up
		k.mu.Unlock()
		go func() {
			if c.ready() {
				close(up)
			}
		}()
		select {
		case <-k.stop:
			c.end()
			return
		case <-c.gone:
		}
		if !k.again() {
			return
		}
	}
}

// again waits before the next process, and reports false if there is to be none.
func (k *keeper) again() bool {
	k.mu.Lock()
	away := max(k.away, 100*time.Millisecond)
	if !k.hit {
		k.alone++
		k.up = make(chan struct{})
		fmt.Printf("a %s ended by itself; it wrote:\n%s\n", k.role, tail(k.log))
	}
	k.mu.Unlock()
	select {
	case <-k.stop:
		return false
	case <-time.After(away):
		return true
	}
}

// kill ends the present process with SIGKILL; the next is started after a while.
func (k *keeper) kill(away time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hit, k.away, k.up = true, away, make(chan struct{})
	return k.child.cmd.Process.Kill()
}

// stall stops the present process where it is, and lets it go on after a while, as one
// whose machine was frozen.
func (k *keeper) stall(ctx context.Context, d time.Duration) error {
	k.mu.Lock()
	process := k.child.cmd.Process
	k.mu.Unlock()
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return errors.Join(sleep(ctx, d), process.Signal(syscall.SIGCONT))
}

func (k *keeper) endedAlone() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alone
}

func (k *keeper) close() {
	close(k.stop)
	<-k.done
}

// A child is one process.
type child struct {
	cmd  *exec.Cmd
	in   io.Closer
	said chan bool     // it is ready, or has closed its output before
	gone chan struct{} // closed when it has ended
}

func launch(role string, p place, log string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // in the bench's own folder
	if err != nil {
		return nil, err
	}
	defer out.Close()
	// Not bound to a context: how it ends is what is being tried.
	c := &child{cmd: exec.Command(self, role), said: make(chan bool, 1), gone: make(chan struct{})} //nolint:gosec,noctx // ourselves
	c.cmd.Stderr = out
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	said, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.in = in
	go c.watch(said)
	if err := json.NewEncoder(in).Encode(p); err != nil {
		c.end()
		return nil, errors.Join(errors.New("tell it where everything is"), err)
	}
	return c, nil
}

// watch reads what a process says, and reaps it.
func (c *child) watch(out io.Reader) {
	lines := bufio.NewScanner(out)
	c.said <- lines.Scan() && lines.Text() == "ready"
	_, _ = io.Copy(io.Discard, out) // nothing more is expected, and it must not wait for a reader
	_ = c.cmd.Wait()                // how it ended is in its log, or was our doing
	close(c.gone)
}

func (c *child) ready() bool { return <-c.said }

// end kills a process and waits until it has gone.
func (c *child) end() {
	_ = c.cmd.Process.Kill() // it may have ended just now
	<-c.gone
	c.in.Close()
}

// tail is the end of a log.
func tail(name string) string {
	text, _ := os.ReadFile(name) //nolint:gosec // in the bench's own folder
	return string(text[max(0, len(text)-3000):])
}
