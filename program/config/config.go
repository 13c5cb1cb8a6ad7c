// Package config is every setting Gavel has: its name, what it is for, what a
// valid value looks like and where the value came from.
//
// Settings are read once, at start, by Load: flags win over the environment,
// the environment over the KEY=VALUE file, the file over the default. Nothing
// is guessed: a name that is not in the table, a value that does not parse and
// a value that production forbids are all refused, all at once, by name. Read
// settings.go for the table and rules.go for what may not stand together.
package config

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Mode says how much an installation is trusted with.
type Mode string

// The modes. Development tokens and a fast clock exist only outside Production.
const (
	Production Mode = "production"
	Demo       Mode = "demo"
	Test       Mode = "test"
)

// A Config is one reading of all settings. Fields of settings that are not set,
// or whose value was refused, have their zero value.
type Config struct {
	Mode              Mode
	Listen            string // host:port the server listens on
	PublicURL         string // base address people use, without a final slash
	Database          Secret // role gavel_app
	DatabaseSystem    Secret // role gavel_system
	DatabaseOwner     Secret // role gavel_owner
	DatabaseTLSWhy    string // why a database need not prove its name
	TemporalAddress   string
	TemporalNamespace string
	TemporalTLS       bool
	TemporalCA        string // paths of PEM files; read by EngineTLS
	TemporalCert      string
	TemporalKey       string
	PayloadKeys       durable.Keys
	OldPayloads       bool   // read payloads that are bound to no workflow
	LogKey            Secret // signs the audit log
	LogKeyPrevious    Secret
	LogWitness        string
	SealKeys          seal.Masters
	BlobURL           string
	BlobAccessKey     string
	BlobSecretKey     Secret
	SMTPAddress       string
	Mail              Mail
	MailIn            MailIn
	HooksLoopback     bool // webhooks may lead to this machine
	ModelsFile        string
	Models            []ModelRoute // by name; keys included, as Secrets
	Browser           string       // program that makes PDFs; empty: the one on the PATH
	Policies          string       // folder that replaces the policies built in; empty: none does
	OIDCIssuer        string
	OIDCClientID      string
	OIDCClientSecret  Secret
	OIDCGroups        string   // the claim that lists groups
	OIDCScopes        []string // asked of the issuer
	DevTokenKey       Secret   // base64 of 32 bytes, as given
	ClockEpoch        time.Time
	ClockSpeed        float64
	OTLPEndpoint      string
	WorkerMetrics     string // loopback host:port a worker serves its metrics on
	LogLevel          slog.Level
	Server            string // base URL of the server the command line talks to
	Token             Secret

	table    []Setting
	given    *given
	problems Problems
}

// given is the text of every setting. It stands behind a pointer so that not
// even a printed copy of a Config shows it.
type given map[Name]value

// A value is one setting's text and where it came from.
type value struct {
	text, origin string
}

// A Need is a set of settings of which at least one must be set.
type Need []Name

func (n Need) satisfied(c *Config) bool {
	return slices.ContainsFunc(n, func(name Name) bool { return (*c.given)[name].text != "" })
}

// Problems are the values that were refused, in the table's order; empty when
// all is well.
func (c *Config) Problems() Problems { return c.problems }

// Require reports everything that keeps a command from starting: every refused
// value, and every setting in needs that is missing.
func (c *Config) Require(needs ...Need) error {
	all := slices.Clone(c.problems)
	for _, n := range needs {
		if !n.satisfied(c) && !all.names(n) {
			all = append(all, missing(n))
		}
	}
	return all.err()
}

// IsSet reports whether a setting has a value, its default included.
func (c *Config) IsSet(name Name) bool { return (*c.given)[name].text != "" }

// File is the path of the settings file that was read, empty where none was.
func (c *Config) File() string { return (*c.given)[NameConfig].text }

// Address is where people and programs on this machine reach the server: the
// public address where one is set, else the one it listens on.
func (c *Config) Address() string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}).String()
}

// Format keeps secrets out of anything printed with package fmt.
func (c *Config) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "config(mode %s, %d settings)", c.Mode, len(*c.given))
}

// LogValue keeps secrets out of logs.
func (c *Config) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }

// A Secret is text that prints as a mask. Reveal is the only way to its value.
type Secret string

// mask stands for a secret wherever one would be shown. Its length tells nothing.
const mask = "********"

// Reveal is the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String is the mask, or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString is the mask too, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is the mask, so that encoded values and logs carry no secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A Problem is one setting that keeps us from starting.
type Problem struct {
	Name   Name   `json:"setting"`
	Origin string `json:"origin,omitempty"` // where the value stands; empty when it is missing
	Detail string `json:"detail"`           // what is wrong and what is expected; no secret
}

// Problems is all of them, as one error.
type Problems []Problem

// Error lists the problems, one a line.
func (p Problems) Error() string {
	text := ""
	for i, one := range p {
		if i > 0 {
			text += "\n"
		}
		text += string(one.Name)
		if one.Origin != "" {
			text += " (" + one.Origin + ")"
		}
		text += ": " + one.Detail
	}
	return text
}

func (p Problems) names(names []Name) bool {
	return slices.ContainsFunc(p, func(one Problem) bool { return slices.Contains(names, one.Name) })
}

func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	what := "1 setting is missing or wrong"
	if len(p) > 1 {
		what = fmt.Sprintf("%d settings are missing or wrong", len(p))
	}
	return fault.From(fault.Invalid, p, "%s", what).WithNext("%s", p.next())
}

// next is what to try: who has only never signed in needs no list of settings.
func (p Problems) next() string {
	if slices.ContainsFunc(p, func(one Problem) bool { return one.Origin != "" || one.Name != NameToken && one.Name != NameServer }) {
		return "gavel config list"
	}
	return "gavel login --server ADDRESS, or to try Gavel on this machine: gavel demo"
}

func missing(n Need) Problem {
	p := Problem{Name: n[0], Detail: "missing: set " + lookup(n[0]).Expect}
	for _, other := range n[1:] {
		p.Detail += fmt.Sprintf("; or set %s, %s", other, lookup(other).Expect)
	}
	return p
}
