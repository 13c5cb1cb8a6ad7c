package program

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/program/config"
)

// A setupStep is one part of an installation: what must be known of it, what can be made,
// and how it is looked at.
type setupStep struct {
	title  string
	ask    []setupQuestion
	names  []config.Name // settings whose problems are this step's
	make   func(context.Context, *config.Config) error
	checks func(*config.Config) []doctor.Check
}

func (s *installation) steps() []setupStep {
	return []setupStep{s.address(), s.postgres(), s.temporal(), s.store(), s.mail(), s.office()}
}

func (s *installation) address() setupStep {
	return setupStep{title: "The address people will use",
		ask:   []setupQuestion{{name: config.NamePublicURL, words: "Address of the proxy that people reach, https://…"}},
		names: []config.Name{config.NamePublicURL, config.NameListen},
		make:  func(context.Context, *config.Config) error { return s.makeLogKey() }}
}

// postgres makes the database and its roles where a superuser is known, else it is given
// their addresses.
func (s *installation) postgres() setupStep {
	three := []config.Name{config.NameDatabase, config.NameDatabaseSystem, config.NameDatabaseOwner}
	step := setupStep{title: "PostgreSQL", names: append([]config.Name{config.NameDatabaseTLSWhy}, three...),
		make: func(ctx context.Context, cfg *config.Config) error {
			if s.superuser != "" && !cfg.IsSet(config.NameDatabase) {
				return s.makeDatabase(ctx)
			}
			if s.fresh {
				return postgres.Unused(ctx, cfg.DatabaseOwner.Reveal())
			}
			return nil
		},
		checks: func(cfg *config.Config) []doctor.Check {
			all := doctor.Database{AppURL: cfg.Database.Reveal(), SystemURL: cfg.DatabaseSystem.Reveal(),
				OwnerURL: cfg.DatabaseOwner.Reveal(), Fix: "start PostgreSQL, or correct the address"}.Checks()
			return slices.DeleteFunc(all, func(c doctor.Check) bool { return c.Name == "schema is migrated" }) // that comes next
		}}
	if !slices.ContainsFunc(three, func(n config.Name) bool { return s.given[n] != "" }) {
		step.ask = []setupQuestion{{name: superuserName, secret: true,
			words: "Address of a superuser, used once: postgres://name:password@host:port/postgres"}}
		return step
	}
	for _, known := range config.Settings() {
		if slices.Contains(three, known.Name) {
			step.ask = append(step.ask, setupQuestion{name: known.Name, secret: true, words: known.Expect})
		}
	}
	return step
}

// makeDatabase makes the roles, with passwords nobody has to know, and the database.
func (s *installation) makeDatabase(ctx context.Context) error {
	admin, err := url.Parse(s.superuser)
	if err != nil || admin.Host == "" || !strings.HasPrefix(admin.Scheme, "postgres") {
		return fault.New(fault.Invalid, "the superuser's address is not like postgres://name@host:port/postgres").
			WithNext("give it with --superuser; the roles sign in over TCP, with passwords")
	}
	if err := postgres.Vacant(ctx, s.superuser, s.database); err != nil {
		return err
	}
	words := postgres.Passwords{Owner: rand.Text(), App: rand.Text(), System: rand.Text()}
	if err := postgres.Bootstrap(ctx, s.superuser, s.database, words); err != nil {
		return err
	}
	for name, role := range map[config.Name]*url.Userinfo{
		config.NameDatabase:       url.UserPassword(postgres.AppRole, words.App),
		config.NameDatabaseSystem: url.UserPassword(postgres.SystemRole, words.System),
		config.NameDatabaseOwner:  url.UserPassword(postgres.OwnerRole, words.Owner),
	} {
		at := *admin
		at.User, at.Path = role, "/"+s.database
		s.given[name] = at.String()
	}
	s.c.print.Say("  made the database %s and its three roles", s.database)
	return nil
}

func (s *installation) temporal() setupStep {
	names := []config.Name{config.NameTemporalAddress, config.NameTemporalNamespace, config.NameTemporalTLS, config.NameTemporalCA,
		config.NameTemporalCert, config.NameTemporalKey}
	return setupStep{title: "Temporal", names: names,
		ask: []setupQuestion{
			{name: config.NameTemporalAddress, words: "Address of its frontend, host:port", preset: "127.0.0.1:7233"},
			{name: config.NameTemporalNamespace, words: "Namespace; it is made where it is not there", preset: "gavel"}},
		make: s.makeNamespace,
		checks: func(cfg *config.Config) []doctor.Check {
			e := engineDoctor{cfg: cfg, cure: "start Temporal, or correct the address"}
			return []doctor.Check{{Group: "Engine", Name: "Temporal answers", Run: e.answers},
				{Group: "Engine", Name: "namespace exists", Run: e.namespace}}
		}}
}

// historiesKept is how long Temporal keeps the history of a closed workflow: long enough to
// find out afterwards why one ended as it did. The record itself is in PostgreSQL.
const historiesKept = 30 * 24 * time.Hour

