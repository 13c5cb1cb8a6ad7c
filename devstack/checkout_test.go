package devstack

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAStackIsBuiltFromTheCheckoutThatItsModuleNames promises that a stack is found from
// inside a checkout, and from an application that has its Gavel from one, wherever both
// are; and that nothing else is taken for a checkout.
func TestAStackIsBuiltFromTheCheckoutThatItsModuleNames(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name, "go.mod")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(root, name) }
	write("gavel", "module github.com/gavelhq/gavel\n\ngo 1.26.0\n")
	write("gavel/devstack/tools/s3", "module example.com/s3\n")
	write("near", "module example.com/near\n\nreplace github.com/gavelhq/gavel => ../gavel\n")
	write("far", "module example.com/far\n\nreplace github.com/gavelhq/gavel => "+at("gavel")+"\n")
	write("stale", "module example.com/stale\n\nreplace github.com/gavelhq/gavel => ../gone\n")
	write("forked", "module example.com/forked\n\nreplace github.com/gavelhq/gavel => example.com/fork v1.0.0\n")
	write("plain", "module example.com/plain\n\nrequire github.com/gavelhq/gavel v1.0.0\n")
	write("broken", "modul\n")
	for from, home := range map[string]string{
		"gavel": "gavel", "gavel/platform/web": "gavel", "gavel/devstack/tools/s3": "gavel",
		"near": "near", "near/page": "near", "far": "far",
	} {
		got, err := groundAt(at(from))
		if want := (ground{home: at(home), source: at("gavel")}); err != nil || got != want {
			t.Errorf("from %s: got %+v, %v, want %+v", from, got, err, want)
		}
	}
	for _, from := range []string{"stale", "forked", "plain", "broken", "nowhere"} {
		if got, err := groundAt(at(from)); err == nil {
			t.Errorf("from %s: got %+v, want none", from, got)
		}
	}
}
