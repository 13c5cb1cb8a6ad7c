// Package docrun finds the commands in documents and runs them, so that what people
// copy works.
//
// A fenced block of a document whose first word is sh is for people to copy, and its
// second word is run: a block that nobody runs is shown as console or text instead.
// Blocks finds them and Check says which break that rule; Run copies the checkout and
// types them as a new user would, one shell for each document.
package docrun

import (
	"fmt"
	"slices"
	"strings"
)

// A Block is one fenced block.
type Block struct {
	File string
	Line int      // of the opening fence
	Info []string // the words after it: sh run interrupt
	Text string   // ends with a newline, unless it is empty

	unclosed bool
}

// The words after a fence.
const (
	shell     = "sh"
	runs      = "run"
	interrupt = "interrupt" // runs until Ctrl-C
)

// Place is where a block stands.
func (b Block) Place() string { return fmt.Sprintf("%s:%d", b.File, b.Line) }

// Shell reports whether a block is commands for a person to copy.
func (b Block) Shell() bool { return len(b.Info) > 0 && b.Info[0] == shell }

// Interrupted reports whether a block runs until somebody presses Ctrl-C.
func (b Block) Interrupted() bool { return b.Shell() && slices.Contains(b.Info[1:], interrupt) }

// Blocks finds every fenced block of a document, as CommonMark has it: three or more
// backticks or tildes, set in by at most three columns, up to a fence of the same kind
// that is as long. A block in a list is set in as its text is.
func Blocks(file, text string) []Block {
	var all []Block
	var open *Block
	var with fence
	line := 0
	for full := range strings.Lines(text) {
		line++
		bare := strings.TrimRight(full, "\r\n")
		found, is := fenceOf(bare)
		switch {
		case open == nil && is:
			with, open = found, &Block{File: file, Line: line, Info: strings.Fields(found.info), unclosed: true}
		case open == nil:
		case is && found.closes(with):
			open.unclosed = false
			all, open = append(all, *open), nil
		default:
			open.Text += outdent(bare, with.indent) + "\n"
		}
	}
	if open != nil {
		all = append(all, *open)
	}
	return all
}

// A fence is a line that may open or close a block.
type fence struct {
	mark   byte
	length int
	indent int
	info   string
}

// deepest is how far a fence may be set in: three columns at the left margin, and
// what lists add to it.
const deepest = 12

func fenceOf(line string) (fence, bool) {
	rest := strings.TrimLeft(line, " ")
	f := fence{indent: len(line) - len(rest)}
	if rest == "" || f.indent > deepest || rest[0] != '`' && rest[0] != '~' {
		return f, false
	}
	f.mark = rest[0]
	f.info = strings.TrimLeft(rest, string(f.mark))
	f.length = len(rest) - len(f.info)
	f.info = strings.TrimSpace(f.info)
	if f.mark == '`' && strings.Contains(f.info, "`") {
		return f, false // code within a line
	}
	return f, f.length >= 3
}

// closes reports whether a fence ends a block that another opened.
func (f fence) closes(opened fence) bool {
	return f.mark == opened.mark && f.length >= opened.length && f.info == ""
}

// outdent takes away at most so many spaces from the front.
func outdent(line string, columns int) string {
	for columns > 0 && strings.HasPrefix(line, " ") {
		line, columns = line[1:], columns-1
	}
	return line
}

// Check says what is wrong with the blocks of documents: every one is closed, and
// what people copy is run.
func Check(blocks []Block) []string {
	var wrong []string
	for _, b := range blocks {
		known := []string{runs, interrupt}
		switch {
		case b.unclosed:
			wrong = append(wrong, b.Place()+": the block is never closed")
		case !b.Shell():
		case len(b.Info) < 2 || b.Info[1] != runs:
			wrong = append(wrong, b.Place()+": nobody runs this block; write `sh run`, or console where it only shows a form")
		case slices.ContainsFunc(b.Info[1:], func(w string) bool { return !slices.Contains(known, w) }):
			wrong = append(wrong, fmt.Sprintf("%s: %q is not known; there are %s", b.Place(), strings.Join(b.Info, " "),
				strings.Join(known, " and ")))
		case strings.TrimSpace(b.Text) == "":
			wrong = append(wrong, b.Place()+": the block is empty")
		}
	}
	return wrong
}
