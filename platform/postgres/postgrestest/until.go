package postgrestest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/postgres"
)

// Until is a set as it was before a file: for tests of what a migration does to rows that
// are there when it comes.
func Until(t testing.TB, set postgres.MigrationSet, file string) postgres.MigrationSet {
	t.Helper()
	files, err := fs.Glob(set.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	before := fstest.MapFS{}
	for _, name := range files {
		body, err := fs.ReadFile(set.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		if name < file {
			before[name] = &fstest.MapFile{Data: body}
		}
	}
	if len(before) == len(files) {
		t.Fatalf("%s has no migration %s", set.Name, file)
	}
	return postgres.MigrationSet{Name: set.Name, FS: before}
}
