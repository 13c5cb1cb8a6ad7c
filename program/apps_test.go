package program

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed"
	"github.com/gavelhq/gavel/apps/gatepass"
	"github.com/gavelhq/gavel/apps/netra"
	"github.com/gavelhq/gavel/apps/poolpatrol"
	"github.com/gavelhq/gavel/apps/reportagent"
)

// builtIn are the applications that ship: what most tests of the program run.
func builtIn() applications {
	return applications{poolpatrol.New(), airshed.New(), gatepass.New(), netra.New(), reportagent.New()}
}

// TestTheProgramIsTestedWithWhatShips promises that no application is in the list of
// cmd/gavel and in no test here, nor the other way round.
func TestTheProgramIsTestedWithWhatShips(t *testing.T) {
	list, err := parser.ParseFile(token.NewFileSet(), "../cmd/gavel/main.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var shipped, tested []string
	for _, imp := range list.Imports {
		path, _ := strconv.Unquote(imp.Path.Value) // the parser has refused a path that is no string
		if _, name, is := strings.Cut(path, "/gavel/apps/"); is {
			shipped = append(shipped, name)
		}
	}
	for _, app := range builtIn() {
		tested = append(tested, app.Name)
	}
	slices.Sort(shipped)
	slices.Sort(tested)
	if !slices.Equal(shipped, tested) {
		t.Errorf("cmd/gavel ships %v, and the tests of the program run %v", shipped, tested)
	}
}
