package config

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	key32  = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	key32b = "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
)

func load(t *testing.T, environ ...string) *Config {
	t.Helper()
	c, err := Load(Sources{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gavel.env")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEachSettingTakesWhatItExpectsAndRefusesTheRestByName(t *testing.T) {
	long := strings.Repeat("x", maxValue+1)
	for _, tt := range []struct {
		name      Name
		good, bad []string
	}{
		{NameMode, []string{"production", "demo", "test"}, []string{"prod", "Demo", "demo "}},
		{NameListen, []string{"127.0.0.1:8080", "[::1]:80", "localhost:0"}, []string{"8080", "127.0.0.1", "127.0.0.1:http",
			"127.0.0.1:70000", "a b:80"}},
		{NamePublicURL, []string{"https://gavel.example.org", "https://example.org/gavel/", "http://127.0.0.1:8080"},
			[]string{"gavel.example.org", "ftp://example.org", "https://user@example.org", "https://example.org?a=b",
				"https://example.org/#x", "https://", "https://exa mple.org"}},
		{NameLogLevel, []string{"debug", "info", "warn", "error"}, []string{"INFO", "trace", "0"}},
		{NameOTLPEndpoint, []string{"http://127.0.0.1:4318"}, []string{"127.0.0.1:4318", "grpc://127.0.0.1"}},
		{NameDatabase, []string{"postgres://gavel_app:pw@127.0.0.1:5432/gavel", "postgresql://gavel_app@/gavel?host=/run/postgresql"},
			[]string{"host=127.0.0.1 user=gavel_app", "mysql://a:b@h/d", "postgres://127.0.0.1/gavel", "postgres://u@127.0.0.1",
				"postgres://u@/gavel"}},
		{NameDatabaseSystem, []string{"postgres://gavel_system:pw@127.0.0.1:5432/gavel"}, []string{"nonsense"}},
		{NameDatabaseOwner, []string{"postgres://gavel_owner:pw@127.0.0.1:5432/gavel"}, []string{"nonsense"}},
		{NameDatabaseTLSWhy, []string{"its certificate names no host until May"}, []string{" ", "a\tb", strings.Repeat("x", 301)}},
		{NameTemporalAddress, []string{"127.0.0.1:7233", "[::1]:7233", "localhost:7233"}, []string{":7233", "temporal.internal", "h:0",
			"http://h:7233"}},
		{NameTemporalNamespace, []string{"gavel", "Gavel.prod-1_a"}, []string{"ga vel", "ga/vel", strings.Repeat("n", 101)}},
		{NameTemporalTLS, []string{"on", "off"}, []string{"yes", "ON", "1"}},
		{NameTemporalCA, nil, []string{"/not/there.pem", "/dev/null", ".", "config.go"}},
		{NameTemporalCert, nil, []string{"/not/there.pem", ".", "config.go"}},
		{NameTemporalKey, nil, []string{"/not/there.pem", ".", "config.go"}},
		{NameWorkerMetrics, []string{"127.0.0.1:9090", "[::1]:0", "localhost:9090"}, []string{":9090", "0.0.0.0:9090", "10.0.0.2:9090",
			"9090"}},
		{NamePayloadKeys, []string{"k1:" + key32, "k2:" + key32b + ",k1:" + key32, "k2:" + key32b + ", k1:" + key32},
			[]string{key32, "k1:", "k1:AAAA", ":" + key32, "k1:" + key32 + ",", "k1:" + key32 + ",k1:" + key32b, "k 1:" + key32,
				"K1:" + key32}},
		{NameBlobURL, []string{"file:///var/lib/gavel"}, []string{"file://relative/path", "file:relative", "gs://bucket", "/var/lib/gavel",
			"s3://UPPER", "s3://u:p@bucket", "s3://bucket?endpoint=nonsense", "file:///a?b=c"}},
		{NameBlobAccessKey, []string{"AKIA1"}, []string{"AK IA"}},
		{NameBlobSecretKey, []string{"wJalr/+="}, []string{"a\tb"}},
		{NameSMTPAddress, []string{"127.0.0.1:25"}, []string{"127.0.0.1", ":25"}},
		{NameMailDomain, nil, []string{"example", "exa mple.org", "a..b", "-a.org"}},
		{NameMailInbound, nil, []string{"example", "in.example.org\n"}},
		{NameMailFrom, nil, []string{"cell", "a@b, c@d"}},
		{NameMailKeys, []string{"a:" + key32, "a:" + key32 + ",b-2:" + key32}, []string{key32, "a:" + key32[:20], "a:" + key32 + ",a:" +
			key32, "A:" + key32}},
		{NameSMTPUser, nil, []string{"a b"}},
		{NameSMTPPassword, nil, []string{"a b"}},
		{NameSMTPTLS, []string{"none", "starttls", "tls"}, []string{"ssl", "on"}},
		{NameResendKey, []string{"re_x"}, []string{"re x"}},
		{NameResendURL, []string{"https://api.example.org"}, []string{"api.example.org"}},
		{NameMailSecrets, nil, []string{"secret", "whsec_short", "whsec_" + key32 + ",x"}},
		{NameMailAuthServer, []string{"mx.example.org"}, []string{"a b"}},
		{NameMailOrg, []string{"north"}, []string{"North", "a b", "-"}},
		{NameIMAPAddress, nil, []string{"imap.example.org", ":993"}},
		{NameIMAPUser, []string{"inbox"}, []string{"a b"}},
		{NameIMAPPassword, []string{"x"}, []string{"a b"}},
		{NameIMAPTLS, []string{"none", "starttls", "tls"}, []string{"ssl", "on"}},
		{NameHooksLoopback, []string{"off"}, []string{"yes", "ON", "1"}},
		{NameDevTokenKey, nil, []string{"short", key32[:20], key32 + "A"}},
		{NameClockEpoch, nil, []string{"2026-11-14", "yesterday"}},
		{NameClockSpeed, []string{"1", "1.0"}, []string{"0", "-1", "fast", "NaN", "Inf", "1e7"}},
		{NameServer, []string{"https://gavel.example.org", "http://127.0.0.1:8080", "http://localhost:8080/"}, []string{"gavel.example.org",
			"https://a@b"}},
		{NameToken, []string{"gvdev.north.officer.abc"}, []string{"two words", "line\nbreak"}},
	} {
		for _, v := range tt.good {
			if got := load(t, string(tt.name)+"="+v).Problems(); len(got) != 0 {
				t.Errorf("%s=%s: got %v, want it taken", tt.name, v, got)
			}
		}
		for _, v := range append(tt.bad, long) {
			got := load(t, string(tt.name)+"="+v).Problems()
			if len(got) != 1 || got[0].Name != tt.name || !strings.Contains(got[0].Detail, "expected "+lookup(tt.name).Expect) {
				t.Errorf("%s=%.40s: got %v, want one problem that names it and what is expected", tt.name, v, got)
			}
		}
	}
}

func TestEverySettingIsDocumentedAndItsDefaultIsValid(t *testing.T) {
	seen := map[Name]bool{}
	for _, s := range Settings() {
		if seen[s.Name] || s.Help == "" || s.Expect == "" || s.set == nil || !validName(string(s.Name)) {
			t.Errorf("%s: twice in the table, or without help, expectation or setter", s.Name)
		}
		seen[s.Name] = true
		if s.Default != "" && !s.set(&Config{}, s.Default) {
			t.Errorf("%s: the default %q is not valid", s.Name, s.Default)
		}
	}
	if got := load(t).Problems(); len(got) != 0 {
		t.Errorf("with nothing set: got %v, want no problem", got)
	}
}

func TestWhatMayNotStandTogetherIsRefused(t *testing.T) {
	demo := "GAVEL_MODE=demo"
	oidc := []string{"GAVEL_OIDC_CLIENT_ID=gavel", "GAVEL_OIDC_CLIENT_SECRET=s", "GAVEL_OIDC_ISSUER=https://id.example.org"}
	s3 := []string{"GAVEL_BLOB_ACCESS_KEY=a", "GAVEL_BLOB_SECRET_KEY=s"}
	replies := []string{"GAVEL_MAIL_INBOUND_DOMAIN=in.example.org", "GAVEL_MAIL_KEYS=a:" + key32}
	for _, tt := range []struct {
		name    string
		environ []string
		want    Name // "" when all is well
	}{
		{"development tokens in production", []string{"GAVEL_DEV_TOKEN_KEY=" + key32}, NameDevTokenKey},
		{"development tokens in demo", []string{demo, "GAVEL_DEV_TOKEN_KEY=" + key32}, ""},
		{"fast clock in production", []string{"GAVEL_CLOCK_SPEED=60"}, NameClockSpeed},
		{"slow clock in production", []string{"GAVEL_CLOCK_SPEED=0.5"}, NameClockSpeed},
		{"fast clock in demo", []string{demo, "GAVEL_CLOCK_SPEED=60", "GAVEL_CLOCK_EPOCH=2026-11-14T00:00:00Z"}, ""},
		{"fast clock without a beginning", []string{demo, "GAVEL_CLOCK_SPEED=60"}, NameClockEpoch},
		{"all interfaces in production", []string{"GAVEL_LISTEN=:8080"}, NameListen},
		{"all interfaces, plain public address", []string{"GAVEL_LISTEN=0.0.0.0:8080", "GAVEL_PUBLIC_URL=http://127.0.0.1:8080"},
			NameListen},
		{"all interfaces behind https", []string{"GAVEL_LISTEN=0.0.0.0:8080", "GAVEL_PUBLIC_URL=https://gavel.example.org"}, ""},
		{"all interfaces in demo", []string{demo, "GAVEL_LISTEN=:8080"}, ""},
		{"plain public address in production", []string{"GAVEL_PUBLIC_URL=http://gavel.example.org"}, NamePublicURL},
		{"plain issuer in production", []string{oidc[0], oidc[1], "GAVEL_OIDC_ISSUER=http://id.example.org"}, NameOIDCIssuer},
		{"plain issuer on this machine", []string{oidc[0], oidc[1], "GAVEL_OIDC_ISSUER=http://127.0.0.1:5556/dex"}, ""},
		{"issuer without client", oidc[2:], NameOIDCClientID},
		{"issuer without secret", []string{oidc[0], oidc[2]}, NameOIDCClientSecret},
		{"client without issuer", oidc[:2], NameOIDCIssuer},
		{"whole sign-in", oidc, ""},
		{"plain server in production", []string{"GAVEL_SERVER=http://10.0.0.2:8080"}, NameServer},
		{"plain server in demo", []string{demo, "GAVEL_SERVER=http://10.0.0.2:8080"}, ""},
		{"database elsewhere in plain", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel"}, NameDatabase},
		{"system database elsewhere in plain", []string{"GAVEL_DATABASE_SYSTEM_URL=postgres://a:b@10.0.0.2/gavel?sslmode=disable"},
			NameDatabaseSystem},
		{"owner database elsewhere in plain", []string{"GAVEL_DATABASE_OWNER_URL=postgres://a:b@db/gavel?sslmode=prefer"},
			NameDatabaseOwner},
		{"database elsewhere over TLS", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel?sslmode=verify-full"}, ""},
		{"database elsewhere over TLS with anybody", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel?sslmode=require"},
			NameDatabase},
		{"system database over TLS with any name", []string{"GAVEL_DATABASE_SYSTEM_URL=postgres://a:b@db/gavel?sslmode=verify-ca"},
			NameDatabaseSystem},
		{"one of two databases over TLS with anybody",
			[]string{"GAVEL_DATABASE_OWNER_URL=postgres://a:b@localhost,db/gavel?sslmode=require"}, NameDatabaseOwner},
		{"database elsewhere over TLS with anybody, and why", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel?sslmode=require",
			"GAVEL_DATABASE_TLS_WHY=its certificate names no host"}, ""},
		{"database elsewhere in plain, and why", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel",
			"GAVEL_DATABASE_TLS_WHY=it is our own network"}, NameDatabase},
		{"database here over TLS with anybody", []string{"GAVEL_DATABASE_URL=postgres://a:b@127.0.0.1/gavel?sslmode=require"}, ""},
		{"database elsewhere over TLS with anybody in demo",
			[]string{demo, "GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel?sslmode=require"}, ""},
		{"database elsewhere behind a host that is not", []string{"GAVEL_DATABASE_URL=postgres://a:b@localhost/gavel?host=db.example.org"},
			NameDatabase},
		{"one of two databases elsewhere", []string{"GAVEL_DATABASE_URL=postgres://a:b@localhost,db.example.org/gavel"}, NameDatabase},
		{"database elsewhere beside a socket", []string{"GAVEL_DATABASE_URL=postgres://a:b@/gavel?host=/run/postgresql,db.example.org"},
			NameDatabase},
		{"database elsewhere, TLS falling back", []string{"GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel?sslmode=allow"}, NameDatabase},
		{"database with a mode nobody has", []string{"GAVEL_DATABASE_URL=postgres://a:b@127.0.0.1/gavel?sslmode=perhaps"}, NameDatabase},
		{"database by socket", []string{"GAVEL_DATABASE_URL=postgres://a@/gavel?host=/run/postgresql"}, ""},
		{"database elsewhere in demo", []string{demo, "GAVEL_DATABASE_URL=postgres://a:b@10.0.0.2/gavel"}, ""},
		{"store without access key", []string{"GAVEL_BLOB_URL=s3://evidence", s3[1]}, NameBlobAccessKey},
		{"store without secret key", []string{"GAVEL_BLOB_URL=s3://evidence", s3[0]}, NameBlobSecretKey},
		{"store with keys", append([]string{"GAVEL_BLOB_URL=s3://evidence?endpoint=https://s3.example.org"}, s3...), ""},
		{"store by a role", []string{"GAVEL_BLOB_URL=s3://evidence?credentials=role"}, ""},
		{"store elsewhere in plain", append([]string{"GAVEL_BLOB_URL=s3://evidence?endpoint=http://s3.example.org"}, s3...), NameBlobURL},
		{"traces elsewhere in plain", []string{"GAVEL_OTLP_ENDPOINT=http://otel.example.org:4318"}, NameOTLPEndpoint},
		{"traces elsewhere over TLS", []string{"GAVEL_OTLP_ENDPOINT=https://otel.example.org"}, ""},
		{"traces elsewhere in demo", []string{demo, "GAVEL_OTLP_ENDPOINT=http://otel.example.org:4318"}, ""},
		{"mail elsewhere, over TLS where nothing is said", []string{"GAVEL_SMTP_ADDRESS=mail.example.org:25"}, ""},
		{"mail elsewhere in plain", []string{"GAVEL_SMTP_ADDRESS=mail.example.org:25", "GAVEL_SMTP_TLS=none"}, NameSMTPTLS},
		{"mail elsewhere in plain in demo", []string{demo, "GAVEL_SMTP_ADDRESS=mail.example.org:25", "GAVEL_SMTP_TLS=none"}, NameSMTPTLS},
		{"mail here in plain", []string{"GAVEL_SMTP_ADDRESS=127.0.0.1:25", "GAVEL_SMTP_TLS=none"}, ""},
		{"mail from nobody", []string{"GAVEL_MAIL_DOMAIN=mail.example.org"}, NameMailFrom},
		{"mail from nowhere", []string{"GAVEL_MAIL_FROM=cell@example.org"}, NameMailDomain},
		{"replies that anybody could forge", []string{"GAVEL_MAIL_INBOUND_DOMAIN=in.example.org"}, NameMailKeys},
		{"a name without a password", []string{"GAVEL_SMTP_USER=gavel"}, NameSMTPPassword},
		{"a password without a name", []string{"GAVEL_SMTP_PASSWORD=x"}, NameSMTPUser},
		{"two ways out", []string{"GAVEL_SMTP_ADDRESS=127.0.0.1:25", "GAVEL_RESEND_KEY=re_x"}, NameResendKey},
		{"a service elsewhere in plain", []string{"GAVEL_RESEND_KEY=re_x", "GAVEL_RESEND_URL=http://api.example.org"}, NameResendURL},
		{"a mailbox of no domain", []string{"GAVEL_IMAP_ADDRESS=127.0.0.1:143"}, NameMailInbound},
		{"a webhook of no domain", []string{"GAVEL_MAIL_WEBHOOK_SECRETS=whsec_" + key32}, NameMailInbound},
		{"a mailbox that nobody looks after", append([]string{"GAVEL_IMAP_ADDRESS=127.0.0.1:143"}, replies...), NameMailOrg},
		{"a mailbox without a name", append([]string{"GAVEL_IMAP_ADDRESS=127.0.0.1:143", "GAVEL_MAIL_ORG=north"}, replies...),
			NameIMAPUser},
		{"a mailbox without a password", append([]string{"GAVEL_IMAP_ADDRESS=127.0.0.1:143", "GAVEL_MAIL_ORG=north", "GAVEL_IMAP_USER=in"},
			replies...), NameIMAPPassword},
		{"a mailbox elsewhere in plain", append([]string{"GAVEL_IMAP_ADDRESS=imap.example.org:143", "GAVEL_MAIL_ORG=north",
			"GAVEL_IMAP_USER=in", "GAVEL_IMAP_PASSWORD=x", "GAVEL_IMAP_TLS=none"}, replies...), NameIMAPTLS},
		{"a mailbox elsewhere", append([]string{"GAVEL_IMAP_ADDRESS=imap.example.org:993", "GAVEL_MAIL_ORG=north", "GAVEL_IMAP_USER=in",
			"GAVEL_IMAP_PASSWORD=x"}, replies...), ""},
		{"webhooks to this machine in production", []string{"GAVEL_HOOKS_LOOPBACK=on"}, NameHooksLoopback},
		{"webhooks to this machine in demo", []string{demo, "GAVEL_HOOKS_LOOPBACK=on"}, ""},
		{"mail elsewhere in demo", []string{demo, "GAVEL_SMTP_ADDRESS=mail.example.org:25"}, ""},
		{"engine elsewhere in plain", []string{"GAVEL_TEMPORAL_ADDRESS=temporal.example.org:7233"}, NameTemporalAddress},
		{"engine elsewhere over TLS", []string{"GAVEL_TEMPORAL_ADDRESS=temporal.example.org:7233", "GAVEL_TEMPORAL_TLS=on"}, ""},
		{"engine elsewhere in demo", []string{demo, "GAVEL_TEMPORAL_ADDRESS=temporal.example.org:7233"}, ""},
		{"store on this machine in plain", append([]string{"GAVEL_BLOB_URL=s3://evidence?endpoint=http://127.0.0.1:7070"}, s3...), ""},
	} {
		got := load(t, tt.environ...).Problems()
		switch {
		case tt.want == "" && len(got) != 0:
			t.Errorf("%s: got %v, want no problem", tt.name, got)
		case tt.want != "" && (len(got) != 1 || got[0].Name != tt.want || got[0].Detail == ""):
			t.Errorf("%s: got %v, want one problem with %s", tt.name, got, tt.want)
		}
	}
}

func TestAllProblemsAreToldAtOnce(t *testing.T) {
	c := load(t, "GAVEL_MODE=prod", "GAVEL_LISTEN=here", "GAVEL_TEMPORAL_ADRESS=h:1", "GAVEL_TOKEN=tok tok")
	err := c.Require(Need{NameDatabase}, Need{NameServer}, Need{NameToken})
	if fault.KindOf(err) != fault.Invalid {
		t.Fatalf("got %v, want an invalid fault", err)
	}
	for _, want := range []string{
		"GAVEL_MODE (env): \"prod\" is not valid; expected production, demo or test",
		"GAVEL_LISTEN (env)",
		"GAVEL_TEMPORAL_ADRESS (env): there is no such setting; did you mean GAVEL_TEMPORAL_ADDRESS?",
		"GAVEL_DATABASE_URL: missing: set postgres://",
		"GAVEL_SERVER: missing",
		"GAVEL_TOKEN (env): expected a token",
	} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("got\n%v\nwant once: %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "tok tok") {
		t.Error("a refused secret is shown")
	}
}

func TestOneOfSeveralSettingsIsEnough(t *testing.T) {
	signIn := Need{NameOIDCIssuer, NameDevTokenKey}
	if err := load(t, "GAVEL_MODE=demo", "GAVEL_DEV_TOKEN_KEY="+key32).Require(signIn); err != nil {
		t.Errorf("with a development key: %v", err)
	}
	err := load(t).Require(signIn)
	if err == nil || !strings.Contains(err.Error(), "GAVEL_OIDC_ISSUER: missing: set an http(s) address") ||
		!strings.Contains(err.Error(), "or set GAVEL_DEV_TOKEN_KEY") {
		t.Errorf("with neither: got %v", err)
	}
}

func TestStrongerPlacesWin(t *testing.T) {
	file := writeFile(t, "# ours\n\nGAVEL_LISTEN=127.0.0.1:2\nGAVEL_LOG_LEVEL=warn\nGAVEL_TEMPORAL_NAMESPACE='three'\n")
	for _, tt := range []struct {
		name          string
		s             Sources
		listen, level string // value and origin
	}{
		{"default", Sources{}, "127.0.0.1:8080 default", "info default"},
		{"file", Sources{File: file}, "127.0.0.1:2 file:" + file + ":3", "warn file:" + file + ":4"},
		{"file by environment", Sources{Environ: []string{"GAVEL_CONFIG=" + file}}, "127.0.0.1:2 file:" + file + ":3", "warn file:" + file +
			":4"},
		{"environment over file", Sources{File: file, Environ: []string{"GAVEL_LISTEN=127.0.0.1:3"}}, "127.0.0.1:3 env", "warn file:" +
			file + ":4"},
		{"flag over environment", Sources{File: file, Environ: []string{"GAVEL_LISTEN=127.0.0.1:3"},
			Flags: map[Name]string{NameListen: "127.0.0.1:4"}},
			"127.0.0.1:4 flag", "warn file:" + file + ":4"},
		{"empty means the default", Sources{File: file, Environ: []string{"GAVEL_LISTEN="}}, "127.0.0.1:8080 default", "warn file:" + file +
			":4"},
		{"flag file over environment file", Sources{File: file, Environ: []string{"GAVEL_CONFIG=/nowhere"}}, "127.0.0.1:2 file:" + file +
			":3", "warn file:" + file + ":4"},
	} {
		c, err := Load(tt.s)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := map[Name]string{}
		for _, row := range c.List() {
			got[row.Name] = row.Value + " " + row.Origin
		}
		if got[NameListen] != tt.listen || got[NameLogLevel] != tt.level {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.name, got[NameListen], got[NameLogLevel], tt.listen, tt.level)
		}
	}
}

func TestUnknownNamesAreRefusedWithTheNearestKnownOne(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"GAVEL_MODEE", "GAVEL_MODE"},
		{"GAVEL_DATABSE_URL", "GAVEL_DATABASE_URL"},
		{"GAVEL_S3_URL", ""}, // nothing is near
		{"GAVEL_PAYLOAD_KEY", "GAVEL_PAYLOAD_KEYS"},
		{"GAVEL_" + strings.Repeat("X", 500), ""},
	} {
		got := load(t, tt.name+"=x", "GAVEL_CACHE=/elsewhere", "HOME=/root").Problems()
		if len(got) != 1 || string(got[0].Name) != tt.name || strings.Contains(got[0].Detail, "did you mean") != (tt.want != "") ||
			!strings.Contains(got[0].Detail, tt.want) {
			t.Errorf("%.40s: got %v, want it refused with %q", tt.name, got, tt.want)
		}
	}
	file := writeFile(t, "GAVL_MODE=demo\nGAVEL_CONFIG=/other\n")
	c, err := Load(Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Problems(); len(got) != 2 || got[0].Name != NameConfig || got[1].Origin != "file:"+file+":1" ||
		!strings.Contains(got[1].Detail, "GAVEL_MODE?") {
		t.Errorf("file: got %v", got)
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	environ := []string{"GAVEL_MODE=demo", "GAVEL_DEV_TOKEN_KEY=" + key32, "GAVEL_TOKEN=hunter2", "GAVEL_PAYLOAD_KEYS=k1:" + key32b,
		"GAVEL_DATABASE_URL=postgres://gavel_app:hunter2@127.0.0.1:5432/gavel?sslmode=disable&sslpassword=hunter2",
		"GAVEL_DATABASE_SYSTEM_URL=not a url with hunter2", "GAVEL_BLOB_SECRET_KEY=hunter2", "GAVEL_OIDC_CLIENT_SECRET=hunter2",
		"GAVEL_TOKEN_OLD=hunter2", "GAVEL_BLOB_URL=s3://key:hunter2@evidence", "GAVEL_PUBLIC_URL=https://me:hunter2@exa mple"}
	c := load(t, environ...)
	var out strings.Builder
	fmt.Fprintf(&out, "%v %+v %#v %s %v %+v", c, c, c, c, *c, struct{ C Config }{*c})
	fmt.Fprintf(&out, "%v %#v %s", c.Token, c.Token, c.Token)
	slog.New(slog.NewTextHandler(&out, nil)).Info("start", "config", c, "copy", *c, "token", c.Token)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("start", "config", c, "copy", *c, "token", c.Token)
	enc := json.NewEncoder(io.MultiWriter(&out))
	for _, v := range []any{c, c.List(), c.Problems()} {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(&out, c.Require(Need{NameServer}))
	for _, secret := range []string{"hunter2", key32, key32b} {
		if i := strings.Index(out.String(), secret); i >= 0 {
			t.Errorf("%q is shown: …%s…", secret, out.String()[max(0, i-80):i+len(secret)])
		}
	}
	if want := "postgres://gavel_app:********@127.0.0.1:5432/gavel?sslmode=disable&sslpassword=********"; !strings.Contains(fmt.Sprint(c.List()), want) {
		t.Errorf("the harmless part of the database address is lost: %v", c.List())
	}
	if c.Token.Reveal() != "hunter2" {
		t.Error("a secret cannot be used")
	}
}

func TestAddressIsWhereTheServerIsReached(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{nil, "http://127.0.0.1:8080"},
		{[]string{"GAVEL_MODE=demo", "GAVEL_LISTEN=:9090"}, "http://127.0.0.1:9090"},
		{[]string{"GAVEL_MODE=demo", "GAVEL_LISTEN=[::]:9090"}, "http://127.0.0.1:9090"},
		{[]string{"GAVEL_LISTEN=[::1]:9090"}, "http://[::1]:9090"},
		{[]string{"GAVEL_PUBLIC_URL=https://gavel.example.org/"}, "https://gavel.example.org"},
	} {
		if got := load(t, tt.environ...).Address(); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.environ, got, tt.want)
		}
	}
}
