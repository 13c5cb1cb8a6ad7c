package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
)

func page(t testing.TB, r report.Report, lang report.Lang) []byte {
	t.Helper()
	b, err := report.HTML(r, lang)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// An element is one element of a page, with the text right inside it.
type element struct {
	name string
	attr map[string]string
	text string
}

// elements reads a page, and fails where its tags are not balanced.
func elements(t testing.TB, page []byte) (out []element) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			open = append(open, len(out))
			out = append(out, e)
		case xml.EndElement:
			if last := out[open[len(open)-1]].name; last != token.Name.Local {
				t.Fatalf("</%s> closes <%s>", token.Name.Local, last)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				out[open[len(open)-1]].text += string(token)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("%d elements are not closed", len(open))
	}
	return out
}

// TestPagesKeepTheirShape keeps headings, captions and columns of the pages.
func TestPagesKeepTheirShape(t *testing.T) {
	for _, lang := range report.Langs() {
		var shape strings.Builder
		for _, e := range elements(t, page(t, build(t, conclusive()), lang)) {
			switch e.name {
			case "h1", "h2", "h3", "caption", "dt":
				fmt.Fprintf(&shape, "%s %s\n", e.name, e.text)
			case "th":
				if e.attr["scope"] == "col" {
					fmt.Fprintf(&shape, "  column %s\n", e.text)
				}
			}
		}
		golden(t, "page."+string(lang)+".txt", []byte(shape.String()))
	}
}

// TestPagesCanBeReadByEverybody promises headings in order, captions and scopes on
// every table, the language, and names for what is drawn.
func TestPagesCanBeReadByEverybody(t *testing.T) {
	for name, a := range fixtures() {
		for _, lang := range report.Langs() {
			level, tables, captions := 0, 0, 0
			for _, e := range elements(t, page(t, build(t, a), lang)) {
				switch {
				case e.name == "html" && e.attr["lang"] != string(lang):
					t.Errorf("%s: the page's language is %q", name, e.attr["lang"])
				case e.name == "table":
					tables++
				case e.name == "caption":
					captions++
				case e.name == "th" && e.attr["scope"] == "":
					t.Errorf("%s: a head of a table has no scope", name)
				case e.name == "svg" && e.attr["aria-hidden"] != "true", e.attr["class"] == "box" && e.attr["aria-label"] == "":
					t.Errorf("%s: <%s> is neither hidden nor named", name, e.name)
				case len(e.name) == 2 && e.name[0] == 'h' && e.name != "hr":
					now := int(e.name[1] - '0')
					if now > level+1 {
						t.Errorf("%s: <%s> after level %d", name, e.name, level)
					}
					level = now
				}
			}
			if tables == 0 || tables != captions {
				t.Errorf("%s: got %d captions for %d tables", name, captions, tables)
			}
		}
	}
}

// TestPagesAskForNothing promises that a page makes no request and runs nothing.
func TestPagesAskForNothing(t *testing.T) {
	for _, lang := range report.Langs() {
		b := page(t, build(t, conclusive()), lang)
		for _, never := range []string{"http://", "https://", "url(", "@import", "<script", "<img", "<link", "javascript:"} {
			if bytes.Contains(b, []byte(never)) {
				t.Errorf("%s: the page holds %s", lang, never)
			}
		}
	}
}

// TestEveryNumberOfAPageIsAFact promises that what a page shows as a number names a
// fact of the report and shows its value.
func TestEveryNumberOfAPageIsAFact(t *testing.T) {
	r := build(t, conclusive())
	for _, lang := range report.Langs() {
		seen := 0
		for _, e := range elements(t, page(t, r, lang)) {
			if e.name != "data" {
				continue
			}
			seen++
			i := slices.IndexFunc(r.Facts, func(f report.Named) bool { return string(f.ID) == e.attr["data-fact"] })
			if i < 0 || r.Facts[i].Value != e.attr["value"] || !strings.HasPrefix(e.text, r.Show("{{"+e.attr["data-fact"]+"|nounit}}",
				lang)) {
				t.Errorf("%s: %v shows %q", lang, e.attr, e.text)
			}
		}
		if seen < len(r.Facts) {
			t.Errorf("%s: got %d numbers, want every one of %d facts", lang, seen, len(r.Facts))
		}
	}
}

