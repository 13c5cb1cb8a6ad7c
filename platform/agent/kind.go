package agent

import (
	"encoding/json"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// kindCall is the kind of the proposals that agents' calls become.
const kindCall = "call"

// CallKind says how proposals that agents' calls become are edited: in the form
// of the tool's own arguments.
func CallKind(tools *tool.Registry) review.Kind {
	return review.Kind{Name: kindCall, Check: func(p review.Proposal, args json.RawMessage) (json.RawMessage, error) {
		tl, ok := tools.Find(p.App, p.Tool)
		if !ok {
			return nil, fault.New(fault.Conflict, "this build has no tool %s any more", p.Tool)
		}
		return tl.Check(args)
	}}
}
