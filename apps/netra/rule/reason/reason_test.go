package reason_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fact"
)

var asOf = time.Date(2026, 2, 3, 14, 58, 29, 0, signal.India())

// story is the first design's example under a profile.
func story(p score.Profile, signals ...signal.Signal) reason.Story {
	r := score.Of(p, score.Usual(), bucket.Window{AsOf: asOf, Span: 24 * time.Hour}, signals)
	return reason.Story{District: "Imphal West", LGD: 256, Result: r, Told: map[string]string{
		"arms": "Arms cache recovered near border area", "protest": "Mass protest rally with thousands",
		"dialogue": "Peace dialogue meeting {{F1}}, call 9876543210"}}
}

func seed() []signal.Signal {
	at := func(id string, age time.Duration, severity int, geo float64, p signal.Polarity, police bool, l signal.Layer) signal.Signal {
		return signal.Signal{ID: id, At: asOf.Add(-age), Severity: severity, Geo: geo, Polarity: p, Enforcement: police,
			Layers: []signal.Layer{l}}
	}
	return []signal.Signal{at("arms", 6*time.Hour, 3, 1.5, signal.Escalatory, true, signal.Physical),
		at("protest", 2*time.Hour, 2, 1, signal.Escalatory, false, signal.Cognitive),
		at("dialogue", 12*time.Hour, 1, 1, signal.Stabilizing, false, signal.Cognitive)}
}

// TestWhyIsSaidInBothLanguages promises the sentences of each case, with the finding first and the same numbers in both languages.
func TestWhyIsSaidInBothLanguages(t *testing.T) {
	massacre := make([]signal.Signal, 6)
	for i := range massacre {
		massacre[i] = signal.Signal{ID: "m" + string(rune('0'+i)), At: asOf.Add(-time.Hour), Severity: 5, Geo: 1.6,
			Polarity: signal.Escalatory, Layers: []signal.Layer{signal.Physical, signal.Network}}
	}
	for _, tt := range []struct {
		name string
		s    reason.Story
		en   []string
	}{
		{"the first design's", story(score.SeedV1(), seed()...),
			[]string{"Imphal West: score 13.67 of 100, band Baseline.", "Primary trigger: physical layer (7.94 of 10).",
				"“Arms cache recovered near border area” adds 7.94 to the physical layer.",
				"“Peace dialogue meeting F1, call [mobile]” lowers the cognitive layer by 0.39.",
				"Signals in the last 24 hours: 3.", "Trend: too little was heard to compare.", "Decision support only."}},
		{"v2", story(score.V2(), seed()...), []string{"Imphal West: score 1.60 of 100",
			"“Mass protest rally with thousands” adds 2.65 to the cognitive layer.", "relieves the cognitive layer by 0.54.",
			"Left out as police action: 1."}},
		{"silence", story(score.V2()),
			[]string{"Imphal West: no score. Nothing was heard in the last 24 hours; silence does not mean that all is calm."}},
		{"the police alone", story(score.V2(), seed()[0]), []string{"no score", "(1) is police action"}},
		{"talks alone", story(score.V2(), seed()[2]), []string{"score 0.00 of 100", "No layer is raised"}},
		{"one full layer", story(score.V2(), alone(massacre)...),
			[]string{"band Senior review", "The composite alone would be in the band Baseline; the physical layer alone asks for more."}},
		{"a high layer", story(score.V2(), massacre...), []string{"band Senior review", "“a signal without a summary” adds",
			"Also raised: physical layer"}},
	} {
		en, err := reason.Plain(reason.English, tt.s)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		for _, want := range tt.en {
			if !strings.Contains(en, want) {
				t.Errorf("%s: got %s, want %q in it", tt.name, en, want)
			}
		}
		hi, err := reason.Plain(reason.Hindi, tt.s)
		if err != nil || !slices.Equal(numbers(hi), numbers(en)) {
			t.Errorf("%s: got %v in Hindi, %v in English: %s, %v", tt.name, numbers(hi), numbers(en), hi, err)
		}
	}
}

// alone is signals in the physical layer only.
func alone(signals []signal.Signal) []signal.Signal {
	out := slices.Clone(signals)
	for i := range out {
		out[i].Layers = []signal.Layer{signal.Physical}
	}
	return out
}

var numberForm = regexp.MustCompile(`\d+(?:\.\d+)?`)

func numbers(text string) []string {
	out := numberForm.FindAllString(text, -1)
	slices.Sort(out)
	return out
}

// TestEveryNumberSaidIsAFactOfTheScore promises that a sentence types no digit but the ends of the scales, and that a fact's
// pointer leads to its number in the score's JSON.
func TestEveryNumberSaidIsAFactOfTheScore(t *testing.T) {
	s := story(score.SeedV1(), seed()...)
	ids := map[string]fact.ID{}
	raw, err := json.Marshal(s.Result)
	if err != nil {
		t.Fatal(err)
	}
	for i, spec := range reason.Facts(s) {
		ids[spec.Name] = fact.NewID(i + 1)
		if got := lookUp(t, raw, spec.Pointer); got != spec.Number {
			t.Errorf("%s: got %s at %s, want %s", spec.Name, got, spec.Pointer, spec.Number)
		}
	}
	for _, lang := range reason.Langs() {
		text, err := reason.Say(lang, s, ids)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range text {
			bare := regexp.MustCompile(`\{\{F\d+(\|abs)?\}\}|“[^”]*”`).ReplaceAllString(sentence, "")
			for _, n := range numbers(bare) {
				if n != "10" && n != "100" {
					t.Errorf("%s: %q says %s, which is no fact", lang, sentence, n)
				}
			}
		}
	}
}

// lookUp is the number at a pointer, as it is written.
func lookUp(t *testing.T, raw []byte, pointer string) string {
	t.Helper()
	for _, part := range strings.Split(pointer, "/")[1:] {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(raw, &object) == nil:
			raw = object[part]
		case json.Unmarshal(raw, &list) == nil && len(list) > int(part[0]-'0'):
			raw = list[part[0]-'0']
		default:
			t.Fatalf("nothing at %s", pointer)
		}
	}
	return string(raw)
}

func TestBothLanguagesHaveAllWords(t *testing.T) {
	var words [2]map[string]string
	for i, lang := range reason.Langs() {
		text, err := os.ReadFile("messages/" + string(lang) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &words[i]); err != nil {
			t.Fatal(err)
		}
	}
	if en, hi := slices.Sorted(maps.Keys(words[0])), slices.Sorted(maps.Keys(words[1])); !slices.Equal(en, hi) {
		t.Errorf("got %v in English, %v in Hindi", en, hi)
	}
	if _, err := reason.Plain("fr", story(score.V2())); err == nil {
		t.Error("a language that is not there was spoken")
	}
}
