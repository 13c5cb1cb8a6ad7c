package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNewAppWritesIntoAnEmptyFolderOnly promises that an application is written whole
// where nothing is, that nobody's files are touched, and that it is said what to do next.
func TestNewAppWritesIntoAnEmptyFolderOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "permits")
	got := setup{}.run(t, "new", "app", "permits", "--dir", dir, "--checkout", "..", "-o", "json")
	var app writtenApp
	if err := json.Unmarshal([]byte(got.out), &app); err != nil || got.code != 0 || app.Dir != dir || app.Module != "example.com/permits" {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, name := range app.Files {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s was not written: %v", name, err)
		}
	}
	if !slices.Contains(app.Files, "permits/permits.go") {
		t.Errorf("got %v", app.Files)
	}
	for _, next := range []string{"cd " + dir, "go build", "go test", "demo"} {
		if !strings.Contains(got.talk, next) {
			t.Errorf("nobody is told %q:\n%s", next, got.talk)
		}
	}
	own := filepath.Join(dir, "main.go")
	if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := setup{}.run(t, "new", "app", "permits", "--dir", dir, "--checkout", "..")
	if text, err := os.ReadFile(own); again.code != exitConflict || string(text) != "mine" {
		t.Errorf("a folder that is not empty: got %+v; main.go is %q, %v", again, text, err)
	}
}

// TestNewAppSaysWhyItWritesNothing promises a refusal, and nothing written, for a name
// that is none, one that is taken, and a checkout that is none.
func TestNewAppSaysWhyItWritesNothing(t *testing.T) {
	for _, tt := range []struct {
		name, checkout string
		code           int
	}{
		{"Permits", "..", exitUsage}, {"order", "..", exitUsage}, {"../x", "..", exitUsage}, {"case", "..", exitUsage},
		{"cases", "..", exitConflict}, {"inbox", "..", exitConflict}, {"airshed", "..", exitConflict}, {"permits", "/", exitUsage},
	} {
		dir := t.TempDir()
		got := setup{}.run(t, "new", "app", tt.name, "--dir", dir, "--checkout", tt.checkout)
		inside, err := os.ReadDir(dir)
		if got.code != tt.code || err != nil || len(inside) > 0 {
			t.Errorf("%s with %s: got %+v, want code %d; %d files were written, %v", tt.name, tt.checkout, got, tt.code, len(inside), err)
		}
	}
}

// TestNobodyIsGivenANameThatIsTaken promises that an application that was just written
// can be mounted: no address of the program begins with its name.
func TestNobodyIsGivenANameThatIsTaken(t *testing.T) {
	table, err := os.ReadFile("testdata/authz.golden")
	if err != nil {
		t.Fatal(err)
	}
	heads := regexp.MustCompile(`(?m)^[A-Z]+ /(?:v1/)?([a-z][a-z0-9]+)[/:]`).FindAllStringSubmatch(string(table), -1)
	if len(heads) < 100 {
		t.Fatalf("only %d addresses were read", len(heads))
	}
	for _, m := range heads {
		if (&cli{apps: builtIn()}).free(m[1]) == nil {
			t.Errorf("an application could be called %s, and there is an address of that name: add it to takenAddresses", m[1])
		}
	}
}
