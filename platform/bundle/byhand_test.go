package bundle_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

var shellForm = regexp.MustCompile("(?s)```sh\n(.*?)```")

// unpack lays a bundle out in a folder.
func unpack(t testing.TB, f *bundletest.Forgery) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range f.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// byHand runs the steps of VERIFY.md as a person would, and returns what each
// printed.
func byHand(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "VERIFY.md"))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range shellForm.FindAllSubmatch(text, -1) {
		said = append(said, shell(t, dir, string(m[1])))
	}
	return said
}

func shell(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "/tmp/", t.TempDir()+"/"))
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // a check that fails says so in its text
	return string(out)
}

// TestTheLinesOfVerifyWorkByHand promises that a stranger with sha256sum and
// openssl gets, line for line, what VERIFY.md says, for every record, and notices
// a change without any program of ours.
func TestTheLinesOfVerifyWorkByHand(t *testing.T) {
	s := bundletest.New(t)
	s.Export(t, s.Case(t, 11)) // so that the case's entries are not the log's first
	f := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	dir := unpack(t, f)
	said := byHand(t, dir)
	if len(said) != 6 {
		t.Fatalf("VERIFY.md has %d steps, want 6", len(said))
	}
	for i, want := range []string{lastPart(s.Public), "Signature Verified Successfully", "1\n", ": OK", "Signature Verified Successfully",
		"record 1 is in the log"} {
		if !strings.Contains(said[i], want) {
			t.Errorf("step %d printed %q, want %q", i+1, said[i], want)
		}
	}
	if strings.Count(said[3], ": OK") != len(f.Files)-4 || strings.Contains(said[3], "FAILED") {
		t.Errorf("sha256sum printed %s, want every file but SHA256SUMS and the manifest's three", said[3])
	}
	text, _ := os.ReadFile(filepath.Join(dir, "VERIFY.md"))
	last := shellForm.FindAllSubmatch(text, -1)[5][1]
	for n := range len(bundletest.Lines(f.Files["log/records.ndjson"])) {
		script := strings.Replace(string(last), "n=1\n", fmt.Sprintf("n=%d\n", n+1), 1)
		if got, want := shell(t, dir, script), fmt.Sprintf("record %d is in the log\n", n+1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// lastPart is what step 1 prints of a key: openssl's base64 of the 32 bytes.
func lastPart(v audit.Verifier) string {
	_, key, _ := strings.Cut(string(v), "+")
	_, key, _ = strings.Cut(key, "+")
	out, err := exec.Command("bash", "-c", "base64 -d <<<'"+key+"' | tail -c 32 | base64").Output()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func TestByHandAChangeIsNoticed(t *testing.T) {
	s := bundletest.New(t)
	whole := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	for _, tt := range []struct {
		file string
		step int // that notices
		says string
	}{
		{"manifest.json", 2, "Verification Failure"},
		{"SHA256SUMS", 3, "0"},
		{"history/entries.ndjson", 4, "history/entries.ndjson: FAILED"},
		{"log/checkpoint", 5, "Verification Failure"},
		{"log/records.ndjson", 6, ""},
	} {
		f := whole.Copy()
		f.Files[tt.file] = append([]byte("x"), f.Files[tt.file]...)
		if got := byHand(t, unpack(t, f))[tt.step-1]; !strings.Contains(got, tt.says) || strings.Contains(got, "Successfully") ||
			strings.Contains(got, "is in the log") {
			t.Errorf("%s: step %d printed %q, want %q", tt.file, tt.step, got, tt.says)
		}
	}
}
