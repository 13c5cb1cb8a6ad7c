package main

import (
	"github.com/gavelhq/gavel/cmd/gavel/config"
	"github.com/gavelhq/gavel/platform/console"
)

// home is where the site's mark leads: in a demonstration to what can be tried first.
func (c *cli) home() string {
	if c.cfg.Mode == config.Demo {
		return console.StartPath
	}
	return ""
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
