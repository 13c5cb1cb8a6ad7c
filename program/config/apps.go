package config

import (
	"fmt"

	"github.com/gavelhq/gavel/platform"
)

// brought is a setting of an application as a row of the table. Its value is kept
// as text: only the application knows what to make of it.
func brought(s platform.Setting) Setting {
	row := Setting{Name: Name(s.Name), Help: s.Help, Expect: s.Expect, Default: s.Default, Secret: s.Secret, brought: true,
		set: func(_ *Config, v string) bool { return s.Fits(v) }}
	if s.Address != nil {
		row.private = func(v string) string {
			if !plainToOthers(s.Address(v)) {
				return ""
			}
			return fmt.Sprintf("refused in production: %s would travel over plain http; use an https:// address, or a server on this "+
				"machine", s.Carries)
		}
	}
	return row
}

// OfApps are the values of applications' settings by name, without those that are
// not set or were refused.
func (c *Config) OfApps() map[string]string {
	all := map[string]string{}
	for _, s := range c.table {
		if text := (*c.given)[s.Name].text; s.brought && text != "" && !c.problems.names([]Name{s.Name}) {
			all[string(s.Name)] = text
		}
	}
	return all
}

// judgeBrought applies the production rules of applications' settings.
func (c *Config) judgeBrought() {
	for _, s := range c.table {
		v := (*c.given)[s.Name]
		if s.private == nil || v.text == "" || c.problems.names([]Name{s.Name}) {
			continue
		}
		if why := s.private(v.text); why != "" {
			c.problems = append(c.problems, Problem{Name: s.Name, Origin: v.origin, Detail: why})
		}
	}
}
