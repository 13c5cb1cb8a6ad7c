package pdf

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A browser is one running Chromium and the pipes to it.
type browser struct {
	cmd    *exec.Cmd
	said   *tail
	in     *os.File // what we say
	out    *os.File // what it says
	number int      // of the last call
}

// lastBreath is how long a browser that was told to end may take, and how long its
// helpers may after it.
const lastBreath = 3 * time.Second

// flags are what a browser is started with: no window, no network, nothing of its
// own that runs in the background.
func flags(home string) []string {
	all := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + home,
		"--no-first-run", "--no-default-browser-check", "--no-startup-window",
		"--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-sync", "--disable-background-networking",
		"--disable-component-update", "--disable-default-apps", "--disable-breakpad", "--disable-logging", "--mute-audio",
		// No name and no address leads anywhere, this machine's own included.
		"--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>",
		"--font-render-hinting=none", "--force-color-profile=srgb",
	}
	if os.Geteuid() == 0 { // Chromium refuses its sandbox to root
		all = append(all, "--no-sandbox")
	}
	return all
}

// start runs a browser in a group of its own, with nothing of our environment.
func start(ctx context.Context, program, home string) (*browser, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "make a pipe to the browser")
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fault.From(fault.Unavailable, err, "make a pipe from the browser"), theirIn.Close(), in.Close())
	}
	b := &browser{said: &tail{}, in: in, out: out}
	b.cmd = exec.CommandContext(ctx, program, flags(home)...) //nolint:gosec // whoever runs this installation names the program
	b.cmd.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "TMPDIR=" + home,
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC"}
	b.cmd.Dir, b.cmd.Stderr, b.cmd.WaitDelay = home, b.said, lastBreath
	b.cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, where Chromium looks for them
	apart(b.cmd)
	b.cmd.Cancel = func() error { return errors.Join(killAll(b.cmd), b.out.Close()) } // whoever reads stops too
	err = b.cmd.Start()
	closed := errors.Join(theirIn.Close(), theirOut.Close())
	if err == nil && closed != nil {
		_ = b.end() // it is of no use without its pipes
		return nil, fault.From(fault.Internal, closed, "hand the browser its pipes")
	}
	if err != nil {
		_ = errors.Join(in.Close(), out.Close())
		return nil, fault.From(fault.Unavailable, err, "the browser at %s cannot be started", program).WithNext(Cure)
	}
	return b, nil
}

// end stops the browser and all its helpers, and returns what it complained of.
func (b *browser) end() error {
	_ = b.in.Close() // it ends when nobody speaks to it any more
	done := make(chan error, 1)
	go func() { done <- b.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(lastBreath):
		_ = killAll(b.cmd) // it may have ended just now
		<-done
	}
	_ = killAll(b.cmd) // helpers that outlived it
	_ = b.out.Close()
	return b.said.err()
}

// remove takes a folder away. Helpers that are just ending may still write to it.
func remove(folder string) (err error) {
	for range 20 {
		if err = os.RemoveAll(folder); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fault.From(fault.Internal, err, "remove the browser's folder")
}

// maxSaid bounds what is kept of a browser's complaints, in bytes.
const maxSaid = 2 << 10

// A tail keeps the end of what is written to it.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if over := t.buf.Len() - maxSaid; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

func (t *tail) err() error {
	if t.buf.Len() == 0 {
		return nil
	}
	return errors.New("the browser said: " + t.buf.String())
}
