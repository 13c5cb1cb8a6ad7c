package config

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
)

// A Name is a setting's name, the same in the environment and the file.
type Name string

// The names.
const (
	NameConfig            Name = "GAVEL_CONFIG"
	NameMode              Name = "GAVEL_MODE"
	NameListen            Name = "GAVEL_LISTEN"
	NamePublicURL         Name = "GAVEL_PUBLIC_URL"
	NameDatabase          Name = "GAVEL_DATABASE_URL"
	NameDatabaseSystem    Name = "GAVEL_DATABASE_SYSTEM_URL"
	NameDatabaseOwner     Name = "GAVEL_DATABASE_OWNER_URL"
	NameDatabaseTLSWhy    Name = "GAVEL_DATABASE_TLS_WHY"
	NameTemporalAddress   Name = "GAVEL_TEMPORAL_ADDRESS"
	NameTemporalNamespace Name = "GAVEL_TEMPORAL_NAMESPACE"
	NameTemporalTLS       Name = "GAVEL_TEMPORAL_TLS"
	NameTemporalCA        Name = "GAVEL_TEMPORAL_CA"
	NameTemporalCert      Name = "GAVEL_TEMPORAL_CERT"
	NameTemporalKey       Name = "GAVEL_TEMPORAL_KEY"
	NamePayloadKeys       Name = "GAVEL_PAYLOAD_KEYS"
	NameOldPayloads       Name = "GAVEL_OLD_PAYLOADS"
	NameBlobURL           Name = "GAVEL_BLOB_URL"
	NameBlobAccessKey     Name = "GAVEL_BLOB_ACCESS_KEY"
	NameBlobSecretKey     Name = "GAVEL_BLOB_SECRET_KEY"
	NameSMTPAddress       Name = "GAVEL_SMTP_ADDRESS"
	NameHooksLoopback     Name = "GAVEL_HOOKS_LOOPBACK"
	NameOIDCIssuer        Name = "GAVEL_OIDC_ISSUER"
	NameOIDCClientID      Name = "GAVEL_OIDC_CLIENT_ID"
	NameOIDCClientSecret  Name = "GAVEL_OIDC_CLIENT_SECRET"
	NameOIDCGroups        Name = "GAVEL_OIDC_GROUPS_CLAIM"
	NameOIDCScopes        Name = "GAVEL_OIDC_SCOPES"
	NameDevTokenKey       Name = "GAVEL_DEV_TOKEN_KEY"
	NameClockEpoch        Name = "GAVEL_CLOCK_EPOCH"
	NameClockSpeed        Name = "GAVEL_CLOCK_SPEED"
	NameOTLPEndpoint      Name = "GAVEL_OTLP_ENDPOINT"
	NameWorkerMetrics     Name = "GAVEL_WORKER_METRICS_LISTEN"
	NameLogLevel          Name = "GAVEL_LOG_LEVEL"
	NameServer            Name = "GAVEL_SERVER"
	NameToken             Name = "GAVEL_TOKEN"
)

// A Setting is one row of the table.
type Setting struct {
	Name    Name
	Help    string // what it is for
	Expect  string // what a valid value looks like, after the word "expected"
	Default string
	Secret  bool // never shown

	set  func(*Config, string) bool // puts the value in; false when it is not as expected
	show func(string) string        // how a value that is not wholly secret is shown; nil as it is

	brought bool                // an application's
	private func(string) string // why production refuses a value; nil where a rule of its own says so, or nothing does
}

// elsewhere are GAVEL_ names that other programs of the project read; they may
// stand in the environment and mean nothing here.
func elsewhere() []string {
	return []string{
		"GAVEL_CACHE",    // where the dev stack keeps the tools it built
		"GAVEL_DEVSTACK", // the stack tests use
	}
}

// Settings is the table, in the order people read it; those of applications stand
// before what is for one person at a terminal.
func Settings(of ...platform.Setting) []Setting {
	var all, more []Setting
	for _, s := range of {
		more = append(more, brought(s))
	}
	for _, part := range [][]Setting{installation(), pipes(), record(), stores(), printing(), outgoing(), incoming(), hooks(), models(),
		more, policies(), people(), clock(), commandLine()} {
		all = append(all, part...)
	}
	return all
}

