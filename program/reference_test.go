package program

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
)

// references are the pages of docs/reference, each with what it is made from.
func references() map[string]func(t *testing.T, p *refPage) {
	return map[string]func(t *testing.T, p *refPage){
		"cli.md":        writeCommands,
		"exit-codes.md": writeExitCodes,
		"settings.md":   writeSettings,
		"tools.md":      writeTools,
		"policies.md":   writePolicies,
		"api.md":        writeOperations,
	}
}

// TestTheReferenceIsWhatTheProgramSays promises that nobody reads about a command,
// a setting, a tool, a policy or an operation that is not there, or is otherwise.
// With -update it writes the pages.
func TestTheReferenceIsWhatTheProgramSays(t *testing.T) {
	const folder = "../docs/reference"
	pages := references()
	for name, write := range pages {
		p := &refPage{}
		p.line("[//]: # (Written by `go test ./program -run Reference -update`: change what it is made from, not this file.)")
		p.line("")
		write(t, p)
		checkReference(t, filepath.Join(folder, name), p.String())
	}
	// for readers of the analyst's guide
	checkReference(t, filepath.Join(folder, "november.json"), string(laketest.File(t, laketest.Surge(t))))
	there, err := filepath.Glob(folder + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if pages[filepath.Base(file)] == nil {
			t.Errorf("%s is written by nobody", file)
		}
	}
}

func checkReference(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	if got != string(want) {
		t.Errorf("%s is not current; run: go test ./program -run Reference -update, and read the diff. The first difference: %s",
			file, firstDifference(got, string(want)))
	}
}

// firstDifference names the first line in which two texts differ.
func firstDifference(got, want string) string {
	is, was := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range is {
		if i >= len(was) || is[i] != was[i] {
			return fmt.Sprintf("line %d, %q", i+1, is[i])
		}
	}
	return fmt.Sprintf("line %d is too much", len(is)+1)
}

// A refPage is a page of Markdown that is being written.
type refPage struct{ strings.Builder }

func (p *refPage) line(format string, args ...any) {
	if len(args) == 0 {
		p.WriteString(format)
	} else {
		fmt.Fprintf(p, format, args...)
	}
	p.WriteByte('\n')
}

// heading is a heading with an empty line around it.
func (p *refPage) heading(level int, text string) {
	p.line("")
	p.line("%s %s", strings.Repeat("#", level), text)
	p.line("")
}

// table begins a table.
func (p *refPage) table(heads ...string) {
	p.row(heads...)
	p.line("|%s", strings.Repeat("---|", len(heads)))
}

// row is a line of a table. What would end a cell is written so that it does not.
func (p *refPage) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(c)
	}
	p.line("| %s |", strings.Join(cells, " | "))
}

// block is text as it is printed.
func (p *refPage) block(kind, text string) {
	p.line("```%s", kind)
	p.line("%s", strings.Trim(text, "\n"))
	p.line("```")
}

// code is a text set as code; nothing where there is none.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// unmarked is text in which nothing is taken for a mark, but for what is set as code.
func unmarked(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}
