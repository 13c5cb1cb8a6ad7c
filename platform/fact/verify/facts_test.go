package verify_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact"
)

var update = flag.Bool("update", false, "write the golden files")

// TestFactTableIsCurrent keeps testdata/FACTS.md, which people who write texts
// for the corpus read instead of the worlds.
func TestFactTableIsCurrent(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Facts of the three worlds\n\nWritten by `go test -update`. A text cites a fact by its name here: `{{pow.1|abs}}`.\n")
	for _, name := range []string{"report", "airshed", "netra"} {
		w := loadWorld(t, name)
		fmt.Fprintf(&b, "\n## %s\n\nNames that may be used (English · Hindi):\n\n", name)
		for _, d := range w.profile.Dimensions {
			for _, m := range d.Members {
				fmt.Fprintf(&b, "- %s `%s`: %s · %s\n", d.Name, m.ID, strings.Join(m.Names.EN, ", "), strings.Join(m.Names.HI, ", "))
			}
		}
		b.WriteString("\n| name | shown as | computed by | about |\n|---|---|---|---|\n")
		for _, l := range w.lines {
			f, _ := w.book.Latest(w.ids[l[1]])
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l[1], f.Display, formula(l), about(f))
		}
	}
	const path = "testdata/FACTS.md"
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s is not what the worlds say: run go test -update and read the difference", path)
	}
}

func formula(l []string) string {
	if l[0] != "derive" {
		return ""
	}
	return l[2] + "(" + strings.Join(l[3:], ", ") + ")"
}

func about(f fact.Fact) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(f.Subject.IDs)) {
		out = append(out, k+"="+f.Subject.IDs[k])
	}
	return strings.Join(out, " ")
}
