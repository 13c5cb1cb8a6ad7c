// Package demo puts on a demonstration: the real parts on loopback, a server and a
// worker, a scripted model, a clock that is fast, and an institution that the
// applications make up. It is the product and no picture of it: what is scripted is the
// model, and where acts go to.
//
// Begin starts it, Load makes the institution up, Play goes on until somebody ends it,
// and End leaves nothing behind. Applications add their part through platform.Demo.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// Config says what is shown, and where.
type Config struct {
	Apps    []platform.App
	Program string    // gavel itself
	Dir     string    // where it is kept; empty for a folder that goes with it
	Speed   float64   // days that pass in one
	Log     io.Writer // what is being done, a line each
}

// A Show is a demonstration under way.
type Show struct {
	cfg   Config
	dir   string
	notes notes
	model *model
	mails *mailbox
	stack *devstack.Stack
	held  *os.File // the folder, while nobody else may show in it
}

// notes are what a demonstration that is kept must know the next time.
type notes struct {
	Clock  durable.Clock `json:"clock"`
	Loaded bool          `json:"loaded"`
}

// Begin starts all parts. What it started is ended where it fails.
func Begin(ctx context.Context, cfg Config) (_ *Show, err error) {
	s := &Show{cfg: cfg, dir: cfg.Dir}
	if err := s.hold(); err != nil {
		return nil, err // and nothing is ended: what runs there is another's
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.End(context.WithoutCancel(ctx)))
		}
	}()
	if err := s.open(); err != nil {
		return nil, err
	}
	if s.model, err = newModel(cfg.Apps, filepath.Join(s.dir, "models.yaml")); err != nil {
		return nil, err
	}
	parts, err := partsOf(cfg.Apps)
	if err != nil {
		return nil, err
	}
	secret := webhook.NewSecret() // a mailbox of this run alone brings mail in
	s.stack, err = devstack.Up(ctx, devstack.Options{
		Dir: s.stackDir(), Log: cfg.Log, Gavel: cfg.Program,
		Parts: parts,
		Settings: map[string]string{
			"GAVEL_CLOCK_EPOCH": s.notes.Clock.Epoch.Format(time.RFC3339Nano),
			"GAVEL_CLOCK_SPEED": strconv.FormatFloat(s.notes.Clock.Speed, 'g', -1, 64),
			"GAVEL_MODELS":      s.model.routes,
			"GAVEL_MODE":        "demo",

			"GAVEL_MAIL_WEBHOOK_SECRETS": secret.Reveal(),
			"GAVEL_MAIL_AUTH_SERVER":     authServer,
			"GAVEL_MAIL_ORG":             string(devstack.Organisations()[0]),
		},
	})
	if err != nil {
		return nil, err
	}
	s.mails, err = newMailbox(mailboxConfig{Mails: "http://" + s.stack.Addresses(devstack.Mail)["http"],
		Public: s.stack.Settings()["GAVEL_PUBLIC_URL"], Secret: secret, Clock: s.notes.Clock})
	return s, err
}

// partsOf is what runs: Gavel and what it stands on, and what the applications add.
func partsOf(apps []platform.App) ([]devstack.Part, error) {
	names := []string{string(devstack.Postgres), string(devstack.Temporal), string(devstack.Mail), string(devstack.Serve),
		string(devstack.Worker)}
	for _, a := range apps {
		if a.Demo != nil {
			names = append(names, a.Demo.Parts...)
		}
	}
	return devstack.ParseParts(names)
}

func (s *Show) stackDir() string { return filepath.Join(s.dir, "parts") }

// open makes the folder, or reads what is kept in it.
func (s *Show) open() error {
	if err := s.claim(); err != nil {
		return err
	}
	data, err := os.ReadFile(s.notesFile())
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &s.notes); err != nil {
			return fault.From(fault.Invalid, err, "%s is no demonstration's", s.notesFile()).
				WithNext("name another folder: gavel demo --keep DIR")
		}
		return nil
	case !errors.Is(err, os.ErrNotExist):
		return fault.From(fault.Invalid, err, "read %s", s.notesFile())
	}
	if s.notes.Clock, err = durable.NewClock(time.Now(), s.cfg.Speed, true); err != nil {
		return err
	}
	if !s.notes.Clock.Scaled() {
		s.notes.Clock = durable.Clock{Epoch: time.Now().UTC(), Speed: 1}
	}
	return s.note()
}

// claim makes a folder of its own. One with somebody's files in it is left as it is:
// all may look into a demonstration's, because PostgreSQL's account passes through it.
func (s *Show) claim() (err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "gavel-demo-"); err != nil {
			return fault.From(fault.Internal, err, "make a folder for the demonstration")
		}
	}
	const next = "name a new folder: gavel demo --keep DIR"
	if err := os.MkdirAll(s.dir, 0o755); err != nil { //nolint:gosec // as said
		return fault.From(fault.Invalid, err, "make %s", s.dir).WithNext(next)
	}
	inside, err := os.ReadDir(s.dir)
	if err != nil {
		return fault.From(fault.Invalid, err, "look into %s", s.dir).WithNext(next)
	}
	if _, err := os.Stat(s.notesFile()); err != nil && len(inside) > 0 {
		return fault.New(fault.Conflict, "%s holds files that are not a demonstration's", s.dir).WithNext(next)
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { //nolint:gosec // as said
		return fault.From(fault.Internal, err, "open %s", s.dir)
	}
	return nil
}

func (s *Show) notesFile() string { return filepath.Join(s.dir, "demo.json") }

func (s *Show) note() error {
	data, err := json.Marshal(s.notes)
	if err != nil {
		return fmt.Errorf("note the demonstration: %w", err)
	}
	if err := os.WriteFile(s.notesFile(), data, 0o600); err != nil {
		return fault.From(fault.Internal, err, "write %s", s.notesFile())
	}
	return nil
}

// Address is that of the first page.
func (s *Show) Address() string { return s.stack.Settings()["GAVEL_PUBLIC_URL"] + "/" }

// Mailbox is where all mail can be read that left, and answered.
func (s *Show) Mailbox() string { return s.mails.address() }

// End stops all parts, and wipes what is not to be kept.
func (s *Show) End(ctx context.Context) error {
	var errs []error
	if s.stack == nil { // it never came up whole
		s.stack, _ = devstack.Open(s.stackDir())
	}
	if s.stack != nil {
		end := s.stack.Remove
		if s.cfg.Dir != "" {
			end = s.stack.Down
		}
		errs = append(errs, end(ctx))
	}
	if s.mails != nil {
		errs = append(errs, s.mails.close())
	}
	if s.model != nil {
		errs = append(errs, s.model.close())
	}
	if s.held != nil {
		errs = append(errs, s.held.Close())
	}
	if s.cfg.Dir == "" && s.dir != "" {
		if err := os.RemoveAll(s.dir); err != nil {
			errs = append(errs, fault.From(fault.Internal, err, "wipe %s", s.dir))
		}
	}
	return errors.Join(errs...)
}
