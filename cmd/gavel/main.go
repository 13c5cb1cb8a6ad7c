// Gavel runs AI agents for institutions that must be able to defend what was
// done in their name: agents do the casework, people hold the gavel.
//
// This is the list of the applications that ship; package program is the rest.
package main

import (
	"os"

	"github.com/gavelhq/gavel/apps/airshed"
	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/netra"
	"github.com/gavelhq/gavel/apps/poolpatrol"
	"github.com/gavelhq/gavel/apps/reportagent"
	"github.com/gavelhq/gavel/program"
)

func main() {
	os.Exit(program.Main(poolpatrol.New(), airshed.New(), gatepass.New(), netra.New(), reportagent.New()))
}
