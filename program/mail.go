package program

import (
	"cmp"
	"context"
	"log/slog"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/resend"
	"github.com/gavelhq/gavel/platform/notify/smtp"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// mailOff says why no mail goes out, or nothing where it does.
func mailOff(cfg *config.Config) string {
	for _, name := range []config.Name{config.NameMailDomain, config.NameMailFrom} {
		if !cfg.IsSet(name) {
			return string(name) + " is not set"
		}
	}
	if !cfg.IsSet(config.NameSMTPAddress) && !cfg.IsSet(config.NameResendKey) {
		return "neither " + string(config.NameSMTPAddress) + " nor " + string(config.NameResendKey) + " is set"
	}
	return ""
}

// mailBook is what addresses and ids of mails are made from and verified with.
func mailBook(cfg *config.Config) address.Book {
	return address.Book{Domain: cfg.Mail.Domain, Inbound: cfg.Mail.Inbound, Keys: cfg.Mail.Ring()}
}

// newPost keeps mails; nil where none goes out.
func (c *cli) newPost(p *parts, vault *seal.Vault) (*notify.Post, error) {
	if mailOff(c.cfg) != "" || vault == nil {
		return nil, nil
	}
	return notify.New(notify.Config{DB: p.db, Clock: p.clock, Vault: vault, Book: mailBook(c.cfg), From: c.cfg.Mail.From})
}

// newDesk tells people with accounts by mail what waits for them; nil where no mail
// goes out. Without a post and the system's door it only takes notices.
func (c *cli) newDesk(p *parts, sys *postgres.System, post *notify.Post, public string) *notify.Desk {
	if mailOff(c.cfg) != "" {
		return nil
	}
	return notify.NewDesk(notify.DeskConfig{Post: post, DB: p.db, System: sys, Clock: p.clock, People: notify.PeopleFrom(signin.To, reader),
		Public: public, Logger: p.log,
		Proposal: func(id string) string { return web.ProposalLink(public, id) }})
}

// reader is a person as mail reaches them.
func reader(p signin.Person) notify.Reader {
	return notify.Reader{ID: p.ID, Name: p.Name, Address: p.Email}
}

// newSink is where mails are handed over.
func (c *cli) newSink() (notify.Sink, error) {
	if m := c.cfg.Mail; m.ResendKey != "" {
		return resend.New(resend.Config{URL: m.ResendURL, Key: m.ResendKey.Reveal()})
	}
	return mailServer(c.cfg)
}

// mailServer is the SMTP server of the settings.
func mailServer(cfg *config.Config) (*smtp.Sink, error) {
	m := cfg.Mail
	security := smtp.Security(m.SMTPTLS)
	if security == "" {
		security = smtp.StartTLS
		if host, _, err := net.SplitHostPort(cfg.SMTPAddress); err == nil && address.ThisMachine(host) {
			security = smtp.Plain
		}
	}
	return smtp.New(smtp.Config{Address: cfg.SMTPAddress, Security: security, User: m.SMTPUser, Password: m.SMTPPassword.Reveal(),
		Hello: cmp.Or(m.Domain, "localhost")})
}

// mailCheck looks whether the mail server lets us in. One that needs neither TLS
// from the start nor a password only has to greet.
func mailCheck(cfg *config.Config, fix string) doctor.Check {
	if cfg.Mail.SMTPTLS != string(smtp.TLS) && cfg.Mail.SMTPUser == "" {
		return doctor.Mail(cfg.SMTPAddress, fix)
	}
	return doctor.Check{Group: "Mail", Name: "server lets us in", Run: func(ctx context.Context) doctor.Result {
		server, err := mailServer(cfg)
		if err == nil {
			err = server.Greets(ctx)
		}
		if err != nil {
			return doctor.Result{Status: doctor.Fail, Detail: "the mail server at " + cfg.SMTPAddress + " does not let us in", Fix: fix}
		}
		return doctor.Result{Status: doctor.OK, Detail: "lets us in at " + cfg.SMTPAddress}
	}}
}

// sendMails takes mails to where they are read, and tells people what waits for
// them, until the context ends. Where no mail goes out it says so once.
func (c *cli) sendMails(ctx context.Context, p *parts, b ground, public string) error {
	if why := mailOff(c.cfg); why != "" {
		p.log.InfoContext(ctx, "no mail goes out", slog.String("why", why))
		return nil
	}
	sink, err := c.newSink()
	if err != nil {
		return fault.From(fault.Invalid, err, "mail cannot go out").WithNext("gavel config list")
	}
	sender := notify.NewSender(notify.SenderConfig{Post: b.kept.post, System: b.sys, Acts: b.minds.acts, Cases: p.cases, Sink: sink,
		Logger: p.log})
	desk := c.newDesk(p, b.sys, b.kept.post, public)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return ticking(ctx, notify.SendInterval, sender.Run) })
	group.Go(func() error { return ticking(ctx, notify.TellInterval, desk.Run) })
	return group.Wait()
}
