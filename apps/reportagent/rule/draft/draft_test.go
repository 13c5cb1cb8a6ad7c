package draft_test

import (
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
)

func discover(t testing.TB, files map[string][]byte) *catalogue.Catalogue {
	t.Helper()
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: content}
	}
	c, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryDraftOfTheRunPassesTheVerifier promises that no sentence the templates make of the made-up run is blocked, that
// a section's own small book carries its text as the chart's whole book does, and that every scenario is mentioned.
func TestEveryDraftOfTheRunPassesTheVerifier(t *testing.T) {
	cat := discover(t, madeup.Make(1).Files())
	charts := draft.NewCharts(cat)
	var leaves []draft.Child
	said := 0
	check := func(s *draft.Section) {
		t.Helper()
		for _, d := range s.Dropped {
			t.Errorf("%s: dropped %q: %v", d.Chart, d.Sentence.Text, d.Findings)
		}
		if missing := charts.Missing(s); len(missing) > 0 {
			t.Errorf("%s does not mention %v", s.ID, missing)
		}
		for _, p := range s.Paragraphs {
			said += len(p.Sentences)
			rep, err := charts.Check(p.Chart, p.Text(), s.Book)
			if err != nil || rep.Blocked() {
				t.Errorf("%s, %s: %v\n%s\n%v", s.ID, p.Chart, err, p.Text(), rep.Findings)
			}
		}
	}
	for _, ch := range cat.Charts {
		s, err := charts.Leaf(ch.ID, []string{ch.Key})
		if err != nil {
			t.Fatal(err)
		}
		if s.Empty() {
			t.Errorf("%s: nothing is said", ch.Key)
		}
		check(s)
		leaves = append(leaves, draft.Child{Title: ch.Title, Section: s})
	}
	parent, err := charts.Parent("overview", []string{"emissions_reduction_by_sector"}, leaves)
	if err != nil {
		t.Fatal(err)
	}
	check(parent)
	if len(parent.Paragraphs) != 1+len(leaves) || len(parent.Book.All()) > 4000 {
		t.Errorf("the parent has %d paragraphs and %d facts", len(parent.Paragraphs), len(parent.Book.All()))
	}
	if text, err := parent.Markdown(); err != nil || len(text) < 1000 {
		t.Errorf("%v: %s", err, text)
	}
	t.Logf("%d sentences, %d facts in the parent's book", said, len(parent.Book.All()))
}

// TestANameThatWouldBeReadAsAFactIsNotWritten promises that a table cannot put a token, a comment or a heading into a text.
func TestANameThatWouldBeReadAsAFactIsNotWritten(t *testing.T) {
	for _, bad := range []string{"{{F1}}", "Gas <!-- x -->", "\"Gas\n# Head\"", "**bold**"} {
		cat := discover(t, map[string][]byte{"a/x.csv": []byte("scen,fuel,unit,2025,2030\nA,Oil,PJ,1,2\nA," + bad + ",PJ,1,3\n")})
		if s, err := draft.NewCharts(cat).Leaf("x", []string{"a/x"}); err == nil {
			t.Errorf("%q was written: %s", bad, s.Template())
		}
	}
}
