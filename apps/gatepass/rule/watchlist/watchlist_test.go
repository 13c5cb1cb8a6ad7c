package watchlist_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
)

var now = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)

// TestOneNameIsOneNameHoweverItIsWritten promises that order, case, punctuation, accents, titles and script make no difference.
func TestOneNameIsOneNameHoweverItIsWritten(t *testing.T) {
	for _, same := range [][]string{
		{"Ravi Kumar", "KUMAR, Ravi", " ravi   kumar ", "Mr. Ravi Kumar", "Shri Ravi Kumar", "Ravi-Kumar", "रवि कुमार", "Rávi Kúmar",
			"ＲＡＶＩ kumar", "રવિ કુમાર", "ਰਵਿ ਕੁਮਾਰ"},
		{"Suresh", "सुरेश", "সুরেশ"},
		{"Manmohan Ramdev", "मनमोहन रामदेव"},
		{"Lakshman", "लक्ष्मण"},
		{"Ambika Pandey", "अंबिका पांडेय", "अम्बिका पान्डेय"},
		{"Kamal", "कमल", "क\u200dमल"},
		{"Ananta", "அனந்த", "ಅನಂತ"}, // southern scripts speak the last a
		{"O'Brien", "OBrien", "O’Brien"},
		{"José", "Jose", "JOSE\u0301"},
		{"Kumari", "kumari"}, // a title alone is a name
		{"Agent 47", "agent ४७"},
	} {
		for _, s := range same {
			if got, want := watchlist.Normalise(s), watchlist.Normalise(same[0]); got != want || got == "" {
				t.Errorf("%q is %q, and %q is %q", s, got, same[0], want)
			}
		}
	}
	if got := watchlist.Normalise("Ravi Kumar"); got != "kumar ravi" {
		t.Errorf("got %q", got)
	}
	for _, s := range []string{"", " ", "...", "\u200d"} {
		if got := watchlist.Normalise(s); got != "" {
			t.Errorf("%q is the name %q", s, got)
		}
	}
}

// TestNamesThatSoundTheSameSoundTheSame promises the spellings of Indian names that are met most, and that other names sound otherwise.
func TestNamesThatSoundTheSameSoundTheSame(t *testing.T) {
	for _, same := range [][]string{
		{"Mohammed", "Muhammad", "Mohamad", "Mohammad"},
		{"Vishwanath", "Viswanath", "Wiswanat", "विश्वनाथ"},
		{"Srinivas", "Shrinivas", "Sreenivaas"},
		{"Lakshmi", "Laxmi", "लक्ष्मी"},
		{"Chowdhury", "Chaudhary", "Choudhuri"},
		{"Zakir", "Jakir", "Zaakeer"},
		{"Deepak", "Dipak", "दीपक"},
		{"Ishwar", "Eeshvar"},
		{"Radha", "Radhah"},
		{"Siddharth", "Sidharth", "Siddhartha"},
	} {
		for _, s := range same[1:] {
			if got, want := watchlist.Sound(s), watchlist.Sound(same[0]); got != want {
				t.Errorf("%s sounds like %q, and %s like %q", s, got, same[0], want)
			}
		}
	}
	for a, b := range map[string]string{"Ravi": "Raj", "Anil": "Sunil", "Ramesh": "Suresh", "Asha": "Usha", "Kiran": "Karan Singh",
		"Yadav": "Jadav"} {
		if watchlist.Sound(a) == watchlist.Sound(b) {
			t.Errorf("%s and %s both sound like %q", a, b, watchlist.Sound(a))
		}
	}
}

// TestSoundAloneAsksNobody promises that two names which only sound the same are no hit.
func TestSoundAloneAsksNobody(t *testing.T) {
	a, b := "Mohammad Irfan Sheikh", "Muhammed Irfaan Shekh"
	if watchlist.Sound(a) != watchlist.Sound(b) || watchlist.Similarity(a, b) >= 0.6 {
		t.Errorf("%q, %q, %f", watchlist.Sound(a), watchlist.Sound(b), watchlist.Similarity(a, b))
	}
}

// TestAScoreIsTheDatabases promises the numbers that pg_trgm gives for the same names, so that it may look for candidates.
func TestAScoreIsTheDatabases(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"word", "two words", 0.363636}, // the example of its manual
		{"ravi kumar", "kumar ravi", 1},
		{"ravi kumar", "ravi kumarr", 0.769231}, // and these as PostgreSQL 15 printed them
		{"chaudhary venkataraghavan", "chaudhari venkataraghavan", 0.857143},
		{"irfan mohammad sheikh", "irfaan muhammed shekh", 0.375},
		{"abc", "xyz", 0},
		{"abc", "", 0},
	} {
		if got := watchlist.Similarity(tt.a, tt.b); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s, %s: got %f, want %f", tt.a, tt.b, got, tt.want)
		}
	}
}

func list(cleared ...watchlist.Cleared) watchlist.List {
	return watchlist.New(watchlist.Standard(), []watchlist.Row{
		{ID: "w1", Name: "Venkataraghavan Chaudhary", Level: watchlist.Hard, Reason: "dismissed"},
		{ID: "w2", Name: "Mohammad Irfan Sheikh", Aliases: []string{"Irfan Bhai"}, Level: watchlist.Ask},
		{ID: "w3", Name: "Suresh Patel", Level: watchlist.Hard, Until: now},
		{ID: "w4", Name: "Meena Devi"},
	}, cleared)
}

