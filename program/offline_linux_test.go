package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// TestABundleVerifiesWithoutAnyNetwork promises what a stranger on a train needs:
// the built program, in a network namespace that has no interface and with an
// empty environment, checks a bundle and does its numbers again.
func TestABundleVerifiesWithoutAnyNetwork(t *testing.T) {
	s := bundletest.New(t)
	file, _ := save(t, s.Export(t, s.Case(t, 7)), "")
	gavel := filepath.Join(t.TempDir(), "gavel")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", gavel, "../cmd/gavel").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	alone := []string{"--net"}
	if os.Geteuid() != 0 {
		alone = []string{"--net", "--user", "--map-root-user"}
	}
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", append(append(alone, "--"), args...)...)
		cmd.Env, cmd.Dir = []string{}, t.TempDir()
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("/bin/sh", "-c", "/bin/cat /proc/net/dev | /usr/bin/tail -n +3 | /bin/grep -v '^ *lo:'"); err == nil {
		t.Fatalf("there is a network: %s", out)
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{gavel, "verify", file, "--key", string(s.Public)}, "GENUINE"},
		{[]string{gavel, "reperform", file}, "8 done again: 6 pass, 0 fail"},
	} {
		if out, err := run(tt.args...); err != nil || !strings.Contains(out, tt.says) {
			t.Errorf("%v: got %v and\n%s\nwant %q", tt.args[1:], err, out, tt.says)
		}
	}
}
