package program

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

// The files that setup writes. Servers and workers are given the first; the second is for
// migrations alone, so that who breaks into a server can't change the schema.
const (
	serverFile = "gavel.env"
	ownerFile  = "owner.env"
)

func (c *cli) setupCommand() *cobra.Command {
	s := &installation{c: c}
	cmd := &cobra.Command{
		Use:   "setup [NAME=VALUE…]",
		Short: "Set up an installation: ask what it must know, look whether it is so, and write it down",
		Long: `Set up an installation: ask what it must know, look whether it is so, and write it down.

It asks for the address people will use, PostgreSQL, Temporal, where bytes are kept,
mail, and your office's sign-in. Each is tried as soon as it is known. It makes the
database with its three roles, the namespace, and all keys. At the end it writes
gavel.env, for servers and workers, and owner.env, for migrations, both readable by
their owner alone. Before that nothing is written, and what is there is not replaced.

What it is not to ask is given as NAME=VALUE, in the environment, or in the file of
--config; the names are those of gavel config list. On the command line others on the
machine can read it, so give secrets in the file. A superuser's password may come from
PGPASSWORD or ~/.pgpass. It is used once and not kept.`,
		Example: `  gavel setup
  gavel setup --to ./installation GAVEL_PUBLIC_URL=https://gavel.example.org
  gavel setup --no-input --config answers.env --superuser postgres://setup@127.0.0.1/postgres`,
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&s.to, "to", "/etc/gavel", "folder for the two files; it is made where it is not there")
	cmd.Flags().StringVar(&s.superuser, "superuser", "",
		"address of a superuser of PostgreSQL, to make the database and its roles; not needed where their addresses are given")
	cmd.Flags().StringVar(&s.database, "database", "gavel", "name of the database that is made")
	_ = cmd.MarkFlagDirname("to")
	return c.uses(cmd)
}

// An installation is one that is being set up.
type installation struct {
	c                       *cli
	to, superuser, database string

	given map[config.Name]string // what is known so far
	own   map[config.Name]bool   // of that: what was not asked here, and is not asked again
	fresh bool                   // keys were made here, so that nothing may be sealed yet
	asked int                    // how many questions were put
}

func (s *installation) run(ctx context.Context, args []string) error {
	for _, name := range []string{serverFile, ownerFile} {
		if _, err := os.Lstat(filepath.Join(s.to, name)); err == nil {
			return config.Exists(filepath.Join(s.to, name))
		}
	}
	if err := s.take(args); err != nil {
		return err
	}
	if err := s.makeKeys(); err != nil {
		return err
	}
	for _, step := range s.steps() {
		if err := s.do(ctx, step); err != nil {
			return err
		}
	}
	if err := s.write(); err != nil {
		return err
	}
	s.sayNext()
	return nil
}

// take reads what was given. A value that is not as it should be is refused before
// anything is asked; one that is missing will be.
func (s *installation) take(args []string) error {
	s.given, s.own = s.c.cfg.Given(), map[config.Name]bool{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return fault.New(fault.Invalid, "%.60q is no NAME=VALUE", a).WithNext("gavel setup --help")
		}
		s.given[config.Name(name)] = value
	}
	for _, name := range []config.Name{config.NameServer, config.NameToken} { // of the person who sets it up, not of the servers
		delete(s.given, name)
	}
	for name := range s.given {
		s.own[name] = true
	}
	s.own[superuserName] = s.superuser != ""
	cfg, err := s.config()
	if err != nil {
		return err
	}
	return refused(cfg.Problems(), func(p config.Problem) bool { return s.own[p.Name] })
}

// config is what is known so far, read as a server would read it.
func (s *installation) config() (*config.Config, error) {
	cfg, err := config.Load(config.Sources{Flags: s.given, Environ: s.c.environ, Apps: s.c.apps.settings()})
	if err != nil {
		return nil, err
	}
	known := config.Settings(s.c.apps.settings()...)
	for name := range s.given {
		if !slices.ContainsFunc(known, func(k config.Setting) bool { return k.Name == name }) {
			return nil, fault.New(fault.Invalid, "there is no setting %.60q", name).WithNext("gavel config list")
		}
	}
	return cfg, nil
}

// refused is an error of those problems that are meant.
func refused(problems config.Problems, meant func(config.Problem) bool) error {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p config.Problem) bool { return !meant(p) })
	if len(problems) == 0 {
		return nil
	}
	return fault.From(fault.Invalid, problems, "what was given can't be used").WithNext("correct it, and run gavel setup again")
}

// do asks what a step must know, makes what it can make, and looks whether all is well.
// Where it is not, a person is asked again; without one it is an error.
func (s *installation) do(ctx context.Context, step setupStep) error {
	s.c.print.Say("\n%s", step.title)
	for {
		asked := s.asked
		err := s.try(ctx, step)
		if err == nil || ctx.Err() != nil || s.asked == asked || errors.Is(err, errAnswersEnded) {
			return err // where nobody was asked, nothing would change
		}
		s.c.print.Say("%s", wrong(err))
		s.forget(step)
	}
}

