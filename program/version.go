package program

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/program/output"
)

// What the linker puts in where a release is made: a release is built from an archive of a
// commit, where Go finds no history to ask, so that its bytes depend on nothing but the
// commit and the Go that built it. Empty in every other build.
var releaseVersion, releaseCommit, releaseTime string

// A build says which Gavel this is: as the release was made, or as the Go toolchain
// recorded it.
type build struct {
	Version     string `json:"version"`
	Commit      string `json:"commit"`
	CommittedAt string `json:"committed_at"` // RFC 3339; empty where nobody recorded it
	Modified    bool   `json:"modified"`     // built from a checkout with changes
	Go          string `json:"go"`
	Platform    string `json:"platform"`
}

func buildOf() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if releaseVersion != "" {
		b.Version, b.Commit, b.CommittedAt = releaseVersion, releaseCommit, releaseTime
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if m := gavelOf(info); m.Replace == nil && m.Version != "" && m.Version != "(devel)" {
		b.Version = m.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.CommittedAt = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// gavelOf is Gavel's own module in a build: the main one, or the one that an application
// in a module of its own was built with.
func gavelOf(info *debug.BuildInfo) debug.Module {
	for _, m := range info.Deps {
		if m.Path == gavelModule {
			return *m
		}
	}
	return info.Main
}

// gavelModule is its path.
const gavelModule = "github.com/gavelhq/gavel"

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which Gavel this is, and what it was built with",
		Example: `  gavel version
  gavel version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return output.One(c.print, buildOf(), []output.Column[build]{
				{Head: "VERSION", Field: "version", Value: func(b build) any { return b.Version }},
				{Head: "COMMIT", Field: "commit", Value: func(b build) any { return b.Commit }},
				{Head: "COMMITTED", Field: "committed_at", Value: func(b build) any { return b.CommittedAt }},
				{Head: "MODIFIED", Field: "modified", Value: func(b build) any { return b.Modified }},
				{Head: "GO", Field: "go", Value: func(b build) any { return b.Go }},
				{Head: "PLATFORM", Field: "platform", Value: func(b build) any { return b.Platform }},
			})
		},
	}
}
