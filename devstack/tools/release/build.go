package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A platform is what a program is built for.
type platform struct{ system, machine string }

func (p platform) String() string { return p.system + "/" + p.machine }

// platforms are those a release is made for.
func platforms() []platform {
	return []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}
}

// here is the platform this program runs on.
func here() platform { return platform{runtime.GOOS, runtime.GOARCH} }

func parsePlatforms(list string) ([]platform, error) {
	if list == "" {
		return platforms(), nil
	}
	var all []platform
	for one := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(platforms(), func(p platform) bool { return p.String() == one })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of the platforms %v", one, platforms())
		}
		all = append(all, platforms()[i])
	}
	return all, nil
}

// program is the path of the package that is built, and stamps where it keeps what it is
// told of itself.
const (
	program = "./cmd/gavel"
	stamps  = "github.com/gavelhq/gavel/program."
)

// A builder builds a commit's program out of its unpacked sources.
type builder struct {
	commit  commit
	sources string
	environ []string // what the go command is given beside what is fixed here
	log     io.Writer
}

// build writes the program for a platform to a file.
func (b builder) build(ctx context.Context, p platform, to string) error {
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+b.linking(), "-o", to, program)
	cmd.Dir = b.sources
	cmd.Env = append(slices.Clone(b.environ), fixed(p)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w:\n%s", p, err, out)
	}
	info, err := os.Stat(to)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.log, "built for %-12s %4d MB in %.0f s\n", p, info.Size()/1e6, time.Since(began).Seconds())
	return nil
}

// linking tells the linker to leave out symbols, which only debuggers read, and the build
// id, and to put in what the program says of itself.
func (b builder) linking() string {
	return strings.Join([]string{"-s -w -buildid=",
		"-X " + stamps + "releaseVersion=" + b.commit.version,
		"-X " + stamps + "releaseCommit=" + b.commit.hash,
		"-X " + stamps + "releaseTime=" + b.commit.at.Format(time.RFC3339)}, " ")
}

// fixed is what decides about the bytes: no C, the least processor of a kind, the Go that
// is there, and nothing that somebody set for themselves.
func fixed(p platform) []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + p.system, "GOARCH=" + p.machine, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOENV=off",
		"GOWORK=off", "GOTOOLCHAIN=local", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG="}
}

// surroundings are what the go command needs of the machine: where it and its modules are.
func surroundings() []string {
	var out []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GONOSUMDB",
		"GOPRIVATE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// extras are what the program itself prints: its manual pages and what shells complete.
// They are the same for every platform, so it is asked where it can run.
func (b builder) extras(ctx context.Context, program, dir string) error {
	if err := b.ask(ctx, nil, program, "man", "--to", filepath.Join(dir, "man", "man1")); err != nil {
		return err
	}
	completions := filepath.Join(dir, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	for shell, file := range map[string]string{"bash": "gavel.bash", "zsh": "_gavel", "fish": "gavel.fish"} {
		f, err := os.Create(filepath.Join(completions, file))
		if err != nil {
			return err
		}
		if err := b.ask(ctx, f, program, "completion", shell); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (b builder) ask(ctx context.Context, out io.Writer, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"LANG=C.UTF-8", "HOME=/nonexistent"}
	cmd.Stdout = out
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("gavel %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return nil
}
