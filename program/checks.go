package program

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

// checks is everything `gavel doctor` looks at, in the order it is printed.
func (c *cli) checks(cfg *config.Config) []doctor.Check {
	all := []doctor.Check{settingsValid(cfg), settingsPrivate(cfg)}
	if unproven := cfg.UnprovenDatabases(); len(unproven) > 0 && cfg.Mode == config.Production {
		all = append(all, databaseUnproven(unproven, cfg.DatabaseTLSWhy))
	}
	if clientOnly(cfg) {
		return append(all, doctor.Ready(cfg.Server, "check GAVEL_SERVER, or ask whoever runs it"), doctor.Zone(zone, zoneOffset))
	}
	all = append(all, c.databaseChecks(cfg)...)
	all = append(all, c.engineChecks(cfg)...)
	all = append(all, doctor.Outbox(cfg.DatabaseSystem.Reveal()))
	all = append(all, c.recordChecks(cfg)...)
	all = append(all, c.policyCheck(cfg))
	all = append(all, modelChecks(cfg)...)
	for _, a := range c.apps {
		all = append(all, a.Checks...)
	}
	return append(all,
		blobCheck(cfg),
		mailCheck(cfg, fix(cfg, "mail", "start the mail server, or correct GAVEL_SMTP_ADDRESS")),
		mailboxCheck(cfg),
		doctor.SignIn(cfg.OIDCIssuer, fix(cfg, "oidc", "start the issuer, or correct GAVEL_OIDC_ISSUER")),
		doctor.Ready(serverAddress(cfg), fix(cfg, "serve", "gavel serve")),
		doctor.Pages(cfg.PublicURL, fix(cfg, "serve", "start the server and the proxy before it, or correct GAVEL_PUBLIC_URL")),
		doctor.Disk(".", os.TempDir(), blobFolder(cfg)),
		doctor.Zone(zone, zoneOffset),
		doctor.Paper(cfg.Browser),
	)
}

// zone is the one organisations have where they name no other, and zoneOffset
// what it must be: India has one offset all year.
const (
	zone       = "Asia/Kolkata"
	zoneOffset = 5*time.Hour + 30*time.Minute
)

// clientOnly reports whether this machine runs no part of Gavel and only talks
// to a server elsewhere.
func clientOnly(cfg *config.Config) bool {
	for _, name := range []config.Name{config.NameDatabase, config.NameDatabaseSystem, config.NameDatabaseOwner,
		config.NameTemporalAddress} {
		if cfg.IsSet(name) {
			return false
		}
	}
	return cfg.IsSet(config.NameServer)
}

// fix is the command that starts a part again: the dev stack's in a demo, the
// operator's own way in production.
func fix(cfg *config.Config, part, production string) string {
	if cfg.Mode == config.Production {
		return production
	}
	return "go run ./devstack/cmd/devstack up " + part
}

func settingsValid(cfg *config.Config) doctor.Check {
	return doctor.Check{Group: "Settings", Name: "are valid", Run: func(context.Context) doctor.Result {
		problems := cfg.Problems()
		if len(problems) == 0 {
			return doctor.Result{Status: doctor.OK, Detail: "mode " + string(cfg.Mode)}
		}
		return doctor.Result{Status: doctor.Fail, Detail: strings.ReplaceAll(problems.Error(), "\n", "; "), Fix: "gavel config list"}
	}}
}

// databaseUnproven warns of databases that somebody in between could play.
func databaseUnproven(hosts []string, why string) doctor.Check {
	return doctor.Check{Group: "Settings", Name: "database proves its name", Run: func(context.Context) doctor.Result {
		detail := strings.Join(hosts, ", ") + " need not"
		if why != "" {
			detail += ", because: " + why
		}
		return doctor.Result{Status: doctor.Warn, Detail: detail, Fix: "use sslmode=verify-full, and remove " +
			string(config.NameDatabaseTLSWhy)}
	}}
}

