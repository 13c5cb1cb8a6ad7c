package report

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// TestLanguagesSayTheSame promises that both catalogues have the same keys, and the
// same words and facts to fill in under each.
func TestLanguagesSayTheSame(t *testing.T) {
	en, err := catalogue(English)
	if err != nil {
		t.Fatal(err)
	}
	hi, err := catalogue(Hindi)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(hi)), slices.Sorted(maps.Keys(en)); !slices.Equal(got, want) {
		t.Errorf("the keys differ: %d in Hindi, %d in English", len(got), len(want))
	}
	letters := regexp.MustCompile(`\p{Devanagari}`)
	for key, text := range en {
		a, b := holes.FindAllString(text, -1), holes.FindAllString(hi[key], -1)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: English holds %v, Hindi %v", key, a, b)
		}
		if key != "page.sha256" && !letters.MatchString(hi[key]) {
			t.Errorf("%s is not Hindi: %q", key, hi[key])
		}
	}
}

// TestLawIsTranslatedAsItStands promises that every line of the law has its Hindi
// and that no Hindi is left of a line that was changed.
func TestLawIsTranslatedAsItStands(t *testing.T) {
	lines, err := wordsIn("law.hi.json")
	if err != nil {
		t.Fatal(err)
	}
	book, err := lawbook.Known()
	if err != nil {
		t.Fatal(err)
	}
	form, err := lawbook.Prefill(lawbook.Particulars{Records: []lawbook.Record{{Name: "x", SHA256: strings.Repeat("0", 64)}}})
	if err != nil {
		t.Fatal(err)
	}
	read, err := lawbook.Prefill(lawbook.Particulars{Records: []lawbook.Record{{Name: "x", SHA256: strings.Repeat("0", 64)}},
		Outages: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{"The text itself was not read; this is as reported.": true}
	for _, n := range append(form.Notices, read.Notices...) {
		there[n] = true
	}
	for _, f := range slices.Concat(form.PartA, form.PartB) {
		there[f.Label] = true
		for _, c := range f.Choices {
			there[c] = true
		}
	}
	for line := range there {
		if lines[line] == "" {
			t.Errorf("there is no Hindi for %q", line)
		}
	}
	for _, c := range book.Citations {
		there[c.Title], there[c.Says], there[c.Caution] = true, true, true
		cited := slices.ContainsFunc(c.Supports, func(p lawbook.Purpose) bool { return p != lawbook.Compensation })
		about := slices.ContainsFunc(c.Subjects, func(s lawbook.Subject) bool {
			return s == lawbook.Any || s == lawbook.PaddyStubble || s == lawbook.WheatStubble
		})
		if cited && about && (lines[c.Title] == "" || lines[c.Says] == "" || c.Caution != "" && lines[c.Caution] == "") {
			t.Errorf("%s may be cited and has no Hindi", c.ID)
		}
	}
	for line := range lines {
		if !there[line] {
			t.Errorf("nothing in the law reads %q", line)
		}
	}
}
