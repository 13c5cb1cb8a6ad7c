package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/blobtest"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/fault"
)

func open(t *testing.T, dir string) *disk.Folder {
	t.Helper()
	f, err := disk.Open("file://" + dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestFolderKeepsThePromisesOfABackend(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Backend {
		dir := t.TempDir()
		t.Cleanup(func() { expectNoDrafts(t, dir) })
		return open(t, dir)
	})
}

// expectNoDrafts holds after every promise, the broken-off writes above all.
func expectNoDrafts(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("drafts left behind: %v, %v", left, err)
	}
}

func TestFolderIsForItsOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "open")
	s := blob.New(open(t, dir), blob.Config{})
	if _, err := s.PutBytes(t.Context(), []byte("private")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PutNamed(t.Context(), "a/b", []byte("private"), blob.Absent); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBlobsLieUnderTheirDigest(t *testing.T) {
	dir := t.TempDir()
	s := blob.New(open(t, dir), blob.Config{})
	d, err := s.PutBytes(t.Context(), []byte("abc"))
	if err != nil {
		t.Fatal(err)
	}
	const hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if d.String() != hex {
		t.Errorf("got digest %s, want %s", d, hex)
	}
	path := filepath.Join(dir, "blobs", "ba", "78", hex)
	if data, err := os.ReadFile(path); err != nil || string(data) != "abc" {
		t.Errorf("got %q, %v", data, err)
	}

	// One bit rots on the medium.
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("abb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Bytes(t.Context(), d, 10); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestSymbolicLinksDoNotLeadOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := blob.New(open(t, dir), blob.Config{})
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "named")); err != nil {
		t.Fatal(err)
	}
	if data, _, err := s.GetNamed(t.Context(), "secret"); err == nil {
		t.Errorf("read %q from outside the folder", data)
	}
	if _, err := s.PutNamed(t.Context(), "planted", []byte("x"), blob.Absent); err == nil {
		t.Error("wrote outside the folder")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside holds %v, %v", left, err)
	}
}

func TestANameInsideAnotherNameIsAConflict(t *testing.T) {
	s := blob.New(open(t, t.TempDir()), blob.Config{})
	for _, tt := range []struct {
		name string
		want fault.Kind
		ok   bool
	}{
		{"a", 0, true},
		{"a/b", fault.Conflict, false},
		{"c/d", 0, true},
		{"c", fault.Conflict, false},
	} {
		_, err := s.PutNamed(t.Context(), tt.name, []byte("x"), blob.Absent)
		if tt.ok && err != nil || !tt.ok && !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	for _, name := range []string{"a/b", "c"} {
		if _, _, err := s.GetNamed(t.Context(), name); !fault.Is(err, fault.NotFound) {
			t.Errorf("get %s: got %v, want NotFound", name, err)
		}
	}
}

func TestDraftsOfACrashAreSweptAfterADay(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	old, fresh := filepath.Join(dir, "tmp", "OLD"), filepath.Join(dir, "tmp", "FRESH")
	for path, age := range map[string]time.Duration{old: 25 * time.Hour, fresh: 23 * time.Hour} {
		if err := os.WriteFile(path, []byte("half"), 0o400); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the abandoned draft: got %v, want it gone", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("the draft of another process: %v", err)
	}
}

func TestPingNoticesAFolderThatIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	s := blob.New(open(t, dir), blob.Config{})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
}

func TestOpenRefusesAddressesThatAreNotFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url  string
		want fault.Kind
	}{
		{"", fault.Invalid},
		{"/var/lib/x", fault.Invalid},
		{"file://", fault.Invalid},
		{"file:///", fault.Invalid},
		{"file:///x/..", fault.Invalid},
		{"file://host/path", fault.Invalid},
		{"file://user:pw@localhost/path", fault.Invalid},
		{"file:relative", fault.Invalid},
		{"file:///path?mode=fast", fault.Invalid},
		{"file:///path#here", fault.Invalid},
		{"s3://bucket", fault.Invalid},
		{"file://" + file, fault.Unavailable},
	} {
		if _, err := disk.Open(tt.url); !fault.Is(err, tt.want) {
			t.Errorf("%q: got %v, want kind %s", tt.url, err, tt.want)
		}
	}
}
