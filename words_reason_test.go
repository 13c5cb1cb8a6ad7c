package gavel_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// pageRooms are where pages are made. What people meet there has a reason in both languages.
var pageRooms = []string{"platform/console", "platform/web", "apps/airshed/page", "apps/poolpatrol/page"}

// unreasoned are faults of pages that need no code, by file and the beginning of their text,
// each with why not.
var unreasoned = map[string]string{
	"platform/web/health.go: no answer within":                       "the health page quotes what a check says, for operators",
	"platform/web/hub.go: the database's notices":                    "the health page quotes what a check says, for operators",
	"platform/web/mux.go: nothing here answers":                      "no form or link of ours sends that method",
	"platform/web/web.go: public address":                            "said at start, in the terminal",
	"apps/airshed/page/file.go: a report is not handed out ahead of": "to a browser that fetches ahead; nobody reads it",
}

// TestEveryFaultOfAPageHasAReason promises that what goes wrong on a page is told in the
// reader's language: a fault that is made where pages are made has the code of its reason,
// unless it is our own mistake or stands in the list above.
func TestEveryFaultOfAPageHasAReason(t *testing.T) {
	source, err := readTree(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	bare, coded := bareFaults(source)
	if coded < 80 {
		t.Errorf("only %d faults with a reason were found", coded)
	}
	for _, one := range bare {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(unreasoned)), func(known string) bool { return strings.HasPrefix(one, known) }) {
			t.Errorf("%s\n\thas no reason: add .Because with a code, and its words in both languages", one)
		}
	}
	for known := range unreasoned {
		if !slices.ContainsFunc(bare, func(one string) bool { return strings.HasPrefix(one, known) }) {
			t.Errorf("%s: this is excused, and is not there", known)
		}
	}
}

// bareFaults are the faults that pages make without a reason, by file and text, and how many
// have one.
func bareFaults(source *tree) (bare []string, coded int) {
	for _, f := range source.files {
		if f.test || !slices.ContainsFunc(pageRooms, func(room string) bool { return under(path.Dir(f.path), room) }) {
			continue
		}
		given := map[ast.Node]bool{}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			switch {
			case !ok:
			case isMethod(call, "Because"):
				given[chainStart(call)] = true
				coded++
			case given[call] || !isCall(call, "fault", "New") && !isCall(call, "fault", "From"):
			case len(call.Args) > 1 && !isInternal(call.Args[0]):
				bare = append(bare, f.path+": "+firstText(call))
			}
			return true
		})
	}
	return bare, coded
}

func isMethod(call *ast.CallExpr, name string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

func isInternal(kind ast.Expr) bool {
	sel, ok := kind.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Internal"
}

// chainStart is the call with which a chain of calls begins: New of fault.New(…).WithNext(…).
func chainStart(call *ast.CallExpr) *ast.CallExpr {
	for {
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return call
		}
		before, ok := sel.X.(*ast.CallExpr)
		if !ok {
			return call
		}
		call = before
	}
}

// firstText is the first literal among what a call is given.
func firstText(call *ast.CallExpr) string {
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			return text
		}
	}
	return ""
}

// openPlaceForm is a place in a message.
var openPlaceForm = regexp.MustCompile(`\{([a-z_]+)\}`)

// TestEveryReasonFillsItsWords promises that no place in the words of a reason is left open:
// whoever gives a code gives what its words name, and nothing else.
func TestEveryReasonFillsItsWords(t *testing.T) {
	source, err := readTree(os.DirFS("."), module)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	walk(t, func(file string, text []byte) {
		if path.Ext(file) == ".json" {
			if err := json.Unmarshal(text, &said); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	})
	given := givenPlaces(source)
	if len(given) < 100 {
		t.Errorf("only %d reasons are given", len(given))
	}
	for _, g := range given {
		for _, m := range openPlaceForm.FindAllStringSubmatch(said["reason."+g.code]+said["reason."+g.code+".next"], -1) {
			if !slices.Contains(g.places, m[1]) {
				t.Errorf("%s: the words of reason %s have the place {%s}, which is not given", g.at, g.code, m[1])
			}
		}
	}
}

// A givenReason is a reason as the source gives it.
type givenReason struct {
	at, code string
	places   []string
}

// givenPlaces are all reasons whose code and places are literals.
func givenPlaces(source *tree) (all []givenReason) {
	for _, f := range source.files {
		if f.test {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isMethod(call, "Because") || len(call.Args) == 0 {
				return true
			}
			g := givenReason{at: fmt.Sprintf("%s:%d", f.path, source.fset.Position(call.Pos()).Line)}
			for i, arg := range call.Args {
				lit, literal := arg.(*ast.BasicLit)
				switch {
				case !literal && i == 0:
					return true
				case !literal:
				case i == 0:
					g.code, _ = strconv.Unquote(lit.Value)
				case i%2 == 1:
					place, _ := strconv.Unquote(lit.Value)
					g.places = append(g.places, place)
				}
			}
			all = append(all, g)
			return true
		})
	}
	return all
}

// TestABareFaultIsSeen promises that the check finds what it is for, on a made-up tree.
func TestABareFaultIsSeen(t *testing.T) {
	for body, want := range map[string]string{
		`fault.New(fault.Invalid, "bare")`:                                          "platform/web/a.go: bare",
		`fault.New(fault.Invalid, "bare").WithNext("x")`:                            "platform/web/a.go: bare",
		`fault.From(fault.Invalid, nil, "bare")`:                                    "platform/web/a.go: bare",
		`fault.New(fault.Invalid, "coded").WithNext("x").Because("code")`:           "",
		`fault.New(fault.Internal, "ours")`:                                         "",
		`fault.New(fault.Conflict, "%w", fault.New(fault.Stale, "y")).Because("z")`: "platform/web/a.go: y",
	} {
		source, err := readTree(fstest.MapFS{"platform/web/a.go": {Data: []byte("package web\n\nvar e = " + body)}}, module)
		if err != nil {
			t.Fatal(err)
		}
		bare, _ := bareFaults(source)
		if got := strings.Join(bare, "; "); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
