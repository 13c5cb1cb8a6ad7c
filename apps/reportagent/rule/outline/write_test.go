package outline_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestADraftIsWrittenAndNothingElse promises the bytes that come out, in the places a draft can stand.
func TestADraftIsWrittenAndNothingElse(t *testing.T) {
	for _, tt := range []struct{ name, before, draft, after string }{
		{"the first draft", "# A\n<!-- Section instructions: x -->\n<!-- Review comments: -->\n\n## B\n", "new",
			"# A\n<!-- Section instructions: x -->\n<!-- Review comments: -->\n\nnew\n\n## B\n"},
		{"no blank line anywhere", "# A\n# B\n", "new", "# A\n\nnew\n\n# B\n"},
		{"the end of the file", "# A", "new", "# A\n\nnew\n"},
		{"another draft", "# A\n\n\n  old\n\nmore\n\n\n# B\n", "new", "# A\n\n\nnew\n\n\n# B\n"},
		{"between comments", "# A\n<!-- x --> old <!-- y -->\n# B\n", "new", "# A\n<!-- x --> \nnew\n <!-- y -->\n# B\n"},
		{"in several places", "# A\none\n<!-- x -->\ntwo\n# B\n", "new", "# A\nnew\n<!-- x -->\n\n# B\n"},
		{"as Windows writes", "# A\r\n<!-- x -->\r\n\r\nold\r\n# B\r\n", "new\nline", "# A\r\n<!-- x -->\r\n\r\nnew\r\nline\r\n# B\r\n"},
		{"taken out", "# A\nold\n# B\n", "", "# A\n\n# B\n"},
		{"with a heading below", "# A\nold\n# B\n", "x\n## C\ny", "# A\nx\n## C\ny\n# B\n"},
	} {
		d := parse(t, tt.before)
		got, err := d.Write("a", d.Sections[0].Hash(), tt.draft)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: got %q (%v), want %q", tt.name, got, err, tt.after)
		}
	}
}

// TestADraftThatWouldCorruptIsRefused promises that neither a model nor a person can end a section, open a comment or
// swallow what follows, by what they write into a draft.
func TestADraftThatWouldCorruptIsRefused(t *testing.T) {
	d := parse(t, "## A\nold\n<!-- Review comments: NOTES: x -->\n## B\ntext\n")
	for _, draft := range []string{"# B", "x\n## C\n", "x <!-- y -->", "x <!-- y", "```\ncode", "~~~~\n~~~\n", "### C\n", "\xff"} {
		if got, err := d.Write("a", d.Sections[0].Hash(), draft); err == nil {
			t.Errorf("%q was written: %q", draft, got)
		}
	}
	for _, draft := range []string{"```\n# code\n```", "#hashtag", "a\n===\n"} {
		if _, err := d.Write("a", d.Sections[0].Hash(), draft); err != nil {
			t.Errorf("%q was refused: %v", draft, err)
		}
	}
	if found := outline.CheckDraft(2, "a\n# B\n<!-- x\n```\n"); strings.Join(found.Codes(), " ") != "R019 R019 R019" || found[1].Line != 3 {
		t.Errorf("got %v", found)
	}
	open := parse(t, "# A\n<!-- open\n# B\nold\n")
	if got, err := open.Write("b", open.Sections[1].Hash(), "closed -->"); err == nil {
		t.Errorf("a draft closed a comment of another section: %q", got)
	}
}

// TestWhatAPersonTypedIsNotOverwritten promises the precondition: a draft made for another text is not written.
func TestWhatAPersonTypedIsNotOverwritten(t *testing.T) {
	read, now := parse(t, "# A\nold\n"), parse(t, "# A\nold, and better\n")
	if _, err := now.Write("a", read.Sections[0].Hash(), "new"); fault.KindOf(err) != fault.Stale {
		t.Errorf("got %v, want a draft that is stale", err)
	}
	if _, err := now.Write("b", read.Sections[0].Hash(), "new"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}