// hostile is a report about names that want to be markup, tokens or orders.
func hostile(t testing.TB, name string) report.Report {
	t.Helper()
	a := conclusive()
	a.Station.Name = name
	a.Attribution.States[0].State, a.Fires.States[0].State, a.Legacy.States[0].State = name, name, name
	a.Attribution.Districts = []analysis.Share{{State: name, District: name, Median: 3}}
	a.Gaps = append(a.Gaps, analysis.Gap{Code: "new_gap", Text: name, Costs: name})
	a.Rules[0].Version = name
	return build(t, a)
}

// TestHostileNamesStayNames promises that a name from a file is never markup and
// never a number.
func TestHostileNamesStayNames(t *testing.T) {
	for _, name := range []string{
		`<script>alert(1)</script>`, `"><svg onload=x>`, "{{F1}}", "{{F1|abs}} {{", "a\nb\x00c", "\u202eevil", "&lt;b&gt;", "}}",
		"{station}", strings.Repeat("अ", 5_000), "",
	} {
		r := hostile(t, name)
		for _, lang := range report.Langs() {
			for _, e := range elements(t, page(t, r, lang)) {
				if slices.Contains([]string{"script", "b", "img"}, e.name) || e.attr["onload"] != "" {
					t.Errorf("%.40q became <%s>", name, e.name)
				}
			}
			if strings.Contains(r.Texts.In(lang).Summary[0], "{{F1}}{{") || strings.Count(r.Texts.In(lang).Summary[0], "{{") != 1 {
				t.Errorf("%.40q became a token: %s", name, r.Texts.In(lang).Summary[0])
			}
		}
	}
}

// kinds are the elements of a page and their attributes, each once.
func kinds(t testing.TB, page []byte) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, e := range elements(t, page) {
		out[e.name] = true
		for a := range e.attr {
			out[e.name+" "+a] = true
		}
	}
	return out
}

// FuzzNames throws names at a report and its pages: none brings an element or an
// attribute that a page has not without it.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"Alipur", "<i>", "{{F1}}", "\u202e", "&amp;", "]]>", "'\"", ""} {
		f.Add(s)
	}
	known := map[report.Lang]map[string]bool{}
	for _, lang := range report.Langs() {
		known[lang] = kinds(f, page(f, hostile(f, "X"), lang))
	}
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 10_000 {
			return
		}
		r := hostile(t, name)
		for _, lang := range report.Langs() {
			for kind := range kinds(t, page(t, r, lang)) {
				if !known[lang][kind] {
					t.Errorf("%q brings <%s>", name, kind)
				}
			}
		}
	})
}

var colours = regexp.MustCompile(`[{;] *color: *#([0-9a-f]{6})`)

// TestColoursCanBeRead promises a contrast of at least 4.5 to 1 of every colour of
// text on every ground there is, by the published formula of WCAG 2.
func TestColoursCanBeRead(t *testing.T) {
	css, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	found := colours.FindAllStringSubmatch(string(css), -1)
	if len(found) < 3 {
		t.Fatalf("got %d colours, want those of the page", len(found))
	}
	for _, c := range found {
		for _, ground := range []string{"ffffff", "faf3ee", "eef6f1"} {
			if got := (luminance(t, ground) + 0.05) / (luminance(t, c[1]) + 0.05); got < 4.5 {
				t.Errorf("#%s on #%s has a contrast of %.2f", c[1], ground, got)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	out := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(n) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		out += weight * part
	}
	return out
}
