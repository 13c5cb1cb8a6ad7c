package config

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gavel.env")
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringMatching(`[ a-z"'#=é]{1,12}`).Draw(t, "value")
		_ = os.Remove(path) // of the draw before
		err := WriteFile(path, []string{"one", "two"}, map[Name]string{NameDatabaseTLSWhy: want}, Settings())
		if fault.Is(err, fault.Invalid) && strings.Contains(want, `"`) && strings.Contains(want, "'") {
			return
		}
		lines, readErr := readFile(path)
		if err != nil || readErr != nil || len(lines) != 1 || lines[0].value != want {
			t.Fatalf("%q: got %+v, %v and %v", want, lines, err, readErr)
		}
	})
}

func TestASettingsFileIsItsOwnersAndIsNotWrittenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gavel.env")
	values := map[Name]string{NameLogLevel: "warn", NameListen: "127.0.0.1:9000"}
	if err := WriteFile(path, []string{"written for a test"}, values, Settings()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file of mode 0600", info, err)
	}
	c, err := Load(Sources{File: path})
	if err != nil || len(c.Problems()) > 0 {
		t.Fatalf("got %v and %v", err, c.Problems())
	}
	if got := c.Given(); !maps.Equal(got, values) {
		t.Errorf("got %v, want %v", got, values)
	}
	before, _ := os.ReadFile(path)
	if err := WriteFile(path, nil, map[Name]string{NameLogLevel: "debug"}, Settings()); !fault.Is(err, fault.Conflict) {
		t.Errorf("writing over it: got %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Errorf("got %q, want what was there", after)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("got %v, want nothing beside it", left)
	}
	if err := WriteFile(filepath.Join(path, "below", "x"), nil, values, Settings()); !fault.Is(err, fault.Invalid) {
		t.Errorf("where no folder is: got %v", err)
	}
	for _, bad := range []string{"two\nlines", ` both " and '`} {
		if err := WriteFile(path+"2", nil, map[Name]string{NameDatabaseTLSWhy: bad}, Settings()); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
