package diagnostic_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
)

func TestAListIsReadTopToBottom(t *testing.T) {
	var l diagnostic.List
	l.Add("B", diagnostic.Warning, 7, "%d is odd", 7)
	l.Add("A", diagnostic.Info, 0, "good to know")
	l.Add("C", diagnostic.Warning, 7, "and more")
	l = l.In("x.md")
	l.Sort()
	if got := strings.Join(l.Codes(), ""); got != "ABC" {
		t.Errorf("got %s", got)
	}
	if got, want := l[1].String(), "x.md: line 7: warning B: 7 is odd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStrictMakesWarningsErrors promises that nothing else is changed by it, and the list that was given is not.
func TestStrictMakesWarningsErrors(t *testing.T) {
	var l diagnostic.List
	l.Add("A", diagnostic.Info, 1, "a")
	l.Add("B", diagnostic.Warning, 2, "b")
	s := l.Strict()
	if !s.Has(diagnostic.Error) || s[0].Severity != diagnostic.Info || l.Has(diagnostic.Error) {
		t.Errorf("got %v from %v", s, l)
	}
}
