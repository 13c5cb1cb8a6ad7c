package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/gavelhq/gavel/platform/fault"
)

// A MigrationSet is one package's forward-only migrations, numbered on their
// own. Sets run in the order given, so a set may build on those before it.
type MigrationSet struct {
	Name string // part of the version table's name: lower case letters
	FS   fs.FS  // *.sql at the root: 00001_what_it_does.sql
}

//go:embed migrations/*.sql
var baseFS embed.FS

// Base is the set every other stands on: schemas, grants, the walls between
// organisations, and the organisations themselves.
func Base() MigrationSet { return Embedded("base", baseFS) }

// Embedded is the set in the folder migrations of an embedded file system.
func Embedded(name string, files embed.FS) MigrationSet {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		panic(err) // only for an invalid path, and ours is a constant
	}
	return MigrationSet{Name: name, FS: sub}
}

// An Applied migration is one that Migrate ran just now.
type Applied struct {
	Set, File string
}

// Migrate brings the database up to date as its owner. Several processes may
// call it at once; one works and the others wait. There is no way down: a
// mistake is mended by the next migration.
func Migrate(ctx context.Context, ownerURL string, sets ...MigrationSet) ([]Applied, error) {
	var done []Applied
	err := eachSet(ctx, ownerURL, sets, func(set MigrationSet, p *goose.Provider) error {
		results, err := p.Up(ctx)
		if err != nil {
			return err
		}
		for _, r := range results {
			done = append(done, Applied{set.Name, r.Source.Path})
		}
		return nil
	})
	return done, err
}

// Pending lists the migrations that have not run yet, oldest first.
func Pending(ctx context.Context, ownerURL string, sets ...MigrationSet) ([]Applied, error) {
	var pending []Applied
	err := eachSet(ctx, ownerURL, sets, func(set MigrationSet, p *goose.Provider) error {
		states, err := p.Status(ctx)
		if err != nil {
			return err
		}
		for _, st := range states {
			if st.State == goose.StatePending {
				pending = append(pending, Applied{set.Name, st.Source.Path})
			}
		}
		return nil
	})
	return pending, err
}

func eachSet(ctx context.Context, ownerURL string, sets []MigrationSet, fn func(MigrationSet, *goose.Provider) error) error {
	db, err := sql.Open("pgx", ownerURL)
	if err != nil {
		return fault.New(fault.Invalid, "owner's database address: not a PostgreSQL address")
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "create schema if not exists gavel_sys"); err != nil {
		return explain(err)
	}
	for _, set := range append([]MigrationSet{Base()}, sets...) {
		if err := set.check(); err != nil {
			return err
		}
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return err
		}
		p, err := goose.NewProvider(goose.DialectPostgres, db, set.FS,
			goose.WithTableName("gavel_sys.migrated_"+set.Name), goose.WithSessionLocker(locker))
		if err != nil {
			return fmt.Errorf("migrations of %s: %w", set.Name, err)
		}
		if err := fn(set, p); err != nil {
			return fmt.Errorf("migrations of %s: %w", set.Name, explain(err))
		}
	}
	return nil
}

var setName = regexp.MustCompile(`^[a-z]{2,30}$`)

// check refuses a set that could be undone or whose name would not fit.
func (s MigrationSet) check() error {
	if !setName.MatchString(s.Name) {
		return fmt.Errorf("migration set %q: the name must be lower case letters", s.Name)
	}
	return fs.WalkDir(s.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(s.FS, path)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "+goose Down") {
			return fmt.Errorf("migration %s/%s has a way down: migrations only go forward", s.Name, path)
		}
		return nil
	})
}