// makeNamespace makes the namespace where the engine answers and has none. What else is
// wrong with it the check says.
func (s *installation) makeNamespace(ctx context.Context, cfg *config.Config) error {
	e := engineDoctor{cfg: cfg}
	if e.answers(ctx).Status != doctor.OK || e.namespace(ctx).Status == doctor.OK {
		return nil
	}
	engine, err := e.dial()
	if err != nil {
		return err
	}
	defer engine.Close()
	_, err = engine.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: cfg.TemporalNamespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(historiesKept)})
	if _, there := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err != nil && !there {
		return fault.From(fault.Refused, err, "Temporal does not let us make the namespace %s", cfg.TemporalNamespace).
			WithNext("temporal operator namespace create --retention 720h --namespace %s", cfg.TemporalNamespace)
	}
	s.c.print.Say("  made the namespace %s", cfg.TemporalNamespace)
	for e.namespace(ctx).Status != doctor.OK && ctx.Err() == nil { // its services hear of it one after another
		if err := lookAgain(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *installation) store() setupStep {
	s3 := func() bool {
		return strings.HasPrefix(s.given[config.NameBlobURL], "s3:") && !strings.Contains(s.given[config.NameBlobURL], "credentials=role")
	}
	return setupStep{title: "Where bytes are kept",
		names: []config.Name{config.NameBlobURL, config.NameBlobAccessKey, config.NameBlobSecretKey},
		ask: []setupQuestion{
			{name: config.NameBlobURL, words: "s3://bucket?endpoint=https://host&region=name, or a folder that all servers share",
				preset: "file:///var/lib/gavel/blob"},
			{name: config.NameBlobAccessKey, words: "Access key", only: s3},
			{name: config.NameBlobSecretKey, words: "Secret key", only: s3, secret: true}},
		checks: func(cfg *config.Config) []doctor.Check { return []doctor.Check{blobCheck(cfg)} }}
}

func (s *installation) mail() setupStep {
	sends := func() bool { return s.given[config.NameSMTPAddress] != "" }
	return setupStep{title: "Mail", names: []config.Name{config.NameSMTPAddress, config.NameMailFrom, config.NameMailDomain,
		config.NameMailInbound, config.NameMailKeys, config.NameSMTPTLS, config.NameSMTPUser, config.NameSMTPPassword},
		ask: []setupQuestion{
			{name: config.NameSMTPAddress, words: "Mail server, host:port; nothing where no mail is to go out", empty: true},
			{name: config.NameMailFrom, words: "Whom mails come from: Transport cell <cell@example.org>", only: sends},
			{name: config.NameMailDomain, words: "Domain in the ids of mails: mail.example.org", only: sends}},
		checks: func(cfg *config.Config) []doctor.Check {
			return []doctor.Check{mailCheck(cfg, "start the mail server, or correct the address")}
		}}
}

func (s *installation) office() setupStep {
	return setupStep{title: "Your office's sign-in (OpenID Connect)",
		names: []config.Name{config.NameOIDCIssuer, config.NameOIDCClientID, config.NameOIDCClientSecret, config.NameOIDCGroups,
			config.NameOIDCScopes},
		ask: []setupQuestion{
			{name: config.NameOIDCIssuer, words: "Issuer, https://…"},
			{name: config.NameOIDCClientID, words: "Client id", preset: "gavel"},
			{name: config.NameOIDCClientSecret, words: "Client secret", secret: true}},
		checks: func(cfg *config.Config) []doctor.Check {
			return []doctor.Check{doctor.SignIn(cfg.OIDCIssuer, "start the issuer, or correct its address")}
		}}
}

// makeKeys makes the keys that were not given. The log's waits until it is known what it
// is called.
func (s *installation) makeKeys() error {
	for _, name := range []config.Name{config.NamePayloadKeys, config.NameSealKeys, config.NameMailKeys} {
		if s.given[name] != "" {
			continue
		}
		key := make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return err
		}
		s.given[name] = "k1:" + base64.StdEncoding.EncodeToString(key)
		s.fresh = s.fresh || name != config.NameMailKeys
	}
	if s.fresh && !s.own[config.NameOldPayloads] {
		s.given[config.NameOldPayloads] = "refuse" // there are none
	}
	if !s.own[config.NameMode] {
		s.given[config.NameMode] = string(config.Production)
	}
	return nil
}

// makeLogKey makes the key that signs the log, which is called for ever after the host
// that people know.
func (s *installation) makeLogKey() error {
	if s.given[config.NameLogKey] != "" {
		return nil
	}
	at, err := url.Parse(s.given[config.NamePublicURL])
	if err != nil {
		return fault.From(fault.Invalid, err, "the address people will use")
	}
	secret, _, err := audit.NewKey(strings.ToLower(at.Hostname()) + "/log")
	if err != nil {
		return err
	}
	s.given[config.NameLogKey], s.fresh = secret, true
	return nil
}
