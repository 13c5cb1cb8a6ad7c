package program

import (
	"context"
	"log/slog"
	"net"
	netmail "net/mail"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/imap"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// mailDoorPath is where a provider brings mail.
const mailDoorPath = "/v1/mail/inbound"

// mailInOff says why no mail comes in, or nothing where it does.
func mailInOff(cfg *config.Config) string {
	if cfg.MailIn.IMAPAddress == "" && cfg.MailIn.Secrets == "" {
		return string(config.NameIMAPAddress) + " and " + string(config.NameMailSecrets) + " are not set"
	}
	return ""
}

// newInbox takes in mail; nil where none comes in.
func (c *cli) newInbox(p *parts, sys *postgres.System, vault *seal.Vault, kept *evidence.Store, post *notify.Post) (*inbound.Store, error) {
	if mailInOff(c.cfg) != "" {
		return nil, nil
	}
	rules := inbound.Rules{Book: mailBook(c.cfg), AuthServer: c.cfg.MailIn.AuthServer}
	if from, err := netmail.ParseAddress(c.cfg.Mail.From); err == nil {
		rules.From = []string{strings.ToLower(from.Address)}
	}
	return inbound.New(inbound.Config{DB: p.db, System: sys, Clock: p.clock, Policy: p.rules, Cases: p.cases, Vault: vault, Evidence: kept,
		Routes: notify.NewRoutes(sys), Post: post, Rules: rules, Postmaster: c.cfg.MailIn.Org})
}

// serveMail opens the door for a provider that brings mail over HTTP, where a
// secret is set.
func (c *cli) serveMail(mux *web.Mux, p *parts, b ground) {
	if c.cfg.MailIn.Secrets == "" {
		return
	}
	door := inbound.Webhook{Keys: c.cfg.MailIn.Ring, Store: b.kept.mail, Now: time.Now, Log: p.log}
	if c.cfg.Mail.ResendKey != "" {
		door.Fetcher = inbound.Resend{URL: c.cfg.Mail.ResendURL, Key: c.cfg.Mail.ResendKey.Reveal()}
	}
	mux.Mount("POST "+mailDoorPath, door, web.Public("a mail provider has no sign-in: it signs what it brings"), web.MaxBody(letter.MaxRaw))
}

// carryMails takes mails out and in until the context ends.
func (c *cli) carryMails(ctx context.Context, p *parts, b ground, public string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.sendMails(ctx, p, b, public) })
	group.Go(func() error { return c.readMails(ctx, p, b) })
	return group.Wait()
}

// readMails reads the mailbox until the context ends. Where there is none it says
// so once.
func (c *cli) readMails(ctx context.Context, p *parts, b ground) error {
	if why := mailInOff(c.cfg); why != "" {
		p.log.InfoContext(ctx, "no mail comes in", slog.String("why", why))
		return nil
	}
	if c.cfg.MailIn.AuthServer == "" {
		p.log.WarnContext(ctx, "no sender of mail is believed: every reply waits for a person",
			slog.String("setting", string(config.NameMailAuthServer)))
	}
	if c.cfg.MailIn.IMAPAddress == "" {
		return nil
	}
	reader, err := imap.New(imap.Config{Address: c.cfg.MailIn.IMAPAddress, User: c.cfg.MailIn.IMAPUser,
		Password: c.cfg.MailIn.IMAPPassword.Reveal(),
		TLS:      mailboxTLS(c.cfg), Receiver: b.kept.mail, Beat: beat, Log: p.log})
	if err != nil {
		return err
	}
	reader.Run(ctx)
	return nil
}

// mailboxTLS is how the mailbox is spoken to.
func mailboxTLS(cfg *config.Config) string {
	if cfg.MailIn.IMAPTLS != "" {
		return cfg.MailIn.IMAPTLS
	}
	if host, _, err := net.SplitHostPort(cfg.MailIn.IMAPAddress); err == nil && address.ThisMachine(host) {
		return imap.NoTLS
	}
	return imap.TLS
}

// mailboxCheck is what `gavel doctor` says of the mailbox.
func mailboxCheck(cfg *config.Config) doctor.Check {
	return doctor.Check{Group: "Mail", Name: "mailbox can be read", Run: func(ctx context.Context) doctor.Result {
		m := cfg.MailIn
		if m.IMAPAddress == "" {
			return doctor.Result{Status: doctor.NotSetUp, Detail: "not configured"}
		}
		reader, err := imap.New(imap.Config{Address: m.IMAPAddress, User: m.IMAPUser, Password: m.IMAPPassword.Reveal(),
			TLS: mailboxTLS(cfg), Beat: beat, Log: slog.New(slog.DiscardHandler)})
		if err == nil {
			err = reader.Ping(ctx)
		}
		if err != nil {
			return doctor.Result{Status: doctor.Fail, Detail: "the mailbox at " + m.IMAPAddress + " cannot be read",
				Fix: fix(cfg, "imap", "start the mail server, or correct the GAVEL_IMAP_ settings: gavel config list")}
		}
		if m.AuthServer == "" {
			return doctor.Result{Status: doctor.Warn, Detail: "no sender is believed: every reply waits for a person",
				Fix: "set " + string(config.NameMailAuthServer)}
		}
		return doctor.Result{Status: doctor.OK, Detail: "answers at " + m.IMAPAddress}
	}}
}
