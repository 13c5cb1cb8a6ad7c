package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
)

// writeBOM lists what a program consists of, as the program itself says: each module with
// the digest that Go's checksum database knows it by, and its licence. It has neither a
// serial number nor a time of its own, which would differ each time.
func writeBOM(ctx context.Context, w io.Writer, c commit, program, sources string, environ []string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	dirs, err := moduleDirs(ctx, sources, environ)
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	own := cdx.Component{BOMRef: reference(info.Main.Path, c.version), Type: cdx.ComponentTypeApplication, Name: info.Main.Path,
		Version: c.version, PackageURL: reference(info.Main.Path, c.version), Licenses: licences(sources)}
	bom.Metadata = &cdx.Metadata{Timestamp: c.at.Format(time.RFC3339), Component: &own, Properties: &[]cdx.Property{
		{Name: "gavel:commit", Value: c.hash}, {Name: "gavel:go", Value: info.GoVersion}, {Name: "gavel:platform", Value: platformOf(info)}}}
	all := []cdx.Component{{BOMRef: reference("std", info.GoVersion), Type: cdx.ComponentTypeLibrary, Name: "std",
		Version: strings.TrimPrefix(info.GoVersion, "go"), PackageURL: reference("std", strings.TrimPrefix(info.GoVersion, "go")),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "BSD-3-Clause"}}}}}
	for _, m := range info.Deps {
		one, err := component(m, dirs[m.Path])
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	bom.Components = &all
	out := cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON)
	out.SetPretty(true)
	return out.EncodeVersion(bom, cdx.SpecVersion1_6)
}

// component is one module of the program.
func component(m *debug.Module, dir string) (cdx.Component, error) {
	if m.Replace != nil {
		return cdx.Component{}, fmt.Errorf("%s is replaced by %s: a release takes modules as they were published", m.Path, m.Replace.Path)
	}
	sum, ok := strings.CutPrefix(m.Sum, "h1:")
	digest, err := base64.StdEncoding.DecodeString(sum)
	if !ok || err != nil || len(digest) != 32 {
		return cdx.Component{}, fmt.Errorf("%s has no digest", m.Path)
	}
	return cdx.Component{BOMRef: reference(m.Path, m.Version), Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version,
		PackageURL: reference(m.Path, m.Version), Licenses: licences(dir),
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}}, nil
}

// reference names a module for every program that reads such lists.
func reference(path, version string) string { return "pkg:golang/" + path + "@" + version }

func platformOf(info *debug.BuildInfo) string {
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	return set["GOOS"] + "/" + set["GOARCH"]
}

// moduleDirs is where the sources of each module are on this machine, by path.
func moduleDirs(ctx context.Context, sources string, environ []string) (map[string]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", "all")
	cmd.Dir, cmd.Env = sources, append(slices.Clone(environ), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	dirs := map[string]string{}
	for in := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Dir string }
		if err := in.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		dirs[m.Path] = m.Dir
	}
}

// surely is the share of a licence file, in percent, that must be the licence's own words.
const surely = 75

// licences are those whose text stands at the top of a module; none where nobody can say.
func licences(dir string) *cdx.Licenses {
	if dir == "" {
		return nil
	}
	var found []string
	for _, pattern := range []string{"LICEN[SC]E*", "COPYING*", "license*"} {
		names, _ := filepath.Glob(filepath.Join(dir, pattern)) // only a malformed pattern is an error
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			cover := licensecheck.Scan(text)
			for _, m := range cover.Match {
				if cover.Percent >= surely && !slices.Contains(found, m.ID) {
					found = append(found, m.ID)
				}
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	var all cdx.Licenses
	for _, id := range found {
		all = append(all, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &all
}
