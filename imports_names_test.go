package gavel_test

import (
	"cmp"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The rules of what the platform knows by name. Comments, documents and tests may speak of
// an application; what runs may not.
var (
	appName = rule{"app-name", "the platform knows no application by name",
		"take it from platform.App, or let the application hand it over"}
	appStyle = rule{"app-style", "an application's rules of the stylesheet are its own",
		"move them under static/css in its page room, which platform.App.Assets hands over"}
	appIcon = rule{"app-icon", "an application's icon is its own",
		"let its pages hand the drawing to web.Icon"}
)

// TestThePlatformKnowsNoApplication promises that no application's name, stylesheet or icon
// is in the platform, so that one that lives elsewhere lacks nothing.
func TestThePlatformKnowsNoApplication(t *testing.T) {
	found, err := checkNames(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestEachNameInThePlatformIsRefused promises that the rules refuse what they are for, and
// let the nearest honest thing pass.
func TestEachNameInThePlatformIsRefused(t *testing.T) {
	const surge = `<path d="M1 1h2"/>`
	for _, tt := range []struct {
		name, rule, file, forbidden, allowed string
	}{
		{"a word", "app-name", "platform/web/x.go",
			"package web\n\nconst home = \"/netra/board\"\n",
			"package web\n\n// Such as /netra/board.\nconst home = \"/board\"\n"},
		{"a title", "app-name", "platform/web/x.go",
			"package web\n\nconst name = \"NE-NETRA\"\n",
			"package web\n\nconst name = \"penetration\"\n"},
		{"a name", "app-name", "platform/web/x.go", "package web\n\nvar netraHome = 1\n", "package web\n\nvar home = 1\n"},
		{"a tag", "app-name", "platform/api/x.go",
			"package api\n\ntype t struct {\n\ta int `json:\"netra\"`\n}\n",
			"package api\n\ntype t struct {\n\ta int `doc:\"Such as netra.\"`\n}\n"},
		{"a template", "app-name", "platform/web/x.templ",
			"package web\n\ntempl x() {\n\t<a href=\"/netra\">x</a>\n}\n",
			"package web\n\n// x is not netra.\ntempl x() {\n\t<a>x</a>\n}\n"},
		{"a script", "app-name", "platform/web/static/x.js", "location = \"/netra\";\n", "// netra has one, too\nlocation = \"/\";\n"},
		{"a stylesheet by its name", "app-name", "platform/web/static/css/6-netra.css", ".shell { top: 0; }\n", ""},
		{"a rule by its name", "app-name", "platform/web/static/css/x.css",
			"#netra .shell { top: 0; }\n",
			"/* not netra */ .shell { top: 0; }\n"},
		{"a rule by its use", "app-style", "platform/web/static/css/x.css", ".score { top: 0; }\n", ".shell { top: 0; }\n"},
		{"an icon in the set", "app-icon", "platform/web/x.go",
			"package web\n\nvar icons = map[string]string{\"surge\": \"<path/>\"}\n",
			"package web\n\nvar icons = map[string]string{\"surge\": \"rise\"}\n"},
		{"an icon on a page", "app-icon", "platform/web/x.templ",
			"package web\n\ntempl x() {\n\t@Icon(\"surge\")\n}\n",
			"package web\n\ntempl x() {\n\t@Icon(\"left\")\n}\n"},
		{"an icon by its drawing", "app-icon", "platform/web/x.go",
			"package web\n\nconst other = `" + surge + "`\n",
			"package web\n\nconst other = `<path d=\"M2 2\"/>`\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, text := range []string{tt.forbidden, tt.allowed} {
				found, err := checkNames(fstest.MapFS{
					tt.file:                          {Data: []byte(text)},
					"platform/web/shell.templ":       {Data: []byte("package web\n\ntempl s() {\n\t<p class=\"shell\"></p>\n}\n")},
					"apps/netra/netra.go":            {Data: []byte("package netra\n\nvar _ = platform.App{Title: \"NE-NETRA\"}\n")},
					"apps/netra/page/home.templ":     {Data: []byte("package page\n\ntempl h() {\n\t<p class=\"score shell\"></p>\n}\n")},
					"apps/netra/page/icon/surge.svg": {Data: []byte(surge + "\n")},
				})
				want := tt.rule
				if text == tt.allowed {
					want = ""
				}
				if tt.allowed == "" && want == "" {
					continue
				}
				var names []string
				for _, f := range found {
					names = append(names, f.rule.name)
				}
				if got := strings.Join(slices.Compact(names), " "); err != nil || got != want {
					t.Errorf("got %q (%v), want %q for\n%s", got, err, want, text)
				}
			}
		})
	}
}

// checkNames reads the files under platform and apps and finds what the platform knows of
// an application.
func checkNames(fsys fs.FS) ([]finding, error) {
	files := map[string]string{} // what is said in each file, without comments
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (foreign(fsys, name) || d.Name() == "vendor" || !under(name, "apps", "platform")):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go"):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if said, ok := spoken(name, string(text)); ok {
			files[name] = said
		}
		return err
	})
	k := newKnown(files)
	var found []finding
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if under(name, "platform") && !strings.HasSuffix(path.Dir(name), "test") {
			found = append(found, k.check(name, files[name])...)
		}
	}
	return found, err
}

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	lineOnly   = regexp.MustCompile(`(?m)^\s*//.*$`)
	docTag     = regexp.MustCompile(`doc:"(?:[^"\\]|\\.)*"`)
)

// spoken is what a file says to who runs it; false for files that say nothing.
func spoken(name, text string) (string, bool) {
	switch path.Ext(name) {
	case ".go":
		return goWords(text), true
	case ".css":
		return cssComment.ReplaceAllString(text, ""), true
	case ".js", ".templ":
		return lineOnly.ReplaceAllString(text, ""), true
	}
	return text, path.Ext(name) == ".svg"
}

// goWords is Go source without comments, and without what tags say to a reader.
func goWords(text string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, 0)
	var out strings.Builder
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return out.String()
		}
		if tok == token.STRING {
			lit = docTag.ReplaceAllString(lit, "")
		}
		out.WriteString(cmp.Or(lit, tok.String()) + " ")
	}
}
