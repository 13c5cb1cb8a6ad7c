package platform

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// Minds are the tools, agents and policies of all applications, checked against
// each other: what is wrong with them is known at start, not in the middle of a
// case.
type Minds struct {
	Tools  *tool.Registry
	Roster *agent.Roster
	Rules  *policy.Rules

	OrgSettings []setting.Kind // what each organisation sets for itself

	agents []agent.Spec
	masked map[string]bool // applications that have personal data masked
}

// Masks reports whether an application has personal data masked before a model is told anything.
func (m *Minds) Masks(app string) bool { return m.masked[app] }

// NewMinds gathers them. An application's tools and agents bear its name, none of
// its acts is called like a tool, and the rules name tools that there are.
func NewMinds(rules *policy.Rules, apps ...App) (*Minds, error) {
	m := &Minds{Rules: rules, masked: map[string]bool{}}
	var tools []tool.Tool
	for _, a := range apps {
		m.masked[a.Name] = a.Masks
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
		for _, what := range a.Acts {
			if slices.ContainsFunc(a.Tools, func(t tool.Tool) bool { return t.FullName() == what.Name }) {
				return nil, fault.New(fault.Invalid,
					"application %s has an act and a tool that are both called %s; nobody could ask about one of them", a.Name, what.Name)
			}
		}
		if err := checkSettings(rules, a); err != nil {
			return nil, err
		}
		m.OrgSettings = append(m.OrgSettings, a.OrgSettings...)
		tools, m.agents = append(tools, a.Tools...), append(m.agents, a.Agents...)
	}
	var err error
	if m.Tools, err = tool.NewRegistry(tools...); err != nil {
		return nil, err
	}
	if m.Roster, err = agent.NewRoster(m.Tools, m.agents...); err != nil {
		return nil, err
	}
	return m, rules.CheckTools(m.Tools.Names()...)
}

// checkSettings refuses settings of an application that nobody could read or change: one that
// is half declared, another's, there twice, about acts that there are not, or decided by people
// without the tool that asks them.
func checkSettings(rules *policy.Rules, a App) error {
	known := func(act string) bool {
		return slices.ContainsFunc(rules.Acts(), func(one policy.Act) bool { return one.Name == act })
	}
	for i, k := range a.OrgSettings {
		if err := k.Check(); err != nil {
			return err
		}
		asks := func(t tool.Tool) bool { return t.Name == amend.ToolName(k) }
		switch {
		case k.App != a.Name:
			return fault.New(fault.Invalid, "application %s brings the setting %s/%s, which is another's", a.Name, k.App, k.Name)
		case slices.ContainsFunc(a.OrgSettings[:i], func(b setting.Kind) bool { return b.Name == k.Name }):
			return fault.New(fault.Invalid, "application %s brings the setting %s twice", a.Name, k.Name)
		case !known(k.Read) || !known(k.Change):
			return fault.New(fault.Invalid, "setting %s/%s is read or changed by acts that there are not: %s, %s", k.App, k.Name, k.Read,
				k.Change)
		case k.Gated != slices.ContainsFunc(a.Tools, asks):
			return fault.New(fault.Invalid, "setting %s/%s: people decide a change exactly if the application has the tool %s", k.App,
				k.Name, amend.ToolName(k))
		}
	}
	return nil
}

// Policies are the applications' own and the acts they declare, by their names, for
// policy.Load.
func Policies(apps ...App) map[string]policy.Source {
	all := map[string]policy.Source{}
	for _, a := range apps {
		all[a.Name] = policy.Source{Acts: a.Acts, Files: a.Policies}
	}
	return all
}

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

// Agents are the job descriptions of all agents, in the order they were declared.
func (m *Minds) Agents() []agent.Spec { return slices.Clone(m.agents) }

// Any reports whether there is an agent at all.
func (m *Minds) Any() bool { return len(m.agents) > 0 }
