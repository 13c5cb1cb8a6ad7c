package docrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The patience of a run: for one block, which may have to build a program, and for
// what a document started to end.
const (
	blockPatience = 15 * time.Minute
	endPatience   = time.Minute
	lastMoments   = 10 * time.Second
)

// Documents are those whose commands people copy, in the order they are run: the
// README as a newcomer meets it, then the guides by name.
func Documents(fsys fs.FS) ([]string, error) {
	guides, err := fs.Glob(fsys, "docs/guide/*.md")
	return append([]string{"README.md"}, guides...), err
}

// A Config says what is run.
type Config struct {
	Checkout string   // the folder that is copied and run
	Only     []string // documents of it; all where none is named
	Environ  []string // what the shells begin with
	Out      io.Writer

	patience time.Duration // for one block; a test has less
	moments  time.Duration // for what was told to end and is about to; a test has fewer
}

// A runner is one run of the commands of documents.
type runner struct {
	Config
	root    string // of everything it writes
	clone   string // the checkout as a new user has it
	environ []string
	ran     int
}

// Run types the commands of documents into a copy of the checkout, and ends with an
// error where one fails or leaves something running.
func Run(ctx context.Context, cfg Config) (err error) {
	r := &runner{Config: cfg}
	r.patience, r.moments = cmp.Or(r.patience, blockPatience), cmp.Or(r.moments, lastMoments)
	began := time.Now()
	if err := adoptOrphans(); err != nil {
		return err
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	defer os.RemoveAll(r.root)
	defer func() { err = errors.Join(err, r.end(context.WithoutCancel(ctx))) }()
	files := cfg.Only
	if len(files) == 0 {
		if files, err = Documents(os.DirFS(r.clone)); err != nil {
			return err
		}
	}
	for _, name := range files {
		if err := r.document(ctx, name); err != nil {
			return err
		}
	}
	if err := r.end(ctx); err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "\n%d blocks of %d documents ran in %.0f seconds, and nothing is left running\n", r.ran, len(files),
		time.Since(began).Seconds())
	return nil
}

// open makes the folders and the copy.
func (r *runner) open(ctx context.Context) (err error) {
	if r.root, err = os.MkdirTemp("", "docrun-"); err != nil {
		return err
	}
	r.clone = filepath.Join(r.root, "gavel")
	for _, dir := range []string{r.clone, r.temp(), r.blocks()} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	// PostgreSQL's account passes through it.
	if err := os.Chmod(r.root, 0o755); err != nil {
		return err
	}
	r.environ = newcomer(r.Environ, r.temp(), filepath.Join(r.root, "config"))
	return clone(ctx, r.Checkout, r.clone)
}

func (r *runner) temp() string   { return filepath.Join(r.root, "tmp") }
func (r *runner) blocks() string { return filepath.Join(r.root, "blocks") }

// newcomer is the environment of somebody who has not used Gavel yet. Paths are left
// out of what is built, so that a copy elsewhere does not have to build all of it.
func newcomer(environ []string, temp, config string) []string {
	var out []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GAVEL_") || name == "GAVEL_CACHE" {
			out = append(out, entry)
		}
	}
	return append(out, "TMPDIR="+temp, "XDG_CONFIG_HOME="+config, "GOFLAGS=-trimpath", "MAKEFLAGS=")
}

// document runs the blocks of one document in one shell.
func (r *runner) document(ctx context.Context, name string) error {
	text, err := os.ReadFile(filepath.Join(r.clone, name))
	if err != nil {
		return err
	}
	blocks := Blocks(name, string(text))
	if wrong := Check(blocks); len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	sh, err := r.startShell(ctx)
	if err != nil {
		return err
	}
	defer sh.close()
	for _, b := range blocks {
		if !b.Shell() {
			continue
		}
		if err := r.block(ctx, sh, b); err != nil {
			return fmt.Errorf("%s: %w", b.Place(), err)
		}
	}
	return nil
}

// block runs one block and says how long it took.
func (r *runner) block(ctx context.Context, sh *session, b Block) error {
	ctx, stop := context.WithTimeout(ctx, r.patience)
	defer stop()
	fmt.Fprintf(r.Out, "\n== %s\n", b.Place())
	began := time.Now()
	script := filepath.Join(r.blocks(), fmt.Sprintf("%d.sh", r.ran))
	if err := os.WriteFile(script, []byte(b.Text), 0o644); err != nil {
		return err
	}
	do := sh.run
	if b.Interrupted() {
		do = r.interrupted
	}
	if err := do(ctx, script); err != nil {
		return err
	}
	r.ran++
	fmt.Fprintf(r.Out, "-- %s: %.1f s\n", b.Place(), time.Since(began).Seconds())
	return nil
}

// end stops what the documents left running on purpose, and complains of the rest.
func (r *runner) end(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, endPatience)
	defer stop()
	if _, err := os.Stat(filepath.Join(r.clone, ".dev")); err == nil {
		down := exec.CommandContext(ctx, "make", "--no-print-directory", "dev-down")
		down.Dir, down.Env, down.Stdout, down.Stderr = r.clone, r.environ, r.Out, r.Out
		if err := down.Run(); err != nil {
			return errors.Join(fmt.Errorf("make dev-down: %w", err), endAll(r.Out, r.moments))
		}
	}
	left := waitForOrphans(ctx, r.moments)
	if len(left) == 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("still running: %s", strings.Join(left, ", ")), endAll(r.Out, r.moments))
}
