package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/cmd/gavel/output"
)

// A build says which Gavel this is, as the Go toolchain recorded it.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // built from a checkout with changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildOf() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which Gavel this is",
		Example: `  gavel version
  gavel version -o json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return output.One(c.print, buildOf(), []output.Column[build]{
				{Head: "VERSION", Field: "version", Value: func(b build) any { return b.Version }},
				{Head: "COMMIT", Field: "commit", Value: func(b build) any { return b.Commit }},
				{Head: "MODIFIED", Field: "modified", Value: func(b build) any { return b.Modified }},
				{Head: "GO", Field: "go", Value: func(b build) any { return b.Go }},
				{Head: "PLATFORM", Field: "platform", Value: func(b build) any { return b.Platform }},
			})
		},
	}
}
