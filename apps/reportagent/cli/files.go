package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// mapName is the curated map, where nobody names another: beside the outline, or with the data.
const mapName = "section_chart_map.json"

// maxLedger bounds a file of facts.
const maxLedger = 1 << 30

// sources are the flags that name what a report is made of.
type sources struct {
	outline, data, curated, aliases string
}

func (s *sources) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.outline, "outline", "", "Markdown file with the sections of the report")
	s.dataFlag(cmd)
	f.StringVar(&s.curated, "map", "",
		"which charts each section is written from (default: "+mapName+" beside the outline or with the data)")
	f.StringVar(&s.aliases, "aliases", "", "JSON file of words and the categories they stand for, added to the usual ones")
	_ = cmd.MarkFlagRequired("outline")
	_ = cmd.MarkFlagFilename("outline", "md")
	_ = cmd.MarkFlagFilename("map", "json")
	_ = cmd.MarkFlagFilename("aliases", "json")
}

func (s *sources) dataFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.data, "data-root", "", "folder with the charts of a model run")
	_ = cmd.MarkFlagRequired("data-root")
	_ = cmd.MarkFlagDirname("data-root")
}

// catalogue lists the charts.
func (s *sources) catalogue() (*catalogue.Catalogue, error) {
	root, err := os.OpenRoot(s.data)
	if err != nil {
		return nil, platform.Unreadable(s.data, err)
	}
	defer root.Close()
	return catalogue.Discover(root.FS())
}

// mapping reads the map, and the words that stand for categories.
func (s *sources) mapping(root string) (*mapping.Map, mapping.Aliases, error) {
	aliases := mapping.StandardAliases()
	if s.aliases != "" {
		file, err := platform.ReadFile(s.aliases, mapping.MaxBytes)
		if err != nil {
			return nil, nil, err
		}
		if aliases, err = mapping.ParseAliases(file); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range []string{s.curated, filepath.Join(filepath.Dir(s.outline), mapName), filepath.Join(s.data, root, mapName)} {
		if name == "" {
			continue
		}
		file, err := platform.ReadFile(name, mapping.MaxBytes)
		if errors.Is(err, fs.ErrNotExist) && name != s.curated {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		m, err := mapping.Parse(file)
		return m, aliases, err
	}
	return &mapping.Map{}, aliases, nil
}

// readOutline reads an outline or a report.
func readOutline(name string) ([]byte, error) { return platform.ReadFile(name, outline.MaxBytes) }

// replace writes a file whole or not at all, if it is still as it was read; was is nil for a file that was not there.
func replace(name string, was, body []byte) error {
	if err := unchanged(name, was); err != nil {
		return err
	}
	return put(name, body)
}

// unchanged refuses a file that is not as it was read.
func unchanged(name string, was []byte) error {
	now, err := os.ReadFile(filepath.Clean(name))
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case err != nil:
		return platform.Unreadable(name, err)
	case was == nil || !bytes.Equal(now, was):
		return fault.New(fault.Stale, "%s changed meanwhile: nothing was written over it", name).WithNext("run the command again")
	}
	return nil
}

// put writes a file whole or not at all.
func put(name string, body []byte) error {
	failed := func(err error) error {
		return fault.From(fault.Invalid, err, "%s cannot be written: %v", name, platform.Nameless(err))
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".gavel-*")
	if err != nil {
		return failed(err)
	}
	_, err = f.Write(body)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return failed(err)
	}
	return nil
}

// beside is the name of a file that belongs to a report: draft.md has draft.facts.json.
func beside(report, ending string) string {
	return strings.TrimSuffix(report, filepath.Ext(report)) + ending
}
