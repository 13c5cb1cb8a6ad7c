package devstack

import (
	"crypto/rand"
	"encoding/base64"

	"golang.org/x/mod/sumdb/note"
)

// The names of the generated secrets. They are made once per data folder.
const (
	secretSuperuser   = "postgres_superuser"
	secretOwner       = "gavel_owner"
	secretApp         = "gavel_app"
	secretSystem      = "gavel_system"
	secretTemporal    = "temporal"
	secretPayloadKey  = "payload_key"   // base64 of 32 bytes
	secretTokenKey    = "dev_token_key" // base64 of 32 bytes
	secretS3AccessKey = "s3_access_key"
	secretS3SecretKey = "s3_secret_key"
	secretOIDCClient  = "oidc_client"
	secretIMAP        = "imap"
	secretSealKey     = "seal_key" // base64 of 32 bytes
	secretLogKey      = "log_key"  // signs the audit log
	secretMailKey     = "mail_key" // base64 of 32 bytes
)

func (s *Stack) secretsFile() string { return s.path("secrets.json") }

// fillSecrets makes the secrets the folder lacks.
func (s *Stack) fillSecrets() error {
	for _, name := range []string{secretSuperuser, secretOwner, secretApp, secretSystem, secretTemporal,
		secretPayloadKey, secretTokenKey, secretS3AccessKey, secretS3SecretKey, secretOIDCClient, secretIMAP, secretSealKey,
		secretMailKey} {
		if s.secrets[name] != "" {
			continue
		}
		random := make([]byte, 32)
		rand.Read(random) // never fails
		switch name {
		case secretPayloadKey, secretTokenKey, secretSealKey, secretMailKey:
			s.secrets[name] = base64.StdEncoding.EncodeToString(random)
		default: // safe in a URL, in YAML and in SQL
			s.secrets[name] = base64.RawURLEncoding.EncodeToString(random[:24])
		}
	}
	if s.secrets[secretLogKey] == "" {
		key, _, err := note.GenerateKey(rand.Reader, "gavel.invalid/dev") // a name that nobody can own
		if err != nil {
			return err
		}
		s.secrets[secretLogKey] = key
	}
	return writeJSON(s.secretsFile(), s.secrets, 0o600)
}