// settingsPrivate warns when others on the machine could read the secrets.
func settingsPrivate(cfg *config.Config) doctor.Check {
	return doctor.Check{Group: "Settings", Name: "file is private", Run: func(context.Context) doctor.Result {
		path := cfg.File()
		if path == "" {
			return doctor.Result{Status: doctor.OK, Detail: "no file; from the environment"}
		}
		info, err := os.Stat(path)
		if err != nil {
			return doctor.Result{Status: doctor.Fail, Detail: path + " has gone", Fix: "gavel config list"}
		}
		if info.Mode().Perm()&0o077 != 0 {
			return doctor.Result{Status: doctor.Warn, Detail: fmt.Sprintf("%s can be read by others (%s)", path, info.Mode().Perm()),
				Fix: "chmod 600 " + path}
		}
		return doctor.Result{Status: doctor.OK, Detail: path}
	}}
}

func (c *cli) databaseChecks(cfg *config.Config) []doctor.Check {
	if !cfg.IsSet(config.NameDatabase) {
		return []doctor.Check{missingCheck("PostgreSQL", config.NameDatabase, cfg, "postgres")}
	}
	return doctor.Database{
		AppURL: cfg.Database.Reveal(), SystemURL: cfg.DatabaseSystem.Reveal(), OwnerURL: cfg.DatabaseOwner.Reveal(),
		Sets: c.apps.migrations(),
		Fix:  fix(cfg, "postgres", "start PostgreSQL, or correct the GAVEL_DATABASE_ settings: gavel config list"),
	}.Checks()
}

// missingCheck fails because a part nothing works without is not configured.
func missingCheck(group string, name config.Name, cfg *config.Config, part string) doctor.Check {
	return doctor.Check{Group: group, Name: "is configured", Run: func(context.Context) doctor.Result {
		return doctor.Result{Status: doctor.Fail, Detail: string(name) + " is not set, or its value is refused",
			Fix: fix(cfg, part, "set "+string(name)+", or name the file it is in with --config")}
	}}
}

// blobCheck proves the store with its own promise: a second first write is
// refused. It leaves one object of a few bytes under a fixed name.
func blobCheck(cfg *config.Config) doctor.Check {
	return doctor.Check{Group: "Blob store", Name: "answers and writes conditionally", Run: func(ctx context.Context) doctor.Result {
		if cfg.BlobURL == "" {
			return doctor.Result{Status: doctor.NotSetUp, Detail: "not configured"}
		}
		cure := fix(cfg, "s3", "start the store, or correct GAVEL_BLOB_URL and its keys: gavel config list")
		where := blobPlace(cfg)
		store, err := openBlob(cfg)
		if err == nil {
			err = store.Ping(ctx)
		}
		if err != nil {
			text, next := fault.Words(err)
			if next != "" && cfg.Mode == config.Production {
				cure = next
			}
			return doctor.Result{Status: doctor.Fail, Detail: fmt.Sprintf("the store at %s: %s", where, text), Fix: cure}
		}
		const name = "doctor/probe"
		_, err = store.PutNamed(ctx, name, []byte("written by gavel doctor\n"), "")
		if err != nil && !fault.Is(err, fault.Conflict) {
			text, _ := fault.Words(err)
			return doctor.Result{Status: doctor.Fail, Detail: fmt.Sprintf("the store at %s cannot be written: %s", where, text), Fix: cure}
		}
		if _, err = store.PutNamed(ctx, name, []byte("written twice\n"), ""); !fault.Is(err, fault.Conflict) {
			return doctor.Result{Status: doctor.Fail, Detail: "the store at " + where + " lets a first write happen twice",
				Fix: "use a store that honours If-None-Match on PUT"}
		}
		return doctor.Result{Status: doctor.OK, Detail: where}
	}}
}

// blobPlace names the store without anything that could be a secret.
func blobPlace(cfg *config.Config) string {
	u, err := url.Parse(cfg.BlobURL)
	if err != nil {
		return "GAVEL_BLOB_URL"
	}
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		return u.Host + " on " + endpoint
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// blobFolder is where blobs lie on this machine's own disk, or the present
// folder.
func blobFolder(cfg *config.Config) string {
	if u, err := url.Parse(cfg.BlobURL); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return "."
}

// serverAddress is the server to ask: the one the command line is set up for,
// else the one the settings would start.
func serverAddress(cfg *config.Config) string {
	if cfg.Server != "" {
		return cfg.Server
	}
	return cfg.Address()
}
