package program

import (
	"slices"

	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/program/config"
)

// home is where the site's mark leads: in a demonstration to what can be tried first.
func (c *cli) home() string {
	if c.cfg.Mode == config.Demo {
		return console.StartPath
	}
	return ""
}

// busyRoles are the roles that have something to try in a demonstration, in the order in
// which it is tried.
func (c *cli) busyRoles() (all []identity.Role) {
	for _, t := range c.firstTrials() {
		if !slices.Contains(all, t.As) {
			all = append(all, t.As)
		}
	}
	return all
}

// firstTrials are what can be tried in a demonstration, the applications' first; none
// in another installation.
func (c *cli) firstTrials() (all []console.Trial) {
	if c.cfg.Mode != config.Demo {
		return nil
	}
	for _, a := range c.apps {
		if a.Demo == nil {
			continue
		}
		for _, t := range a.Demo.Try {
			all = append(all, console.Trial(t))
		}
	}
	return append(all, console.Trials()...)
}
