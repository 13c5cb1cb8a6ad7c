package page

import (
	"testing"

	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages(), "app.", "gp.try.", "record.kind.", "status.", "entry.", "asked.", "field.", "line.",
		"proposal.kind.",
		"proposal.follows.",
		"setting.", "tool.",
		"title.", "via.", "reason.", "retention.what.", // the console names these
		"gatepass.gate.") // package gate does, and its test
}
