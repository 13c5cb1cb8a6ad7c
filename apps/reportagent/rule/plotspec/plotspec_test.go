package plotspec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/plotspec"
)

const (
	first = `{"title": "CO₂ by gas", "category": "emissions", "groupby": ["scen", "gas"],
		"si_unit": "Mt", "csv_precision": 2, "legend_order": ["x"]}`
	second = `{"title": "Demand", "category": "electricity", "groupby": [],
		"extra_points": {"NDC 2030 (43%) ": {"2030": 348.801}}, "top_n": null}`
)

// TestEveryFormOfTheFileIsRead promises the same specs from all forms that were seen.
func TestEveryFormOfTheFileIsRead(t *testing.T) {
	for name, file := range map[string]string{
		"one after the other": first + "\n" + second + "\n",
		"run together":        first + second,
		"with a mark":         "\xef\xbb\xbf" + first + second,
		"an array":            "[" + first + "," + second + "]",
		"a map":               `{"CO₂ by gas": ` + first + `, "Demand": ` + strings.Replace(second, `"title": "Demand",`, "", 1) + `}`,
	} {
		specs, told, err := plotspec.Parse([]byte(file))
		if err != nil || len(told) != 0 || len(specs) != 2 {
			t.Errorf("%s: got %d specs, %v, %v", name, len(specs), told, err)
			continue
		}
		a, b := specs[0], specs[1]
		if a.Title != "CO₂ by gas" || a.Unit != "Mt" || a.Precision != 2 ||
			b.Precision != -1 || !strings.Contains(string(a.Raw), "legend_order") {
			t.Errorf("%s: got %+v", name, a)
		}
		if got := b.ExtraPoints["NDC 2030 (43%) "]["2030"]; b.Title != "Demand" || got != "348.801" {
			t.Errorf("%s: got %+v", name, b)
		}
	}
}

func TestWhatIsWrongWithASpecIsTold(t *testing.T) {
	for _, tt := range []struct {
		code, file string
		specs      int
	}{
		{"S001", first + "\n{\"title\": ", 1},
		{"S001", "7", 0},
		{"S002", `{"title": "A", "category": "x"}`, 1},
		{"S002", `{"category": "x", "groupby": []}`, 0},
		{"S003", `{"title": "A", "category": "x", "groupby": [], "base_year": "soon"}`, 1},
		{"S004", first + "\n" + first, 1},
	} {
		specs, told, err := plotspec.Parse([]byte(tt.file))
		if err != nil || len(specs) != tt.specs || !slices.Equal(told.Codes(), []string{tt.code}) {
			t.Errorf("%s: got %d specs, %v, %v", tt.code, len(specs), told, err)
		}
	}
	_, told, _ := plotspec.Parse([]byte(first + "\n\n" + first))
	if told[0].Line != 4 {
		t.Errorf("got line %d, want 4", told[0].Line)
	}
}

func TestATitleIsFoundByItsFile(t *testing.T) {
	if plotspec.Normal("CO₂ emissions (Mt)") != plotspec.Normal("co2_emissions_mt") {
		t.Error("the file of a title is not found")
	}
	if got := plotspec.Pointer("a/b~c", "2030"); got != "/extra_points/a~1b~0c/2030" {
		t.Errorf("got %s", got)
	}
}

// FuzzParse looks for a file that cannot be read without a word.
func FuzzParse(f *testing.F) {
	f.Add([]byte(first + second))
	f.Add([]byte(`[{"A": {"title": 1}}]`))
	f.Fuzz(func(t *testing.T, file []byte) {
		specs, _, err := plotspec.Parse(file)
		if err != nil {
			return
		}
		for _, s := range specs {
			if strings.TrimSpace(s.Title) == "" || len(s.Raw) == 0 || s.Line < 1 {
				t.Fatalf("got %+v", s)
			}
		}
	})
}
