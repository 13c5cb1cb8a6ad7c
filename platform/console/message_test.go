package console_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

func TestEveryTextIsThereInEveryLanguageAndUsed(t *testing.T) {
	webtest.Messages(t, ".", console.Messages(), "title.")
}
