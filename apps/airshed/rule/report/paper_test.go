package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/qrcode"
)

// allowed are the digits that may stand on paper and are no fact: each is a name, a
// date, a digest or a number of the law.
var allowed = []*regexp.Regexp{
	regexp.MustCompile(`CAQM-\d{4}-\d{2}-\d{2}-\d{3}`),                                       // the report's own number
	regexp.MustCompile(`caqm_report_\d{8}_\d{6}\.json`),                                      // its file
	regexp.MustCompile(`\b[0-9a-f]{64}\b`),                                                   // digests
	regexp.MustCompile(`\b\d{1,2} \p{L}[\p{L}\p{M}]+ \d{4}(, \d{2}:\d{2} IST)?`),             // days and hours
	regexp.MustCompile(`\b\d{4}-\d{2}(-\d{2})?\b`),                                           // days in tables
	regexp.MustCompile(`\b\d{2}-\d{2}\b`),                                                    // days of a season
	regexp.MustCompile(`\b(NOAA-2[01]|PM2\.5|PM10|SO2|NO2|CO2|SHA-?256|SHA1|MD5|seed-v1)\b`), // names
	regexp.MustCompile(`(?i)(sections?|धाराओं|धारा) \d+[A-Z]?(\(\d+\))*(\([ivx]+\))?( (and|और) \d+(\(\d+\))*)*`), // the law's
	regexp.MustCompile(`(?i)(Act|अधिनियम|Adhiniyam), \d{4}`),
	regexp.MustCompile(`(No\.|संख्या|सं\.) \d+`),
	regexp.MustCompile(`24-hour|24 hours|24 घंटे|4 PM|4 बजे`),           // the index and the bulletin it is about
	regexp.MustCompile(`middle 90 %|बीच की 90 %|0 to 100 %|0 से 100 %`), // what a range and a bar mean
	regexp.MustCompile(`of 100:|100 में से:|floor of 30|जो 30 से नीचे`), // the scales of the scores
	regexp.MustCompile(`\b(2021|2024)\b`),                               // the forecast's inventory and its pause
	regexp.MustCompile(`(May|मई) 2025`),
}

// names are what the report calls things that have digits in their names: the station,
// the episode, and the versions of rules.
func names(r report.Report) []string {
	short, _, _ := strings.Cut(r.Station.Name, ", Delhi")
	out := []string{string(r.Episode.Key), string(r.Station.Site), short}
	for _, rule := range r.Rules {
		out = append(out, rule.Version)
	}
	return out
}

// statutes are the lines of the law and of its form in both languages: they are printed
// as they stand in the book, whole.
func statutes(t testing.TB, r report.Report) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	for _, c := range r.Law.Cited {
		lines[c.Title], lines[c.Says] = true, true
		for _, caution := range c.Cautions {
			lines[caution] = true
		}
	}
	for _, f := range r.Law.Refused {
		lines[f.Why] = true
	}
	form, err := r.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range slices.Concat(form.PartA, form.PartB) {
		lines[f.Label] = true
	}
	raw, err := os.ReadFile("messages/law.hi.json")
	if err != nil {
		t.Fatal(err)
	}
	var hindi map[string]string
	if err := json.Unmarshal(raw, &hindi); err != nil {
		t.Fatal(err)
	}
	for english := range maps.Clone(lines) {
		lines[hindi[english]] = true
	}
	return lines
}

// TestWhatIsNotCitedIsNamedInWords promises that a provision which is not cited is called
// by its title, and that a Hindi page says why in Hindi.
func TestWhatIsNotCitedIsNamedInWords(t *testing.T) {
	refused := map[string]bool{}
	for name, a := range all(t) {
		r := build(t, a)
		for _, lang := range report.Langs() {
			html := string(page(t, r, lang))
			for _, f := range r.Law.Refused {
				_, why, named := strings.Cut(f.Why, ": ")
				if refused[why] = true; !named || strings.Contains(html, string(f.ID)) {
					t.Errorf("%s in %s: %s is a key, with %q", name, lang, f.ID, f.Why)
				}
			}
			heading := map[report.Lang]string{report.English: "Not cited, and why", report.Hindi: "जो उद्धृत नहीं किया गया, और क्यों"}[lang]
			_, list, there := strings.Cut(html, heading)
			if list, _, _ = strings.Cut(list, "</ul>"); there != (len(r.Law.Refused) > 0) || strings.Contains(list, `lang="en"`) {
				t.Errorf("%s in %s: %s", name, lang, list)
			}
		}
	}
	if len(refused) < 3 {
		t.Errorf("the fixtures have only %v", refused)
	}
}

