package number_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestAPassHasOneNumberAndOneWayToWriteIt promises that two texts never name one pass.
func TestAPassHasOneNumberAndOneWayToWriteIt(t *testing.T) {
	for s, ok := range map[string]bool{
		"GP-2026-0001": true, "GP-2026-9999": true, "GP-2026-10000": true, "GP-2026-999999": true,
		"GP-2026-00012": false, "GP-2026-000012": false, "GP-2026-0000": false, "GP-0026-0001": false,
		"GP-2026-1000000": false, "GP-2026-012": false, "gp-2026-0001": false,
		"GP-2026-0001.": false, "GP-२०२६-०००१": false, "": false, "GP-2026-0001\n": false,
	} {
		n, err := number.Parse(s)
		if (err == nil) != ok {
			t.Errorf("%q: got %v, want a number: %v", s, err, ok)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q is refused as %v", s, fault.KindOf(err))
		}
		if ok && !regexp.MustCompile(number.Form).MatchString(string(n)) {
			t.Errorf("%s is a number and not of the published form", n)
		}
	}
}

// TestANumberThatNobodyKnowsIsLeftOutOfAText promises, however it is written, that a text keeps the numbers that are known and no other,
// and that a text with none else stays as it is.
func TestANumberThatNobodyKnowsIsLeftOutOfAText(t *testing.T) {
	known := func(n number.Number) bool { return n == "GP-2026-0012" }
	for text, want := range map[string]string{
		"GP-2026-0012 is out":              "GP-2026-0012 is out",
		"gp 2026 12 — “out”":               "gp 2026 12 — “out”",
		"GP-2026-0666 is out":              "GP-… is out",
		"gp 2026 666, and GP-2026-0012":    "GP-…, and GP-2026-0012",
		"जीपी नहीं: GP-२०२६-०६६६":          "जीपी नहीं: GP-…",
		"GP–2026–0666/GP-2026-0667":        "GP-…/GP-…",
		"no pass, in 2026, of 12 laptops…": "no pass, in 2026, of 12 laptops…",
	} {
		if got, n := number.Known(text, known); got != want || n != strings.Count(want, number.Withheld) {
			t.Errorf("%q: got %q and %d left out, want %q", text, got, n, want)
		}
	}
}

// TestTheYearIsTheSites promises that a pass made on New Year's Eve has the year that people at the site had.
func TestTheYearIsTheSites(t *testing.T) {
	india, honolulu := time.FixedZone("IST", 5*3600+1800), time.FixedZone("HST", -10*3600)
	for _, tt := range []struct {
		at   string
		site *time.Location
		want int
	}{
		{"2026-12-31T18:29:59Z", india, 2026}, // 23:59:59 there
		{"2026-12-31T18:30:00Z", india, 2027},
		{"2026-12-31T23:59:00Z", india, 2027},
		{"2026-12-31T23:59:00Z", time.UTC, 2026},
		{"2027-01-01T09:59:59Z", honolulu, 2026},
		{"2027-01-01T10:00:00Z", honolulu, 2027},
	} {
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := number.Year(at, tt.site); got != tt.want {
			t.Errorf("%s in %s: got %d, want %d", tt.at, tt.site, got, tt.want)
		}
	}
}

