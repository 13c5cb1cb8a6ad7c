package config

import (
	"encoding/base64"
	"net/mail"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/notify/address"
)

// The names of the settings of mail that goes out, beside GAVEL_SMTP_ADDRESS.
const (
	NameMailDomain   Name = "GAVEL_MAIL_DOMAIN"
	NameMailInbound  Name = "GAVEL_MAIL_INBOUND_DOMAIN"
	NameMailFrom     Name = "GAVEL_MAIL_FROM"
	NameMailKeys     Name = "GAVEL_MAIL_KEYS"
	NameSMTPUser     Name = "GAVEL_SMTP_USER"
	NameSMTPPassword Name = "GAVEL_SMTP_PASSWORD"
	NameSMTPTLS      Name = "GAVEL_SMTP_TLS"
	NameResendKey    Name = "GAVEL_RESEND_KEY"
	NameResendURL    Name = "GAVEL_RESEND_URL"
)

// Mail is what of the settings is about mail that goes out.
type Mail struct {
	Domain       string
	Inbound      string
	From         string
	Keys         Secret // id:base64 of 32 bytes, separated by commas; read by Ring
	SMTPUser     string
	SMTPPassword Secret
	SMTPTLS      string // none, starttls or tls; empty: none on this machine, starttls elsewhere
	ResendKey    Secret
	ResendURL    string
}

// Ring is the keys of reply addresses; the first makes new ones.
func (m Mail) Ring() [][]byte {
	ring, _ := parseMailKeys(m.Keys.Reveal())
	return ring
}

// outgoing are the settings of mail that goes out.
func outgoing() []Setting {
	return []Setting{
		{Name: NameMailDomain, Help: "domain in the ids of our mails; mail goes out where it, GAVEL_MAIL_FROM and a mail server are set",
			Expect: "a domain of yours, for example mail.example.org", set: domain(func(c *Config) *string { return &c.Mail.Domain })},
		{Name: NameMailInbound, Help: "domain that replies to mails come to",
			Expect: "a domain whose mail you receive, for example in.example.org",
			set:    domain(func(c *Config) *string { return &c.Mail.Inbound })},
		{Name: NameMailFrom, Help: "whom mails come from",
			Expect: "an address, or a name and an address: Transport cell <cell@example.org>", set: func(c *Config, v string) bool {
				c.Mail.From = v
				_, err := mail.ParseAddress(v)
				return err == nil && len(v) <= 320
			}},
		{Name: NameMailKeys, Help: "keys of the tokens in reply addresses; the first one makes new ones", Secret: true,
			Expect: "id:key, separated by commas; each id of a-z, 0-9 and -, each key the base64 of 32 bytes, no id twice",
			set: func(c *Config, v string) bool {
				c.Mail.Keys = Secret(v)
				_, ok := parseMailKeys(v)
				return ok
			}},
		{Name: NameSMTPUser, Help: "our name at the mail server, for one that asks for it",
			Expect: "a name without spaces", set: word(func(c *Config, v string) { c.Mail.SMTPUser = v })},
		{Name: NameSMTPPassword, Help: "our password at the mail server", Secret: true,
			Expect: "a password without spaces", set: word(func(c *Config, v string) { c.Mail.SMTPPassword = Secret(v) })},
		{Name: NameSMTPTLS, Help: "how the mail server is spoken to; none on this machine and starttls elsewhere where it is not set",
			Expect: "none, starttls or tls", set: func(c *Config, v string) bool {
				c.Mail.SMTPTLS = v
				return slices.Contains([]string{"none", "starttls", "tls"}, v)
			}},
		{Name: NameResendKey, Help: "key at Resend, which sends mails instead of a mail server", Secret: true,
			Expect: "an API key without spaces", set: word(func(c *Config, v string) { c.Mail.ResendKey = Secret(v) })},
		{Name: NameResendURL, Help: "where Resend answers, if not at its usual address",
			Expect: "the base of an http(s) address", set: base(func(c *Config) *string { return &c.Mail.ResendURL })},
	}
}

func domain(field func(*Config) *string) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		*field(c) = v
		return address.ValidDomain(v) && strings.Contains(v, ".")
	}
}

var mailKeyID = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// maxMailKeys bounds a ring: the one in use, and those that mails still out there
// were made with.
const maxMailKeys = 16

func parseMailKeys(v string) (ring [][]byte, ok bool) {
	seen := map[string]bool{}
	parts := strings.Split(v, ",")
	for _, part := range parts {
		id, text, _ := strings.Cut(strings.TrimSpace(part), ":")
		key, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(key) != 32 || !mailKeyID.MatchString(id) || seen[id] || len(parts) > maxMailKeys {
			return nil, false
		}
		seen[id] = true
		ring = append(ring, key)
	}
	return ring, true
}

// mailIsWhole refuses half of what mail needs.
func mailIsWhole(c *Config) (Name, string) {
	missing := func(name Name, why string) (Name, string) {
		return name, "missing: " + why + " " + lookup(name).Expect
	}
	switch m := c.Mail; {
	case m.Domain != "" && m.From == "":
		return missing(NameMailFrom, "mail needs")
	case m.From != "" && m.Domain == "":
		return missing(NameMailDomain, "mail needs")
	case m.Inbound != "" && m.Keys == "":
		return missing(NameMailKeys, "reply addresses need")
	case m.SMTPUser != "" && m.SMTPPassword == "":
		return missing(NameSMTPPassword, "a name at the mail server needs")
	case m.SMTPPassword != "" && m.SMTPUser == "":
		return missing(NameSMTPUser, "a password at the mail server needs")
	case m.ResendKey != "" && c.SMTPAddress != "":
		return NameResendKey, "mail goes by Resend or by the server of GAVEL_SMTP_ADDRESS, not by both; remove one"
	case m.SMTPTLS == "none" && c.SMTPAddress != "" && !loopbackAddress(c.SMTPAddress):
		return NameSMTPTLS, "refused: letters would travel in plain to another machine; use starttls or tls, or a relay on this one"
	}
	return "", ""
}

// resendIsHTTPS: the key and the letters go there.
func resendIsHTTPS(c *Config) (Name, string) {
	if plainToOthers(c.Mail.ResendURL) {
		return NameResendURL, "refused in production: letters would travel over plain http; use an https:// address"
	}
	return "", ""
}
