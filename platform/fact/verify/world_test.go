package verify_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// A world is a made-up case: facts by a name that texts use in place of their
// F-number, and the profile of the application that would write about it. The
// form of its file is told in testdata/README.md.
type world struct {
	name    string
	lines   [][]string // fact and derive lines, in order
	profile verify.Profile
	roles   map[string]string // dimension → scenario or category
	whole   map[string]bool   // members that are the sum of others, or not comparable with them
	ids     map[string]fact.ID
	book    *fact.Book
	ready   map[string]*verify.Verifier // by what must be mentioned
}

const code = "test-1"

func loadWorld(t testing.TB, name string) *world {
	t.Helper()
	w := &world{name: name, roles: map[string]string{}, whole: map[string]bool{}, ready: map[string]*verify.Verifier{},
		profile: verify.Profile{
			Name: name, Units: map[string][]string{},
			Forbid: []verify.Forbidden{{Kind: verify.Recommendation}, {Kind: verify.Forecast}},
		}}
	for _, line := range readLines(t, filepath.Join("testdata", "worlds", name+".txt")) {
		if err := w.line(line); err != nil {
			t.Fatalf("%s: %s: %v", name, line, err)
		}
	}
	var err error
	if w.book, w.ids, err = w.build(nil); err != nil {
		t.Fatal(err)
	}
	return w
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if line := strings.TrimSpace(sc.Text()); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func (w *world) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	cols := strings.Split(rest, "|")
	for i := range cols {
		cols[i] = strings.TrimSpace(cols[i])
	}
	head := strings.Fields(cols[0])
	switch word {
	case "dim":
		w.roles[head[0]] = head[1]
		w.profile.Dimensions = append(w.profile.Dimensions, prose.Dimension{Name: head[0]})
	case "noun":
		w.dim(head[0]).Nouns = fact.Names{EN: list(cols[1]), HI: list(cols[2])}
	case "id":
		d := w.dim(head[0])
		d.Members = append(d.Members, prose.Member{ID: head[1], Names: fact.Names{EN: list(cols[1]), HI: list(cols[2])}})
	case "whole":
		for _, id := range head[1:] {
			w.whole[id] = true
		}
	case "unit":
		w.profile.Units[cols[0]] = list(cols[1])
	case "figure":
		w.profile.Figures = list(rest)
	case "final":
		w.profile.FinalYear, _ = strconv.Atoi(rest)
	case "allow":
		w.profile.Allow = append(w.profile.Allow, rest)
	case "fact", "derive":
		w.lines = append(w.lines, append([]string{word}, head...))
	default:
		return fmt.Errorf("unknown line")
	}
	return nil
}

func (w *world) dim(name string) *prose.Dimension {
	for i := range w.profile.Dimensions {
		if w.profile.Dimensions[i].Name == name {
			return &w.profile.Dimensions[i]
		}
	}
	panic("no dimension " + name)
}

func list(s string) []string {
	var out []string
	for _, x := range strings.Split(s, ";") {
		if x = strings.TrimSpace(x); x != "" {
			out = append(out, x)
		}
	}
	return out
}

// build makes the book. change, where given, replaces the number of a named fact.
func (w *world) build(change map[string]string) (*fact.Book, map[string]fact.ID, error) {
	book, ids := fact.NewBook("case_"+w.name), map[string]fact.ID{}
	for _, l := range w.lines {
		f, err := w.enter(book, ids, l, change)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %v: %w", w.name, l, err)
		}
		if ids[l[1]] != "" {
			return nil, nil, fmt.Errorf("%s: %s is there twice", w.name, l[1])
		}
		ids[l[1]] = f.ID
	}
	return book, ids, nil
}

func (w *world) enter(book *fact.Book, ids map[string]fact.ID, l []string, change map[string]string) (fact.Fact, error) {
	if l[0] == "derive" {
		return w.derive(book, ids, l)
	}
	f, err := reading(l, change)
	if err != nil {
		return f, err
	}
	return book.Add(f)
}