// TestEveryDigitOfAPageIsAFactOrOnTheList promises of every fixture in both languages
// that no digit is printed which is neither a fact nor on the list above.
func TestEveryDigitOfAPageIsAFactOrOnTheList(t *testing.T) {
	pages, runs := 0, 0
	for name, a := range all(t) {
		r := build(t, a)
		law, named := statutes(t, r), names(r)
		for _, lang := range report.Langs() {
			pages++
			for _, e := range elements(t, page(t, r, lang)) {
				text := strings.TrimSpace(strings.ReplaceAll(e.text, "\u00a0", " "))
				switch {
				case e.name == "data":
					runs++
					continue
				case e.name == "style", law[text], e.name == "code" && strings.HasPrefix(text, "/"), factRow.MatchString(text) &&
					e.name == "th":
					continue
				}
				for _, name := range named {
					text = strings.ReplaceAll(text, name, "")
				}
				for _, ok := range allowed {
					text = ok.ReplaceAllString(text, "")
				}
				if digits.MatchString(text) {
					t.Errorf("%s in %s: <%s> prints a number that is no fact: %q of %q", name, lang, e.name, text, e.text)
				}
			}
		}
	}
	t.Logf("%d pages, %d numbers that are facts", pages, runs)
}

var factRow = regexp.MustCompile(`^F\d+$`)

// shown lists what a page shows of facts: "F1 477", in their order on the page.
func shown(t testing.TB, page []byte) (out []string) {
	t.Helper()
	for _, e := range elements(t, page) {
		if e.name == "data" {
			out = append(out, e.attr["data-fact"]+" "+e.attr["value"])
		}
	}
	slices.Sort(out)
	return out
}

// TestLanguagesShareFactsAndValues promises that a number can never differ between the
// languages: both pages show the same facts with the same values, equally often, and the
// texts under each heading cite the same ones.
func TestLanguagesShareFactsAndValues(t *testing.T) {
	for name, a := range all(t) {
		r := build(t, a)
		en, hi := shown(t, page(t, r, report.English)), shown(t, page(t, r, report.Hindi))
		if !slices.Equal(en, hi) || len(en) == 0 {
			t.Errorf("%s: English shows %d numbers, Hindi %d, and they differ", name, len(en), len(hi))
		}
		english, hindi := r.Texts.English.Parts(report.English), r.Texts.Hindi.Parts(report.Hindi)
		if len(english) != len(hindi) {
			t.Fatalf("%s: %d texts in English, %d in Hindi", name, len(english), len(hindi))
		}
		for i := range english {
			a, b := tokens.FindAllString(english[i].Text, -1), tokens.FindAllString(hindi[i].Text, -1)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) {
				t.Errorf("%s: %s cites %v, %s cites %v", name, english[i].Name, a, hindi[i].Name, b)
			}
		}
	}
}

var tokens = regexp.MustCompile(`\{\{F\d+`)

// opened is what stands at a pointer of a JSON document, as it is written there.
func opened(t testing.TB, document []byte, pointer string) string {
	t.Helper()
	here := json.RawMessage(document)
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(here, &object) == nil:
			here = object[part]
		case json.Unmarshal(here, &list) == nil:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(list) {
				t.Fatalf("%s leads nowhere", pointer)
			}
			here = list[i]
		default:
			t.Fatalf("%s leads through %s", pointer, here)
		}
	}
	return string(here)
}

// TestEveryFactOpensAtItsPlace promises that the pointer of each fact opens in the
// analysis whose SHA-256 it names, and that its value is what stands there.
func TestEveryFactOpensAtItsPlace(t *testing.T) {
	facts := 0
	for name, a := range all(t) {
		r := build(t, a)
		document, sum, err := report.Digest(a)
		if err != nil {
			t.Fatal(err)
		}
		if sum != r.Custody.Analysis {
			t.Errorf("%s: the report names the analysis %s, which is %s", name, r.Custody.Analysis, sum)
		}
		for _, f := range r.Facts {
			facts++
			if f.Source.Snapshot != sum {
				t.Errorf("%s: %s was read in %s", name, f.ID, f.Source.Snapshot)
			}
			there := opened(t, document, f.Source.Selector.JSON.Pointer)
			got, err := strconv.ParseFloat(f.Value, 64)
			want, err2 := strconv.ParseFloat(there, 64)
			if err != nil || err2 != nil || got != want {
				t.Errorf("%s: %s is %s, and at its place stands %s", name, f.ID, f.Value, there)
			}
		}
	}
	t.Logf("%d facts opened", facts)
}

