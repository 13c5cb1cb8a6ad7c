package config

import (
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/seal"
)

// The settings of the record: who signs the log, who else keeps its checkpoints,
// and which keys personal data is sealed under.
const (
	NameLogKey         Name = "GAVEL_LOG_KEY"
	NameLogKeyPrevious Name = "GAVEL_LOG_KEY_PREVIOUS"
	NameLogWitness     Name = "GAVEL_LOG_WITNESS"
	NameSealKeys       Name = "GAVEL_SEAL_KEYS"
)

func record() []Setting {
	const key = "a secret key as `gavel audit key new` prints it"
	return []Setting{
		{Name: NameLogKey, Help: "key that signs the audit log's checkpoints", Secret: true, Expect: key,
			set: func(c *Config, v string) bool {
				c.LogKey = Secret(v)
				_, err := audit.PublicOf(v)
				return err == nil
			}},
		{Name: NameLogKeyPrevious, Help: "at a change of keys, the one before, so that it vouches for the new one", Secret: true,
			Expect: key,
			set: func(c *Config, v string) bool {
				c.LogKeyPrevious = Secret(v)
				_, err := audit.PublicOf(v)
				return err == nil
			}},
		{Name: NameLogWitness, Help: "address that is sent every published checkpoint; none where it is not set",
			Expect: "an http(s) address of somebody else's", set: base(func(c *Config) *string { return &c.LogWitness })},
		{Name: NameSealKeys, Help: "master keys that wrap the keys of personal data; the first one wraps", Secret: true,
			Expect: "id:key, separated by commas; each key the base64 of 32 bytes", set: func(c *Config, v string) bool {
				var err error
				c.SealKeys, err = seal.ParseMasters(v)
				return err == nil
			}},
	}
}