func (w *world) derive(book *fact.Book, ids map[string]fact.ID, l []string) (fact.Fact, error) {
	in := make([]fact.ID, len(l)-3)
	for i, n := range l[3:] {
		if ids[n] == "" {
			return fact.Fact{}, fmt.Errorf("no fact %s", n)
		}
		in[i] = ids[n]
	}
	return book.Derive(fact.Op(l[2]), code, in...)
}

func reading(l []string, change map[string]string) (fact.Fact, error) {
	value := l[3]
	if v, ok := change[l[1]]; ok {
		value = v
	}
	unit := strings.ReplaceAll(l[4], "_", " ")
	if unit == "-" {
		unit = ""
	}
	decimals, err := strconv.Atoi(l[5])
	if err != nil {
		return fact.Fact{}, err
	}
	ids := map[string]string{}
	for _, kv := range l[6:] {
		k, v, _ := strings.Cut(kv, "=")
		ids[k] = v
	}
	return fact.Read(fact.Reading{
		Kind: fact.Kind(l[2]), Number: value, Unit: unit, Decimals: decimals,
		Subject: fact.Subject{Type: "series", IDs: ids},
		Source:  fact.Source{Snapshot: strings.Repeat("ab", 32), Selector: fact.Selector{CSV: &fact.CSVCell{Row: 1, Column: "val"}}},
	})
}

// An item is one text of the corpus.
type item struct {
	world, lang string
	tags        []string
	must        string // dimension whose members must all be mentioned
	text        string // with names in place of F-numbers
	where       string
}

func (it item) hard() bool { return slices.Contains(it.tags, "hard") }

func loadItems(t testing.TB, path string) []item {
	t.Helper()
	var out []item
	var head item
	for _, line := range readLines(t, path) {
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			words := strings.Fields(rest)
			head = item{world: words[0], lang: words[1]}
			for _, w := range words[2:] {
				if m, ok := strings.CutPrefix(w, "must="); ok {
					head.must = m
				} else {
					head.tags = append(head.tags, w)
				}
			}
			continue
		}
		it := head
		it.text = strings.ReplaceAll(line, `\n`, "\n")
		it.where = fmt.Sprintf("%s #%d", filepath.Base(path), len(out)+1)
		out = append(out, it)
	}
	return out
}

// numbered puts F-numbers for names.
func (w *world) numbered(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		body, after, _ := strings.Cut(rest, "}}")
		name, opts, has := strings.Cut(body, "|")
		if w.ids[name] == "" {
			t.Fatalf("%s: no fact is called %q in %q", w.name, name, text)
		}
		b.WriteString("{{" + string(w.ids[name]))
		if has {
			b.WriteString("|" + opts)
		}
		b.WriteString("}}")
		text = after
	}
}

// verifier is the world's own, with the must-mention of an item.
func (w *world) verifier(t testing.TB, must string) *verify.Verifier {
	t.Helper()
	if v := w.ready[must]; v != nil {
		return v
	}
	p := w.profile
	if must != "" {
		p.Must = []verify.Must{{Dimension: must}}
	}
	v, err := verify.New(p)
	if err != nil {
		t.Fatal(err)
	}
	w.ready[must] = v
	return v
}

func (w *world) check(t testing.TB, must, text string, book *fact.Book, pins map[fact.ID]int) verify.Report {
	t.Helper()
	r, err := w.verifier(t, must).Check(verify.Document{Parts: []verify.Part{{Text: text}}, Pins: pins}, book)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func worlds(t testing.TB) map[string]*world {
	out := map[string]*world{}
	for _, n := range []string{"report", "airshed", "netra"} {
		out[n] = loadWorld(t, n)
	}
	return out
}

func trueItems(t testing.TB) []item {
	var out []item
	paths, _ := filepath.Glob("testdata/true/*.txt")
	slices.Sort(paths)
	for _, p := range paths {
		out = append(out, loadItems(t, p)...)
	}
	return out
}
