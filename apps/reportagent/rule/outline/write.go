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
	if d.Sections[i].Hash() != was {
		return nil, fault.New(fault.Stale, "section %s changed since it was read", id)
	}
	return d.Fill(map[string]string{id: draft})
}

// Fill puts the drafts of several sections in at once, by id, whatever the sections say now: the file is read once again, however many
// there are.
func (d *Document) Fill(drafts map[string]string) (*Document, error) {
	known, said, added := 0, map[int]string{}, map[int]int{}
	var all []edit
	for i, s := range d.Sections {
		draft, is := drafts[s.ID]
		if !is {
			continue
		}
		known++
		draft = trimLines(strings.ReplaceAll(draft, "\r\n", "\n"))
		if found := CheckDraft(s.Level, draft); len(found) > 0 {
			return nil, fault.New(fault.Invalid, "the draft of %s cannot be written: %s", s.ID, found[0])
		}
		alone, err := Parse([]byte(draft))
		if err != nil {
			return nil, err
		}
		said[i], added[i] = draft, len(alone.Sections)
		all = append(all, d.edits(s, strings.ReplaceAll(draft, "\n", d.newline))...)
	}
	if known < len(drafts) {
		return nil, fault.New(fault.NotFound, "%d of the sections to be filled are not there", len(drafts)-known)
	}
	again, err := Parse(d.edited(all))
	if err != nil {
		return nil, err
	}
	return again, d.unharmed(again, said, added)
}

// An edit is a text in the place of some bytes.
type edit struct {
	Span

	text string
}

// edited is the file after edits, which are in its order.
func (d *Document) edited(all []edit) []byte {
	var out []byte
	from := 0
	for _, e := range all {
		out = append(append(out, d.source[from:e.Start]...), e.text...)
		from = e.End
	}
	return append(out, d.source[from:]...)
}

// edits put a draft in the place of a section's text, or behind its comments if it has none.
func (d *Document) edits(s Section, draft string) (all []edit) {
	for _, p := range s.Pieces {
		if p.Kind != Text || len(bytes.TrimSpace(d.source[p.Span.Start:p.Span.End])) == 0 {
			continue
		}
		inner, before, after := d.inner(p.Span)
		text := ""
		if len(all) == 0 && draft != "" {
			text = before + draft + after
		}
		all = append(all, edit{inner, text})
	}
	if len(all) > 0 || draft == "" {
		return all
	}
	at, text := d.gap(s), d.newline+draft+d.newline
	if at > 0 && d.source[at-1] != '\n' {
		text = d.newline + text
	}
	if next := bytes.TrimLeft(d.source[at:], " \t\r"); len(next) > 0 && next[0] != '\n' {
		text += d.newline
	}
	return []edit{{Span{at, at}, text}}
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

// unharmed refuses what would be written if anything but the sections that were filled came out otherwise. said is what was put into
// each, and added how many headings that has.
func (d *Document) unharmed(again *Document, said map[int]string, added map[int]int) error {
	more := 0
	for k, old := range d.Sections {
		at := k + more
		draft, filled := said[k]
		more += added[k]
		if at >= len(again.Sections) {
			return harmed(old.ID)
		}
		now := again.Sections[at]
		same := old.ID == now.ID && old.Level == now.Level && old.Instructions == now.Instructions && len(old.Reviews) == len(now.Reviews)
		if !same || !filled && old.Content != now.Content || filled && added[k] == 0 && now.Prose != draft {
			return harmed(old.ID)
		}
	}
	if len(again.Sections) != len(d.Sections)+more {
		return harmed(d.Sections[len(d.Sections)-1].ID)
	}
	return nil
}

func harmed(id string) error {
	return fault.New(fault.Invalid, "the draft cannot be written: section %s would be read otherwise afterwards", id)
}
