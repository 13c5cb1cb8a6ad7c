package title

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
)

// TestTitlesNameTheCheckAndTheVan promises that a title says what is checked, and of what,
// and accuses nobody.
func TestTitlesNameTheCheckAndTheVan(t *testing.T) {
	subject := func(kinds ...check.Name) lifecycle.Case {
		c := lifecycle.Case{Vanpool: "VP-206"}
		for _, k := range kinds {
			c.Van = append(c.Van, check.Finding{Check: k})
		}
		return c
	}
	for _, c := range []struct{ got, want string }{
		{Case(subject("location")), "Home address check, VP-206"},
		{Case(subject()), "Vanpool check, VP-206"},
		{Again(check.Verdict{Vanpool: "VP-206", Check: "shift"}), "Working hours check repeated: same result, VP-206"},
		{Evidence(check.Verdict{Vanpool: "VP-206"}, check.Evidence{Type: "occupancy"}), "How full the van is, VP-206"},
		{Evidence(check.Verdict{Vanpool: "VP-206"}, check.Evidence{Type: "new_kind"}), "New kind, VP-206"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	several := Case(subject("location", "parking", "badge"))
	if !strings.Contains(several, " and ") || !strings.HasSuffix(several, " check, VP-206") {
		t.Errorf("several checks: got %q", several)
	}
}

// TestEveryWordOfATitleIsSaidInBothLanguages promises that a title can be read in Hindi, too.
func TestEveryWordOfATitleIsSaidInBothLanguages(t *testing.T) {
	for _, lang := range []string{"en", "hi"} {
		text, err := os.ReadFile("../../page/messages/" + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]string{}
		if err := json.Unmarshal(text, &said); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Concat(slices.Collect(maps.Values(checkNames)), slices.Collect(maps.Values(pieceNames)),
			[]string{"vanpool"}) {
			if key := "title.part." + strings.ReplaceAll(strings.ToLower(name), " ", "_"); said[key] == "" {
				t.Errorf("%s: no word %s", lang, key)
			}
		}
	}
}
