package gavel_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"testing"
	"testing/fstest"
)

var (
	// tickedForm is what stands between backticks.
	tickedForm = regexp.MustCompile("`([^`\n]+)`")
	// shownForm is some tests, and the folder they are in.
	shownForm = regexp.MustCompile("((?:`(?:Test|Fuzz)[A-Za-z0-9]+`(?:, )?)+) in `([^`]+)`")
	// playForm is a test's name.
	playForm = regexp.MustCompile(`^(?:Test|Fuzz)[A-Z][A-Za-z0-9]*$`)
	// placeForm is a path in the checkout, and not an address or a command.
	placeForm = regexp.MustCompile(`^(?:[A-Za-z0-9_.-]+/)+[A-Za-z0-9_.-]*$`)
)

// leastShown is how many tests the design note names at least; fewer are a page that
// cannot be read.
const leastShown = 100

// TestSecurityNamesTestsAndPlacesThatExist promises that whoever follows a claim about
// security finds the code that keeps it and the test that shows it.
func TestSecurityNamesTestsAndPlacesThatExist(t *testing.T) {
	shown := 0
	for _, name := range []string{"SECURITY.md", "docs/design/security.md"} {
		n, wrong := checkSecurity(documents(t)[name], os.DirFS("."))
		for _, w := range wrong {
			t.Errorf("%s %s", name, w)
		}
		shown += n
	}
	if shown < leastShown {
		t.Errorf("%d tests are named, want at least %d", shown, leastShown)
	}
}

// checkSecurity counts the tests that a page names, and says what of it is not there.
func checkSecurity(text string, fsys fs.FS) (shown int, wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if text == "" {
		say("is not there")
	}
	for _, m := range shownForm.FindAllStringSubmatch(text, -1) {
		have := testsIn(fsys, m[2])
		for _, name := range tickedForm.FindAllStringSubmatch(m[1], -1) {
			if shown++; !slices.Contains(have, name[1]) {
				say("names %s, and %s has no such test", name[1], m[2])
			}
		}
	}
	for _, m := range tickedForm.FindAllStringSubmatch(shownForm.ReplaceAllString(text, "in `$2`"), -1) {
		switch {
		case playForm.MatchString(m[1]):
			say("names %s and no folder that it is in", m[1])
		case placeForm.MatchString(m[1]):
			if _, err := fs.Stat(fsys, path.Clean(m[1])); err != nil {
				say("names %s, which is not there", m[1])
			}
		}
	}
	return shown, wrong
}

// TestAFalseClaimAboutSecurityIsFound promises that each way in which such a page could
// be wrong is noticed, and that what names nothing of ours is let be.
func TestAFalseClaimAboutSecurityIsFound(t *testing.T) {
	tree := fstest.MapFS{
		"platform/web/web.go":      {Data: []byte("package web\n")},
		"platform/web/web_test.go": {Data: []byte("package web\nfunc TestOne(t int) {}\nfunc FuzzTwo(f int) {}\nfunc helper() {}\n")},
		"all_test.go":              {Data: []byte("package gavel_test\nfunc TestAll(t int) {}\n")},
	}
	for text, want := range map[string]int{
		"`TestOne`, `FuzzTwo` in `platform/web`; `TestAll` in `.`":       0,
		"kept by `platform/web/web.go` and `platform/web/`":              0,
		"`/verify`, `make bar-authz`, `https://x/y`, `org`, `a b/c`":     0,
		"`TestThree` in `platform/web`":                                  1,
		"`TestOne` in `platform/api`":                                    2, // neither the folder nor the test
		"`TestOne`, `TestThree` in `platform/web`, `TestFour` elsewhere": 2,
		"`TestOne`":              1,
		"`platform/web/gone.go`": 1,
		"a link to [one](x) and `platfrom/web` and `cmd/gavel/config.go`": 2,
		"": 1,
	} {
		if _, got := checkSecurity(text, tree); len(got) != want {
			t.Errorf("%q: got %q, want %d findings", text, got, want)
		}
	}
}
