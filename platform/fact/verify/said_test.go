package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var place = regexp.MustCompile(`\{[a-z]+\}`)

// TestEveryFindingHasWordsInBothLanguages promises that what is wrong with a text is said in English and in Hindi: each code that is used
// has words, each that has words is used, and the places of both are those that are filled.
func TestEveryFindingHasWordsInBothLanguages(t *testing.T) {
	used := remarks(t)
	if len(used) < 50 {
		t.Errorf("only %d codes were found", len(used))
	}
	for code, form := range said {
		filled, is := used[code]
		if !is {
			t.Errorf("%s: nothing says this", code)
		}
		for _, text := range []string{form.en, form.hi} {
			got := place.FindAllString(text, -1)
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, filled) {
				t.Errorf("%s: %q has places %v, and %v are filled", code, text, got, filled)
			}
		}
		if !strings.ContainsFunc(form.hi, func(r rune) bool { return unicode.Is(unicode.Devanagari, r) }) {
			t.Errorf("%s: %q is not Hindi", code, form.hi)
		}
	}
	for code := range used {
		if _, has := said[code]; !has {
			t.Errorf("%s has no words", code)
		}
	}
	if en, hi := say("unit_before", "fact", "F1", "unit", noUnit, "said", "Mt").words(); en != "F1 is in no unit, not in Mt" ||
		hi != "F1 की इकाई: कोई नहीं; यहाँ लिखी है: Mt" {
		t.Errorf("got %q and %q", en, hi)
	}
	if en, _ := say("minus_twice", "word", "fell", "fact", "F1").words(); en != `"fell" and a minus sign say it twice: write {{F1|abs}}` {
		t.Errorf("got %q", en)
	}
}

// remarks are the codes that this package says, with the places that are filled.
func remarks(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); !ok || name.Name != "say" {
				return true
			}
			var places []string
			for i := 1; i < len(call.Args); i += 2 {
				places = append(places, "{"+text(t, call.Args[i])+"}")
			}
			slices.Sort(places)
			out[text(t, call.Args[0])] = places
			return true
		})
	}
	return out
}

func text(t *testing.T, e ast.Expr) string {
	t.Helper()
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		t.Fatalf("a code or a place is not written out: %v", e)
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
