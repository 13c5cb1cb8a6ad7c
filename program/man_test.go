package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/program/config"
)

func TestEveryCommandHasAPageInTheManual(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	got := setup{}.run(t, "man", "--to", dir)
	if got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	for _, cmd := range commandsOf((&cli{apps: builtIn()}).tree()) {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(string(page), ".TH ") || !strings.Contains(string(page), "\n.SH \"SYNOPSIS\"\n") {
			t.Errorf("%s: got %.80q, want a page of the manual", cmd.CommandPath(), page)
		}
	}
	if got := (setup{}).run(t, "man"); got.code != exitUsage || !strings.Contains(got.talk, `"to"`) {
		t.Errorf("without a folder: got %+v", got)
	}
}

// TestAReleaseSaysWhatItIs promises that the linker finds what it is to set: a name that it
// does not know it passes over in silence.
func TestAReleaseSaysWhatItIs(t *testing.T) {
	source, err := os.ReadFile("../devstack/tools/release/build.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"releaseVersion", "releaseCommit", "releaseTime"} {
		if !strings.Contains(string(source), `stamps + "`+name+`="`) {
			t.Errorf("a release does not set %s", name)
		}
	}
	releaseVersion, releaseCommit, releaseTime = "v0.1.0", "abc", "2026-11-14T04:30:00Z"
	defer func() { releaseVersion, releaseCommit, releaseTime = "", "", "" }()
	if got := buildOf(); got.Version != "v0.1.0" || got.Commit != "abc" || got.CommittedAt != releaseTime || got.Modified || got.Go == "" {
		t.Errorf("got %+v", got)
	}
}

// TestUnitsStartWhatThereIs promises that the units that systemd starts name commands and
// settings of the program.
func TestUnitsStartWhatThereIs(t *testing.T) {
	units, err := filepath.Glob("../deploy/systemd/*.service")
	if err != nil || len(units) < 2 {
		t.Fatalf("got %v and %v, want the units of server and worker", units, err)
	}
	root := (&cli{apps: builtIn()}).tree()
	known := map[string]bool{}
	for _, s := range config.Settings() {
		known[string(s.Name)] = true
	}
	for _, file := range units {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		starts := 0
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch key {
			case "ExecStart":
				starts++
				args := strings.Fields(value)
				if cmd, rest, err := root.Find(args[1:]); args[0] != "/usr/bin/gavel" || err != nil || len(rest) > 0 || !cmd.Runnable() {
					t.Errorf("%s starts %q", file, value)
				}
			case "Environment":
				if name, _, _ := strings.Cut(value, "="); !known[name] {
					t.Errorf("%s sets %s, which is no setting", file, name)
				}
			}
		}
		if starts != 1 {
			t.Errorf("%s starts %d programs", file, starts)
		}
	}
}
