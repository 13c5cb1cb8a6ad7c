package lexicon_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact/lexicon"
)

func TestWordsSayWhatTheyClaim(t *testing.T) {
	l := lexicon.New()
	for text, want := range map[string]lexicon.Sense{
		"rises": lexicon.Up, "rose": lexicon.Up, "climbed": lexicon.Up, "went up": lexicon.Up, "multiplies": lexicon.Up,
		"growth": lexicon.Up, "fell": lexicon.Down, "dropped": lexicon.Down, "slipping": lexicon.Down, "reduction": lexicon.Down,
		"came down": lexicon.Down, "tapered off": lexicon.Down, "unchanged": lexicon.Flat, "did not change": lexicon.Flat,
		"change": lexicon.Change, "higher": lexicon.More, "below": lexicon.Less, "more than": lexicon.Bound, "at least": lexicon.Bound,
		"largest": lexicon.Most, "fewest": lexicon.Least, "ranks third": lexicon.Lead, "most of": lexicon.Majority,
		"one of the largest": lexicon.Among, "all": lexicon.All, "only": lexicon.Only, "not only": lexicon.Idiom,
		"without exception": lexicon.Always, "driven by": lexicon.Cause, "should": lexicon.Advice, "twelve": lexicon.Count,
		"doesn't": lexicon.Not, "बढ़ता": lexicon.Up, "बढ़कर": lexicon.Up, "बढ़ोतरी": lexicon.Up, "घटा": lexicon.Down,
		"गिरावट": lexicon.Down, "कमी": lexicon.Down, "सबसे अधिक": lexicon.Most, "सबसे कम": lexicon.Least, "कम से कम": lexicon.Idiom,
		"सभी": lexicon.All, "नहीं": lexicon.NotBefore, "के कारण": lexicon.Cause, "चाहिए": lexicon.Advice, "क्रमशः": lexicon.Respectively,
		"xylophone": lexicon.None, "table": lexicon.Plain,
	} {
		words := strings.Fields(lexicon.Fold(text))
		got := l.Find(append(words, "x"))
		if got.Sense != want || want != lexicon.None && got.Words != len(words) {
			t.Errorf("%q: got sense %d of %d words, want %d", text, got.Sense, got.Words, want)
		}
	}
}

func TestNoWordOfDirectionStandsOnBothSides(t *testing.T) {
	l := lexicon.New()
	for _, pair := range [][2]string{{"increase", "decrease"}, {"lift", "lower"}, {"climb", "slide"}, {"surge", "slump"},
		{"soar", "plunge"}, {"बढ़ा", "घटा"}, {"चढ़ा", "उतरा"}, {"उछला", "गिरा"}, {"वृद्धि", "कमी"}} {
		up, down := l.Find([]string{lexicon.Fold(pair[0])}), l.Find([]string{lexicon.Fold(pair[1])})
		if up.Sense != lexicon.Up || down.Sense != lexicon.Down && down.Sense != lexicon.Less {
			t.Errorf("%v: got %d and %d", pair, up.Sense, down.Sense)
		}
	}
}

func TestFoldingHidesHowAWordWasTyped(t *testing.T) {
	for _, pair := range [][2]string{
		{"बढ़ता", "बढ\u093cता"}, // nukta composed and apart
		{"पाँच", "पांच"},        // chandrabindu and anusvara
		{"CO₂", "co2"}, {"µg", "μg"}, {"PM₂.₅", "pm2.5"}, {"m³", "m3"}, {"doesn’t", "DOESN'T"}, {"क\u200dष", "कष"},
	} {
		if a, b := lexicon.Fold(pair[0]), lexicon.Fold(pair[1]); a != b {
			t.Errorf("%q and %q fold to %q and %q", pair[0], pair[1], a, b)
		}
	}
}
