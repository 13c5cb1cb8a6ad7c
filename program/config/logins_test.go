package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/config"
)

// loginsAt is what a user with this home has kept.
func loginsAt(t *testing.T, home string) *config.Logins {
	t.Helper()
	l, err := config.ReadLogins([]string{"HOME=" + home})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestAKeptSignInIsWeakerThanEveryOtherSource(t *testing.T) {
	home := t.TempDir()
	for _, server := range []string{"https://a.example", "https://b.example"} {
		if err := loginsAt(t, home).Keep(server, "gvs_"+server[8:9]); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		environ       []string
		server, token string
	}{
		"nothing set":              {nil, "https://b.example", "gvs_b"},
		"a server that is kept":    {[]string{"GAVEL_SERVER=https://a.example"}, "https://a.example", "gvs_a"},
		"a server that is not":     {[]string{"GAVEL_SERVER=https://c.example"}, "https://c.example", ""},
		"a token of the user's":    {[]string{"GAVEL_SERVER=https://a.example", "GAVEL_TOKEN=own"}, "https://a.example", "own"},
		"a token without a server": {[]string{"GAVEL_TOKEN=own"}, "", "own"}, // it may be for any server but these
	} {
		c, err := config.Load(config.Sources{Environ: tt.environ, Logins: loginsAt(t, home)})
		if err != nil {
			t.Fatal(err)
		}
		if c.Server != tt.server || c.Token.Reveal() != tt.token {
			t.Errorf("%s: got %q and %q, want %q and %q", name, c.Server, c.Token.Reveal(), tt.server, tt.token)
		}
	}
	if err := loginsAt(t, home).Forget("https://b.example"); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Sources{Logins: loginsAt(t, home)})
	if err != nil || c.Server != "" || c.Token != "" {
		t.Errorf("after it was forgotten: %q, %v", c.Server, err)
	}
}

func TestKeptSignInsAreForTheirUserAlone(t *testing.T) {
	home := t.TempDir()
	if err := loginsAt(t, home).Keep("https://a.example", "gvs_x"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".config", "gavel", "logins.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("kept as %v, %v", info, err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := config.ReadLogins([]string{"HOME=" + home}); !fault.Is(err, fault.Refused) {
		t.Errorf("a file that others can read got %v", err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.ReadLogins([]string{"HOME=" + home}); !fault.Is(err, fault.Invalid) {
		t.Errorf("half a file got %v", err)
	}
	if l, err := config.ReadLogins(nil); err != nil || l.Keep("https://a.example", "x") == nil {
		t.Errorf("without a home: %v, and something was kept somewhere", err)
	}
}
