package report_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// renumbered enters facts after others, as a case that holds some already does.
func renumbered(t testing.TB, read []report.Named) ([]report.Named, *fact.Book) {
	t.Helper()
	b := fact.NewBook("case_x")
	for _, before := range []string{"1", "2"} {
		f, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: before, Subject: fact.Subject{Type: "x",
			IDs: map[string]string{"n": before}},
			Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: "test"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	out, err := report.Enter(b, read)
	if err != nil {
		t.Fatal(err)
	}
	return out, b
}

// TestVerifierFindsNothing promises that no text of any fixture, in any language,
// has anything in it that its facts do not carry: no finding, not even a question.
func TestVerifierFindsNothing(t *testing.T) {
	all := fixtures()
	maps.Copy(all, edges())
	for name, a := range all {
		r := build(t, a)
		parts := r.Parts()
		got, err := r.Verify(nil, parts...)
		if err != nil {
			t.Fatal(err)
		}
		if got.Numbers < 20 {
			t.Errorf("%s: got %d numbers, want all that are cited", name, got.Numbers)
		}
		for _, f := range got.Findings {
			t.Errorf("%s: %s: %s\n\t%s", name, parts[f.Part].Name, f, parts[f.Part].Text)
		}
	}
}

// TestEveryGapWarningAndReasonHasWords promises that nothing the analysis can say is
// left in its own English.
func TestEveryGapWarningAndReasonHasWords(t *testing.T) {
	r := build(t, everything())
	for _, lang := range report.Langs() {
		texts := r.Texts.In(lang)
		if len(texts.Gaps) != len(gapCodes()) || len(texts.Warnings) != len(warningCodes()) || len(texts.Reasons) != len(reasonCodes()) {
			t.Errorf("%s: got %d gaps, %d warnings, %d reasons", lang, len(texts.Gaps), len(texts.Warnings), len(texts.Reasons))
		}
		for _, d := range texts.Reasons {
			if d.Text == "" || d.Settle == "" {
				t.Errorf("%s: reason %s has no words", lang, d.Code)
			}
		}
		for _, g := range texts.Gaps {
			if g.Text == "" || g.Costs == "" {
				t.Errorf("%s: gap %s has no words", lang, g.Code)
			}
		}
	}
}

var token = regexp.MustCompile(`\{\{F[0-9]+[^}]*\}\}`)

// mutants are all texts of a report with one token each changed, where change has
// something else for it.
func mutants(r report.Report, change func(token string, lang report.Lang) string) (out []verify.Part) {
	for _, lang := range report.Langs() {
		for _, part := range r.Texts.In(lang).Parts(lang) {
			for _, at := range token.FindAllStringIndex(part.Text, -1) {
				if other := change(part.Text[at[0]:at[1]], lang); other != "" {
					out = append(out, verify.Part{Name: part.Name, Text: part.Text[:at[0]] + other + part.Text[at[1]:]})
				}
			}
		}
	}
	return out
}

// caught requires that a rule blocks every one of the texts.
func caught(t *testing.T, r report.Report, rule verify.Rule, parts []verify.Part) {
	t.Helper()
	if len(parts) < 10 {
		t.Errorf("got %d mutants, want at least 10", len(parts))
	}
	got, err := r.Verify(nil, parts...)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		if !slices.ContainsFunc(got.Findings, func(f verify.Finding) bool {
			return f.Part == i && f.Rule == rule &&
				f.Severity == verify.Block
		}) {
			t.Errorf("not caught by %s: %s", rule, part.Text)
		}
	}
}

// TestTypedNumbersAreCaught replaces every token of every text by the number it
// shows: a number that nobody read at its source is refused.
func TestTypedNumbersAreCaught(t *testing.T) {
	r := build(t, conclusive())
	caught(t, r, verify.V2, mutants(r, r.Show))
}

