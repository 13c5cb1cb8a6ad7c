package config

import (
	"slices"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// The names of the settings of mail that comes in, beside
// GAVEL_MAIL_INBOUND_DOMAIN.
const (
	NameMailSecrets    Name = "GAVEL_MAIL_WEBHOOK_SECRETS"
	NameMailAuthServer Name = "GAVEL_MAIL_AUTH_SERVER"
	NameMailOrg        Name = "GAVEL_MAIL_ORG"
	NameIMAPAddress    Name = "GAVEL_IMAP_ADDRESS"
	NameIMAPUser       Name = "GAVEL_IMAP_USER"
	NameIMAPPassword   Name = "GAVEL_IMAP_PASSWORD"
	NameIMAPTLS        Name = "GAVEL_IMAP_TLS"
)

// MailIn is what of the settings is about mail that comes in.
type MailIn struct {
	Secrets      Secret       // of whoever brings mail over HTTP, separated by commas, the newest first; read by Ring
	AuthServer   string       // what the server that takes our mail in calls itself in Authentication-Results
	Org          identity.Org // looks after mail that leads to no organisation
	IMAPAddress  string
	IMAPUser     string
	IMAPPassword Secret
	IMAPTLS      string // none, starttls or tls; empty: none on this machine, tls elsewhere
}

// Ring is the secrets of whoever brings mail over HTTP.
func (m MailIn) Ring() webhook.Keys {
	keys, _ := inbound.Secrets(m.Secrets.Reveal()) // one that cannot be read was refused
	return keys
}

// incoming are the settings of mail that comes in.
func incoming() []Setting {
	return []Setting{
		{Name: NameMailSecrets, Help: "secrets of the webhook over which mail comes in; it is closed where they are not set", Secret: true,
			Expect: "whsec_ and base64, separated by commas, the newest first", set: func(c *Config, v string) bool {
				c.MailIn.Secrets = Secret(v)
				_, err := inbound.Secrets(v)
				return err == nil
			}},
		{Name: NameMailAuthServer, Help: "name of our incoming mail server in Authentication-Results; without it no sender is trusted",
			Expect: "a name without spaces, for example mx.example.org", set: word(func(c *Config, v string) { c.MailIn.AuthServer = v })},
		{Name: NameMailOrg, Help: "organisation that looks after mail which leads to none",
			Expect: "the name of an organisation", set: func(c *Config, v string) bool {
				var err error
				c.MailIn.Org, err = identity.ParseOrg(v)
				return err == nil
			}},
		{Name: NameIMAPAddress, Help: "mailbox that is read for mail that comes in; none is where it is not set",
			Expect: "host:port, for example imap.example.org:993", set: hostPort(func(c *Config) *string { return &c.MailIn.IMAPAddress })},
		{Name: NameIMAPUser, Help: "our name at the mailbox",
			Expect: "a name without spaces", set: word(func(c *Config, v string) { c.MailIn.IMAPUser = v })},
		{Name: NameIMAPPassword, Help: "our password at the mailbox", Secret: true,
			Expect: "a password without spaces", set: word(func(c *Config, v string) { c.MailIn.IMAPPassword = Secret(v) })},
		{Name: NameIMAPTLS, Help: "how the mailbox is spoken to; none on this machine and tls elsewhere where it is not set",
			Expect: "none, starttls or tls", set: func(c *Config, v string) bool {
				c.MailIn.IMAPTLS = v
				return slices.Contains([]string{"none", "starttls", "tls"}, v)
			}},
	}
}

// incomingIsWhole refuses half of what mail that comes in needs.
func incomingIsWhole(c *Config) (Name, string) {
	missing := func(name Name, why string) (Name, string) {
		return name, "missing: " + why + " " + lookup(name).Expect
	}
	m := c.MailIn
	switch on := m.IMAPAddress != "" || m.Secrets != ""; {
	case on && c.Mail.Inbound == "":
		return missing(NameMailInbound, "taking in mail needs")
	case on && m.Org == "":
		return missing(NameMailOrg, "taking in mail needs")
	case m.IMAPAddress != "" && m.IMAPUser == "":
		return missing(NameIMAPUser, "a mailbox needs")
	case m.IMAPAddress != "" && m.IMAPPassword == "":
		return missing(NameIMAPPassword, "a mailbox needs")
	case m.IMAPTLS == "none" && m.IMAPAddress != "" && !loopbackAddress(m.IMAPAddress):
		return NameIMAPTLS, "refused: letters and a password would travel in plain to another machine; use starttls or tls"
	}
	return "", ""
}
