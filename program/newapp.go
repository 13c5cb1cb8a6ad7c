package program

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
	"github.com/gavelhq/gavel/program/scaffold"
)

func (c *cli) newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "new",
		Short:   "Begin something of your own",
		Example: "  gavel new app permits --dir ../permits",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.newAppCommand())
	return cmd
}

func (c *cli) newAppCommand() *cobra.Command {
	var dir, checkout string
	cmd := &cobra.Command{
		Use:   "app <name>",
		Short: "Write an application of your own into an empty folder",
		Long: `Write an application of your own into an empty folder: a module that builds a Gavel with
it. It has one kind of case, an agent, and a tool that a person decides about. It has a
page, an address, a command, a table, a policy and a test. It works as it is; the guide
"Your own application" walks through it.

Its go.mod points to the checkout of Gavel that this program or the folder is in.
Otherwise it names the released version of this program.`,
		Example: `  gavel new app permits
  gavel new app permits --dir ../permits`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.writeApp(cmd.Context(), args[0], dir, checkout)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "folder to write into; it is made where it is not there")
	cmd.Flags().StringVar(&checkout, "checkout", "", "checkout of Gavel to build with")
	_ = cmd.MarkFlagDirname("dir")
	_ = cmd.MarkFlagDirname("checkout")
	return cmd
}

// A writtenApp is an application that was written.
type writtenApp struct {
	Name   string   `json:"name"`
	Dir    string   `json:"dir"`
	Module string   `json:"module"`
	Gavel  string   `json:"gavel"` // where its Gavel comes from
	Files  []string `json:"files"`
}

func (c *cli) writeApp(_ context.Context, name, dir, checkout string) error {
	if err := c.free(name); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fault.From(fault.Invalid, err, "folder %s", dir)
	}
	from, err := origin(checkout, dir)
	if err != nil {
		return err
	}
	files, err := scaffold.Files(name, from)
	if err != nil {
		return err
	}
	app := writtenApp{Name: name, Dir: dir, Module: scaffold.Module(name), Gavel: from.String()}
	if app.Files, err = writeFiles(dir, files); err != nil {
		return err
	}
	err = output.One(c.print, app, []output.Column[writtenApp]{
		{Head: "APPLICATION", Field: "name", Value: func(a writtenApp) any { return a.Name }},
		{Head: "DIR", Field: "dir", Value: func(a writtenApp) any { return a.Dir }},
		{Head: "MODULE", Field: "module", Value: func(a writtenApp) any { return a.Module }},
		{Head: "GAVEL", Field: "gavel", Value: func(a writtenApp) any { return a.Gavel }},
		{Head: "FILES", Field: "files", Value: func(a writtenApp) any { return len(a.Files) }},
	})
	if err == nil {
		c.sayNext(app, from)
	}
	return err
}

// sayNext says what to do with it.
func (c *cli) sayNext(app writtenApp, from scaffold.Origin) {
	c.print.Say("what to do next:")
	c.print.Say("  cd %s", app.Dir)
	if from.Checkout == "" {
		c.print.Say("  go mod tidy")
	}
	c.print.Say("  go build -o bin/gavel .                              a gavel with %s in it", app.Name)
	c.print.Say("  go tool devstack exec --ephemeral -- go test ./...   its tests, on real parts of their own")
	c.print.Say("  bin/gavel demo                                       try it; the model is a script")
}

// takenAddresses are the first parts of addresses, of pages and of the API, that are the
// program's own. A test holds them against its routes.
var takenAddresses = strings.Fields(`
	account admin agents audit auth banners cases components decisions delegations dev device devices docs erasures events
	healthz holds inbox jobs keys live mail mcp me metrics models notices operations outbox pair pauses people policy preferences
	proposals rail readyz reference reports retention runs search sessions settings shifts sources spending start static subjects
	terminal terminals tokens v1 verify webhooks`)

// free refuses a name that is no application's, or that something here has already.
func (c *cli) free(name string) error {
	if err := scaffold.CheckName(name); err != nil {
		return err
	}
	command := func(cmd *cobra.Command) bool { return cmd.Name() == name }
	app := func(a platform.App) bool { return a.Name == name }
	if slices.Contains(takenAddresses, name) || slices.ContainsFunc(c.apps, app) || slices.ContainsFunc((&cli{apps: c.apps}).tree().
		Commands(), command) {
		return fault.New(fault.Conflict, "%s is a command or a page of this program already", name).
			WithNext("give the application another name")
	}
	return nil
}

// origin is where the application has its Gavel from: the checkout that is named, that
// this program is in or that the folder is in; else the version that this program is.
func origin(checkout, dir string) (scaffold.Origin, error) {
	if checkout != "" {
		found, err := devstack.Checkout(checkout)
		if err != nil {
			return scaffold.Origin{}, fault.From(fault.Invalid, err, "%s is no checkout of Gavel", checkout).
				WithNext("name the folder with its README.md")
		}
		return absolute(found)
	}
	if program, err := os.Executable(); err == nil {
		if found, err := devstack.Checkout(filepath.Dir(program)); err == nil {
			return absolute(found)
		}
	}
	if found, err := devstack.Checkout(dir); err == nil {
		return absolute(found)
	}
	if version, ok := released(); ok {
		return scaffold.Origin{Version: version}, nil
	}
	return scaffold.Origin{}, fault.New(fault.NotFound, "this program is in no checkout of Gavel and is no released version").
		WithNext("name your clone: --checkout DIR")
}

func absolute(checkout string) (scaffold.Origin, error) {
	path, err := filepath.Abs(checkout)
	return scaffold.Origin{Checkout: path}, err
}

// released is the version of Gavel that this program was built from, if it is one that
// others can ask for.
func released() (string, bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	m := gavelOf(info)
	known := m.Replace == nil && strings.HasPrefix(m.Version, "v") && !strings.Contains(m.Version, "+") &&
		!module.IsPseudoVersion(m.Version)
	return m.Version, known
}

// writeFiles writes files into a folder that is empty or not there yet.
func writeFiles(dir string, files map[string][]byte) ([]string, error) {
	inside, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.From(fault.Invalid, err, "look into %s", dir)
	}
	if len(inside) > 0 {
		return nil, fault.New(fault.Conflict, "%s is not empty", dir).WithNext("name a new or empty folder: --dir DIR")
	}
	var names []string
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // source is for everybody to read
			return nil, fault.From(fault.Invalid, err, "make a folder for %s", path)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // source is for everybody to read
			return nil, fault.From(fault.Invalid, err, "write %s", path)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}
