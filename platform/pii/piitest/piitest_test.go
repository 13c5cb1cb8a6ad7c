package piitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// Seed and size of the texts that are kept, so that a change of the generator is seen in a diff.
const (
	goldenSeed = 25
	goldenEach = 20
)

// TestTheSuiteIsTheSameEveryTime promises that a seed names its texts, and that there are enough of them.
func TestTheSuiteIsTheSameEveryTime(t *testing.T) {
	for name, cases := range map[string][]Case{"positives": Positives(goldenSeed, goldenEach),
		"negatives": Negatives(goldenSeed, goldenEach)} {
		if len(cases) < 300 {
			t.Errorf("%s: got %d texts, want at least 300", name, len(cases))
		}
		var lines bytes.Buffer
		enc := json.NewEncoder(&lines)
		enc.SetEscapeHTML(false)
		for _, c := range cases {
			if err := enc.Encode(c); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join("testdata", name+".ndjson")
		if *update {
			if err := os.WriteFile(file, lines.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(lines.Bytes(), want) {
			t.Errorf("%s differ from %s; run with -update and read the diff", name, file)
		}
	}
}

// TestEveryPositiveSaysWhereItsDataStands promises that a hit's bytes are those of the thing, in every kind.
func TestEveryPositiveSaysWhereItsDataStands(t *testing.T) {
	seen := map[string]int{}
	for _, c := range Positives(7, 50) {
		for _, h := range c.Hits {
			if h.Start >= h.End || h.End > len(c.Text) || h.Kind != c.Like {
				t.Errorf("%q: %+v", c.Text, c.Hits)
			}
		}
		if len(c.Hits) == 0 || strings.Contains(c.Text, "{x}") || strings.Contains(c.Text, "{other}") {
			t.Errorf("%q: %+v", c.Text, c.Hits)
		}
		seen[c.Like]++
	}
	for _, kind := range Kinds() {
		if seen[kind] != 50 {
			t.Errorf("%s: got %d texts, want 50", kind, seen[kind])
		}
	}
	for _, c := range Negatives(7, 50) {
		if len(c.Hits) != 0 || strings.Contains(c.Text, "{") || !slices.Contains(Kinds(), c.Like) {
			t.Errorf("%q: %+v", c.Text, c)
		}
	}
}

// TestNumbersEndInTheDigitTheirIssuersAskFor promises the check digits, by numbers that were published.
func TestNumbersEndInTheDigitTheirIssuersAskFor(t *testing.T) {
	for number, want := range map[string]byte{"23412341234": '6', "236": '3'} {
		if got := checkDigit(number); got != want {
			t.Errorf("Verhoeff of %s: got %c, want %c", number, got, want)
		}
	}
	if got := luhnDigit("49015420323751"); got != '8' { // the example of the devices' registry
		t.Errorf("Luhn: got %c, want 8", got)
	}
}
