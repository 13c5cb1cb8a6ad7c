package docrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestBlocksAreFoundAsReadersOfMarkdownFindThem(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []Block
	}{
		{"none", "words\n\n    indented code\n", nil},
		{"one", "a\n```sh run\nmake dev\n```\nb\n", []Block{{Line: 2, Info: []string{"sh", "run"}, Text: "make dev\n"}}},
		{"two words more", "```sh run interrupt\nx\n```\n", []Block{{Line: 1, Info: []string{"sh", "run", "interrupt"}, Text: "x\n"}}},
		{"tildes", "~~~ sh run\n```\nx\n~~~\n", []Block{{Line: 1, Info: []string{"sh", "run"}, Text: "```\nx\n"}}},
		{"a longer fence holds a shorter one", "````text\n```sh\nx\n```\n````\n",
			[]Block{{Line: 1, Info: []string{"text"}, Text: "```sh\nx\n```\n"}}},
		{"a longer one closes", "```sh run\nx\n`````\n", []Block{{Line: 1, Info: []string{"sh", "run"}, Text: "x\n"}}},
		{"in a list", "1. do\n   ```sh run\n   if x; then\n     y\n   fi\n   ```\n",
			[]Block{{Line: 2, Info: []string{"sh", "run"}, Text: "if x; then\n  y\nfi\n"}}},
		{"lines of Windows", "```sh run\r\nx\r\n```\r\n", []Block{{Line: 1, Info: []string{"sh", "run"}, Text: "x\n"}}},
		{"code within a line is none", "```sh run``` is a fence\nx\n", nil},
		{"two backticks are none", "``sh run\nx\n``\n", nil},
		{"a fence with words closes nothing", "```sh run\n```sh run\n```\n",
			[]Block{{Line: 1, Info: []string{"sh", "run"}, Text: "```sh run\n"}}},
		{"unclosed", "```sh run\nx\n", []Block{{Line: 1, Info: []string{"sh", "run"}, Text: "x\n", unclosed: true}}},
		{"no end of the last line", "```sh run\nx\n```", []Block{{Line: 1, Info: []string{"sh", "run"}, Text: "x\n"}}},
	} {
		got := Blocks("", tt.text)
		if !slices.EqualFunc(got, tt.want, same) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func same(a, b Block) bool {
	return a.File == b.File && a.Line == b.Line && slices.Equal(a.Info, b.Info) && a.Text == b.Text && a.unclosed == b.unclosed
}

func TestWhatPeopleCopyIsRunOrRefused(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"```sh run\nx\n```\n", ""},
		{"```sh run interrupt\nx\n```\n", ""},
		{"```console\nx\n```\n", ""},
		{"```\nx\n```\n", ""},
		{"```sh\nx\n```\n", "nobody runs"},
		{"~~~sh\nx\n~~~\n", "nobody runs"},
		{"- a\n  ```sh\n  x\n  ```\n", "nobody runs"},
		{"```sh interrupt\nx\n```\n", "nobody runs"},
		{"```sh run slowly\nx\n```\n", "not known"},
		{"```sh run\n\n```\n", "empty"},
		{"```sh run\nx\n", "never closed"},
		{"```console\nx\n", "never closed"},
	} {
		got := strings.Join(Check(Blocks("a.md", tt.text)), "; ")
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestEveryCommandInTheDocumentsIsRun promises it for the README and the guides. That
// they work is seen by `make docs-run`, which takes a few minutes.
func TestEveryCommandInTheDocumentsIsRun(t *testing.T) {
	root := filepath.Join("..", "..")
	found := 0
	files, err := Documents(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		blocks := Blocks(name, string(text))
		for _, wrong := range Check(blocks) {
			t.Error(wrong)
		}
		for _, b := range blocks {
			if b.Shell() {
				found++
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d blocks of commands were found", found)
	}
}

// FuzzBlocks promises that no text is read for ever or past its end, and that what is
// in a block stood in the text.
func FuzzBlocks(f *testing.F) {
	for _, seed := range []string{"```sh run\nx\n```\n", "~~~\n```\n~~~", "   ````a b\n  x\n   ````", "```", "`\n``\n```\n````\n",
		"\r\n```\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for i, b := range Blocks("x.md", text) {
			if b.Line <= last || b.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("block %d stands in line %d", i, b.Line)
			}
			last = b.Line
			for line := range strings.Lines(b.Text) {
				if !strings.Contains(text, strings.TrimSuffix(line, "\n")) {
					t.Fatalf("%q is not in the text", line)
				}
			}
		}
		Check(Blocks("x.md", text))
	})
}