// TestSwappedStatesAreCaught cites the same measure of another state in every place
// where a state's share stands.
func TestSwappedStatesAreCaught(t *testing.T) {
	r := build(t, conclusive())
	other := map[string]string{}
	for _, f := range r.Facts {
		for _, g := range r.Facts {
			if f.Subject.IDs["state"] == "Punjab" && g.Subject.IDs["state"] == "Haryana" &&
				f.Subject.IDs["measure"] == g.Subject.IDs["measure"] {
				other["{{"+string(f.ID)+"}}"] = "{{" + string(g.ID) + "}}"
			}
		}
	}
	caught(t, r, verify.V5, mutants(r, func(token string, _ report.Lang) string { return other[token] }))
}

var digits = regexp.MustCompile(`[0-9]`)

// TestChangedDigitsAreCaught changes a digit in every line of a filed report and of
// its pages that has one: Check names each of these lines, and no other.
func TestChangedDigitsAreCaught(t *testing.T) {
	r := build(t, conclusive())
	files := map[string][]byte{"json": file(t, r), "en": page(t, r, report.English), "hi": page(t, r, report.Hindi)}
	for name, b := range files {
		if got, err := r.Check(b); err != nil || len(got) > 0 {
			t.Fatalf("%s: an untouched file differs: %v, %v", name, got, err)
		}
		lines, made := strings.Split(string(b), "\n"), 0
		for batch := range slices.Chunk(withDigits(lines), 90) { // fewer than Check lists
			changed := slices.Clone(lines)
			for _, i := range batch {
				at := digits.FindAllStringIndex(lines[i], -1)
				k := at[i*7%len(at)][0]
				changed[i] = lines[i][:k] + string('0'+(lines[i][k]-'0'+1)%10) + lines[i][k+1:]
			}
			made += len(batch)
			got, err := r.Check([]byte(strings.Join(changed, "\n")))
			if err != nil || len(got) != len(batch) {
				t.Errorf("%s: got %d lines of %d, %v", name, len(got), len(batch), err)
			}
		}
		if made < 100 {
			t.Errorf("%s: got %d mutants, want at least 100", name, made)
		}
	}
}

// withDigits are the places of lines that hold a digit, but for the first line of a
// page, which says what file it is.
func withDigits(lines []string) (out []int) {
	for i, l := range lines {
		if i > 0 && digits.MatchString(l) {
			out = append(out, i)
		}
	}
	return out
}

// TestPrimaryIsNotSaid promises that nobody is called the primary source, and that
// the highest word of the ladder stands only where the ladder has it.
func TestPrimaryIsNotSaid(t *testing.T) {
	all := fixtures()
	maps.Copy(all, edges())
	for name, a := range all {
		r := build(t, a)
		text := strings.ToLower(string(file(t, r)))
		if strings.Contains(text, "primary") {
			t.Errorf("%s says primary", name)
		}
		if got, want := strings.Contains(r.Summary, "largest single source"), name == "ruling"; got != want {
			t.Errorf("%s: the largest single source is named: %v, want %v", name, got, want)
		}
	}
	for _, text := range []string{"The fires are the primary source.", "Stubble is the largest single source of it.",
		"Farmers of Punjab are guilty.", "पंजाब की आग मुख्य स्रोत है।", "States should act."} {
		got, err := build(t, conclusive()).Verify(nil, verify.Part{Text: text})
		if err != nil || !got.Blocked() {
			t.Errorf("%q was let through: %v", text, err)
		}
	}
}

// TestForecastIsCalledByTheLadder has the words of the published ranges: under 10
// minor, 10 to 25 contributory, 25 to 40 major.
func TestForecastIsCalledByTheLadder(t *testing.T) {
	for _, tt := range []struct {
		percent float64
		en, hi  string
	}{{4, "which is minor", "मामूली"}, {15, "which is contributory", "योगदानकारी"}, {22.5, "which is contributory", "योगदानकारी"},
		{25, "which is major", "महत्त्वपूर्ण"}, {35, "which is major", "महत्त्वपूर्ण"}} {
		a := conclusive()
		a.Stubble = stubble(tt.percent, analysis.WordFor(tt.percent))
		r := build(t, a)
		if !strings.Contains(r.Summary, tt.en) || !strings.Contains(strings.Join(r.Texts.Hindi.Summary, " "), tt.hi) {
			t.Errorf("%v %% is not called %q: %s", tt.percent, tt.en, r.Summary)
		}
	}
}

