package main

import (
	"fmt"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/analysis/facts/directives"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// leftOut are matters of names and comments, which are revive's. Its QF checks, which are
// matters of taste, are not in the lists below.
var leftOut = []string{"ST1000", "ST1003", "ST1020", "ST1021", "ST1022"}

// staticcheckAnalyzer is all of staticcheck as one analyzer. Its checks do not know of
// `//lint:ignore`: its own command reads that, after them, and so does this.
func staticcheckAnalyzer() *analysis.Analyzer {
	var checks []*analysis.Analyzer
	for _, c := range slices.Concat(simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers) {
		if !slices.Contains(leftOut, c.Analyzer.Name) {
			checks = append(checks, held(c.Analyzer))
		}
	}
	return &analysis.Analyzer{
		Name:     "staticcheck",
		Doc:      "the checks of staticcheck, with its //lint:ignore\n\nEach finding names its check.",
		URL:      "https://staticcheck.dev/docs/checks/",
		Requires: append(slices.Clone(checks), directives.Analyzer, unused.Analyzer.Analyzer),
		Run: func(pass *analysis.Pass) (any, error) {
			found := unusedIn(pass)
			for _, c := range checks {
				found = append(found, pass.ResultOf[c].([]analysis.Diagnostic)...)
			}
			for _, d := range notIgnored(pass, found) {
				d.Message += " (" + d.Category + ")"
				pass.Report(d)
			}
			return nil, nil
		},
	}
}

// held is a check that keeps what it finds as its result.
func held(check *analysis.Analyzer) *analysis.Analyzer {
	h := *check
	h.ResultType = reflect.TypeFor[[]analysis.Diagnostic]()
	h.Run = func(pass *analysis.Pass) (any, error) {
		var found []analysis.Diagnostic
		own := *pass
		own.Report = func(d analysis.Diagnostic) {
			d.Category = check.Name
			found = append(found, d)
		}
		_, err := check.Run(&own)
		return found, err
	}
	return &h
}

// unusedIn lists what nothing uses. The go command has us look at a package together
// with its tests, and what is not exported has no other users.
func unusedIn(pass *analysis.Pass) []analysis.Diagnostic {
	result := pass.ResultOf[unused.Analyzer.Analyzer].(unused.Result)
	type place struct {
		file string
		line int
		name string
	}
	at := func(o unused.Object) place { return place{o.Position.Filename, o.Position.Line, o.Name} }
	used := map[place]bool{}
	for _, o := range result.Used {
		used[at(o)] = true // a field of one instance of a generic type is a field of all
	}
	var found []analysis.Diagnostic
	for _, o := range result.Unused {
		if used[at(o)] {
			continue
		}
		for _, f := range pass.Files {
			if in := pass.Fset.File(f.FileStart); in.Name() == o.Position.Filename {
				found = append(found, analysis.Diagnostic{
					Pos: in.Pos(o.Position.Offset), Category: "U1000", Message: fmt.Sprintf("%s %s is unused", o.Kind, o.Name),
				})
			}
		}
	}
	return found
}

// factsOf is an analyzer that reports nothing and only learns what a's checks have to
// know of the packages below: whether a function is deprecated, or never returns.
func factsOf(a *analysis.Analyzer) *analysis.Analyzer {
	var learn []*analysis.Analyzer
	seen := map[*analysis.Analyzer]bool{}
	var walk func(*analysis.Analyzer)
	walk = func(b *analysis.Analyzer) {
		if seen[b] {
			return
		}
		seen[b] = true
		if len(b.FactTypes) > 0 {
			learn = append(learn, b)
		}
		for _, need := range b.Requires {
			walk(need)
		}
	}
	walk(a)
	return &analysis.Analyzer{
		Name: a.Name, Doc: a.Doc, URL: a.URL, Requires: learn,
		Run: func(*analysis.Pass) (any, error) { return nil, nil },
	}
}
