package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// Sources are the places settings come from, strongest first.
type Sources struct {
	Flags   map[Name]string // values given as flags of a command
	File    string          // path given by --config; GAVEL_CONFIG where empty
	Environ []string        // NAME=VALUE, as os.Environ gives it
	Logins  *Logins         // kept by `gavel login`; nil: none

	Apps []platform.Setting // what the applications want to be told
}

// Load reads the settings. What is wrong with single values is kept in the
// Config, for Require and List; the error is for a file that cannot be read at
// all.
func Load(s Sources) (*Config, error) {
	c := &Config{given: &given{}, table: Settings(s.Apps...)}
	environ := fromEnviron(s.Environ)
	if s.File == "" {
		s.File = environ[NameConfig]
	} else {
		flags := map[Name]string{NameConfig: s.File}
		maps.Copy(flags, s.Flags)
		s.Flags = flags
	}
	var lines []line
	if s.File != "" {
		var err error
		if lines, err = readFile(s.File); err != nil {
			return nil, err
		}
	}
	c.take(s, environ, lines)
	s.Logins.offer(*c.given)
	c.refuseUnknown(s.File, environ, lines)
	c.parse()
	c.readModels(s.Environ)
	c.judge()
	c.sortProblems()
	return c, nil
}

func fromEnviron(environ []string) map[Name]string {
	ours := map[Name]string{}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "GAVEL_") && !slices.Contains(elsewhere(), name) {
			ours[Name(name)] = text
		}
	}
	return ours
}

// take finds each setting's value: the strongest place that names it wins, and
// an empty value there means the default.
func (c *Config) take(s Sources, environ map[Name]string, lines []line) {
	for _, setting := range c.table {
		v := value{setting.Default, "default"}
		for _, l := range lines {
			if Name(l.name) == setting.Name && setting.Name != NameConfig {
				v = value{l.value, fmt.Sprintf("file:%s:%d", s.File, l.number)}
			}
		}
		if text, ok := environ[setting.Name]; ok {
			v = value{text, "env"}
		}
		if text, ok := s.Flags[setting.Name]; ok {
			v = value{text, "flag"}
		}
		if v.text == "" {
			v = value{setting.Default, "default"}
		}
		(*c.given)[setting.Name] = v
	}
}

func (c *Config) refuseUnknown(file string, environ map[Name]string, lines []line) {
	for name := range environ {
		if !c.knows(name) {
			c.problems = append(c.problems, Problem{name, "env", c.unknown(string(name))})
		}
	}
	for _, l := range lines {
		origin := fmt.Sprintf("file:%s:%d", file, l.number)
		switch {
		case Name(l.name) == NameConfig:
			c.problems = append(c.problems,
				Problem{NameConfig, origin, "a settings file cannot name another; use --config or the environment"})
		case !c.knows(Name(l.name)) && !slices.Contains(elsewhere(), l.name):
			c.problems = append(c.problems, Problem{Name(l.name), origin, c.unknown(l.name)})
		}
	}
}

// parse puts each value into its field, or refuses it by name and empties the
// field again so that nothing half-read is used.
func (c *Config) parse() {
	for _, setting := range c.table {
		v := (*c.given)[setting.Name]
		if v.text == "" {
			continue
		}
		before := *c
		if len(v.text) <= maxValue && setting.set(c, v.text) {
			continue
		}
		*c = before
		what := ""
		if !setting.Secret {
			what = fmt.Sprintf("%.60q is not valid; ", setting.shown(v.text))
		}
		c.problems = append(c.problems, Problem{setting.Name, v.origin, what + "expected " + setting.Expect})
	}
}

// sortProblems orders them as the table does, names we do not know last.
func (c *Config) sortProblems() {
	place := map[Name]int{}
	for i, s := range c.table {
		place[s.Name] = i - len(c.table)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(place[a.Name], place[b.Name]), cmp.Compare(a.Name, b.Name))
	})
}

// knows reports whether the table has a setting of a name.
func (c *Config) knows(name Name) bool {
	return slices.ContainsFunc(c.table, func(s Setting) bool { return s.Name == name })
}

func (c *Config) unknown(name string) string {
	if near := c.nearest(name); near != "" {
		return "there is no such setting; did you mean " + near + "?"
	}
	return "there is no such setting"
}

// nearest is the known name closest to a misspelt one, or nothing where none
// is close: at most a third of its letters after the common prefix may differ.
func (c *Config) nearest(name string) string {
	if len(name) > maxName {
		return ""
	}
	known := make([]string, len(c.table))
	for i, one := range c.table {
		known[i] = string(one.Name)
	}
	return fault.Nearest(name, max(0, len(name)-len("GAVEL_"))/3, known)
}

// A Row is one setting as `gavel config list` shows it.
type Row struct {
	Name    Name   `json:"name"`
	Value   string `json:"value"`  // masked where it is secret
	Origin  string `json:"origin"` // default, login, file:path:line, env or flag
	Help    string `json:"help"`
	Default string `json:"default"`
	Secret  bool   `json:"secret"`
	Problem string `json:"problem,omitempty"`
}

// List is every setting in the table's order, then the names that are refused
// because no setting has them.
func (c *Config) List() []Row {
	var rows []Row
	for _, s := range c.table {
		v := (*c.given)[s.Name]
		rows = append(rows, Row{Name: s.Name, Value: s.shown(v.text), Origin: v.origin, Help: s.Help,
			Default: s.Default, Secret: s.Secret})
	}
	for _, p := range c.problems {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == p.Name })
		if i < 0 {
			// Its value may be a secret under a misspelt name.
			rows = append(rows, Row{Name: p.Name, Value: mask, Origin: p.Origin, Secret: true})
			i = len(rows) - 1
		}
		rows[i].Problem = p.Detail
	}
	return rows
}