// TestInconclusiveNamesNobody promises that a result that is not conclusive says so,
// says why and what would settle it, sends no notice and cites no direction.
func TestInconclusiveNamesNobody(t *testing.T) {
	for _, name := range []string{"inconclusive", "stagnation", "fires-missing"} {
		r := build(t, fixtures()[name])
		if len(r.Notices) > 0 || r.Legal.Direction != "" || len(r.Law.Reached) > 0 {
			t.Errorf("%s: got %d notices and direction %q", name, len(r.Notices), r.Legal.Direction)
		}
		if len(r.Attribution.Reasons) == 0 || r.Attribution.Reasons[0].Settle == "" {
			t.Errorf("%s does not say why, or what would settle it", name)
		}
		for _, text := range append(r.Recommendations, r.Legal.Request, r.Summary) {
			if strings.Contains(text, "Punjab") || strings.Contains(text, "Haryana") {
				t.Errorf("%s names a state: %s", name, text)
			}
		}
		if !strings.Contains(r.Reasoning, "THEN") || strings.Contains(r.Reasoning, "came from Punjab") {
			t.Errorf("%s: %s", name, r.Reasoning)
		}
	}
}

// TestBandSentenceIsTheLawbooks promises that the band is said in the lawbook's
// words, and that no stage is said to apply.
func TestBandSentenceIsTheLawbooks(t *testing.T) {
	for _, index := range []int{301, 400, 401, 450, 451, 500, 150} { // the published ends of the bands
		a := conclusive()
		a.Surge.Index = index
		r := build(t, a)
		want, err := lawbook.BandSentence(index, lawbook.OneStation)
		if err != nil {
			t.Fatal(err)
		}
		if r.Band != want {
			t.Errorf("got %q, want %q", r.Band, want)
		}
		if strings.Contains(string(file(t, r)), "applies") {
			t.Errorf("%d: something is said to apply", index)
		}
	}
}

// TestRecommendationsAreLawful promises that a direction is cited only for its
// subject, season and states, and that nothing is asked against farmers.
func TestRecommendationsAreLawful(t *testing.T) {
	for _, tt := range []struct {
		name      string
		a         analysis.Analysis
		direction bool
		refused   bool
		notices   int
	}{
		{"season", conclusive(), true, false, 2},
		{"summer", summer(), false, true, 2},
		{"far off", farOff(), false, true, 0},
		{"inconclusive", inconclusive(), false, true, 0},
	} {
		r := build(t, tt.a)
		if got := r.Legal.Direction != ""; got != tt.direction {
			t.Errorf("%s: direction %q, want one: %v", tt.name, r.Legal.Direction, tt.direction)
		}
		refused := slices.ContainsFunc(r.Law.Refused, func(f report.Refusal) bool { return f.ID == "caqm-direction-95" && f.Why != "" })
		if refused != tt.refused || len(r.Notices) != tt.notices {
			t.Errorf("%s: got refused %v and %d notices, want %v and %d", tt.name, refused, len(r.Notices), tt.refused, tt.notices)
		}
		if !strings.Contains(r.Legal.Authority, "12(1)") || !strings.Contains(r.Legal.Request, "section 12(1)") {
			t.Errorf("%s: the report is not brought under section 12(1): %+v", tt.name, r.Legal)
		}
		for _, rec := range r.Recommendations {
			if strings.Contains(rec, "farmer") && !strings.Contains(rec, "exempts farmers") ||
				strings.Contains(rec, "Direction") != strings.Contains(rec, "Direction No.") {
				t.Errorf("%s: %s", tt.name, rec)
			}
		}
	}
}