func installation() []Setting {
	return []Setting{
		{Name: NameConfig, Help: "file of KEY=VALUE lines with settings; the flag --config wins",
			Expect: "the path of a readable file", set: func(*Config, string) bool { return true }},
		{Name: NameMode, Help: "how much this installation is trusted with; a demo says what to try first", Default: string(Production),
			Expect: "production, demo or test", set: func(c *Config, v string) bool {
				c.Mode = Mode(v)
				return c.Mode == Production || c.Mode == Demo || c.Mode == Test
			}},
		{Name: NameListen, Help: "address the server listens on", Default: "127.0.0.1:8080",
			Expect: "host:port, for example 127.0.0.1:8080", set: func(c *Config, v string) bool {
				c.Listen = v
				return validListen(v)
			}},
		{Name: NamePublicURL, Help: "address people reach the server at; http://GAVEL_LISTEN where it is not set",
			Expect: "the base of an http(s) address, for example https://gavel.example.org", set: base((*Config).publicURL)},
		{Name: NameLogLevel, Help: "least level that is logged", Default: "info",
			Expect: "debug, info, warn or error", set: func(c *Config, v string) bool {
				var ok bool
				c.LogLevel, ok = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo,
					"warn": slog.LevelWarn, "error": slog.LevelError}[v]
				return ok
			}},
		{Name: NameOTLPEndpoint, Help: "where traces are sent (OTLP over HTTP); none are sent where it is not set",
			Expect: "an http(s) address, for example http://127.0.0.1:4318", set: base((*Config).otlpEndpoint)},
		{Name: NameWorkerMetrics, Help: "address a worker serves /metrics on; none are served where it is not set",
			Expect: "a loopback host:port, for example 127.0.0.1:9090", set: func(c *Config, v string) bool {
				c.WorkerMetrics = v
				return validListen(v) && loopbackAddress(v)
			}},
	}
}

func pipes() []Setting {
	database := "postgres://user:password@host:port/database of role "
	return []Setting{
		{Name: NameDatabase, Help: "PostgreSQL for requests and activities, role gavel_app", Secret: true, show: showDatabase,
			Expect: database + "gavel_app", set: postgres(func(c *Config) *Secret { return &c.Database })},
		{Name: NameDatabaseSystem, Help: "PostgreSQL for dispatcher and schedules, role gavel_system", Secret: true, show: showDatabase,
			Expect: database + "gavel_system", set: postgres(func(c *Config) *Secret { return &c.DatabaseSystem })},
		{Name: NameDatabaseOwner, Help: "PostgreSQL for migrations, role gavel_owner", Secret: true, show: showDatabase,
			Expect: database + "gavel_owner", set: postgres(func(c *Config) *Secret { return &c.DatabaseOwner })},
		{Name: NameDatabaseTLSWhy, Help: "why a database on another machine need not prove its name (sslmode=require or verify-ca) in " +
			"production; the doctor shows it",
			Expect: "a sentence of at most 300 characters", set: func(c *Config, v string) bool {
				c.DatabaseTLSWhy = strings.TrimSpace(v)
				return c.DatabaseTLSWhy != "" && utf8.RuneCountInString(v) <= 300 && !strings.ContainsFunc(v, unicode.IsControl)
			}},
		{Name: NameTemporalAddress, Help: "Temporal frontend",
			Expect: "host:port, for example 127.0.0.1:7233", set: hostPort(func(c *Config) *string { return &c.TemporalAddress })},
		{Name: NameTemporalNamespace, Help: "Temporal namespace", Default: "gavel",
			Expect: "1 to 100 of a-z, A-Z, 0-9, '.', '_' and '-'", set: func(c *Config, v string) bool {
				c.TemporalNamespace = v
				return namespaceForm.MatchString(v)
			}},
		{Name: NameTemporalTLS, Help: "whether Temporal is spoken to over TLS", Default: "off",
			Expect: "on or off", set: func(c *Config, v string) bool {
				c.TemporalTLS = v == "on"
				return v == "on" || v == "off"
			}},
		{Name: NameTemporalCA, Help: "who may vouch for Temporal; the machine's own authorities where it is not set",
			Expect: "the path of a readable PEM file of certificates", set: pemFile(func(c *Config) *string { return &c.TemporalCA })},
		{Name: NameTemporalCert, Help: "our certificate, for a Temporal that asks for one",
			Expect: "the path of a readable PEM file with a certificate", set: pemFile(func(c *Config) *string { return &c.TemporalCert })},
		{Name: NameTemporalKey, Help: "the certificate's key",
			Expect: "the path of a readable PEM file with a private key", set: pemFile(func(c *Config) *string { return &c.TemporalKey })},
		{Name: NamePayloadKeys, Help: "keys that seal workflow payloads; the first one encrypts", Secret: true,
			Expect: "id:key, separated by commas; each id of a-z, 0-9 and -, each key the base64 of 32 bytes, no id twice",
			set: func(c *Config, v string) bool {
				var err error
				c.PayloadKeys, err = durable.ParseKeys(v)
				return err == nil
			}},
		{Name: NameOldPayloads, Help: "whether workflow payloads from before they were bound to their workflow are read; a new " +
			"installation has none", Default: "read",
			Expect: "read or refuse", set: func(c *Config, v string) bool {
				c.OldPayloads = v == "read"
				return v == "read" || v == "refuse"
			}},
	}
}

