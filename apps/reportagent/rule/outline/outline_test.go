package outline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

func parse(t testing.TB, text string) *outline.Document {
	t.Helper()
	d, err := outline.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ids(d *outline.Document) []string {
	var out []string
	for _, s := range d.Sections {
		out = append(out, s.ID)
	}
	return out
}

const golden = `# Projection results
<!-- Section instructions: Provide an overview -->
<!-- Review comments: -->

## Emissions ##
<!-- Review comments: RATING: accuracy=6, clarity=four, speed=3, data use=4/5, completeness= -->

~~~
# not a heading
<!-- Section instructions: not instructions -->
~~~

## Transport
### Overall
## Industry
### Overall
# !!!
#### Deep {#deep-dive}
`

// TestTheGoldenVectorIsReadAsWritten promises what the specification's own example gives.
func TestTheGoldenVectorIsReadAsWritten(t *testing.T) {
	d := parse(t, golden)
	want := []string{"projection-results", "emissions", "transport", "transport/overall", "industry", "industry/overall",
		"section-7", "deep-dive"}
	if got := ids(d); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	wantTold := []string{"6 R003", "6 R002", "6 R001", "6 R005", "14 R017", "16 R017", "17 R018", "18 R015"}
	if got := told(d.Diagnostics); !slices.Equal(got, wantTold) {
		t.Errorf("got %v, want %v", got, wantTold)
	}
	e := d.Sections[1]
	if e.Title != "Emissions" || len(e.Reviews) != 1 || len(e.Reviews[0].Ratings) != 1 || e.Reviews[0].Ratings["data_use"] != 4 {
		t.Errorf("got %+v", e)
	}
	if !strings.HasPrefix(e.Content, "~~~\n# not a heading") || e.Instructions != "" {
		t.Errorf("fenced code was read: %+v", e)
	}
	if s := d.Sections[0]; s.Instructions != "Provide an overview" || len(s.Reviews) != 0 || s.Content != "" {
		t.Errorf("got %+v", s)
	}
	if p := d.Sections[7].Parent; p != "section-7" {
		t.Errorf("got parent %q", p)
	}
}

// told is line and code of each diagnostic.
func told(l diagnostic.List) []string {
	var out []string
	for _, i := range l {
		word, _, _ := strings.Cut(strings.TrimPrefix(i.String(), "line "), ":")
		out = append(out, word+" "+i.Code)
	}
	return out
}

// TestEveryDiagnosticIsToldWithItsLine promises that each fault is found where it stands, with its severity, and that the
// nearest right thing is left alone.
func TestEveryDiagnosticIsToldWithItsLine(t *testing.T) {
	review := func(body string) string { return "# A\n\n<!-- Review comments:\n" + body + "\n-->\n" }
	full := "RATING: accuracy=4, completeness=3, clarity=5, data_use=4"
	for _, tt := range []struct {
		code     string
		severity diagnostic.Severity
		line     int
		wrong    string
		right    string
	}{
		{"R001", diagnostic.Error, 4, review("RATING: accuracy=4, completeness=3, clarity=5, data_use=4, tone=3"), review(full)},
		{"R002", diagnostic.Error, 4, review(strings.Replace(full, "=5", "=4.5", 1)), review(strings.Replace(full, "=5", "=4 / 5", 1))},
		{"R003", diagnostic.Error, 4, review(strings.Replace(full, "=5", "=0", 1)), review(strings.Replace(full, "=5", "=1", 1))},
		{"R004", diagnostic.Warning, 4, review(full + "; clarity=2"), review(strings.ReplaceAll(full, ",", ";"))},
		{"R005", diagnostic.Info, 4, review(strings.Replace(full, "=5", "=", 1)), review(full)},
		{"R006", diagnostic.Error, 4, review(full + ", tone"), review(full + ", ")},
		{"R007", diagnostic.Warning, 5, review("AUTHOR: B. Iyer\nRATING: accuracy=4"), review("AUTHOR: B. Iyer\n" + full)},
		{"R008", diagnostic.Warning, 5, review(full + "\nToo long."), review(full + "\nNOTES: Too\nlong.")},
		{"R009", diagnostic.Error, 2, "# A\n<!-- Section instructions: x\n# B\n", "# A\n<!-- Section instructions: x\n# B\n-->"},
		{"R009", diagnostic.Error, 2, "# A\n<!-- x\n# B\n<!-- y -->\n", "# A\n<!-- x -->\n# B\n<!-- y -->\n"},
		{"R010", diagnostic.Info, 6, review(full) + "<!-- Review comments: " + full + " -->\n", review(full) +
			"<!-- Review comments: -->\n"},
		{"R011", diagnostic.Warning, 3, "# A\n<!-- Section instructions: x -->\n<!-- section instruction : y -->\n",
			"# A\n<!-- Section instructions: x -->\n<!-- y -->\n"},
		{"R013", diagnostic.Warning, 1, "<!-- Section instructions: x -->\n# A\n", "<!-- report-meta: {} -->\n# A\n"},
		{"R015", diagnostic.Warning, 2, "# A\n### B\n", "### B\n# A\n## C\n"},
		{"R016", diagnostic.Warning, 3, "# A\nB\n===\n", "# A\nB\n\n===\n"},
		{"R017", diagnostic.Warning, 1, "# A\n# B\n", "# A\n# C\n"},
		{"R018", diagnostic.Warning, 1, "# ?!\n", "# 1\n"},
	} {
		if tt.code == "R017" {
			tt.wrong, tt.line = "# A\n# B\n## A\n", 1
		}
		got := parse(t, tt.wrong).Diagnostics
		i := slices.IndexFunc(got, func(d diagnostic.Item) bool { return d.Code == tt.code })
		if i < 0 || got[i].Severity != tt.severity || got[i].Line != tt.line {
			t.Errorf("%s: got %v, want it as %s on line %d of\n%s", tt.code, got, tt.severity, tt.line, tt.wrong)
		}
		if got := parse(t, tt.right).Diagnostics; slices.Contains(got.Codes(), tt.code) {
			t.Errorf("%s: got %v for\n%s", tt.code, got, tt.right)
		}
	}
}

// TestAReviewIsReadInBothForms promises the two forms of the first design, on the line of the colon and as a block.
func TestAReviewIsReadInBothForms(t *testing.T) {
	d := parse(t, `# A
<!-- Review comments: RATING: accuracy=4, completeness=3, clarity=5
NOTES: Missed mention of House View scenario. Add baseline comparison. -->
# B
<!-- Review comments:
AUTHOR: P. Rao
RATING: Accuracy=4, completeness=3/5; clarity=5, Data-Use=4
NOTES: Good coverage of 1.5DS scenario. Missed mention of House View's
Land Use increase.

Consider a year-by-year breakdown.
-->
`)
	a, b := d.Sections[0].Reviews[0], d.Sections[1].Reviews[0]
	if a.Notes != "Missed mention of House View scenario. Add baseline comparison." || a.Ratings["clarity"] != 5 || len(a.Ratings) != 3 {
		t.Errorf("got %+v", a)
	}
	if b.Author != "P. Rao" || b.Ratings["data_use"] != 4 || b.Ratings["completeness"] != 3 ||
		!strings.HasSuffix(b.Notes, "\n\nConsider a year-by-year breakdown.") {
		t.Errorf("got %+v", b)
	}
	if got := told(d.Diagnostics); !slices.Equal(got, []string{"2 R007"}) {
		t.Errorf("got %v", got)
	}
}

func TestSlugsKeepLettersOfEveryScript(t *testing.T) {
	for title, want := range map[string]string{
		"CO₂ emissions": "co2-emissions", "1.5°C pathway": "15c-pathway", "!!!": "", "Über_uns  -- heute": "über-uns-heute",
		"विद्युत उत्पादन": "विद्युत-उत्पादन", " - a - ": "a", "ﬁnal": "final",
	} {
		if got := outline.Slug(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

// TestNoSectionTakesTheNameOfAnother promises that a section that is added cannot be mistaken for one that was there.
func TestNoSectionTakesTheNameOfAnother(t *testing.T) {
	before, after := parse(t, "# Transport\n## Overall\n"), parse(t, "# Overall\n# Transport\n## Overall\n## Overall\n")
	if got := ids(before); !slices.Equal(got, []string{"transport", "overall"}) {
		t.Errorf("got %v", got)
	}
	if got := ids(after); !slices.Equal(got, []string{"/overall", "transport", "transport/overall", "transport/overall-2"}) {
		t.Errorf("got %v", got)
	}
	if _, err := after.Find("overall"); err == nil || !strings.Contains(err.Error(), "transport/overall") {
		t.Errorf("got %v, want the names to choose from", err)
	}
	if s, err := before.Find("overall"); err != nil || s.Parent != "transport" {
		t.Errorf("got %+v, %v", s, err)
	}
	pinned := parse(t, "# A {#b}\n# B\n# C {#b}\n")
	if got := ids(pinned); !slices.Equal(got, []string{"b", "/b", "b-2"}) {
		t.Errorf("got %v", got)
	}
	if _, err := pinned.Find("x"); err == nil {
		t.Error("found what is not there")
	}
}

func TestAHeadingMayHaveACommentBehindIt(t *testing.T) {
	d := parse(t, "## A ## <!-- Section instructions: be\nbrief --> rest\n")
	s := d.Sections[0]
	if s.Title != "A" || s.Instructions != "be\nbrief" || strings.TrimSpace(s.Content) != "rest" {
		t.Errorf("got %+v", s)
	}
}

func TestOtherCommentsAreKeptAndNotShown(t *testing.T) {
	s := parse(t, "# A\none\n<!-- private -->\ntwo\n").Sections[0]
	if s.Content != "one\n<!-- private -->\ntwo" || strings.Contains(s.Prose, "private") {
		t.Errorf("got %q and %q", s.Content, s.Prose)
	}
}

func TestWhatIsNoOutlineIsRefused(t *testing.T) {
	if _, err := outline.Parse([]byte("# \xff")); err == nil {
		t.Error("took bytes that are not UTF-8")
	}
	if _, err := outline.Parse(make([]byte, outline.MaxBytes+1)); err == nil {
		t.Error("took a file out of bounds")
	}
	if _, err := outline.Parse([]byte(strings.Repeat("# a\n", outline.MaxSections+1))); err == nil {
		t.Error("took too many sections")
	}
}
