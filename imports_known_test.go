package gavel_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// known is what applications call their own.
type known struct {
	called []string // their names and titles
	names  *regexp.Regexp
	icons  map[string]string          // name to drawing
	words  map[string]map[string]bool // what is named in the sources of the platform, and of each application
}

var (
	titleForm = regexp.MustCompile(`\bTitle : ("[^"]+")`)
	classForm = regexp.MustCompile(`\.([a-z][\w-]*)`)
	headForm  = regexp.MustCompile(`([^{}]*)\{`)
)

func newKnown(files map[string]string) known {
	k := known{icons: map[string]string{}, words: map[string]map[string]bool{"platform": {}}}
	called := map[string]bool{}
	for name, text := range files {
		top, rest, _ := strings.Cut(name, "/")
		app, _, _ := strings.Cut(rest, "/")
		whose := "platform"
		if top == "apps" {
			whose, called[app] = app, true
			for _, m := range titleForm.FindAllStringSubmatch(text, -1) {
				if path.Dir(rest) == app {
					called[strings.Trim(m[1], `"`)] = true
				}
			}
		}
		if path.Ext(name) == ".svg" && top == "apps" {
			k.icons[strings.TrimSuffix(path.Base(name), ".svg")] = strings.TrimSpace(text)
		}
		if path.Ext(name) == ".css" {
			continue
		}
		if k.words[whose] == nil {
			k.words[whose] = map[string]bool{}
		}
		for _, w := range strings.FieldsFunc(text, betweenWords) {
			k.words[whose][w] = true
		}
	}
	k.called = slices.Sorted(maps.Keys(called))
	k.names = namesForm(k.called)
	return k
}

// betweenWords reports what stands between the names of classes, icons and variables.
func betweenWords(c rune) bool {
	return c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// namesForm finds one of the names: as a word in any case, or as a part of a name in code.
func namesForm(called []string) *regexp.Regexp {
	var forms []string
	for _, c := range called {
		q := regexp.QuoteMeta(c)
		forms = append(forms, `(?:^|[^A-Za-z])(?i:`+q+`)(?:[^A-Za-z]|$)`, `(?:^|[^A-Za-z])`+q+`[A-Z]`,
			strings.ToUpper(c[:1])+regexp.QuoteMeta(c[1:])+`(?:[^a-z]|$)`)
	}
	return regexp.MustCompile(strings.Join(forms, "|"))
}

// check finds what one file of the platform knows of an application.
func (k known) check(name, text string) []finding {
	var found []finding
	if m := k.names.FindString(path.Base(name)); m != "" {
		found = append(found, finding{name, "is called after an application", appName})
	}
	if m := k.named(text); m != "" {
		found = append(found, finding{name, "says " + strings.TrimSpace(m), appName})
	}
	if path.Ext(name) == ".css" {
		for _, class := range k.foreignClasses(text) {
			found = append(found, finding{name, "has a rule for ." + class + ", which only one application's pages name", appStyle})
		}
	}
	for icon, drawing := range k.icons {
		set := regexp.MustCompile(`"` + icon + "\" ?: ?[\"`]<|Icon ?\\( ?\"" + icon + `"|Icon ?: ?"` + icon + `"`)
		if set.MatchString(text) || strings.Contains(text, drawing) {
			found = append(found, finding{name, "has the icon " + icon, appIcon})
		}
	}
	return found
}

// named is where a text says the name of an application.
func (k known) named(text string) string {
	small := strings.ToLower(text)
	if !slices.ContainsFunc(k.called, func(c string) bool { return strings.Contains(small, strings.ToLower(c)) }) {
		return ""
	}
	return k.names.FindString(text)
}

// foreignClasses are the classes of a stylesheet that nothing of the platform names, and
// the sources of exactly one application do.
func (k known) foreignClasses(css string) []string {
	var out []string
	for _, head := range headForm.FindAllStringSubmatch(css, -1) {
		for _, m := range classForm.FindAllStringSubmatch(head[1], -1) {
			users := 0
			for whose, words := range k.words {
				if words[m[1]] && whose != "platform" {
					users++
				}
			}
			if users == 1 && !k.words["platform"][m[1]] && !slices.Contains(out, m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}
