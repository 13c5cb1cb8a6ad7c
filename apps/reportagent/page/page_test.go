package page

import (
	"testing"

	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", Messages(), "record.kind.", "reason.", "rp.try.", "asked.", "line.", "tool.", "field.")
}

// TestOurPartOfTheStylesheetIsWhole promises that a slip in it cannot swallow the rules of others, and that no rule has a colour of
// its own.
func TestOurPartOfTheStylesheetIsWhole(t *testing.T) { webtest.Stylesheet(t, Assets()) }
