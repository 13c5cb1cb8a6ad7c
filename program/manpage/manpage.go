// Package manpage writes manual pages from a tree of commands: what `gavel help` prints,
// in the form that man(1) reads.
//
// The library beside our commands' library takes help for Markdown: it would drop
// <organisation> as a tag and set <a_b_c> in italics. Help is plain text, so it is set as
// it stands. Read Write first.
package manpage

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Header is what stands above and below every page.
type Header struct {
	Program string // "gavel v0.1.0"
	Date    string // "2026-11-14"; may be empty
}

// Section is the section of the manual that commands stand in.
const Section = "1"

// Name is the file of a command's page: "gavel-case-open.1".
func Name(cmd *cobra.Command) string { return title(cmd) + "." + Section }

func title(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Write is the page of one command.
func Write(cmd *cobra.Command, h Header) []byte {
	p := &page{}
	p.macro("TH", strings.ToUpper(title(cmd)), Section, h.Date, h.Program, "Commands of "+cmd.Root().Name())
	p.macro("SH", "NAME")
	p.text(title(cmd) + ` - ` + cmd.Short)
	p.macro("SH", "SYNOPSIS")
	p.block(cmd.UseLine())
	p.macro("SH", "DESCRIPTION")
	p.prose(described(cmd))
	if cmd.HasExample() {
		p.macro("SH", "EXAMPLES")
		p.block(unindent(cmd.Example))
	}
	p.flags("OPTIONS", cmd.NonInheritedFlags())
	p.flags("OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if needs := cmd.Annotations["settings"]; needs != "" {
		p.macro("SH", "SETTINGS IT NEEDS")
		p.block(unindent(needs))
	}
	p.related(cmd)
	return p.Bytes()
}

// described is what a command is for, at such length as it says.
func described(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// A page is one that is being written.
type page struct{ bytes.Buffer }

// macro begins a line that man reads as an order.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(escape(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// text is one line that is filled with its neighbours. One that begins with a dot or a
// quote would be an order.
func (p *page) text(line string) {
	line = escape(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	p.WriteString(line + "\n")
}

// block is text whose lines stay as they are.
func (p *page) block(text string) {
	p.macro("nf")
	for line := range strings.Lines(text) {
		p.text(strings.TrimRight(line, " \n"))
	}
	p.macro("fi")
}

// prose is help: paragraphs with empty lines between. What is set in by two columns is a
// list or a table that would not survive being filled.
func (p *page) prose(text string) {
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		if strings.HasPrefix(part, "  ") {
			p.block(unindent(part))
			continue
		}
		for line := range strings.Lines(part) {
			p.text(strings.TrimSpace(line))
		}
	}
}

func (p *page) flags(heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.macro("SH", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		kind, words := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		p.macro("TP")
		p.text(strings.TrimSpace(name + " " + kind))
		p.text(words)
	})
}

// related are the commands above and right below.
func (p *page) related(cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, title(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, title(sub))
		}
	}
	if len(names) == 0 {
		return
	}
	p.macro("SH", "SEE ALSO")
	for i, name := range names {
		p.text(fmt.Sprintf("%s(%s)%s", name, Section, map[bool]string{true: ","}[i < len(names)-1]))
	}
}

// escape keeps what man would read as more than a letter. A hyphen would be set as a
// dash, and then a flag could not be copied or searched for; a letter beyond ASCII is named,
// since not every reader takes UTF-8.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unindent takes away the two columns that help is set in by.
func unindent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
