package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// built is the program as it is used, made once for all tests.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "lint")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(dir, "lint")
	if said, err := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", built, ".").CombinedOutput(); err != nil {
		panic(string(said))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// vetted is what the go command says of a checkout with our program, line by line.
func vetted(t *testing.T, checkout string, flags ...string) []string {
	t.Helper()
	cmd := exec.Command("go", slices.Concat([]string{"vet", "-trimpath", "-vettool=" + built}, flags, []string{"./..."})...)
	cmd.Dir = checkout
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	said, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("go vet found nothing wrong with %s", checkout)
	}
	return strings.Split(string(said), "\n")
}

// checkout is a copy of the module with planted faults, at a path of its own.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/planted")); err != nil {
		t.Fatal(err)
	}
	return dir
}

var want = regexp.MustCompile(`// want "(.*)"$`)

// wanted lists what the planted files say is to be found: a place and some words of it.
func wanted(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := want.FindStringSubmatch(line); m != nil {
				all[filepath.Base(name)+":"+strconv.Itoa(i+1)] = m[1]
			}
		}
	}
	return all
}

var finding = regexp.MustCompile(`^([^\s:]+:\d+):\d+: (.*)$`)

func TestEveryPlantedFaultIsFoundAndNothingElse(t *testing.T) {
	dir := checkout(t)
	want := wanted(t, dir)
	// A comment without a reason cannot say so itself: more words would be its reason.
	want["static.go:29"] = "missing the required reason"
	found := map[string]bool{}
	for _, line := range vetted(t, dir) {
		m := finding.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if words, ok := want[m[1]]; !ok || !strings.Contains(m[2], words) {
			t.Errorf("%s: got %q, want %q", m[1], m[2], words)
		}
		found[m[1]] = true
	}
	for at, words := range want {
		if !found[at] {
			t.Errorf("%s: got nothing, want %q", at, words)
		}
	}
}

func TestAnotherCheckoutIsToldTheSameFromTheCache(t *testing.T) {
	first := findings(vetted(t, checkout(t)))
	said := vetted(t, checkout(t), "-x")
	if got := findings(said); !slices.Equal(got, first) {
		t.Errorf("got %q, want %q", got, first)
	}
	if at := slices.IndexFunc(said, func(line string) bool { return strings.Contains(line, built) }); at >= 0 {
		t.Errorf("a package was looked at again: %s", said[at])
	}
}

// findings are the lines that name a place, in an order of their own: packages are
// looked at side by side.
func findings(lines []string) []string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !finding.MatchString(l) })
	slices.Sort(lines)
	return lines
}

func TestOneKindOfCheckCanBeAskedForAlone(t *testing.T) {
	for _, line := range findings(vetted(t, checkout(t), "-workflowcheck")) {
		if !strings.HasPrefix(line, "flow.go:") {
			t.Errorf("got %q, want only what is wrong with workflows", line)
		}
	}
}
