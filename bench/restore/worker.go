package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// workerRole is the argument that makes this program a worker.
const workerRole = "worker"

// Times are shorter than in an installation, so that waiting is over sooner.
const (
	sendTimeout = 5 * time.Second
	tick        = 200 * time.Millisecond

	// takes is how long the other side takes: so that some are always on their way.
	takes = 400 * time.Millisecond
)

// A place says where everything is. It holds secrets, and is handed to the worker on
// its standard input.
type place struct {
	App, System         string
	Temporal, Namespace string
	Keys, Masters       string
	Model               string
	SMTP, Inbox         string
	Commission          string
	Asks                bool // the mail server can be asked what it has
}

// The tools that a case uses, of the yard's: what they do is replaced by what a case
// of an institution does.
const (
	mails = "enrol"  // a write: it queues a letter
	files = "letter" // beyond our walls: an officer approves, the commission is asked by the key
	ends  = "note"   // a write that an officer approves: the case's last step
)

// yard is the small institution whose agents work here.
func (p place) yard(db *postgres.DB) (*agenttest.Yard, *notify.Post, error) {
	masters, err := seal.ParseMasters(p.Masters)
	if err != nil {
		return nil, nil, err
	}
	vault, err := seal.New(seal.Config{DB: db, Masters: masters, Now: time.Now})
	if err != nil {
		return nil, nil, err
	}
	post, err := notify.New(notify.Config{DB: db, Clock: durable.Clock{}, Vault: vault, From: "Transport cell <cell@mail.example>",
		Book: address.Book{Domain: "mail.example", Inbound: "in.example", Keys: [][]byte{bytes.Repeat([]byte{7}, 32)}}})
	if err != nil {
		return nil, nil, err
	}
	office := commission{base: p.Commission}
	y, err := agenttest.New(agenttest.Config{DB: db, ModelURL: p.Model, Effects: "http://127.0.0.1:1", SendTimeout: sendTimeout,
		ChangeTool: func(t *tool.Tool) {
			switch t.Name {
			case mails:
				*t = tool.Writes(*t, func(ctx context.Context, tx pgx.Tx, e tool.Env, w agenttest.Word) (agenttest.Told, error) {
					return agenttest.Told{Text: "queued " + w.Word}, queue(ctx, tx, post, e, w.Word)
				})
			case files:
				*t = tool.Sends(*t, office.file, office.asked)
			}
		}})
	return y, post, err
}

// queue writes a letter down. Its subject is the word: what is counted at the server.
func queue(ctx context.Context, tx pgx.Tx, post *notify.Post, e tool.Env, word string) error {
	_, err := post.Queue(ctx, tx, identity.Gavel(e.Org), notify.Letter{Key: "letter/" + e.Key, Case: casefile.CaseID(e.Case),
		Kind: "shift_mismatch",
		To:   seal.Subject{Type: "rider", ID: word}, Address: word + "@rider.example", Name: "Rider", Language: "en", Subject: word,
		Text: "Please answer.\n", Because: e.Key})
	return err
}

// slow is a mail server that takes its time.
type slow struct{ notify.Sink }

// Send hands a mail over, after a while.
func (s slow) Send(ctx context.Context, m notify.Message) error {
	if err := sleep(ctx, takes); err != nil {
		return &notify.Failure{Fate: notify.Later, Err: err}
	}
	return s.Sink.Send(ctx, m)
}

// asking is a mail server that can be asked, over its API.
type asking struct {
	notify.Sink
	*mailpit
}

// beWorker carries runs, mails and what is in the outbox, until it is killed.
func beWorker(ctx context.Context) error {
	var p place
	if err := json.NewDecoder(os.Stdin).Decode(&p); err != nil {
		return fmt.Errorf("read where everything is: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1) // nobody is left to work for
	}()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	name := recovery.Serving()[1]
	db, err := postgres.Open(ctx, postgres.Called(p.App, name))
	if err != nil {
		return err
	}
	sys, err := postgres.OpenSystem(ctx, postgres.Called(p.System, name))
	if err != nil {
		return err
	}
	yard, post, err := p.yard(db)
	if err != nil {
		return err
	}
	keys, err := durable.ParseKeys(p.Keys)
	if err != nil {
		return err
	}
	engine := durable.Config{Address: p.Temporal, Namespace: p.Namespace, Keys: keys, Logger: log}
	c, err := durable.Dial(ctx, engine)
	if err != nil {
		return err
	}
	sender, err := p.sender(post, sys, db, log)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return durable.Run(ctx, c, durable.Version{}, log, yard.Work()) })
	g.Go(func() error {
		to := outbox.NewEngine(c, engine.Memo, sys)
		to.Lost = casefile.Lost(sys)
		return outbox.NewDispatcher(sys, to, 1e6, log).Run(ctx)
	})
	g.Go(func() error {
		beat := time.NewTicker(tick)
		defer beat.Stop()
		return sender.Run(ctx, beat.C)
	})
	return g.Wait()
}

func (p place) sender(post *notify.Post, sys *postgres.System, db *postgres.DB, log *slog.Logger) (*notify.Sender, error) {
	server, err := smtp.New(smtp.Config{Address: p.SMTP, Security: smtp.Plain, Hello: "mail.example"})
	if err != nil {
		return nil, err
	}
	var sink notify.Sink = slow{server}
	if p.Asks {
		sink = asking{sink, &mailpit{base: p.Inbox}}
	}
	return notify.NewSender(notify.SenderConfig{Post: post, System: sys, Acts: act.NewStore(db, durable.Clock{}), Sink: sink, Logger: log,
		AtOnce:      4,
		SendTimeout: sendTimeout, Settle: 2 * time.Second, FirstBackoff: 100 * time.Millisecond, MostBackoff: 2 * time.Second,
		GiveUp: time.Hour}), nil
}

// A child is the worker as the bench sees it.
type child struct {
	cmd  *exec.Cmd
	in   io.Closer
	gone chan struct{}
}

// launch starts the worker and waits until it is ready.
func launch(ctx context.Context, p place, log string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // in the bench's own folder
	if err != nil {
		return nil, err
	}
	defer out.Close()
	c := &child{cmd: exec.Command(self, workerRole), gone: make(chan struct{})} //nolint:gosec,noctx // ourselves, ended by its own id
	c.cmd.Stderr = out
	said, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = startWith(c.cmd, p); err != nil {
		return nil, err
	}
	ready := make(chan bool, 1)
	go func() {
		line := make([]byte, 16)
		n, _ := said.Read(line)
		ready <- strings.HasPrefix(string(line[:n]), "ready")
		_, _ = io.Copy(io.Discard, said)
		_ = c.cmd.Wait() // how it ended is in its log, or was our doing
		close(c.gone)
	}()
	select {
	case ok := <-ready:
		if !ok {
			text, _ := os.ReadFile(log) //nolint:gosec // in the bench's own folder
			return nil, fmt.Errorf("the worker ended at once; it wrote:\n%s", text[max(0, len(text)-2000):])
		}
		return c, nil
	case <-ctx.Done():
		c.kill()
		return nil, ctx.Err()
	}
}

// startWith starts a process and tells it where everything is.
func startWith(cmd *exec.Cmd, p place) (io.Closer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return in, json.NewEncoder(in).Encode(p)
}

// kill ends it with SIGKILL and waits until it has gone.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have ended just now
	<-c.gone
	c.in.Close()
}
