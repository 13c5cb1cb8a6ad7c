package main

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// A leaf is one file of an archive or package.
type leaf struct {
	name string // with slashes
	from string // the file with its content
	mode fs.FileMode
}

// A tree is all files that somebody who installs Gavel gets, in the order of their names.
type tree []leaf

// treeOf is what is installed on a platform: the program, what a reader wants first, the
// manual, completions, and how Linux starts it.
func treeOf(program, sources, extras string, p platform) (tree, error) {
	t := tree{{"gavel", program, 0o755}}
	for _, name := range []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md"} {
		t = append(t, leaf{name, filepath.Join(sources, name), 0o644})
	}
	folders := map[string]string{"man": filepath.Join(extras, "man"), "completions": filepath.Join(extras, "completions")}
	if p.system == "linux" {
		folders["systemd"] = filepath.Join(sources, "deploy", "systemd")
	}
	for name, dir := range folders {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			t = append(t, leaf{path.Join(name, filepath.ToSlash(rel)), file, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t, func(a, b leaf) int { return cmp.Compare(a.name, b.name) })
	return t, nil
}

// archive writes the tree below one folder. Owner, time, order and header are the same
// whoever makes it, so that the bytes are.
func (t tree) archive(w io.Writer, folder string, at time.Time) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zip)
	for _, l := range t {
		if err := l.archive(out, folder, at); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return zip.Close()
}

func (l leaf) archive(out *tar.Writer, folder string, at time.Time) error {
	f, err := os.Open(l.from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, l.name), Size: info.Size(), Mode: int64(l.mode), ModTime: at,
		Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
	if err := out.WriteHeader(head); err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return err
}
