package platform_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestANamedFileIsReadWithinItsBound promises that a file is read whole or not at all, and that who named it is told what
// is wrong with it once, by the name they gave.
func TestANamedFileIsReadWithinItsBound(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "air.json")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		most int64
		want string
		kind fault.Kind // Internal: none is expected
	}{
		{name, 5, "12345", fault.Internal},
		{dir + "/./air.json", 6, "12345", fault.Internal},
		{name, 4, "", fault.TooLarge},
		{filepath.Join(dir, "fire.json"), 5, "", fault.NotFound},
		{dir, 5, "", fault.Invalid},
	} {
		got, err := platform.ReadFile(tt.name, tt.most)
		if string(got) != tt.want || (err != nil) != (tt.kind != fault.Internal) || err != nil && fault.KindOf(err) != tt.kind {
			t.Errorf("%s within %d: got %q and %v, want %q and kind %v", tt.name, tt.most, got, err, tt.want, tt.kind)
		}
		if said, _ := fault.Words(err); err != nil && strings.Count(said, tt.name) != 1 {
			t.Errorf("the name stands more than once, or not at all, in %q", said)
		}
	}
	if _, err := platform.ReadFile("-", 5); !fault.Is(err, fault.NotFound) {
		t.Errorf("a file that is called - gave %v, want that there is none", err)
	}
}

// TestADashIsTheStandardInput promises that a command can be handed its file by another, within the same bound.
func TestADashIsTheStandardInput(t *testing.T) {
	before := os.Stdin
	t.Cleanup(func() { os.Stdin = before })
	for most, kind := range map[int64]fault.Kind{5: fault.Internal, 4: fault.TooLarge} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		os.Stdin = in
		if _, err := out.WriteString("12345"); err != nil {
			t.Fatal(err)
		}
		out.Close()
		got, err := platform.ReadInput("-", most)
		if kind == fault.Internal && (string(got) != "12345" || err != nil) || kind != fault.Internal && !fault.Is(err, kind) {
			t.Errorf("within %d: got %q and %v, want kind %v", most, got, err, kind)
		}
	}
}
