package hello_test

import (
	"strings"
	"testing"

	"example.com/hello/hello"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/program/programtest"
)

// TestAnAnswerIsGivenOnceAnOfficerHasSaidSo promises the whole way of a case: asked, proposed, decided, done, verified.
func TestAnAnswerIsGivenOnceAnOfficerHasSaidSo(t *testing.T) {
	g := programtest.Start(t, hello.New)
	page := g.Run(identity.Analyst, "hello", "When is the office open?", "--jq", ".page")
	proposal := g.Waits(identity.Officer)
	given := func() bool { return strings.Contains(g.Page(identity.Analyst, "/hello"), "from nine to five") }
	if given() {
		t.Error("the answer was given before anybody decided")
	}
	g.Run(identity.Officer, "approve", proposal, "--yes", "--reason", "It is so.")
	wait.Until(t, "the answer is given", given)
	g.Verify(page)
}
