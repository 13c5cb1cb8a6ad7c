package outline_test

import (
	"bytes"
	"flag"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
)

var outlines = flag.Int("outlines", 10_000, "generated outlines")

// A wanted section is what a generated one must be read as.
type wanted struct {
	title, instructions string
	level, reviews      int
	ratings             map[string]int
	content             string
}

// TestGeneratedOutlinesComeBack promises, of ten thousand generated outlines: what was put in is read out, no byte is lost,
// reading what was rendered changes nothing, and a draft that is written is read back with everything else as it was.
func TestGeneratedOutlinesComeBack(t *testing.T) {
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if err := f.Value.Set(strconv.Itoa(*outlines)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Value.Set(before) }() // it was its value
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		text, want := drawOutline(t)
		d, err := outline.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, d, want)
		roundTrip(t, d, text)
		write(t, d)
		fill(t, d)
		made++
	})
	if made < *outlines && !testing.Short() { // which tries a fifth of them
		t.Errorf("only %d outlines were made", made)
	}
}

func compare(t *rapid.T, d *outline.Document, want []wanted) {
	if len(d.Sections) != len(want) {
		t.Fatalf("got %d sections, want %d", len(d.Sections), len(want))
	}
	taken := map[string]bool{}
	for i, w := range want {
		s := d.Sections[i]
		if s.Title != w.title || s.Level != w.level || s.Instructions != w.instructions || len(s.Reviews) != w.reviews ||
			s.Content != w.content {
			t.Fatalf("got %+v, want %+v", s, w)
		}
		if w.reviews > 0 && !maps.Equal(s.Reviews[0].Ratings, w.ratings) {
			t.Fatalf("got %v, want %v", s.Reviews[0].Ratings, w.ratings)
		}
		if taken[s.ID] || s.ID == "" {
			t.Fatalf("id %q is empty or there twice", s.ID)
		}
		taken[s.ID] = true
		for _, p := range d.Sections[:i] {
			if p.ID == s.Parent && p.Level >= s.Level {
				t.Fatalf("%s is no parent of %s", p.ID, s.ID)
			}
		}
	}
}

// roundTrip checks that no byte is lost and that reading again changes nothing.
func roundTrip(t rapid.TB, d *outline.Document, text string) {
	rendered := d.Render()
	if string(rendered) != text {
		t.Fatalf("rendered %q, want %q", rendered, text)
	}
	again, err := outline.Parse(rendered)
	if err != nil || len(again.Sections) != len(d.Sections) || !slices.Equal(again.Diagnostics, d.Diagnostics) {
		t.Fatalf("read again: %v", err)
	}
	for i, s := range again.Sections {
		o := d.Sections[i]
		if s.ID != o.ID || s.Content != o.Content || s.Instructions != o.Instructions || !slices.Equal(s.Pieces, o.Pieces) {
			t.Fatalf("read again: got %+v, want %+v", s, o)
		}
	}
}

// write puts a draft into a section and reads the file again.
func write(t *rapid.T, d *outline.Document) {
	if len(d.Sections) == 0 {
		return
	}
	s := d.Sections[rapid.IntRange(0, len(d.Sections)-1).Draw(t, "section")]
	draft := strings.Join(rapid.SliceOfN(rapid.SampledFrom(draftLines), 1, 5).Draw(t, "draft"), "\n")
	out, err := d.Write(s.ID, s.Hash(), draft)
	if err != nil {
		t.Fatalf("%q into %s: %v", draft, s.ID, err)
	}
	again, err := outline.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range d.Sections {
		n := again.Sections[i]
		want := o.Prose
		if o.ID == s.ID {
			want = strings.TrimRight(strings.TrimLeft(draft, "\n"), "\n")
		}
		if n.ID != o.ID || n.Instructions != o.Instructions || len(n.Reviews) != len(o.Reviews) || n.Prose != want {
			t.Fatalf("%s: got %+v, want prose %q", o.ID, n, want)
		}
	}
	if comments(d) != comments(again) {
		t.Fatalf("comments changed: %q", out)
	}
	same, err := again.Write(s.ID, again.Sections[slices.Index(ids(again), s.ID)].Hash(), draft)
	if err != nil || !bytes.Equal(same, out) {
		t.Fatalf("writing it twice gave %q, want %q (%v)", same, out, err)
	}
}

// fill puts drafts into several sections at once, which must be what comes of putting them in one by one.
func fill(t *rapid.T, d *outline.Document) {
	drafts := map[string]string{}
	one := d
	for _, s := range d.Sections {
		if !rapid.Bool().Draw(t, "filled") {
			continue
		}
		draft := strings.Join(rapid.SliceOfN(rapid.SampledFrom(draftLines), 1, 3).Draw(t, "draft"), "\n")
		drafts[s.ID] = draft
		now, err := one.Find(s.ID)
		if err == nil {
			one, err = one.Put(s.ID, now.Hash(), draft)
		}
		if err != nil {
			t.Fatalf("%q into %s: %v", draft, s.ID, err)
		}
	}
	all, err := d.Fill(drafts)
	if err != nil || !bytes.Equal(all.Render(), one.Render()) {
		t.Fatalf("filled at once %v: got %q, one by one %q", err, all.Render(), one.Render())
	}
}