// wrong is what a person reads who is about to be asked again.
func wrong(err error) string {
	if problems, ok := errors.AsType[config.Problems](err); ok {
		return "  " + strings.ReplaceAll(problems.Error(), "\n", "\n  ")
	}
	words, next := fault.Words(err)
	if next == "" {
		return "  " + words
	}
	return "  " + words + "\n  next: " + next
}

func (s *installation) try(ctx context.Context, step setupStep) error {
	for _, q := range step.ask {
		if err := s.ask(q); err != nil {
			return err
		}
	}
	about := func(p config.Problem) bool {
		return slices.ContainsFunc(step.names, func(n config.Name) bool { return n == p.Name })
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if err := refused(cfg.Problems(), about); err != nil {
		return err
	}
	if step.make != nil {
		if err := step.make(ctx, cfg); err != nil {
			return err
		}
		if cfg, err = s.config(); err != nil {
			return err
		}
	}
	return s.look(ctx, step, cfg)
}

// look runs the doctor's checks of a step, and says what is well.
func (s *installation) look(ctx context.Context, step setupStep, cfg *config.Config) error {
	if step.checks == nil {
		return nil
	}
	for _, f := range doctor.Run(ctx, step.checks(cfg), doctor.Patience) {
		switch {
		case f.Status == doctor.Fail:
			return fault.New(fault.Unavailable, "%s, %s: %s", f.Group, f.Name, f.Detail).WithNext("%s", f.Fix)
		case f.Status == doctor.Warn:
			s.c.print.Say("  look at it later: %s: %s (%s)", f.Name, f.Detail, f.Fix)
		case f.Skipped == "":
			s.c.print.Say("  well: %s: %s", f.Name, f.Detail)
		}
	}
	return ctx.Err()
}

// forget takes back what was answered in a step.
func (s *installation) forget(step setupStep) {
	for _, q := range step.ask {
		if !s.own[q.name] {
			delete(s.given, q.name)
		}
		if q.name == superuserName && !s.own[q.name] {
			s.superuser = ""
		}
	}
}

// write writes both files, once everything that servers, workers and migrations need is
// there and can stand together.
func (s *installation) write() error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	needs := append([]config.Need{{config.NameDatabase}, {config.NameDatabaseSystem}, {config.NameDatabaseOwner},
		{config.NameTemporalAddress}, {config.NamePayloadKeys}, {config.NameOIDCIssuer}, {config.NamePublicURL}}, recordNeeds()...)
	if err := cfg.Require(needs...); err != nil {
		return err
	}
	owner := map[config.Name]string{}
	for _, name := range []config.Name{config.NameMode, config.NameDatabaseOwner, config.NameDatabaseTLSWhy} {
		if v, ok := s.given[name]; ok {
			owner[name] = v
		}
	}
	server := maps.Clone(s.given)
	delete(server, config.NameDatabaseOwner)
	if err := os.MkdirAll(s.to, 0o750); err != nil {
		return fault.From(fault.Invalid, err, "%s cannot be made", s.to).WithNext("choose another folder with --to, or run it as root")
	}
	table, ownerPath := config.Settings(s.c.apps.settings()...), filepath.Join(s.to, ownerFile)
	if err := config.WriteFile(ownerPath, []string{"For gavel migrate alone; keep it from servers."}, owner, table); err != nil {
		return err
	}
	err = config.WriteFile(filepath.Join(s.to, serverFile), []string{
		"Settings of servers and workers, written by gavel setup. A server reads them when it starts.",
		"They hold the only keys to what is sealed in the database. Keep a copy, apart from the database's backups.",
	}, server, table)
	if err != nil {
		return errors.Join(err, os.Remove(ownerPath)) // both, or neither
	}
	return nil
}

// sayNext says which commands come now.
func (s *installation) sayNext() {
	server, owner := filepath.Join(s.to, serverFile), filepath.Join(s.to, ownerFile)
	s.c.print.Say("\nWritten: %s and %s. They hold the only keys there are. Keep a copy, apart from the database's backups.", server, owner)
	s.c.print.Say("At your office register %s/auth/callback as the address to come back to.", s.given[config.NamePublicURL])
	s.c.print.Say("Its first administrator is who the office puts into the group gavel/<organisation>/org_admin.\n\nwhat to do next:")
	s.c.print.Say("  gavel migrate --config %s", owner)
	s.c.print.Say("  gavel org add north --title \"North Commission\" --config %s", server)
	if s.to == "/etc/gavel" {
		s.c.print.Say("  systemctl enable --now gavel-serve gavel-worker")
	} else {
		s.c.print.Say("  gavel serve --config %s", server)
		s.c.print.Say("  gavel worker --config %s", server)
	}
	s.c.print.Say("  gavel doctor --config %s", server)
}
