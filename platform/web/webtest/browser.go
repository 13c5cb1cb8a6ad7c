package webtest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Check has pages looked at in a real browser: it runs one of the scripts of
// devstack/tools/browser, which need Node, Chromium and npm ci in that folder, and returns
// what it said. The test fails if the script does.
func Check(t testing.TB, script string, args ...string) string {
	t.Helper()
	return finish(t, script, command(t, append([]string{script}, args...)...))
}

// CheckFile is Check with a script that stands beside the test.
func CheckFile(t testing.TB, file string, args ...string) {
	t.Helper()
	script, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	cmd := command(t, append([]string{"--input-type=module", "-"}, args...)...)
	cmd.Stdin = script
	finish(t, file, cmd)
}

func finish(t testing.TB, name string, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}

// Shots is where the checks leave screenshots for people to look at; git ignores it.
func Shots(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(root(t), ".dev", "shots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Late says that something took longer than is promised. That fails the test only where
// times are measured (TIMES=hard): elsewhere it says more about the machine.
func Late(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("TIMES") == "hard" {
		t.Errorf(format, args...)
		return
	}
	t.Logf(format, args...)
}

// command is node in the folder of the checks. It ends before the test's own time does,
// so that what it has seen by then is told. PAGES_OF says whose pages it is shown.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	ctx := t.Context()
	if timed, ok := t.(*testing.T); ok {
		if end, ok := timed.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, end.Add(-10*time.Second))
			t.Cleanup(cancel)
		}
	}
	top := root(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := filepath.Rel(top, here)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = filepath.Join(top, "devstack", "tools", "browser")
	cmd.Env = append(os.Environ(), "PAGES_OF="+filepath.ToSlash(owner), "PWD="+cmd.Dir)
	return cmd
}

// root is the folder of the checkout. A test runs in its package's folder.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir
		}
		if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
			dir = up
			continue
		}
		t.Fatalf("no go.mod above the test: %v", err)
	}
}
