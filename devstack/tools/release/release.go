package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/sumdb/note"
)

// A release is one that is being made. It consists, for each platform, of an archive and
// a list of what is in the program; of a package for each platform that Debian runs on;
// and of the checksums of all these.
type release struct {
	commit    commit
	platforms []platform
	checkout  string
	into      string      // the folder of all releases
	signer    note.Signer // nil: the checksums are not signed
	work      string      // where it is built; a new folder where it is empty, and then it goes again
	environ   []string    // of the go command; the machine's where it is nil
	log       io.Writer

	files []string // what it consists of, by name, but for the checksums
}

// make makes it, and gives its folder. A release that is there already is replaced whole.
func (r *release) make(ctx context.Context) (string, error) {
	if r.work == "" {
		work, err := os.MkdirTemp("", "release-")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(work)
		r.work = work
	}
	if r.environ == nil {
		r.environ = surroundings()
	}
	b := builder{commit: r.commit, sources: filepath.Join(r.work, "gavel"), environ: r.environ, log: r.log}
	if err := r.commit.unpack(ctx, r.checkout, b.sources); err != nil {
		return "", err
	}
	half := filepath.Join(r.work, "release")
	if err := os.Mkdir(half, 0o755); err != nil {
		return "", err
	}
	extras, err := r.extras(ctx, b)
	if err != nil {
		return "", err
	}
	for _, p := range r.platforms {
		if err := r.add(ctx, b, p, extras, half); err != nil {
			return "", err
		}
	}
	if err := r.sum(half); err != nil {
		return "", err
	}
	return r.place(half)
}

// program is where the program for a platform is built.
func (r *release) program(p platform) string {
	return filepath.Join(r.work, p.system+"-"+p.machine, "gavel")
}

// extras has the program that runs here print what goes with it.
func (r *release) extras(ctx context.Context, b builder) (string, error) {
	dir := filepath.Join(r.work, "extras")
	if err := b.build(ctx, here(), r.program(here())); err != nil {
		return "", err
	}
	return dir, b.extras(ctx, r.program(here()), dir)
}

// add makes what there is for one platform.
func (r *release) add(ctx context.Context, b builder, p platform, extras, into string) error {
	if p != here() {
		if err := b.build(ctx, p, r.program(p)); err != nil {
			return err
		}
	}
	stem := fmt.Sprintf("gavel-%s-%s-%s", r.commit.version, p.system, p.machine)
	t, err := treeOf(r.program(p), b.sources, extras, p)
	if err != nil {
		return err
	}
	if err := r.write(into, stem+".tar.gz", func(w io.Writer) error { return t.archive(w, stem, r.commit.at) }); err != nil {
		return err
	}
	bom := func(w io.Writer) error { return writeBOM(ctx, w, r.commit, r.program(p), b.sources, r.environ) }
	if err := r.write(into, stem+".cdx.json", bom); err != nil {
		return err
	}
	if p.system != "linux" {
		return nil
	}
	name := fmt.Sprintf("gavel_%s_%s.deb", debianVersion(r.commit), p.machine)
	return r.write(into, name, func(w io.Writer) error { return writeDeb(w, r.commit, p, t, filepath.Join(r.work, "deb-"+p.machine)) })
}

// write makes one file of the release.
func (r *release) write(dir, name string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := fill(f); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	r.files = append(r.files, name)
	return f.Close()
}

// place moves a whole release to where it belongs. It may have been made on another disk.
func (r *release) place(half string) (string, error) {
	dir := filepath.Join(r.into, r.commit.version)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(r.into, 0o755); err != nil {
		return "", err
	}
	if os.Rename(half, dir) == nil {
		return dir, nil
	}
	beside := dir + ".new"
	if err := os.RemoveAll(beside); err != nil {
		return "", err
	}
	if err := os.CopyFS(beside, os.DirFS(half)); err != nil {
		return "", err
	}
	return dir, os.Rename(beside, dir)
}

// sorted are the files by name.
func (r *release) sorted() []string { return slices.Sorted(slices.Values(r.files)) }
