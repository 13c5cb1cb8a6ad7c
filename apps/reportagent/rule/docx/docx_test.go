package docx_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/docx"
)

func sample() docx.Document {
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return docx.Document{Title: "Use & growth", Made: made, Footer: "Draft, run <1>", Blocks: []docx.Block{
		docx.Heading{Level: 1, Text: "ऊर्जा & <b>", Mark: "s1"},
		docx.Paragraph{Runs: []docx.Run{{Text: "Falls by "}, {Text: "41.5 PJ", To: "s1 F/17"}, {Text: ".\x00"}}},
		docx.Chart{Title: "Use, A", Unit: "PJ", X: []int{2025, 2030, 2050}, Lines: []docx.Line{{"Gas", []string{"1", "", "-2.5"}},
			{"Oil", []string{"3", "2", "1"}}}},
		docx.Chart{Title: "Steps, A", Names: []string{"Gas", "Oil"}, Lines: []docx.Line{{"A", []string{"-12", "1"}}}},
		docx.Table{Shares: []int{1, 2}, Head: []string{"Fact", "From"},
			Rows: []docx.Row{{Mark: "s1 F/17", Cells: []string{"F17", "a.csv"}}}},
	}}
}

// TestEveryPartOfAFileIsThereAndWellFormed promises that each part is XML, is declared, and that no link leads to a part or a mark that is
// not there: programs refuse a file of which that is not so.
func TestEveryPartOfAFileIsThereAndWellFormed(t *testing.T) {
	parts := opened(t, sample())
	var marks, leads []string
	for name, body := range parts {
		if !strings.HasSuffix(name, ".rels") && name != "[Content_Types].xml" &&
			!strings.Contains(parts["[Content_Types].xml"], `PartName="/`+name+`"`) {
			t.Errorf("%s is not declared", name)
		}
		for _, m := range regexp.MustCompile(` Target="([^"]+)"`).FindAllStringSubmatch(body, -1) {
			from := path.Dir(path.Dir(name))
			if _, ok := parts[path.Join(from, m[1])]; !ok {
				t.Errorf("%s leads to %s, which is not there", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`w:name="(m_[^"]+)"`).FindAllStringSubmatch(body, -1) {
			marks = append(marks, m[1])
		}
		for _, m := range regexp.MustCompile(`w:anchor="([^"]+)"`).FindAllStringSubmatch(body, -1) {
			leads = append(leads, m[1])
		}
	}
	if len(marks) != 2 || len(leads) != 1 || leads[0] != marks[1] || leads[0] != "m_s1_F_17" {
		t.Errorf("marks %q, led to %q", marks, leads)
	}
	text := parts["word/document.xml"]
	for _, want := range []string{"ऊर्जा &amp; &lt;b&gt;", "41.5 PJ", "<w:tblHeader/>", `r:id="rChart2"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text", want)
		}
	}
	if c := parts["word/charts/chart1.xml"]; strings.Count(c, "<c:pt ") != 3+2+3+3 || !strings.Contains(c, `<c:ptCount val="3"/>`) {
		t.Error("a value that is missing has a point, or one that is there has none")
	}
}

// TestTheSameDocumentMakesTheSameBytes promises that nothing of the clock is in a file.
func TestTheSameDocumentMakesTheSameBytes(t *testing.T) {
	first, _ := sample().Bytes()
	if again, _ := sample().Bytes(); !bytes.Equal(first, again) {
		t.Error("the same document makes another file")
	}
}

// TestAMarkIsANameThatWordTakes promises letters, digits and the low line, forty at most.
func TestAMarkIsANameThatWordTakes(t *testing.T) {
	for name, want := range map[string]string{"s1_F17": "m_s1_F17", "a/b ü": "m_a_b__",
		strings.Repeat("x", 60): "m_" + strings.Repeat("x", 38)} {
		if got := docx.Mark(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// opened reads a file the way programs do: a zip of parts, each of them XML.
func opened(t *testing.T, d docx.Document) map[string]string {
	t.Helper()
	file, err := d.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name] = string(body)
		for dec := xml.NewDecoder(bytes.NewReader(body)); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s is not well formed: %v", f.Name, err)
			}
		}
	}
	return out
}
