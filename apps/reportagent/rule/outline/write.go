package outline

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fault"
)

// Render is the file again: its pieces, one after the other.
func (d *Document) Render() []byte {
	var b bytes.Buffer
	put := func(pieces ...Piece) {
		for _, p := range pieces {
			b.Write(d.source[p.Span.Start:p.Span.End])
		}
	}
	put(d.Preamble...)
	for _, s := range d.Sections {
		put(s.Heading)
		put(s.Pieces...)
	}
	return b.Bytes()
}

// CheckDraft finds what would corrupt an outline if a draft were written into a section of a level: a comment, a heading
// that would end the section, a fence that is not closed.
func CheckDraft(level int, draft string) diagnostic.List {
	var list diagnostic.List
	if i := strings.Index(draft, "<!--"); i >= 0 {
		list.Add("R019", diagnostic.Error, 1+strings.Count(draft[:i], "\n"), "a draft must not contain a comment")
	}
	var ignored diagnostic.List
	s := scanner{src: []byte(draft), line: 1, diagnostics: &ignored}
	s.run()
	n := 0
	for _, p := range s.pieces {
		if p.Kind != Heading {
			continue
		}
		if t := s.titles[n]; t.level <= level {
			list.Add("R019", diagnostic.Error, p.Line,
				"the heading %q would end the section: a draft may have headings below level %d only", t.text, level)
		}
		n++
	}
	if s.fence != "" {
		list.Add("R019", diagnostic.Error, s.fenced, "the code that begins here is not closed")
	}
	list.Sort()
	return list
}

// Write is the file with the draft of a section replaced, and not a byte else: comments, headings and the blank lines
// around the draft stay. was is the Hash of the content the draft is meant to replace; if the section says something
// else by now, nothing is written, because what a person typed is never lost.
func (d *Document) Write(id, was, draft string) ([]byte, error) {
	again, err := d.Put(id, was, draft)
	if err != nil {
		return nil, err
	}
	return again.source, nil
}

// Put is Write, and gives back the document as it is read afterwards.
func (d *Document) Put(id, was, draft string) (*Document, error) {
	i := slices.IndexFunc(d.Sections, func(s Section) bool { return s.ID == id })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "there is no section %.80q", id)
	}
	s := d.Sections[i]
	if s.Hash() != was {
		return nil, fault.New(fault.Stale, "section %s changed since it was read", id)
	}
	draft = trimLines(strings.ReplaceAll(draft, "\r\n", "\n"))
	if found := CheckDraft(s.Level, draft); len(found) > 0 {
		return nil, fault.New(fault.Invalid, "the draft of %s cannot be written: %s", id, found[0])
	}
	out := d.replace(s, strings.ReplaceAll(draft, "\n", d.newline))
	return d.unharmed(i, draft, out)
}

// replace puts a draft in the place of a section's text, or behind its comments if it has none.
func (d *Document) replace(s Section, draft string) []byte {
	var out []byte
	from, placed := 0, false
	for _, p := range s.Pieces {
		if p.Kind != Text || len(bytes.TrimSpace(d.source[p.Span.Start:p.Span.End])) == 0 {
			continue
		}
		inner, before, after := d.inner(p.Span)
		out = append(out, d.source[from:inner.Start]...)
		if !placed && draft != "" {
			out = append(append(append(out, before...), draft...), after...)
		}
		from, placed = inner.End, true
	}
	if !placed && draft != "" {
		at := d.gap(s)
		out = append(out, d.source[:at]...)
		if at > 0 && d.source[at-1] != '\n' {
			out = append(out, d.newline...)
		}
		out = append(append(append(out, d.newline...), draft...), d.newline...)
		if next := bytes.TrimLeft(d.source[at:], " \t\r"); len(next) > 0 && next[0] != '\n' {
			out = append(out, d.newline...)
		}
		from = at
	}
	return append(out, d.source[from:]...)
}

// inner is a text without the blank lines around it, and the newlines a draft needs where a comment stands on its line.
func (d *Document) inner(p Span) (inner Span, before, after string) {
	text := d.source[p.Start:p.End]
	first := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	if i := bytes.LastIndexByte(text[:first], '\n'); i >= 0 {
		first = i + 1 // with its indent
	} else if p.Start > 0 && d.source[p.Start-1] != '\n' {
		before = d.newline
	} else {
		first = 0
	}
	last := len(bytes.TrimRight(text, " \t\r\n"))
	if !bytes.ContainsRune(text[last:], '\n') && p.End < len(d.source) {
		after = d.newline
	}
	return Span{p.Start + first, p.Start + last}, before, after
}

// gap is where a first draft goes: behind the line of the last comment, or of the heading.
func (d *Document) gap(s Section) int {
	at := s.Heading.Span.End
	for _, p := range s.Pieces {
		if p.Kind != Text {
			at = p.Span.End
		}
	}
	rest := d.source[at:]
	if line := bytes.TrimLeft(rest, " \t\r"); len(line) > 0 && line[0] == '\n' && (at == 0 || d.source[at-1] != '\n') {
		at += len(rest) - len(line) + 1
	}
	return at
}

// unharmed reads what would be written and refuses it if anything but the one section came out otherwise.
func (d *Document) unharmed(i int, draft string, out []byte) (*Document, error) {
	again, err := Parse(out)
	if err != nil {
		return nil, err
	}
	alone, err := Parse([]byte(draft))
	if err != nil {
		return nil, err
	}
	more := len(alone.Sections)
	bad := len(again.Sections) != len(d.Sections)+more
	for k := 0; !bad && k < len(d.Sections); k++ {
		old, now := d.Sections[k], again.Sections[k]
		if k > i {
			now = again.Sections[k+more]
		}
		same := old.ID == now.ID && old.Level == now.Level && old.Instructions == now.Instructions && len(old.Reviews) == len(now.Reviews)
		bad = !same || k != i && old.Content != now.Content || k == i && more == 0 && now.Prose != draft
	}
	if bad {
		return nil, fault.New(fault.Invalid, "the draft of %s cannot be written: the file would be read otherwise afterwards",
			d.Sections[i].ID)
	}
	return again, nil
}
