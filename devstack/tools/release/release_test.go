package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small is a program with what a release wants of Gavel, and nothing else, so that it is
// built in a moment.
const small = `package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/program"
)

func main() {
	switch os.Args[1] {
	case "man":
		os.MkdirAll(os.Args[3], 0o700)
		os.WriteFile(filepath.Join(os.Args[3], "gavel.1"), []byte(".TH GAVEL 1\n"), 0o600)
	case "completion":
		fmt.Println("complete", os.Args[2])
	case "version":
		fmt.Print(program.Say())
	}
}
`

const smallProgram = `package program

var releaseVersion, releaseCommit, releaseTime string

func Say() string { return releaseVersion + " " + releaseCommit + " " + releaseTime }
`

// checkout is a repository with the small program, and the function commits what it is
// given in it.
func checkout(t *testing.T) (dir string, commitAs func(name, text string)) {
	t.Helper()
	dir = t.TempDir()
	runIn := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-11-14T10:00:00+05:30", "GIT_COMMITTER_DATE=2026-11-14T10:00:00+05:30",
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	runIn("init", "--quiet")
	runIn("config", "user.name", "Somebody")
	runIn("config", "user.email", "somebody@example.org")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"go.mod": "module github.com/gavelhq/gavel\n\ngo 1.26.0\n", "cmd/gavel/main.go": small, "program/program.go": smallProgram,
		"README.md": "# Gavel\n", "CHANGELOG.md": "# Changelog\n", "NOTICE": "Gavel\n", "LICENSE": "Mine.\n",
		"deploy/systemd/gavel-serve.service": "[Service]\n", "deploy/debian/postinst": "#!/bin/sh\n", "deploy/debian/prerm": "#!/bin/sh\n",
		"deploy/debian/postrm": "#!/bin/sh\n",
	} {
		write(name, text)
	}
	commitAs = func(name, text string) {
		t.Helper()
		write(name, text)
		runIn("add", ".")
		runIn("commit", "--quiet", "-m", "x")
	}
	commitAs("go.sum", "")
	runIn("tag", "v0.1.0")
	runIn("tag", "v0.1.0-rc.1")
	runIn("tag", "vacation")
	return dir, commitAs
}

