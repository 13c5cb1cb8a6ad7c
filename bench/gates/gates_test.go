package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The table of mutants follows the code: whoever rewrites a check mends the
// table with it, and learns here that they must.
func TestEveryCheckInTheTableIsInTheCode(t *testing.T) {
	root, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range mutants() {
		if seen[m.check] {
			t.Errorf("the check %q is in the table twice", m.check)
		}
		seen[m.check] = true
		if _, err := m.apply(root); err != nil {
			t.Errorf("the check %q: %v", m.check, err)
		}
		if shows, err := regexp.Compile(m.shows); err != nil || shows.MatchString("") {
			t.Errorf("the check %q shows itself by anything (%v)", m.check, err)
		}
	}
	if got, want := len(seen), 5; got < want {
		t.Errorf("%d checks are removed, want at least %d", got, want)
	}
}

func TestAnEditFitsExactlyOnce(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("one two two three"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		edits []edit
		want  string // empty: refused
	}{
		{"once", []edit{{"a.go", "one", "1"}}, "1 two two three"},
		{"two edits of a file", []edit{{"a.go", "one", "1"}, {"a.go", "three", "3"}}, "1 two two 3"},
		{"not there", []edit{{"a.go", "four", "4"}}, ""},
		{"there twice", []edit{{"a.go", "two", "2"}}, ""},
		{"no such file", []edit{{"b.go", "one", "1"}}, ""},
		{"nothing to do", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mutant{edits: tt.edits}.apply(root)
			if (err == nil) != (tt.want != "") || got["a.go"] != tt.want {
				t.Errorf("got %q, %v; want %q", got["a.go"], err, tt.want)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(root, "a.go")); err != nil || string(text) != "one two two three" {
		t.Errorf("the file itself is now %q, %v", text, err)
	}
}

// Only the property's own failure, in the way that the missing check shows, is
// one that counts.
func TestOnlyTheMissingChecksOwnFailureCounts(t *testing.T) {
	p := throughTheLoop(10, 1)
	const other = "    gates_test.go:55: case 3 of seed 4: deadline exceeded\n        script: look a\n"
	const due = "    gates_test.go:55: case 6 of seed 7: fax r7w1 (approve, approved by [olga]) happened 2 times\n        script: fax " +
		"r7w1\n"
	const failed = "--- FAIL: TestNoActWithoutItsApproval (2.01s)\nFAIL\n"
	for _, tt := range []struct {
		name, out string
		want      int // 0: does not count
	}{
		{"as it shows", due + failed, 7},
		{"beside another failure", other + due + failed, 7},
		{"another failure", other + failed, 0},
		{"does not compile", "rule.go:100:2: undefined: free\nFAIL\tplatform/agent [build failed]\n", 0},
		{"another test", due + strings.ReplaceAll(failed, "Approval ", "ApprovalOnTheEngine "), 0},
		{"panicked", "panic: test timed out after 10m0s\nFAIL\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := p.firstCase(tt.out, regexp.MustCompile(`happened 2 times`))
			if got != tt.want || ok != (tt.want > 0) {
				t.Errorf("got case %d, %v; want %d", got, ok, tt.want)
			}
		})
	}
}

// go calls it a success if no test has the name asked for.
func TestARunThatSaysNothingHasNotHeld(t *testing.T) {
	for out, want := range map[string]int{
		"testing: warning: no tests to run\nPASS\n":                                                        0,
		"50 of 150 so far\ngates: 150 of 150 random cases through the loop went as decided\n--- PASS: T\n": 150,
		"gates: 300 of 300 random cases on the real engine went as decided\n":                              300,
	} {
		if got := held(out); got != want {
			t.Errorf("%q: got %d, want %d", out, got, want)
		}
	}
}
