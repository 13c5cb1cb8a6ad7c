package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/fault"
)

// Given are the settings that somebody gave, with their secrets, for who writes them into
// a file.
func (c *Config) Given() map[Name]string {
	all := map[Name]string{}
	for name, v := range *c.given {
		if v.text != "" && v.origin != "default" && name != NameConfig {
			all[name] = v.text
		}
	}
	return all
}

// WriteFile writes a settings file that only its owner may read, in the table's order
// below comments, and reads it back. One that is there already is refused: it may hold the
// only keys to what is sealed in a database.
func WriteFile(path string, comments []string, values map[Name]string, table []Setting) error {
	var text strings.Builder
	for _, c := range comments {
		fmt.Fprintf(&text, "# %s\n", c)
	}
	for _, s := range table {
		value, ok := values[s.Name]
		if !ok {
			continue
		}
		quoted, err := quote(value)
		if err != nil {
			return fault.New(fault.Invalid, "%s: %s", s.Name, err).WithNext("give it another value")
		}
		fmt.Fprintf(&text, "\n# %s\n%s=%s\n", s.Help, s.Name, quoted)
	}
	if _, err := parseFile([]byte(text.String())); err != nil {
		return fault.From(fault.Internal, err, "write %s", path)
	}
	return create(path, text.String())
}

// quote writes a value so that parseLine reads it: as it stands, or in the quotes it does
// not hold.
func quote(value string) (string, error) {
	plain := value == strings.TrimSpace(value) && !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'")
	switch {
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", fmt.Errorf("a value of a settings file stands on one line")
	case plain:
		return value, nil
	case !strings.Contains(value, `"`):
		return `"` + value + `"`, nil
	case !strings.Contains(value, "'"):
		return "'" + value + "'", nil
	}
	return "", fmt.Errorf("a value of a settings file can't hold both kinds of quotes and begin with one, or with a space")
}

// create writes a new file whole or not at all: under another name first, on disk, then
// linked to its own, which fails where somebody else has it.
func create(path, text string) error {
	failed := func(err error) error {
		return fault.From(fault.Invalid, err, "%s cannot be written", path).WithNext("choose another folder, or run it as who may write there")
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // only its owner may read it
	if err != nil {
		return failed(err)
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text); err != nil {
		return failed(err)
	}
	if err := f.Sync(); err != nil {
		return failed(err)
	}
	if err := f.Close(); err != nil {
		return failed(err)
	}
	if err := os.Link(f.Name(), path); os.IsExist(err) {
		return Exists(path)
	} else if err != nil {
		return failed(err)
	}
	return nil
}

// Exists refuses to write over a settings file.
func Exists(path string) error {
	return fault.From(fault.Conflict, fs.ErrExist, "%s is there already, and may hold the only keys to what is sealed in a database", path).
		WithNext("look whether it is well: gavel doctor --config %s", path)
}
