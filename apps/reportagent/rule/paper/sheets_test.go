package paper_test

import (
	"archive/zip"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
)

// TestEveryNumberOnPaperHasItsLineInTheAnnex promises that on sheets each number leads to one line that says the records and columns
// it is made of, and that nothing is left that would have to be opened.
func TestEveryNumberOnPaperHasItsLineInTheAnnex(t *testing.T) {
	r, cat := made(t)
	page, err := paper.Sheets(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`<a class="num" href="#([^"]+)"`).FindAllSubmatch(page, -1)
	for _, n := range numbers {
		if bytes.Count(page, []byte(`<tr id="`+string(n[1])+`"`)) != 1 {
			t.Errorf("%s has no line, or two", n[1])
		}
	}
	for _, want := range []string{"energy/use_by_fuel.csv: difference(sum([2050, 1], [2050, 2]), sum([2025, 1], [2025, 2]))", `content:"Draft, run r1"`, "<svg"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("%q is not on the sheets", want)
		}
	}
	if len(numbers) < 10 || bytes.Contains(page, []byte("<details")) || bytes.Contains(page, []byte("<script")) {
		t.Errorf("%d numbers, or something to open", len(numbers))
	}
	wellFormed(t, page)
}

// TestAWordFileSaysWhatThePageSays promises the same words and numbers, each number leading to its line.
func TestAWordFileSaysWhatThePageSays(t *testing.T) {
	r, cat := made(t)
	file, err := paper.Word(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := paper.Word(r.Document, &r.Ledger, cat); !bytes.Equal(again, file) {
		t.Error("the same report makes another file")
	}
	text := part(t, file, "word/document.xml")
	said := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "")
	for _, p := range bytes.Split(r.Document, []byte("\n\n")) {
		if bytes.HasPrefix(p, []byte("In A-")) && !strings.Contains(said, strings.TrimSpace(strings.ReplaceAll(string(p), "&", "&amp;"))) {
			t.Errorf("%q is not in the file", p)
		}
	}
	leads := regexp.MustCompile(`w:anchor="(m_s1_F[^"]+)"`).FindAllStringSubmatch(text, -1)
	for _, l := range leads {
		if strings.Count(text, `w:name="`+l[1]+`"`) != 1 {
			t.Errorf("%s leads nowhere, or to two places", l[1])
		}
	}
	if len(leads) < 10 || !strings.Contains(text, "difference([2050, 1], [2025, 1])") || strings.Count(text, "<c:chart ") != 4 {
		t.Errorf("%d numbers lead to the annex, %d charts", len(leads), strings.Count(text, "<c:chart "))
	}
}

// TestOnPaperTheNameComesFirst promises that the first sheet begins with what the report is called, and that the first section begins a
// sheet of its own; that a chart of several drawings can be parted between sheets, with its last on the one of the words below it.
func TestOnPaperTheNameComesFirst(t *testing.T) {
	r, cat := made(t)
	page, err := paper.Sheets(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	if _, body, _ := bytes.Cut(page, []byte("<main>")); !bytes.HasPrefix(body, []byte(`<p class="name">Energy</p>`)) {
		t.Errorf("the sheets begin with %.80s", body)
	}
	file, err := paper.Word(r.Document, &r.Ledger, cat)
	if err != nil {
		t.Fatal(err)
	}
	text := part(t, file, "word/document.xml")
	first := strings.Index(text, `<w:pStyle w:val="Title"/></w:pPr><w:r><w:t xml:space="preserve">Energy`)
	if quiet := strings.Index(text, `<w:pStyle w:val="Quiet"/>`); first < 0 || first > quiet {
		t.Error("the file does not begin with its name")
	}
	if strings.Count(text, "<w:pageBreakBefore/>") != 1 || strings.Count(text, `<w:keepNext/></w:pPr><w:r><w:drawing>`) != 2 {
		t.Errorf("%d sections begin a sheet, %d drawings are tied to the words below", strings.Count(text, "<w:pageBreakBefore/>"),
			strings.Count(text, `<w:keepNext/></w:pPr><w:r><w:drawing>`))
	}
}

// TestASectionThatCouldNotBeWrittenSaysSo promises that nobody takes a section without data for a short one.
func TestASectionThatCouldNotBeWrittenSaysSo(t *testing.T) {
	r, cat := made(t)
	document := append(bytes.Clone(r.Document), "\n# Tides\n"...)
	l := r.Ledger
	tides := report.Entry{ID: "tides", Title: "Tides", Level: 1, Status: report.Blocked, Why: "no data"}
	l.Sections = append(slices.Clone(l.Sections), tides)
	const want = "Nothing is written here: no data."
	type writer func([]byte, *report.Ledger, *catalogue.Catalogue) ([]byte, error)
	for name, write := range map[string]writer{"a page": paper.HTML, "sheets": paper.Sheets, "a Word file": paper.Word} {
		out, err := write(document, &l, cat)
		if err != nil {
			t.Fatal(name, err)
		}
		said := string(out)
		if name == "a Word file" {
			said = part(t, out, "word/document.xml")
		}
		if strings.Count(said, want) != 1 {
			t.Errorf("%s says %d times that nothing is written", name, strings.Count(said, want))
		}
	}
}

func part(t *testing.T, file []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
