package page

import (
	"testing"

	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages(), "app.", "title.", "agent.", "record.kind.", "retention.what.", "status.", "entry.",
		"asked.", "pool.try.", "field.", "hint.", "line.", "value.", "subject.", "tool.", "via.", "source.", "waiting.", "about.", "do.",
		"form.bad.",
		"proposal.reason_hint.", "reason.", "search.", "setting.", "effect.") // the console names these; TestEveryArgumentHasAWord
}
