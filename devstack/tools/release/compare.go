package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// runCompare makes a release twice and says how many of its files differ.
func runCompare(ctx context.Context, args []string, out io.Writer) error {
	var w wanted
	f := w.flags("compare")
	cache := f.String("cache", "", "folder for a build cache of the second release's own; it goes on where it was stopped. "+
		"Without it both take from the machine's, and only what is linked and packed is made twice")
	if err := f.Parse(args); err != nil {
		return err
	}
	at, platforms, err := w.of(ctx)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	first := release{commit: at, platforms: platforms, checkout: w.checkout, into: filepath.Join(work, "1"), log: out,
		work: filepath.Join(work, "a")}
	second := first
	second.into, second.work = filepath.Join(work, "2"), filepath.Join(work, "another", "place", "of the same")
	if second.environ, err = elsewhere(work, *cache); err != nil {
		return err
	}
	one, err := first.made(ctx, 0o022)
	if err != nil {
		return err
	}
	other, err := second.made(ctx, 0o077)
	if err != nil {
		return err
	}
	return report(out, one, other, w.words(platforms), *cache != "")
}

// made makes a release in its folder, with a umask of its own, and frees what only the
// build needed.
func (r *release) made(ctx context.Context, umask int) (string, error) {
	if err := os.MkdirAll(r.work, 0o755); err != nil {
		return "", err
	}
	defer os.RemoveAll(r.work)
	defer syscall.Umask(syscall.Umask(umask))
	return r.make(ctx)
}

// elsewhere is the machine of somebody else, as far as one machine can be another: other
// words, another zone, another folder for what is temporary, and a cache of its own.
func elsewhere(work, cache string) ([]string, error) {
	temp := filepath.Join(work, "temp of another")
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}
	environ := slices.DeleteFunc(surroundings(), func(entry string) bool {
		return strings.HasPrefix(entry, "TMPDIR=") || cache != "" && strings.HasPrefix(entry, "GOCACHE=")
	})
	environ = append(environ, "TMPDIR="+temp, "LANG=hi_IN.UTF-8", "TZ=Pacific/Kiritimati", "USER=somebody")
	if cache == "" {
		return environ, nil
	}
	cache, err := filepath.Abs(cache)
	return append(environ, "GOCACHE="+cache), err
}

// report compares two folders; the last line is the figure.
func report(out io.Writer, one, other, platforms string, apart bool) error {
	names, differ, err := differing(one, other)
	if err != nil {
		return err
	}
	for _, d := range differ {
		fmt.Fprintln(out, "differs:", d)
	}
	how := "one build cache for both"
	if apart {
		how = "each with a build cache of its own"
	}
	fmt.Fprintf(out, "%d of %d files differ between two releases of one commit (%s; %s)\n", len(differ), len(names), platforms, how)
	if len(differ) > 0 {
		return errors.New("a release depends on more than its commit")
	}
	return nil
}

// differing names the files of two folders, and those that are not the same in both.
func differing(one, other string) (names, differ []string, err error) {
	for _, dir := range []string{one, other} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			if !slices.Contains(names, e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		where, err := firstDifference(filepath.Join(one, name), filepath.Join(other, name))
		switch {
		case errors.Is(err, os.ErrNotExist):
			differ = append(differ, name+" is in one of them only")
		case err != nil:
			return nil, nil, err
		case where >= 0:
			differ = append(differ, fmt.Sprintf("%s, from byte %d on", name, where))
		}
	}
	return names, differ, nil
}

// firstDifference is the first byte at which two files differ; -1 where none does.
func firstDifference(one, other string) (int, error) {
	a, err := os.ReadFile(one)
	if err != nil {
		return 0, err
	}
	b, err := os.ReadFile(other)
	if err != nil || bytes.Equal(a, b) {
		return -1, err
	}
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i, nil
		}
	}
	return min(len(a), len(b)), nil
}
