package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A group is the tests of the grouped package that are one application's, or a share of
// the platform's own.
type group struct {
	name  string
	tests []string
}

// own is the group of tests that belong to no application.
const own = "platform"

// Those run in processes, so many at a time: one after the other they would take longer
// than everything beside them. There are more parts than that, so that who has drawn the
// long ones is not waited for.
const (
	ownParts   = 9
	ownAtATime = 3
)

// sideBySide is how many tests of one package run at once; they mostly wait.
const sideBySide = "-parallel=6"

// groups sorts the tests of the grouped package by application, longest list last.
func (p Plan) groups() ([]group, error) {
	if p.Grouped == "" {
		return nil, nil
	}
	byFile, err := testsByFile(p.Grouped)
	if err != nil {
		return nil, err
	}
	byGroup := map[string][]string{}
	for file, names := range byFile {
		name := own
		for _, app := range p.Groups {
			if strings.HasPrefix(file, app) {
				name = app
			}
		}
		byGroup[name] = append(byGroup[name], names...)
	}
	var all []group
	for _, app := range p.Groups {
		if p.wants(app) {
			all = append(all, group{app, byGroup[app]})
		}
	}
	if p.wants(own) {
		all = append(all, dealt(byGroup[own])...)
	}
	return all, nil
}

func (p Plan) wants(name string) bool { return len(p.Only) == 0 || slices.Contains(p.Only, name) }

// dealt are the platform's tests in turn to each part, so that those of one file, which
// take about as long as each other, come to several.
func dealt(tests []string) []group {
	parts := make([]group, ownParts)
	slices.Sort(tests)
	for i, name := range tests {
		part := &parts[i%ownParts]
		part.name, part.tests = own, append(part.tests, name)
	}
	return parts
}

// runRest runs all packages but the grouped one.
func (p Plan) runRest(ctx context.Context, r *result) error {
	if len(p.Packages) == 0 {
		return nil
	}
	out, err := exec.CommandContext(ctx, "go", append([]string{"list"}, p.Packages...)...).Output()
	if err != nil {
		return fmt.Errorf("list the packages: %w", err)
	}
	packages := slices.DeleteFunc(strings.Fields(string(out)), func(pkg string) bool {
		return p.Grouped != "" && strings.HasSuffix(pkg, "/"+path.Clean(filepath.ToSlash(p.Grouped)))
	})
	if len(packages) == 0 {
		return nil
	}
	args := slices.Concat([]string{"test", "-json", "-count=1", "-vet=off", "-timeout=" + p.Deadline.String(), sideBySide}, p.Flags,
		packages)
	return r.watch(exec.CommandContext(ctx, "go", args...))
}

// runAlone runs one test with nothing beside it.
func (p Plan) runAlone(ctx context.Context, r *result, t test) error {
	args := slices.Concat([]string{"test", "-json", "-count=1", "-vet=off", "-timeout=" + p.Deadline.String()}, p.Flags,
		[]string{"-run=^" + t.name + "$", t.pkg})
	return r.watch(exec.CommandContext(ctx, "go", args...))
}

// runGroups compiles the grouped package once and runs its groups side by side, each as a
// process whose cost can be told.
func (p Plan) runGroups(ctx context.Context, r *result, groups []group) error {
	if len(groups) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp("", "gavel-suite-")
	if err != nil {
		return fmt.Errorf("make a folder for the test program: %w", err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program.test")
	compile := exec.CommandContext(ctx, "go", slices.Concat([]string{"test", "-c", "-vet=off", "-o", program}, compiling(p.Flags),
		[]string{"./" + p.Grouped})...)
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the tests of %s: %w\n%s", p.Grouped, err, out)
	}
	name, err := exec.CommandContext(ctx, "go", "list", "./"+p.Grouped).Output()
	if err != nil {
		return fmt.Errorf("name the package in %s: %w", p.Grouped, err)
	}
	var apps, platform errgroup.Group
	platform.SetLimit(ownAtATime)
	for _, g := range groups { // the applications' are first, so that none waits behind the limit
		of := &apps
		if g.name == own {
			of = &platform
		}
		of.Go(func() error { return p.runGroup(ctx, r, program, strings.TrimSpace(string(name)), g) })
	}
	return errors.Join(apps.Wait(), platform.Wait())
}

// runGroup runs one group and keeps what it cost.
func (p Plan) runGroup(ctx context.Context, r *result, program, pkg string, g group) error {
	if len(g.tests) == 0 {
		return nil
	}
	args := []string{"tool", "test2json", "-t", "-p", pkg, program, "-test.v=test2json", "-test.count=1",
		"-test.timeout=" + p.Deadline.String(), "-test.parallel=6", "-test.paniconexit0",
		"-test.run=^(" + strings.Join(g.tests, "|") + ")$"}
	if slices.Contains(p.Flags, "-short") {
		args = append(args, "-test.short")
	}
	cmd, began := exec.CommandContext(ctx, "go", args...), time.Now()
	cmd.Dir = p.Grouped
	err := r.watch(cmd)
	if cmd.ProcessState == nil { // it never began: the run was called off before its turn came
		return err
	}
	r.paid(cost{g.name, len(g.tests), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(began), began})
	return err
}

// compiling are the flags that concern the compiler.
func compiling(flags []string) []string {
	return slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == "-short" })
}

// watch runs a command that says events. That it ended badly is known from them.
func (r *result) watch(cmd *exec.Cmd) error {
	said, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("listen to %s: %w", cmd.Path, err)
	}
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	err = r.read(said)
	ended := cmd.Wait()
	if _, failed := errors.AsType[*exec.ExitError](ended); failed {
		return errors.Join(err, r.blame(cmd))
	}
	return errors.Join(err, ended)
}

// blame makes sure that a command which failed has left a reason.
func (r *result) blame(cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dead) > 0 {
		return nil
	}
	for _, o := range r.tests {
		if o.failed {
			return nil
		}
	}
	return fmt.Errorf("%s ended with %s, and no test says why", strings.Join(cmd.Args[:min(4, len(cmd.Args))], " "), cmd.ProcessState)
}
