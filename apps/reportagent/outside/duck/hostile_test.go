package duck_test

import (
	_ "embed" // the questions
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform/fault"
)

// hostile are questions that want more than an answer about the views, one on a line. FILE is a file that nobody may read, NEW one that
// must not be made.
//
//go:embed testdata/hostile.sql
var hostile string

// TestHostileQuestionsAreRefusedOrFailCleanly promises of some 200 of them: an error and no rows, within the deadline, nothing read that
// is not a view, nothing written; and an answer to the honest question that follows.
func TestHostileQuestionsAreRefusedOrFailCleanly(t *testing.T) {
	dir := t.TempDir()
	secret, made := filepath.Join(dir, "secret.csv"), filepath.Join(dir, "made")
	if err := os.WriteFile(secret, []byte("password\nopen sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := duck.New(duck.Config{Program: program, Limit: time.Minute})
	view := table(t, small)
	tries := append(strings.Split(strings.TrimSuffix(hostile, "\n"), "\n"), "", "\x00", "select \x00 1")
	tries = append(tries, deep()...)
	for _, sql := range tries {
		sql = strings.NewReplacer("FILE", secret, "NEW", made).Replace(sql)
		a, err := c.Ask(t.Context(), query.Question{Views: []query.View{view}, SQL: sql})
		if len(sql) > 200 { // depth and length only must not harm
			continue
		}
		if err == nil {
			t.Errorf("%s is answered: %s", sql, said(a))
		} else if fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "open sesame") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	t.Logf("%d tries", len(tries))
	if len(tries) < 200 {
		t.Errorf("%d tries, want 200", len(tries))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("something was written: %v, %v", left, err)
	}
	a, err := c.Ask(t.Context(), query.Question{Views: []query.View{view}, SQL: "select count(*) from project_view"})
	if err != nil || said(a) != "4" {
		t.Errorf("afterwards: %v, %v", said(a), err)
	}
}

// deep are questions that are allowed, or nearly, and so long or so deep that whoever reads them could fall over.
func deep() []string {
	around := func(before string, n int, core, after, end string) string {
		return "select " + strings.Repeat(before, n) + core + strings.Repeat(after, n) + end
	}
	return []string{
		around("(", 3000, "1", ")", ""),
		around("-", 8000, "1", "", ""),
		around("1+", 4000, "1", "", " from project_view"),
		around("val*", 1500, "val", "", " from project_view"),
		around("sum(", 900, "val", ")", " from project_view"),
		around("upper(", 1000, "scenario", ")", " from project_view"),
		around("val, ", 1500, "val", "", " from project_view"),
		around("* from (select ", 400, "* from project_view", ")", ""),
		"select * from project_view where " + strings.Repeat("not ", 2000) + "true",
		"select max(val) from project_view where " + strings.Repeat("(", 900) + "true" + strings.Repeat(")", 900),
		strings.Repeat("x", 9000),
	}
}
