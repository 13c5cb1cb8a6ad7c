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
	db, err := openOwner(ownerURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	conn, err := db.Conn(ctx) // the lock belongs to a connection, and goes with it
	if err != nil {
		return nil, explain(err)
	}
	defer conn.Close()
	for _, sql := range []string{"select pg_advisory_lock(7426111)", "create schema if not exists gavel_sys"} {
		if _, err := conn.ExecContext(ctx, sql); err != nil {
			return nil, explain(err)
		}
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "select pg_advisory_unlock(7426111)") //nolint:errcheck // closing unlocks too
	var done []Applied
	for _, set := range append([]MigrationSet{Base()}, sets...) {
		applied, err := set.apply(ctx, db)
		if err != nil {
			return done, fmt.Errorf("migrations of %s: %w", set.Name, explain(err))
		}
		done = append(done, applied...)
	}
	return done, nil
}

func (s MigrationSet) apply(ctx context.Context, db *sql.DB) ([]Applied, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, s.FS, goose.WithTableName(s.table()))
	if err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	var done []Applied
	for _, r := range results {
		if r.Error == nil {
			done = append(done, Applied{s.Name, r.Source.Path})
		}
	}
	return done, err
}

// table is where a set's versions are kept.
func (s MigrationSet) table() string { return "gavel_sys.migrated_" + s.Name }

func openOwner(ownerURL string) (*sql.DB, error) {
	db, err := sql.Open("pgx", ownerURL)
	if err != nil {
		return nil, fault.New(fault.Invalid, "owner's database address: not a PostgreSQL address")
	}
	return db, nil
}

// Pending lists the migrations that have not run yet, oldest first. It only
// reads: a set whose table of versions is missing has not begun.
func Pending(ctx context.Context, ownerURL string, sets ...MigrationSet) ([]Applied, error) {
	db, err := openOwner(ownerURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	var pending []Applied
	for _, set := range append([]MigrationSet{Base()}, sets...) {
		waiting, err := set.pending(ctx, db)
		if err != nil {
			return nil, fmt.Errorf("migrations of %s: %w", set.Name, explain(err))
		}
		pending = append(pending, waiting...)
	}
	return pending, nil
}

func (s MigrationSet) pending(ctx context.Context, db *sql.DB) ([]Applied, error) {
	var begun bool
	if err := db.QueryRowContext(ctx, "select to_regclass($1) is not null", s.table()).Scan(&begun); err != nil {
		return nil, err
	}
	var newest int64
	if begun {
		err := db.QueryRowContext(ctx, "select coalesce(max(version_id), 0) from "+s.table()+" where is_applied").Scan(&newest)
		if err != nil {
			return nil, err
		}
	}
	files, err := fs.Glob(s.FS, "*.sql")
	if err != nil {
		return nil, err
	}
	var waiting []Applied
	for _, file := range files {
		if version, err := goose.NumericComponent(file); err != nil || version > newest {
			waiting = append(waiting, Applied{s.Name, file})
		}
	}
	return waiting, nil
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
