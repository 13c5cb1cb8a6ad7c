package devstack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/identity"
)

// Organisations are the two demo organisations.
func Organisations() []identity.Org { return []identity.Org{"north", "south"} }

// Settings are the GAVEL_* values that point Gavel, and its command line as a
// client, at this stack. Parts that were never started have none.
func (s *Stack) Settings() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.serverSettings()
	if _, ok := s.state.Parts[Serve]; ok {
		all["GAVEL_SERVER"] = all["GAVEL_PUBLIC_URL"]
		all["GAVEL_TOKEN"] = s.token(Organisations()[0], identity.Officer)
	}
	return all
}

// serverSettings are the settings gavel serve and gavel worker read.
func (s *Stack) serverSettings() map[string]string {
	all := map[string]string{
		"GAVEL_MODE":          "test",
		"GAVEL_LISTEN":        s.address(Serve, "http"),
		"GAVEL_PUBLIC_URL":    "http://" + s.address(Serve, "http"),
		"GAVEL_PAYLOAD_KEYS":  "dev1:" + s.secrets[secretPayloadKey],
		"GAVEL_OLD_PAYLOADS":  "refuse",
		"GAVEL_DEV_TOKEN_KEY": s.secrets[secretTokenKey],
		"GAVEL_SEAL_KEYS":     "dev1:" + s.secrets[secretSealKey],
		"GAVEL_LOG_KEY":       s.secrets[secretLogKey],
		"GAVEL_BLOB_URL":      "file://" + s.path("blob"),
	}
	for p := range s.state.Parts {
		maps.Copy(all, s.settingsOf(p))
	}
	maps.Copy(all, s.more)
	return all
}

// settingsOf are the settings that come with a part.
func (s *Stack) settingsOf(p Part) map[string]string {
	switch p {
	case Postgres:
		return map[string]string{
			"GAVEL_DATABASE_URL":        s.databaseURL("gavel_app", s.secrets[secretApp], "gavel"),
			"GAVEL_DATABASE_SYSTEM_URL": s.databaseURL("gavel_system", s.secrets[secretSystem], "gavel"),
			"GAVEL_DATABASE_OWNER_URL":  s.databaseURL("gavel_owner", s.secrets[secretOwner], "gavel"),
		}
	case Temporal:
		return map[string]string{
			"GAVEL_TEMPORAL_ADDRESS":   s.address(Temporal, "frontend"),
			"GAVEL_TEMPORAL_NAMESPACE": Namespace,
		}
	case S3:
		return map[string]string{
			"GAVEL_BLOB_URL":        fmt.Sprintf("s3://%s?endpoint=http://%s&region=%s", bucket, s.address(S3, "s3"), region),
			"GAVEL_BLOB_ACCESS_KEY": s.secrets[secretS3AccessKey],
			"GAVEL_BLOB_SECRET_KEY": s.secrets[secretS3SecretKey],
		}
	case Mail:
		return map[string]string{
			"GAVEL_SMTP_ADDRESS":        s.address(Mail, "smtp"),
			"GAVEL_MAIL_DOMAIN":         "mail.gavel.example",
			"GAVEL_MAIL_INBOUND_DOMAIN": "in.gavel.example",
			"GAVEL_MAIL_FROM":           "Gavel demo <demo@mail.gavel.example>",
			"GAVEL_MAIL_KEYS":           "dev1:" + s.secrets[secretMailKey],
		}
	case IMAP:
		return map[string]string{"GAVEL_IMAP_ADDRESS": s.address(IMAP, "imap"), "GAVEL_IMAP_USER": imapUser,
			"GAVEL_IMAP_PASSWORD": s.secrets[secretIMAP], "GAVEL_IMAP_TLS": "none",
			"GAVEL_MAIL_ORG": string(Organisations()[0]), "GAVEL_MAIL_AUTH_SERVER": "mx.gavel.example",
			"GAVEL_MAIL_INBOUND_DOMAIN": "in.gavel.example", "GAVEL_MAIL_KEYS": "dev1:" + s.secrets[secretMailKey]}
	case OIDC:
		return map[string]string{
			"GAVEL_OIDC_ISSUER":        s.issuer(),
			"GAVEL_OIDC_CLIENT_ID":     oidcClient,
			"GAVEL_OIDC_CLIENT_SECRET": s.secrets[secretOIDCClient],
		}
	case Collector:
		return map[string]string{"GAVEL_OTLP_ENDPOINT": "http://" + s.address(Collector, "http")}
	case Commission:
		return map[string]string{"GAVEL_AIRSHED_COMMISSION": "http://" + s.address(Commission, "http")}
	}
	return nil
}

// SettingsFile is the KEY=VALUE file gavel reads with --config. It holds
// secrets and only its owner may read it.
func (s *Stack) SettingsFile() string { return s.path("gavel.env") }

func (s *Stack) writeSettings() error {
	all := s.serverSettings()
	var file strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&file, "%s=%s\n", key, all[key])
	}
	return writeFile(s.SettingsFile(), []byte(file.String()), 0o600)
}

// A Token lets a developer act as a role of an organisation. Gavel refuses it
// in production mode.
type Token struct {
	Org   identity.Org  `json:"org"`
	Role  identity.Role `json:"role"`
	Token string        `json:"token"`
}

// Tokens are the development tokens of every role in every demo organisation.
func (s *Stack) Tokens() []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Token
	for _, org := range Organisations() {
		for _, role := range identity.Roles() {
			all = append(all, Token{org, role, s.token(org, role)})
		}
	}
	return all
}

func (s *Stack) token(org identity.Org, role identity.Role) string {
	key, err := base64.StdEncoding.DecodeString(s.secrets[secretTokenKey])
	if err != nil || len(key) == 0 {
		return "" // the folder has no secrets yet
	}
	claim := fmt.Sprintf("gvdev.%s.%s", org, role)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(claim))
	return claim + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
