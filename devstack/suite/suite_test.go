package suite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// once fails the first time it is run and passes from then on, as luck would have it.
const once = `
import ("os"; "testing")

func once(t *testing.T) {
	if _, err := os.Stat(t.Name()); err != nil {
		os.WriteFile(t.Name(), nil, 0o600)
		t.Fatal("the machine was busy")
	}
}
`

// house writes a small module of tests, goes there, and runs them.
func house(t *testing.T, files map[string]string, p Plan) (string, error) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.org/house\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out bytes.Buffer
	p.Packages, p.Out = []string{"./..."}, &out
	err := Run(t.Context(), p)
	return out.String(), err
}

func TestLuckIsToldFromFault(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		fails bool
		says  []string
	}{
		{"all pass", map[string]string{"a/a_test.go": "package a" + once + "func TestGood(t *testing.T) {}"}, false,
			[]string{"1 passed, 0 failed"}},
		{"two by luck", map[string]string{"a/a_test.go": "package a" + once +
			"func TestOne(t *testing.T) { once(t) }\nfunc TestTwo(t *testing.T) { t.Run(`sub`, func(*testing.T) { once(t) }) }"}, false,
			[]string{"== FLAKY example.org/house/a TestOne", "the machine was busy", "FLAKY example.org/house/a TestTwo",
				"2 passed, 0 failed"}},
		{"three by luck", map[string]string{"a/a_test.go": "package a" + once +
			"func TestA(t *testing.T) { once(t) }\nfunc TestB(t *testing.T) { once(t) }\nfunc TestC(t *testing.T) { once(t) }"}, true,
			[]string{"3 tests were FLAKY", "0 passed, 3 failed"}},
		{"a fault", map[string]string{"a/a_test.go": "package a" + once + "func TestBad(t *testing.T) { t.Error(`it is wrong`) }"}, true,
			[]string{"once more, alone: example.org/house/a TestBad", "it is wrong", "FAIL example.org/house/a TestBad",
				"0 passed, 1 failed"}},
		{"a wall by its file", map[string]string{"a/walls_test.go": "package a" + once + "func TestKept(t *testing.T) { once(t) }"}, true,
			[]string{"TestKept guards a wall and is not run again", "1 failed"}},
		{"a wall by its name", map[string]string{"a/a_test.go": "package a" + once + "func TestTampering(t *testing.T) { once(t) }"}, true,
			[]string{"guards a wall", "1 failed"}},
		{"a panic", map[string]string{"a/a_test.go": "package a" + once +
			"func TestLost(t *testing.T) { t.Parallel(); select {} }\nfunc TestBoom(t *testing.T) { t.Parallel(); panic(`boom`) }"}, true,
			[]string{"example.org/house/a ended badly", "boom", "TestLost never ended"}},
		{"what does not compile", map[string]string{"a/a_test.go": "package a\nfunc broken( {}\n"}, true, []string{"ended badly"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			said, err := house(t, tt.files, Plan{})
			if errors.Is(err, ErrFailed) != tt.fails || err != nil && !tt.fails {
				t.Errorf("got %v, want failed: %v\n%s", err, tt.fails, said)
			}
			for _, words := range tt.says {
				if !strings.Contains(said, words) {
					t.Errorf("it does not say %q:\n%s", words, said)
				}
			}
		})
	}
}

func TestARaceIsNoLuckAndIsShown(t *testing.T) {
	const racy = "package a\nimport `testing`\nfunc TestRacy(t *testing.T) { n, done := 0, make(chan bool); go func() { n++; done <- " +
		"true }(); n++; <-done }\n"
	said, err := house(t, map[string]string{"a/a_test.go": racy}, Plan{Flags: []string{"-race"}})
	if !errors.Is(err, ErrFailed) {
		t.Errorf("got %v", err)
	}
	for _, words := range []string{"TestRacy was there when two touched one thing at once and is not run again",
		"in example.org/house/a\nWARNING: DATA RACE\n",
		"Previous write at", "0 passed, 1 failed"} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
}

func TestTheCostOfAnApplicationIsTold(t *testing.T) {
	said, err := house(t, map[string]string{
		"program/one_case_test.go": "package program\nimport `testing`\nfunc TestOne(t *testing.T) {}\n",
		"program/two_test.go":      "package program\nimport `testing`\nfunc TestTwo(t *testing.T) {}\nfunc TestToo(t *testing.T) {}\n",
		"program/main_test.go": "package program\nimport `testing`\nfunc TestMine(t *testing.T) {}\nfunc TestA(t *testing.T) " +
			"{}\nfunc TestB(t *testing.T) {}\nfunc TestC(t *testing.T) {}\n",
		"b/b_test.go": "package b\nimport `testing`\nfunc TestB(t *testing.T) {}\n",
	}, Plan{Grouped: "program", Groups: []string{"one", "two"}})
	if err != nil {
		t.Fatal(err, said)
	}
	for _, words := range []string{"one             1 tests,", "two             2 tests,", "platform        4 tests,",
		"8 passed, 0 failed"} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
}

// TestOnlyTheGroupsAskedForRun promises that who changed one application need not wait for the others.
func TestOnlyTheGroupsAskedForRun(t *testing.T) {
	files := map[string]string{
		"program/one_case_test.go": "package program\nimport `testing`\nfunc TestOne(t *testing.T) {}\n",
		"program/two_test.go":      "package program\nimport `testing`\nfunc TestTwo(t *testing.T) { t.Fatal() }\n",
		"program/main_test.go":     "package program\nimport `testing`\nfunc TestMine(t *testing.T) { t.Fatal() }\n",
	}
	p := Plan{Grouped: "program", Groups: []string{"one", "two"}, Only: []string{"one"}}
	if said, err := house(t, files, p); err != nil || !strings.Contains(said, "1 passed, 0 failed") {
		t.Errorf("it says %v:\n%s", err, said)
	}
}

// TestARunThatIsCalledOffEndsWithAnError promises that whose turn had not come when a run was
// called off is no panic over what it cost.
func TestARunThatIsCalledOffEndsWithAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &result{out: io.Discard}
	err := Plan{Grouped: "."}.runGroup(ctx, r, "program.test", "example.org/house", group{own, []string{"TestOne"}})
	if !errors.Is(err, context.Canceled) || len(r.costs) != 0 {
		t.Errorf("got %v and costs %v, want that it was called off", err, r.costs)
	}
}