// released makes a release of a checkout, and gives its folder.
func released(t *testing.T, dir string, args ...string) string {
	t.Helper()
	into := t.TempDir()
	var said bytes.Buffer
	if err := runMake(t.Context(), append([]string{"-checkout", dir, "-out", into}, args...), &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	made, err := os.ReadDir(into)
	if err != nil || len(made) != 1 {
		t.Fatalf("got %v and %v, want one release", made, err)
	}
	return filepath.Join(into, made[0].Name())
}

func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// inside is what an archive holds: "mode name" for each file, and the files by name.
func inside(t *testing.T, file string) (heads []string, texts map[string][]byte) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string][]byte{}
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return heads, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.ModTime.UTC().Format("2006-01-02 15:04") != "2026-11-14 04:30" || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s is of %s, of %d and %d: want the commit's time, and nobody's", h.Name, h.ModTime, h.Uid, h.Gid)
		}
		heads = append(heads, fmt.Sprintf("%o %s", h.Mode, h.Name))
		if texts[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReleaseConsistsOfTheseFilesAndNoOthers(t *testing.T) {
	dir, _ := checkout(t)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte("changed, and not committed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := released(t, dir, "-platforms", "linux/amd64,darwin/arm64")
	want := []string{"SHA256SUMS", "gavel-v0.1.0-darwin-arm64.cdx.json", "gavel-v0.1.0-darwin-arm64.tar.gz",
		"gavel-v0.1.0-linux-amd64.cdx.json", "gavel-v0.1.0-linux-amd64.tar.gz", "gavel_0.1.0_amd64.deb"}
	if got := listed(t, made); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	heads, texts := inside(t, filepath.Join(made, "gavel-v0.1.0-linux-amd64.tar.gz"))
	const top = "gavel-v0.1.0-linux-amd64/"
	wantHeads := []string{"644 " + top + "CHANGELOG.md", "644 " + top + "LICENSE", "644 " + top + "NOTICE", "644 " + top + "README.md",
		"644 " + top + "completions/_gavel", "644 " + top + "completions/gavel.bash", "644 " + top + "completions/gavel.fish",
		"755 " + top + "gavel", "644 " + top + "man/man1/gavel.1", "644 " + top + "systemd/gavel-serve.service"}
	if !slices.Equal(heads, wantHeads) {
		t.Errorf("got %q, want %q", heads, wantHeads)
	}
	if got := string(texts[top+"README.md"]); got != "# Gavel\n" {
		t.Errorf("got %q, want what was committed", got)
	}
	if got := string(texts[top+"completions/_gavel"]); got != "complete zsh\n" {
		t.Errorf("got %q, want what the program prints for zsh", got)
	}
	if heads, _ := inside(t, filepath.Join(made, "gavel-v0.1.0-darwin-arm64.tar.gz")); strings.Contains(fmt.Sprint(heads), "systemd") {
		t.Errorf("got %v, want no unit where there is no systemd", heads)
	}
	check := exec.Command("sha256sum", "--check", "--strict", "--quiet", sumsFile)
	check.Dir = made
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v: %s", err, out)
	}
}

func TestTheProgramSaysOfWhichCommitItIs(t *testing.T) {
	dir, _ := checkout(t)
	at, err := head(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	made := released(t, dir, "-platforms", here().String())
	stem := fmt.Sprintf("gavel-v0.1.0-%s-%s", here().system, here().machine)
	_, texts := inside(t, filepath.Join(made, stem+".tar.gz"))
	file := filepath.Join(t.TempDir(), "gavel")
	if err := os.WriteFile(file, texts[stem+"/gavel"], 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(file, "version").Output()
	if want := "v0.1.0 " + at.hash + " 2026-11-14T04:30:00Z"; err != nil || string(out) != want {
		t.Errorf("got %q and %v, want %q", out, err, want)
	}
}

func TestACommitWithoutATagIsCalledAsGoCallsIt(t *testing.T) {
	dir, commitAs := checkout(t)
	commitAs("README.md", "# Gavel, later\n")
	at, err := head(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "v0.0.0-20261114043000-" + at.hash[:12]; at.version != want {
		t.Errorf("got %q, want %q", at.version, want)
	}
	if got, want := debianVersion(at), "0.0.0~20261114043000."+at.hash[:12]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, bad := range []string{"0.1.0", "v0.1", "v0.1.0+x", "v0.1.0 -X x", "../v0.1.0"} {
		if (commit{version: bad}).check() == nil {
			t.Errorf("%q is taken for a version", bad)
		}
	}
}

func TestTwoReleasesOfOneCommitAreTheSame(t *testing.T) {
	dir, commitAs := checkout(t)
	var said bytes.Buffer
	if err := runCompare(t.Context(), []string{"-checkout", dir, "-platforms", "linux/amd64"}, &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if want := "0 of 4 files differ between two releases of one commit (linux/amd64; one build cache for both)\n"; !strings.HasSuffix(
		said.String(), want) {
		t.Errorf("got %q, want %q last", said.String(), want)
	}
	one := released(t, dir, "-version", "v0.1.0", "-platforms", "linux/amd64")
	commitAs("README.md", "# Gavel, later\n")
	other := released(t, dir, "-version", "v0.1.0", "-platforms", "linux/amd64")
	names, differ, err := differing(one, other)
	if err != nil || len(names) != 4 || len(differ) != 4 {
		t.Errorf("of another commit: got %v of %v and %v, want all four", differ, names, err)
	}
	if err := os.Remove(filepath.Join(other, sumsFile)); err != nil {
		t.Fatal(err)
	}
	if _, differ, _ := differing(one, other); !slices.Contains(differ, sumsFile+" is in one of them only") {
		t.Errorf("got %v, want the file that is missing", differ)
	}
}

func TestThePackageIsOneThatDebianTakes(t *testing.T) {
	dir, _ := checkout(t)
	made := released(t, dir, "-platforms", "linux/arm64")
	file := filepath.Join(made, "gavel_0.1.0_arm64.deb")
	ask := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("dpkg-deb", append(args, file)...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb: %v: %s", err, out)
		}
		return string(out)
	}
	about := ask("--info")
	for _, want := range []string{" Package: gavel\n", " Version: 0.1.0\n", " Architecture: arm64\n", " Depends: ca-certificates, adduser\n",
		"postinst", "prerm", "postrm"} {
		if !strings.Contains(about, want) {
			t.Errorf("got %s, want %q in it", about, want)
		}
	}
	contents := ask("--contents")
	for _, want := range []string{"-rwxr-xr-x root/root", "./usr/bin/gavel\n", "drwxr-x--- root/root", "./etc/gavel/\n",
		"./usr/share/man/man1/gavel.1.gz\n", "./usr/lib/systemd/system/gavel-serve.service\n", "./usr/share/doc/gavel/copyright\n",
		"./usr/share/doc/gavel/changelog.gz\n", "./usr/share/bash-completion/completions/gavel\n", "2026-11-14 "} {
		if !strings.Contains(contents, want) {
			t.Errorf("got %s, want %q in it", contents, want)
		}
	}
}

func TestTheListOfPartsNamesTheProgramAndItsGo(t *testing.T) {
	dir, _ := checkout(t)
	made := released(t, dir, "-platforms", "darwin/amd64")
	text, err := os.ReadFile(filepath.Join(made, "gavel-v0.1.0-darwin-amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		SpecVersion, SerialNumber string
		Metadata                  struct {
			Component struct{ Version, PURL string }
		}
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != "1.6" || bom.SerialNumber != "" || bom.Metadata.Component.PURL != "pkg:golang/github.com/gavelhq/gavel@v0.1.0" {
		t.Errorf("got %+v", bom)
	}
	if len(bom.Components) != 1 || bom.Components[0].Name != "std" || bom.Components[0].Version == "" {
		t.Errorf("got %+v, want Go's own library and nothing else", bom.Components)
	}
}