// TestNumbersHaveNoGapAndNoRepeat promises that whoever counts, in whatever order the years are asked
// for, the numbers of each year are 1, 2, 3 and so on, and grow past 9999 instead of beginning again.
func TestNumbersHaveNoGapAndNoRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := map[int]number.Count{}
		made := map[int][]number.Number{}
		for year, last := range rapid.MapOfN(rapid.IntRange(2020, 2030), rapid.IntRange(0, 20_000), 1, 3).Draw(t, "begun") {
			counts[year] = number.Count{Year: year, Last: last}
		}
		for _, year := range rapid.SliceOfN(rapid.IntRange(2020, 2030), 1, 60).Draw(t, "asked") {
			c, begun := counts[year]
			if !begun {
				c.Year = year
			}
			n, next, err := c.Next()
			if err != nil {
				t.Fatal(err)
			}
			if n.Serial() != c.Last+1 || next.Last != c.Last+1 || n.Year() != year {
				t.Fatalf("after %d of %d comes %s, count %v", c.Last, year, n, next)
			}
			counts[year], made[year] = next, append(made[year], n)
		}
		for _, all := range made {
			if !slices.IsSortedFunc(all, number.Compare) || len(slices.Compact(slices.Clone(all))) != len(all) {
				t.Fatalf("out of order, or given twice: %v", all)
			}
		}
	})
	if _, _, err := (number.Count{Year: 2026, Last: number.Most}).Next(); err == nil {
		t.Error("after the last number of a year there is another")
	}
}

// TestANumberIsFoundHoweverItIsTyped promises that case, dashes, spaces and the digits of another script make
// no difference, and that a number without its year is not completed.
func TestANumberIsFoundHoweverItIsTyped(t *testing.T) {
	for text, want := range map[string]string{
		"approve GP-2026-0012 please": "GP-2026-0012",
		"gp 2026 12":                  "GP-2026-0012",
		"Gp2026-0012.":                "GP-2026-0012",
		"पास GP-२०२६-००१२ छापें":                 "GP-2026-0012",
		"GP–2026–0012, and again GP-2026-12":     "GP-2026-0012",
		"GP-2026-0012 and GP-2026-10000":         "GP-2026-0012 GP-2026-10000",
		"pass 12":                                "",
		"GP-12":                                  "",
		"XGP-2026-0012":                          "",
		"GP-2026-0012345":                        "",
		"GP-2026-0000":                           "",
		"call 2026-0012":                         "",
		"ＧＰ－２０２６－００１２":                           "GP-2026-0012",
		"":                                       "",
		strings.Repeat("GP-", 50) + "2026-0003x": "",
	} {
		var got []string
		for _, n := range number.Find(text) {
			got = append(got, string(n))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%.60q: got %v, want %q", text, got, want)
		}
	}
}

// TestACodeIsTypedWithoutDoubt promises codes that come back as they were given, of symbols that nobody mixes up.
func TestACodeIsTypedWithoutDoubt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.Uint32Range(0, 1<<30-1).Draw(t, "bits")
		c := number.CodeOf(bits)
		typed := strings.ToLower(string(c[:3])) + " " + string(c[3:4]) + "-" + string(c[4:]) + " "
		if got, err := number.ParseCode(typed); err != nil || got != c {
			t.Fatalf("typed %q: got %q, %v, want %q", typed, got, err, c)
		}
		if other := number.CodeOf(bits ^ 1<<rapid.IntRange(0, 29).Draw(t, "flip")); other == c {
			t.Fatalf("two codes are %s", c)
		}
		if strings.ContainsAny(string(c), "01OI") {
			t.Fatalf("%s can be misread", c)
		}
	})
	for _, s := range []string{"", "ABCDE", "ABCDEFG", "ABCDE0", "ABCDEO", "ABCDE1", "ABCDEI", "ABCDÉF", "कखगघङच"} {
		if got, err := number.ParseCode(s); err == nil {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}

// FuzzFind promises that whatever is found in a text is a number.
func FuzzFind(f *testing.F) {
	f.Add("GP-2026-0001 gp २०२६ १२")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range number.Find(text) {
			if got, err := number.Parse(string(n)); err != nil || got != n {
				t.Errorf("%q holds %q, %v", text, n, err)
			}
		}
	})
}

// FuzzParseCode promises that a code that is read is one that could have been given.
func FuzzParseCode(f *testing.F) {
	f.Add("abc 234")
	f.Fuzz(func(t *testing.T, typed string) {
		if c, err := number.ParseCode(typed); err == nil && (len(c) != 6 || strings.ContainsAny(string(c), "01OI -")) {
			t.Errorf("%q was read as %q", typed, c)
		}
	})
}
