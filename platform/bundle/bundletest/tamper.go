package bundletest

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit/audittest"
	"github.com/gavelhq/gavel/platform/bundle"
)

// A Tampering is one way to tamper. Names is what a finding must name.
type Tampering struct {
	Who, What, Names string
	Also             string // what another finding must name
	Kind             string // what it is counted as; nothing means by who does it
	Forge            func(t testing.TB) []byte
	Verdict          bundle.Verdict // that it gets; nothing means altered
}

// byWho is what tampering is counted as, by who does it.
var byWho = map[string]string{
	"careless": "bundle changed",
	"careful":  "bundle changed, and its hashes made to agree",
	"forger":   "bundle signed by somebody else",
	"insider":  "bundle changed, and signed by who holds the key",
}

// Tamper prints, for every kind of tampering, what verifying says, and promises
// that it says so every time.
func Tamper(t *testing.T, all []Tampering, verify func([]byte) *bundle.Report) {
	t.Helper()
	var count audittest.Tally
	for _, k := range all {
		rep := verify(k.Forge(t))
		said, also := naming(rep, k.Names), naming(rep, k.Also)
		want := cmp.Or(k.Verdict, bundle.Altered)
		named := rep.Verdict() == want && said != "" && (also != "" || k.Also == "")
		if !named {
			t.Errorf("%s: %s: verdict %s, findings %v; want %s, and %q named %s",
				k.Who, k.What, rep.Verdict(), rep.Findings(), want, k.Names, k.Also)
		}
		count.Tried(cmp.Or(k.Kind, byWho[k.Who]), named)
		fmt.Printf("%-9s %-76s %s\n", k.Who, k.What, said)
	}
	count.Print()
}

// naming is the first finding that names something.
func naming(rep *bundle.Report, what string) string {
	for _, f := range rep.Findings() {
		if strings.Contains(f.Text, what) || f.What == what {
			return f.Text
		}
	}
	return ""
}

// Whole promises that no bundle is refused that nobody changed, and counts them.
func Whole(t *testing.T, bundles map[string][]byte, verify func([]byte) *bundle.Report) {
	t.Helper()
	var count audittest.Tally
	for name, data := range bundles {
		rep := verify(data)
		if rep.Verdict() != bundle.Genuine {
			t.Errorf("%s: a true bundle is %s: %v", name, rep.Verdict(), rep.Findings())
		}
		count.Whole(rep.Verdict() != bundle.Genuine)
	}
	count.Print()
}

// EverySectionIsTried promises that no section escapes.
func EverySectionIsTried(t *testing.T, sections []bundle.Section, kinds []Tampering) {
	t.Helper()
	for _, section := range sections {
		for _, who := range []string{"careless", "careful", "insider"} {
			tried := func(k Tampering) bool {
				return k.Who == who && strings.Contains(" "+k.What+" "+k.Names, " "+section.Name+"/")
			}
			if !slices.ContainsFunc(kinds, tried) {
				t.Errorf("no %s attacker tampers with section %s", who, section.Name)
			}
		}
	}
}

// Insider is somebody who holds the institution's own key and signs a change.
func Insider(what, names string, mine *Forgery, secret string, change func(t testing.TB, f *Forgery)) Tampering {
	return Tampering{Who: "insider", What: what, Names: names, Forge: func(t testing.TB) []byte {
		f := mine.Copy()
		change(t, f)
		f.SignWith(t, secret)
		return f.Pack(t)
	}}
}

// beside are the files that the manifest does not list.
var (
	beside = []string{"manifest.json", "manifest.note", "manifest.sig"}
	digest = regexp.MustCompile(`[0-9a-f]{64}`)
)

// OutsideKinds tamper with every file and every line there is, by one attacker
// who does no more and one who makes all hashes agree again and cannot sign.
// other is a bundle of another case of the same institution. They come from the
// files that are there, so that a new section is tried without being named.
func OutsideKinds(mine, other *Forgery) []Tampering {
	return unique(append(fileKinds(mine, other), lineKinds(mine, other)...))
}

// both attackers change a file.
func both(mine *Forgery, what, path string, fixes bool, change func(f *Forgery)) []Tampering {
	changed := func() *Forgery {
		f := mine.Copy()
		change(f)
		return f
	}
	kinds := []Tampering{{Who: "careless", What: what, Names: path, Forge: func(t testing.TB) []byte { return changed().Pack(t) }}}
	if !fixes {
		return kinds
	}
	return append(kinds, Tampering{Who: "careful", What: what, Names: "manifest.sig", Forge: func(t testing.TB) []byte {
		f := changed()
		f.KeepPage = path == "index.html" // else making it agree would undo it
		f.FixUp(t)
		return f.Pack(t)
	}})
}