// comments counts the comments of a document.
func comments(d *outline.Document) (n int) {
	for _, s := range d.Sections {
		for _, p := range s.Pieces {
			if p.Kind != outline.Text {
				n++
			}
		}
	}
	return n
}

var (
	titles = []string{"Emissions", "Transport", "Overall", "CO₂ emissions", "1.5°C pathway", "!!!", "Section 3", "परिवहन", "C#",
		"a < b"}
	draftLines = []string{"Power falls by {{F17|abs}} in 1p5DS.", "", "- a list", "    code", "> said", "```\n# code <\n```", "#tag",
		"a --> b", "==="}
	parts      = []string{"instructions", "review", "other", "text", "fence", "blank", "empty review"}
	otherParts = map[string]string{"other": "<!-- keep\nme -->", "text": "Some text, with # and --> in it.",
		"fence": "~~~ md\n# code\n<!-- code\n~~~", "blank": ""}
	eols = []string{"\n", "\r\n"}
)

func drawOutline(t *rapid.T) (string, []wanted) {
	eol := rapid.SampledFrom(eols).Draw(t, "eol")
	var b strings.Builder
	if rapid.Bool().Draw(t, "mark") {
		b.WriteString("\xef\xbb\xbf")
	}
	if rapid.Bool().Draw(t, "preamble") {
		b.WriteString("<!-- report-meta: {} -->" + eol + "before" + eol)
	}
	var want []wanted
	for range rapid.IntRange(0, 7).Draw(t, "sections") {
		text, w := drawSection(t)
		b.WriteString(strings.ReplaceAll(text, "\n", eol))
		want = append(want, w)
	}
	return b.String(), want
}

func drawSection(t *rapid.T) (string, wanted) {
	w := wanted{title: rapid.SampledFrom(titles).Draw(t, "title"), level: rapid.IntRange(1, 6).Draw(t, "level")}
	head := strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent")) + strings.Repeat("#", w.level) +
		rapid.SampledFrom([]string{" ", "\t", "  "}).Draw(t, "gap") + w.title
	if rapid.IntRange(0, 5).Draw(t, "pinned") == 0 {
		head += " {#pin-" + strconv.Itoa(rapid.IntRange(1, 3).Draw(t, "pin")) + "}"
	}
	if rapid.IntRange(0, 3).Draw(t, "closed") == 0 {
		head += " ###"
	}
	var body, content []string
	for range rapid.IntRange(0, 5).Draw(t, "parts") {
		switch part := rapid.SampledFrom(parts).Draw(t, "part"); part {
		case "instructions":
			text := rapid.SampledFrom([]string{"Give an overview", "Compare:\n# scenarios\n```", "a = b"}).Draw(t, "instructions")
			body = append(body, "<!--Section instructions: "+text+"\n-->")
			w.instructions = strings.TrimPrefix(w.instructions+"\n\n"+text, "\n\n")
		case "review":
			text, ratings := drawReview(t)
			body = append(body, text)
			if w.reviews++; w.reviews == 1 {
				w.ratings = ratings
			}
		case "empty review":
			body = append(body, "<!-- Review comments: -->")
		default:
			text := otherParts[part]
			body, content = append(body, text), append(content, text)
			continue
		}
		content = append(content, "") // the line that the comment leaves behind
	}
	w.content = strings.TrimLeft(strings.TrimRight(strings.Join(content, "\n"), "\n"), "\n")
	return head + "\n" + strings.Join(append(body, ""), "\n"), w
}

func drawReview(t *rapid.T) (string, map[string]int) {
	ratings := map[string]int{}
	var pairs []string
	for _, d := range outline.Dimensions() {
		n := rapid.IntRange(1, 5).Draw(t, d)
		ratings[d] = n
		pairs = append(pairs, strings.ToUpper(d[:1])+d[1:]+" = "+strconv.Itoa(n))
	}
	return "<!-- Review comments:\nAUTHOR: somebody\nRATING: " + strings.Join(pairs, "; ") + "\nNOTES: more, please\n-->", ratings
}

// FuzzParse looks for a file that is not read, or not given back.
func FuzzParse(f *testing.F) {
	f.Add([]byte(golden))
	f.Add([]byte("\xef\xbb\xbf# A <!-- x\n<!-- Review comments: RATING: a=,accuracy=5/5;; -->\r\n```\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := outline.Parse(text)
		if err != nil {
			return
		}
		roundTrip(t, d, string(text))
		lines := bytes.Count(text, []byte("\n")) + 1
		for i, item := range d.Diagnostics {
			if item.Line < 1 || item.Line > lines || i > 0 && item.Line < d.Diagnostics[i-1].Line {
				t.Fatalf("%v in a file of %d lines", d.Diagnostics, lines)
			}
		}
		seen := map[string]bool{}
		for _, s := range d.Sections {
			if s.ID == "" || seen[s.ID] || s.Level < 1 || s.Level > 6 {
				t.Fatalf("section %+v", s)
			}
			seen[s.ID] = true
			out, err := d.Write(s.ID, s.Hash(), "{{F1}} falls.")
			if err != nil {
				continue // refused: what was not written cannot be wrong
			}
			again, err := outline.Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := again.Find(s.ID); err != nil || n.Prose != "{{F1}} falls." {
				t.Fatalf("wrote %q, read %+v (%v)", out, n, err)
			}
		}
	})
}
