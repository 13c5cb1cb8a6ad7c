package platform

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/tool"
)

// Minds are the tools, agents and policies of all applications, checked against
// each other: what is wrong with them is known at start, not in the middle of a
// case.
type Minds struct {
	Tools    *tool.Registry
	Roster   *agent.Roster
	policies map[string]*policy.Set
	agents   []agent.Spec
}

// NewMinds gathers them. An application's tools and agents bear its name, and its
// policies name tools that there are.
func NewMinds(apps ...App) (*Minds, error) {
	m := &Minds{policies: map[string]*policy.Set{}}
	var tools []tool.Tool
	for _, a := range apps {
		for _, t := range a.Tools {
			if t.App != a.Name {
				return nil, fault.New(fault.Invalid, "application %s brings the tool %s, which is another's", a.Name, t.FullName())
			}
		}
		for _, s := range a.Agents {
			if s.App != a.Name {
				return nil, fault.New(fault.Invalid, "application %s brings the agent %s/%s, which is another's", a.Name, s.App, s.Name)
			}
		}
		tools, m.agents = append(tools, a.Tools...), append(m.agents, a.Agents...)
	}
	var err error
	if m.Tools, err = tool.NewRegistry(tools...); err != nil {
		return nil, err
	}
	if m.Roster, err = agent.NewRoster(m.Tools, m.agents...); err != nil {
		return nil, err
	}
	for _, a := range apps {
		if err := m.addPolicies(a); err != nil {
			return nil, fmt.Errorf("policies of %s: %w", a.Name, err)
		}
	}
	return m, nil
}

// addPolicies reads the .cedar files of an application, wherever they lie below
// its folder.
func (m *Minds) addPolicies(a App) error {
	if a.Policies == nil {
		return nil
	}
	var files []policy.File
	err := fs.WalkDir(a.Policies, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".cedar" {
			return err
		}
		text, err := fs.ReadFile(a.Policies, name)
		files = append(files, policy.File{Name: name, Text: text})
		return err
	})
	if err != nil {
		return err
	}
	set, err := policy.Parse(files...)
	if err != nil {
		return err
	}
	m.policies[a.Name] = set
	return set.CheckTools(m.Tools.Names()...)
}

// Policies are those of an application. One without any refuses everything.
func (m *Minds) Policies(app string) *policy.Set { return m.policies[app] }

// Unrouted lists the agents whose route is not among those there are, as
// app/name (route): they can do nothing until somebody names a model for them.
func (m *Minds) Unrouted(has func(route string) bool) []string {
	var out []string
	for _, s := range m.agents {
		if !has(s.Route) {
			out = append(out, fmt.Sprintf("%s/%s (%s)", s.App, s.Name, s.Route))
		}
	}
	slices.Sort(out)
	return out
}

// Any reports whether there is an agent at all.
func (m *Minds) Any() bool { return len(m.agents) > 0 }