func fileKinds(mine, other *Forgery) []Tampering {
	var kinds []Tampering
	for _, op := range []struct {
		name   string
		change func(f *Forgery, path string, other []byte)
	}{
		{"flip a bit in", func(f *Forgery, path string, _ []byte) { f.Files[path] = flip(f.Files[path]) }},
		{"remove", func(f *Forgery, path string, _ []byte) { delete(f.Files, path) }},
		{"truncate", func(f *Forgery, path string, _ []byte) { f.Files[path] = f.Files[path][:len(f.Files[path])/2] }},
		{"empty", func(f *Forgery, path string, _ []byte) { f.Files[path] = nil }},
		{"double", func(f *Forgery, path string, _ []byte) { f.Twice = path }},
		{"exchange with another case's", func(f *Forgery, path string, other []byte) { f.Files[path] = other }},
	} {
		for _, path := range mine.Paths() {
			theirs := other.counterpart(path)
			if len(mine.Files[path]) == 0 || bytes.Equal(theirs, mine.Files[path]) && strings.HasPrefix(op.name, "exchange") {
				continue // nothing to flip, or nothing to tell apart
			}
			fixes := !slices.Contains(beside, path) && path != "SHA256SUMS" && op.name != "double" // else fixing up would undo it
			what := op.name + " " + digest.ReplaceAllString(path, "<sha256>")
			kinds = append(kinds, both(mine, what, path, fixes, func(f *Forgery) { op.change(f, path, theirs) })...)
		}
	}
	return kinds
}

// Paths are the files of a bundle, in order.
func (f *Forgery) Paths() []string {
	var out []string
	for path := range f.Files {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}

// counterpart is the file that plays the same part as one of another case's.
func (f *Forgery) counterpart(path string) []byte {
	if body, ok := f.Files[path]; ok {
		return body
	}
	dir := path[:strings.LastIndex(path, "/")+1]
	for _, name := range f.Paths() {
		if dir != "" && strings.HasPrefix(name, dir) && digest.MatchString(name) {
			return f.Files[name]
		}
	}
	return nil
}

// unique keeps the first of kinds that are called the same.
func unique(kinds []Tampering) []Tampering {
	seen := map[string]bool{}
	return slices.DeleteFunc(kinds, func(k Tampering) bool {
		name := k.Who + k.What
		defer func() { seen[name] = true }()
		return seen[name]
	})
}

func lineKinds(mine, other *Forgery) []Tampering {
	var kinds []Tampering
	for _, path := range mine.Paths() {
		for _, op := range lineOps(mine, other, path) {
			kinds = append(kinds, both(mine, op.name+" of "+path, path, true,
				func(f *Forgery) { f.Files[path] = Unlines(op.change(Lines(f.Files[path]))) })...)
		}
	}
	return kinds
}

type lineOp struct {
	name   string
	change func([][]byte) [][]byte
}

// lineOps are the operations that make sense for a file.
func lineOps(mine, other *Forgery, path string) []lineOp {
	have := Lines(mine.Files[path])
	if !strings.HasSuffix(path, ".ndjson") || len(have) == 0 {
		return nil
	}
	ops := []lineOp{
		{"flip a bit in a line", func(l [][]byte) [][]byte { l[0] = flip(l[0]); return l }},
		{"remove a line", func(l [][]byte) [][]byte { return slices.Delete(l, len(l)/2, len(l)/2+1) }},
		{"double a line", func(l [][]byte) [][]byte { return append(l, l[len(l)-1]) }},
		{"cut a line short", func(l [][]byte) [][]byte { l[len(l)-1] = l[len(l)-1][:len(l[len(l)-1])/2]; return l }},
	}
	if len(have) > 1 {
		ops = append(ops, lineOp{"exchange two lines", func(l [][]byte) [][]byte { l[0], l[1] = l[1], l[0]; return l }})
	}
	if theirs := Lines(other.Files[path]); len(theirs) > 0 && !bytes.Equal(theirs[len(theirs)-1], have[len(have)-1]) {
		ops = append(ops, lineOp{"put in another case's line instead of one",
			func(l [][]byte) [][]byte { l[len(l)-1] = theirs[len(theirs)-1]; return l }})
	}
	return ops
}

// flip changes one bit in the middle.
func flip(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 1
	return b
}

// Naming says that something else is to be named.
func (k Tampering) Naming(what string) Tampering {
	k.Names = what
	return k
}
