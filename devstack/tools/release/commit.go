package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A commit is what a release is made of.
type commit struct {
	hash    string
	at      time.Time // when it was committed: the time of every file in the release
	version string    // v0.1.0
}

// check refuses a version that Go, Debian and people would not order alike.
func (c commit) check() error {
	if !semver.IsValid(c.version) || semver.Canonical(c.version) != c.version || semver.Build(c.version) != "" {
		return fmt.Errorf("%q is no version like v0.1.0 or v0.2.0-rc.1", c.version)
	}
	return nil
}

// number is the version as packages write it: 0.1.0.
func (c commit) number() string { return strings.TrimPrefix(c.version, "v") }

// head is the commit that is checked out.
func head(ctx context.Context, checkout string) (commit, error) {
	line, err := git(ctx, checkout, "log", "-1", "--format=%H %cI")
	if err != nil {
		return commit{}, err
	}
	hash, stamp, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return commit{}, fmt.Errorf("the time of commit %s: %w", hash, err)
	}
	c := commit{hash: hash, at: at.UTC()}
	tags, err := git(ctx, checkout, "tag", "--points-at", hash, "--list", "v*")
	if err != nil {
		return commit{}, err
	}
	for tag := range strings.FieldsSeq(string(tags)) {
		if semver.IsValid(tag) && semver.Compare(tag, c.version) > 0 {
			c.version = tag
		}
	}
	if c.version == "" { // as Go would call it
		c.version = module.PseudoVersion("v0", "", c.at, c.hash[:12])
	}
	return c, nil
}

// unpack writes the commit's files into a new folder.
func (c commit) unpack(ctx context.Context, checkout, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	archive, err := git(ctx, checkout, "archive", "--format=tar", c.hash)
	if err != nil {
		return err
	}
	tar := exec.CommandContext(ctx, "tar", "-x", "-f", "-", "-C", dir)
	tar.Stdin = bytes.NewReader(archive)
	if out, err := tar.CombinedOutput(); err != nil {
		return fmt.Errorf("unpack commit %s: %w: %s", c.hash, err, out)
	}
	return nil
}

// git asks git about a checkout. archive works on what is below the folder it is called
// in, so it is called at the root.
func git(ctx context.Context, checkout string, args ...string) ([]byte, error) {
	root, err := filepath.Abs(checkout)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}