func stores() []Setting {
	return []Setting{
		{Name: NameBlobURL, Help: "where bytes are kept",
			Expect: "s3://bucket?endpoint=https://host&region=name or file:///absolute/folder", set: func(c *Config, v string) bool {
				c.BlobURL = v
				return validBlobURL(v)
			}},
		{Name: NameBlobAccessKey, Help: "access key of the S3 store",
			Expect: "an access key id without spaces", set: word(func(c *Config, v string) { c.BlobAccessKey = v })},
		{Name: NameBlobSecretKey, Help: "secret key of the S3 store", Secret: true,
			Expect: "a secret key without spaces", set: word(func(c *Config, v string) { c.BlobSecretKey = Secret(v) })},
		{Name: NameSMTPAddress, Help: "mail server for outgoing letters",
			Expect: "host:port, for example 127.0.0.1:25", set: hostPort(func(c *Config) *string { return &c.SMTPAddress })},
	}
}

func people() []Setting {
	return []Setting{
		{Name: NameOIDCIssuer, Help: "OpenID Connect issuer people sign in with",
			Expect: "an http(s) address, for example https://id.example.org", set: base((*Config).oidcIssuer)},
		{Name: NameOIDCClientID, Help: "our client id at the issuer",
			Expect: "a client id without spaces", set: word(func(c *Config, v string) { c.OIDCClientID = v })},
		{Name: NameOIDCClientSecret, Help: "our client secret at the issuer", Secret: true,
			Expect: "a client secret without spaces", set: word(func(c *Config, v string) { c.OIDCClientSecret = Secret(v) })},
		{Name: NameOIDCGroups, Help: "claim that lists the groups gavel/<organisation>/<role>", Default: "groups",
			Expect: "a claim's name without spaces", set: word(func(c *Config, v string) { c.OIDCGroups = v })},
		{Name: NameOIDCScopes, Help: "scopes asked of the issuer", Default: "openid profile email groups",
			Expect: "scopes with spaces between, openid among them", set: func(c *Config, v string) bool {
				c.OIDCScopes = strings.Fields(v)
				return slices.Contains(c.OIDCScopes, "openid")
			}},
		{Name: NameDevTokenKey, Help: "key of development tokens; refused in production", Secret: true,
			Expect: "the base64 of 32 bytes", set: func(c *Config, v string) bool {
				c.DevTokenKey = Secret(v)
				return valid32Bytes(v)
			}},
	}
}

func clock() []Setting {
	return []Setting{
		{Name: NameClockEpoch, Help: "moment at which a scaled clock starts to differ from the wall clock",
			Expect: "an RFC 3339 time, for example 2026-11-14T00:00:00Z", set: func(c *Config, v string) bool {
				t, err := time.Parse(time.RFC3339, v)
				c.ClockEpoch = t
				return err == nil
			}},
		{Name: NameClockSpeed, Help: "how much faster than real time the clock runs; only 1 in production", Default: "1",
			Expect: "a number above 0 and at most 1000000", set: func(c *Config, v string) bool {
				var ok bool
				c.ClockSpeed, ok = parseSpeed(v)
				return ok
			}},
	}
}

func commandLine() []Setting {
	return []Setting{
		{Name: NameServer, Help: "server that the case commands talk to",
			Expect: "the base of an http(s) address, for example https://gavel.example.org", set: base((*Config).server)},
		{Name: NameToken, Help: "token the case commands sign in with; `gavel login` keeps one for a person", Secret: true,
			Expect: "a token of yours on that server, without spaces", set: word(func(c *Config, v string) { c.Token = Secret(v) })},
	}
}

func (c *Config) publicURL() *string    { return &c.PublicURL }
func (c *Config) otlpEndpoint() *string { return &c.OTLPEndpoint }
func (c *Config) oidcIssuer() *string   { return &c.OIDCIssuer }
func (c *Config) server() *string       { return &c.Server }

func lookup(name Name) Setting {
	for _, s := range Settings() {
		if s.Name == name {
			return s
		}
	}
	return Setting{Name: name}
}

// shown is a value as it may be printed.
func (s Setting) shown(v string) string {
	switch {
	case v == "":
		return ""
	case s.show != nil:
		return s.show(v)
	case s.Secret:
		return mask
	}
	return credentials.ReplaceAllString(v, "//"+mask+"@")
}

// credentials are what stands before the host of an address. No setting but the
// databases' takes any there, which is why they must not be shown when someone
// puts them there.
var credentials = regexp.MustCompile(`//[^@]*@`)
