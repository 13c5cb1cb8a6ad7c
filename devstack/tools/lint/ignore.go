package main

import (
	"go/token"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/analysis/facts/directives"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/analysis/report"
)

// ignored is a `//lint:ignore Check,Check reason` for a line, or a `//lint:file-ignore`.
type ignored struct {
	checks []string
	file   string
	line   int // 0: the whole file
}

// notIgnored leaves out what the source says to ignore, as staticcheck's command does.
// A comment without a reason, and one that ignores nothing, is itself a finding.
func notIgnored(pass *analysis.Pass, found []analysis.Diagnostic) []analysis.Diagnostic {
	var kept []analysis.Diagnostic
	covered := make([]bool, len(found)) // two comments may speak of one finding, so none is taken away at once
	for _, d := range pass.ResultOf[directives.Analyzer].([]lint.Directive) {
		if d.Command != "ignore" && d.Command != "file-ignore" {
			continue
		}
		if len(d.Arguments) < 2 {
			kept = append(kept, about(d, "malformed linter directive; missing the required reason field?"))
			continue
		}
		ig, matched := readIgnored(pass.Fset, d), false
		for i, f := range found {
			if ig.covers(pass.Fset, f) {
				covered[i], matched = true, true
			}
		}
		if !matched && ig.mustMatch(pass.Analyzer.Requires) {
			kept = append(kept, about(d, "this linter directive didn't match anything; should it be removed?"))
		}
	}
	for i, f := range found {
		if !covered[i] {
			kept = append(kept, f)
		}
	}
	return kept
}

func about(d lint.Directive, message string) analysis.Diagnostic {
	return analysis.Diagnostic{Pos: d.Directive.Pos(), Category: "staticcheck", Message: message}
}

func readIgnored(files *token.FileSet, d lint.Directive) ignored {
	at := report.DisplayPosition(files, d.Node.Pos())
	ig := ignored{checks: strings.Split(d.Arguments[0], ","), file: at.Filename, line: at.Line}
	if d.Command == "file-ignore" {
		ig.line = 0
	}
	return ig
}

// covers says whether a finding is one of those to ignore. A check may be a pattern: SA10*.
func (ig ignored) covers(files *token.FileSet, f analysis.Diagnostic) bool {
	at := report.DisplayPosition(files, f.Pos)
	if at.Filename != ig.file || ig.line != 0 && at.Line != ig.line {
		return false
	}
	return slices.ContainsFunc(ig.checks, func(c string) bool {
		ok, _ := path.Match(strings.ToLower(c), strings.ToLower(f.Category))
		return ok
	})
}

// mustMatch says whether it is odd that a comment ignored nothing. A whole file's may be
// there in case, like one for a check that is not ours; and what is unused may be used on
// another system.
func (ig ignored) mustMatch(checks []*analysis.Analyzer) bool {
	named := func(name string) bool {
		return slices.ContainsFunc(ig.checks, func(c string) bool { return strings.EqualFold(c, name) })
	}
	return ig.line != 0 && !named("U1000") &&
		slices.ContainsFunc(checks, func(c *analysis.Analyzer) bool { return named(c.Name) })
}
