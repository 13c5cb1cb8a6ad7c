package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signed is a folder with two files whose checksums are signed, and the public key.
func signed(t *testing.T) (dir, public string) {
	t.Helper()
	secret, public, err := newKey("gavel.example.org/releases")
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "release.key")
	if err := os.WriteFile(key, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := release{files: []string{"b", "a"}}
	if r.signer, err = readSigner(key); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for _, name := range r.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("this is "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.sum(dir); err != nil {
		t.Fatal(err)
	}
	return dir, public
}

func TestWhatWasSignedIsVerifiedAndNothingElse(t *testing.T) {
	_, another, err := newKey("gavel.example.org/releases")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		key    string // another's, where it is given
		want   string // in the error; none where it is empty
	}{
		{"as it was signed", func(*testing.T, string) {}, "", ""},
		{"a changed file", func(t *testing.T, dir string) { put(t, dir, "a", "this is A") }, "", "a is not what was signed"},
		{"a file more", func(t *testing.T, dir string) { put(t, dir, "c", "") }, "", "c was not signed"},
		{"a file less", func(t *testing.T, dir string) { remove(t, dir, "b") }, "", "no such file"},
		{"no signature", func(t *testing.T, dir string) {
			text, _, _ := strings.Cut(get(t, dir), "\n\n")
			put(t, dir, sumsFile, text+"\n")
		}, "", "not signed by"},
		{"another checksum", func(t *testing.T, dir string) {
			put(t, dir, sumsFile, strings.Replace(get(t, dir), "  a\n", "  c\n", 1))
		}, "", "not signed by"},
		{"somebody else's key", func(*testing.T, string) {}, another, "not signed by"},
		{"no key", func(*testing.T, string) {}, "nonsense", "public key"},
	} {
		dir, key := signed(t)
		tt.change(t, dir)
		if tt.key != "" {
			key = tt.key
		}
		n, err := verify(dir, key)
		if tt.want == "" && (err != nil || n != 2) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: got %d and %v, want %q", tt.name, n, err, tt.want)
		}
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestASecretKeyThatOthersCanReadIsRefused(t *testing.T) {
	secret, _, err := newKey("gavel.example.org/releases")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, "open.key", secret)
	if err := os.Chmod(filepath.Join(dir, "open.key"), 0o640); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "bad.key", secret[:20])
	for name, want := range map[string]string{"open.key": "can be read by others", "bad.key": "holds no secret key", "none.key": "no such file"} {
		if _, err := readSigner(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), secret[:20]) {
			t.Errorf("%s: got %v, want %q and nothing of the key", name, err, want)
		}
	}
}

func TestKeysAreMadeAnewEachTime(t *testing.T) {
	var one, other bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &other} {
		if err := runKey([]string{"gavel.example.org/releases"}, out); err != nil {
			t.Fatal(err)
		}
	}
	if one.String() == other.String() || !strings.Contains(one.String(), "\npublic: gavel.example.org/releases+") {
		t.Errorf("got %q and %q", one.String(), other.String())
	}
}
