package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/postgres"
)

// senderRole is the argument that makes this program a sender.
const senderRole = "sender"

// Times of the bench's senders: everything is shorter than with real mail servers,
// and settle is longer than anything can hang in the proxy.
const (
	sendTimeout = 2 * time.Second
	settle      = 4 * time.Second
	tick        = 50 * time.Millisecond
)

// asking is a server that can be asked, over its API, which nothing goes wrong
// with but the server itself.
type asking struct {
	notify.Sink
	*mailpit
}

// runSender sends until it is killed. Where it works it reads from its input.
func runSender(ctx context.Context) error {
	var p place
	if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
		return err
	}
	db, post, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	sys, err := postgres.OpenSystem(ctx, p.System)
	if err != nil {
		return err
	}
	defer sys.Close()
	var sink notify.Sink
	if sink, err = smtp.New(smtp.Config{Address: p.SMTP, Security: smtp.Plain, Hello: "mail.example"}); err != nil {
		return err
	}
	if p.Asks {
		sink = asking{sink, &mailpit{base: p.Inbox}}
	}
	beat := time.NewTicker(tick)
	defer beat.Stop()
	return notify.NewSender(notify.SenderConfig{Post: post, System: sys, Acts: act.NewStore(db, durable.Clock{}), Sink: sink,
		Logger: slog.New(slog.DiscardHandler),
		AtOnce: 12, SendTimeout: sendTimeout, Settle: settle, FirstBackoff: 100 * time.Millisecond, MostBackoff: 2 * time.Second,
		GiveUp: time.Hour}).Run(ctx, beat.C)
}

// A keeper keeps one sender running: when it is killed, another is started.
type keeper struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	over   bool
	ended  chan struct{}
	killed int
	failed int
}

// keep starts a sender and keeps one until stop.
func keep(p place) (*keeper, error) {
	k := &keeper{ended: make(chan struct{})}
	if err := k.start(p); err != nil {
		return nil, err
	}
	go func() {
		defer close(k.ended)
		for k.await() {
			time.Sleep(50 * time.Millisecond)
			if err := k.start(p); err != nil {
				fmt.Fprintln(os.Stderr, "start a sender:", err)
			}
		}
	}()
	return k, nil
}

func (k *keeper) start(p place) error {
	told, err := json.Marshal(p)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return nil
	}
	k.cmd = exec.Command(self, senderRole) //nolint:gosec,noctx // this program itself, ended by its own id
	k.cmd.Stdin, k.cmd.Stderr, k.cmd.Stdout = bytes.NewReader(told), os.Stderr, io.Discard
	k.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return k.cmd.Start()
}

// await waits for the sender to end and reports whether another is wanted.
func (k *keeper) await() bool {
	k.mu.Lock()
	cmd := k.cmd
	k.mu.Unlock()
	err := cmd.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	if exit, ok := errors.AsType[*exec.ExitError](err); !k.over && (!ok || exit.ExitCode() != -1) {
		k.failed++
	}
	return !k.over
}

// kill ends the sender that runs, wherever it is.
func (k *keeper) kill() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.killed++
	_ = k.cmd.Process.Kill()
}

// stop ends the sender for good.
func (k *keeper) stop() {
	k.mu.Lock()
	k.over = true
	_ = k.cmd.Process.Kill()
	k.mu.Unlock()
	<-k.ended
}