// TestThePaperHasAnAnnexACodeAndNothingOfTheConsole promises what a print is made of: a
// row of the annex for every fact with its value, unit and place; the code that leads to
// where it is checked; its number and the number of the sheet in the margins; and no
// button, link, menu or picture from elsewhere.
func TestThePaperHasAnAnnexACodeAndNothingOfTheConsole(t *testing.T) {
	m := meta()
	m.VerifyAt = "https://gavel.example.org/verify"
	for _, lang := range report.Langs() {
		r, err := report.Build(conclusive(), m, book(t))
		if err != nil {
			t.Fatal(err)
		}
		b := page(t, r, lang)
		for _, e := range elements(t, b) {
			if slices.Contains([]string{"a", "nav", "button", "form", "input", "select", "textarea", "script", "img", "link", "iframe",
				"dialog", "details"}, e.name) {
				t.Errorf("%s: the paper has <%s>", lang, e.name)
			}
		}
		for _, f := range r.Facts {
			value := r.Show("{{"+string(f.ID)+"|nounit}}", lang)
			row := fmt.Sprintf(`<tr><th scope="row">%s</th><td><data `, f.ID)
			_, after, found := bytes.Cut(b, []byte(row))
			line, _, _ := bytes.Cut(after, []byte("</tr>"))
			if !found || !bytes.Contains(line, []byte(">"+value+"</data>")) ||
				!bytes.Contains(line, []byte("<code>"+f.Source.Selector.JSON.Pointer+"</code>")) {
				t.Errorf("%s: the annex does not list %s %s: %s", lang, f.ID, value, line)
			}
			if f.Unit == "%" && !bytes.Contains(line, []byte("<td>%</td>")) {
				t.Errorf("%s: the annex lists %s without its unit: %s", lang, f.ID, line)
			}
		}
		for _, must := range []string{`@top-left { content: "CAQM-2025-11-14-001" }`, "counter(page)", "counter(pages)", `<svg class="qr"`,
			"size: A4", m.VerifyAt} {
			if !bytes.Contains(b, []byte(must)) {
				t.Errorf("%s: the paper lacks %s", lang, must)
			}
		}
	}
}

// TestTheCodeHoldsTheAddressAndTheDigest promises what whoever scans the paper reads, and
// keeps the squares for the reader in devstack/tools/zxing, which is not ours.
func TestTheCodeHoldsTheAddressAndTheDigest(t *testing.T) {
	m := meta()
	without, err := build(t, conclusive()).Mark()
	if err != nil {
		t.Fatal(err)
	}
	m.VerifyAt = "https://gavel.example.org/verify"
	r, err := report.Build(conclusive(), m, book(t))
	if err != nil {
		t.Fatal(err)
	}
	with, err := r.Mark()
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	sum := hashOf(t, c)
	if want := m.VerifyAt + "#" + m.ID + ":" + sum; with != want {
		t.Errorf("got %s, want %s", with, want)
	}
	if u, err := url.Parse(with); err != nil || u.Path != "/verify" || u.RawQuery != "" {
		t.Errorf("got %v, %v; want nothing of the report in what is sent", u, err)
	}
	if !strings.HasPrefix(without, m.ID+":") {
		t.Errorf("without an address: got %s", without)
	}
	const kept = "https://gavel.example.org/verify#CAQM-2025-11-14-001:f0bfdfc82128be3d240014e297495ae9ee6ee12215166ee1ef024b9a36e10fd4"
	rows, err := qrcode.Squares(kept)
	if err != nil {
		t.Fatal(err)
	}
	picture := kept + "\n"
	for _, row := range rows {
		for _, black := range row {
			picture += map[bool]string{true: "#", false: "."}[black]
		}
		picture += "\n"
	}
	golden(t, "qr.txt", []byte(picture))
	if _, err := qrcode.Squares(strings.Repeat("x", 3000)); err == nil {
		t.Error("a code was made of more than one can hold")
	}
}

// hashOf is the digest that a certificate names first.
func hashOf(t testing.TB, c lawbook.Certificate) string {
	t.Helper()
	i := slices.IndexFunc(c.PartA, func(f lawbook.Field) bool { return f.Key == "hash_values" })
	first, _, _ := strings.Cut(c.PartA[i].Value, "\n")
	_, sum, found := strings.Cut(first, "SHA-256 ")
	if !found {
		t.Fatalf("no digest in %q", first)
	}
	return sum
}

// TestNoAddressIsPrintedThatNobodyCanOpen lists what is refused as the place where a
// report is checked.
func TestNoAddressIsPrintedThatNobodyCanOpen(t *testing.T) {
	for _, address := range []string{"verify", "ftp://x.example/verify", "https://", "https://a:b@x.example/verify",
		"https://x.example/verify?id=1", "https://x.example/verify#a",
		"https://x.example/{{F1}}", "https://x.example/a b", "https://x.example/" + strings.Repeat("a", 120)} {
		m := meta()
		m.VerifyAt = address
		if _, err := report.Build(conclusive(), m, book(t)); err == nil {
			t.Errorf("%q was taken", address)
		}
	}
}