// TestOnlyTheVeryNameRefusesAndTheRestAsk promises what each likeness comes to, at and beside the thresholds.
func TestOnlyTheVeryNameRefusesAndTheRestAsk(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   time.Duration
		want string
	}{
		{"Venkataraghavan Chaudhary", 0, "refuse w1 exact"},
		{"chaudhary, VENKATARAGHAVAN", 0, "refuse w1 exact"},
		{"Venkataraghavan Chaudhari", 0, "ask w1 letters"},  // 0.85 and more
		{"Venkataraghavan Choudhury", 0, "ask w1 phonetic"}, // alike by sound, 0.6 and more
		{"Benkataraghavan Chaudhary", 0, "clear"},
		{"Venkat Chaudhary", 0, "clear"},
		{"Mohammad Irfan Sheikh", 0, "ask w2 exact"}, // the list says: ask
		{"Muhammed Irfaan Shekh", 0, "clear"},        // alike by sound, and too unlike by letter
		{"irfan bhai", 0, "ask w2 exact"},
		{"Irfan", 0, "clear"},
		{"Suresh Patel", 0, "refuse w3 exact"},
		{"Suresh Patel", time.Nanosecond, "clear"}, // it has ended
		{"Meena Devi", 0, "refuse w4 exact"},       // a row whose level nobody set
		{"Sita Rao", 0, "clear"},
		{"", 0, "clear"},
	} {
		f := list().Screen(tt.name, now.Add(tt.at))
		got := string(f.Verdict)
		for _, h := range f.Hits {
			got += fmt.Sprintf(" %s %s", h.Row, h.How)
			if h.Score < 0.6 || h.Score > 1 || h.Name == "" {
				t.Errorf("%s: %+v", tt.name, h)
			}
		}
		if got != tt.want {
			t.Errorf("%s after %s: got %q, want %q", tt.name, tt.at, got, tt.want)
		}
	}
}

// TestWhoWasClearedIsNotAskedAboutAgain promises a memory for one name and one row, which no refusal is undone by.
func TestWhoWasClearedIsNotAskedAboutAgain(t *testing.T) {
	l := list(watchlist.Cleared{"w1", "CHAUDHARI Venkataraghavan"}, watchlist.Cleared{"w2", "irfan bhai"},
		watchlist.Cleared{"w1", "Venkataraghavan Chaudhary"})
	for name, want := range map[string]watchlist.Verdict{
		"Venkataraghavan Chaudhari": watchlist.Clear,
		"Venkataraghavan Choudhury": watchlist.Look, // another spelling is another question
		"Irfan Bhai":                watchlist.Clear,
		"Venkataraghavan Chaudhary": watchlist.Refuse, // the list refuses this name, whoever cleared it
	} {
		if got := l.Screen(name, now); got.Verdict != want {
			t.Errorf("%s: got %s %v, want %s", name, got.Verdict, got.Hits, want)
		}
	}
}

// TestANameIsAlwaysLikeItself promises of any two names: the same score both ways, between 0 and 1; a name on the list is found
// whatever the order of its words; and longer lists find no less.
func TestANameIsAlwaysLikeItself(t *testing.T) {
	words := rapid.SampledFrom([]string{"Ravi", "कुमार", "Sheikh", "தமிழ்", "O'Neil", "李", "devi", "Chaudhary", "Md.", "É"})
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(words, 1, 4).Draw(t, "a")
		b := rapid.SliceOfN(words, 1, 4).Draw(t, "b")
		one, two := strings.Join(a, " "), strings.Join(b, " ")
		s := watchlist.Similarity(one, two)
		if s != watchlist.Similarity(two, one) || s < 0 || s > 1 || watchlist.Similarity(one, one) != 1 {
			t.Fatalf("%q, %q: %f", one, two, s)
		}
		slices.Reverse(a)
		rows := []watchlist.Row{{ID: "a", Name: strings.ToUpper(strings.Join(a, ",")), Level: watchlist.Hard}}
		alone := watchlist.New(watchlist.Standard(), rows, nil).Screen(one, now)
		rows = append(rows, watchlist.Row{ID: "b", Name: two, Level: watchlist.Ask})
		both := watchlist.New(watchlist.Standard(), rows, nil).Screen(one, now)
		if alone.Verdict != watchlist.Refuse || both.Verdict != watchlist.Refuse || len(both.Hits) < len(alone.Hits) {
			t.Fatalf("%q: got %v, then %v", one, alone, both)
		}
		if !slices.IsSortedFunc(both.Hits, func(x, y watchlist.Hit) int { return int(math.Copysign(1, y.Score-x.Score)) }) {
			t.Fatalf("the best is not first: %v", both.Hits)
		}
	})
}

// FuzzNormalise promises that what is normalised is normal, and that nothing written breaks the comparison.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"Ravi Kumar", "रवि", "த", "\u0915\u094d\u200d", "Mr Mr Dr", "ẞ", "ﬁ", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n := watchlist.Normalise(name)
		if again := watchlist.Normalise(n); !strings.Contains(n, " ") && again != n {
			t.Errorf("%q is %q is %q", name, n, again)
		}
		if s := watchlist.Similarity(name, name); n != "" && s != 1 {
			t.Errorf("%q is like itself by %f", name, s)
		}
		_ = watchlist.Sound(name)
	})
}
