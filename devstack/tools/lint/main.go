// Command lint is what `go vet -vettool` runs on every package: the checks of vet
// with those beside it, staticcheck, and Temporal's workflowcheck. Under `go vet`
// their answers are kept in Go's own cache, by the content of the source and of this
// program, so what one checkout has been told the next one need not ask again.
//
//	go vet -trimpath -vettool=$PWD/bin/lint ./...
//	go vet -trimpath -vettool=$PWD/bin/lint -workflowcheck ./platform/...
package main

import (
	"fmt"
	"os"
	"slices"

	"go.temporal.io/sdk/contrib/tools/workflowcheck/workflow"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/atomicalign"
	"golang.org/x/tools/go/analysis/passes/deepequalerrors"
	"golang.org/x/tools/go/analysis/passes/findcall"
	"golang.org/x/tools/go/analysis/passes/httpmux"
	"golang.org/x/tools/go/analysis/passes/inline"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/reflectvaluecompare"
	"golang.org/x/tools/go/analysis/passes/sortslice"
	"golang.org/x/tools/go/analysis/passes/unusedwrite"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	unit, err := openUnit(os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lint:", err)
		os.Exit(1)
	}
	unitchecker.Main(suite(unit.dependency)...)
}

// suite lists the checks. A dependency is only asked for what the checks of its
// callers need to know of it, which of staticcheck is a small part.
func suite(dependency bool) []*analysis.Analyzer {
	static := staticcheckAnalyzer()
	if dependency {
		static = factsOf(static)
	}
	return append(slices.Concat(vet.Suite, besideVet),
		static, workflow.NewChecker(workflow.Config{}).NewAnalyzer())
}

// besideVet are the passes that vet leaves out and we want. Not among them:
// fieldalignment, as fields stand in the order a reader needs and none of our structs is
// counted in millions, and shadow, as `err` in an inner scope is how Go is written and
// staticcheck finds the harmful ones.
var besideVet = []*analysis.Analyzer{
	atomicalign.Analyzer,
	deepequalerrors.Analyzer,
	findcall.Analyzer, // println
	httpmux.Analyzer,
	inline.Analyzer,
	nilness.Analyzer,
	reflectvaluecompare.Analyzer,
	sortslice.Analyzer,
	unusedwrite.Analyzer,
}
