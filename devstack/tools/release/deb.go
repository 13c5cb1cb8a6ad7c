package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// debianVersion orders as the version does: Debian knows a tilde as what comes before.
func debianVersion(c commit) string {
	number, before, pre := strings.Cut(c.number(), "-")
	if !pre {
		return number
	}
	return number + "~" + strings.ReplaceAll(before, "-", ".")
}

const aboutDeb = `agents do the casework, people hold the gavel
 Server, worker and command line for institutions that answer for what is done in
 their name: agents read, propose and ask; named people decide; all of it is on
 record. It needs PostgreSQL 15 and Temporal; begin with "gavel setup".`

// writeDeb writes the package of a platform: the tree at the places that Debian has for
// it, the units, and the account they run under. work is a new folder for what is packed.
func writeDeb(w io.Writer, c commit, p platform, t tree, work string) error {
	contents, err := placed(t, work)
	if err != nil {
		return err
	}
	scripts := filepath.Join(filepath.Dir(work), "gavel", "deploy", "debian")
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "gavel", Arch: p.machine, Platform: "linux", Version: debianVersion(c), VersionSchema: "none",
		Section: "admin", Priority: "optional", Maintainer: "Gavel maintainers <maintainers@gavel.example>",
		Description: aboutDeb, License: "Apache-2.0", MTime: c.at, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends: []string{"ca-certificates", "adduser"}, Suggests: []string{"postgresql-15", "chromium", "fonts-noto-core"},
			Contents: contents,
			Scripts: nfpm.Scripts{PostInstall: filepath.Join(scripts, "postinst"), PreRemove: filepath.Join(scripts, "prerm"),
				PostRemove: filepath.Join(scripts, "postrm")},
			Deb: nfpm.Deb{Compression: "gzip"},
		},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return fmt.Errorf("prepare the package: %w", err)
	}
	return deb.Default.Package(info, w)
}

// placed are the files where Debian wants them. Its policy has manual pages and the
// changelog compressed.
func placed(t tree, work string) (files.Contents, error) {
	contents := files.Contents{dir("/etc/gavel")}
	for _, l := range t {
		to, compressed := debianPlace(l.name)
		if to == "" {
			continue
		}
		from := l.from
		if compressed {
			from, to = filepath.Join(work, filepath.FromSlash(l.name)), to+".gz"
			if err := compress(l.from, from); err != nil {
				return nil, err
			}
		}
		contents = append(contents, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root",
			Group: "root", Mode: l.mode}})
	}
	return contents, nil
}

// dir is a folder that only its owner enters: root, until the account is there.
func dir(name string) *files.Content {
	return &files.Content{Destination: name, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o750}}
}

// debianPlace is where a file goes, and whether it is compressed; nowhere for one that
// Debian has already.
func debianPlace(name string) (to string, compressed bool) {
	const doc = "/usr/share/doc/gavel/"
	switch {
	case name == "gavel":
		return "/usr/bin/gavel", false
	case name == "LICENSE":
		return doc + "LICENSE", false
	case name == "NOTICE":
		return doc + "copyright", false
	case name == "CHANGELOG.md":
		return doc + "changelog", true
	case strings.HasPrefix(name, "man/"):
		return "/usr/share/" + name, true
	case strings.HasPrefix(name, "systemd/"):
		return "/usr/lib/systemd/system/" + path.Base(name), false
	case name == "completions/gavel.bash":
		return "/usr/share/bash-completion/completions/gavel", false
	case name == "completions/_gavel":
		return "/usr/share/zsh/vendor-completions/_gavel", false
	case name == "completions/gavel.fish":
		return "/usr/share/fish/vendor_completions.d/gavel.fish", false
	}
	return "", false
}

// compress writes a file again, compressed, with no name and no time in its header.
func compress(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := zip.Write(text); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return f.Close()
}
