package outline

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
)

// A scanner cuts a file into pieces, line by line.
type scanner struct {
	src         []byte
	pos         int // of the line being looked at
	begun       int // where the text began that is not a piece yet
	line        int // of counted
	counted     int // up to where newlines were counted
	closing     int // where the next "-->" stands; -1: nowhere; before pos: look again
	fence       string
	fenced      int  // line of the open fence
	paragraph   bool // the line before is text: "===" below it was meant as a heading
	pieces      []Piece
	titles      []title
	diagnostics *diagnostic.List
}

// A title is what a heading says.
type title struct {
	level          int
	text, explicit string
}

const mark = "\xef\xbb\xbf"

var (
	fenceForm    = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$")
	underForm    = regexp.MustCompile(`^ {0,3}=+[ \t]*$`)
	explicitForm = regexp.MustCompile(`[ \t]+\{#(\pL[\pL\pN_-]*)\}$`)
	closingForm  = regexp.MustCompile(`[ \t]+#+$`)
	instructForm = regexp.MustCompile(`(?i)^<!--\s*section\s+instructions?\s*:`)
	reviewForm   = regexp.MustCompile(`(?i)^<!--\s*review\s+comments?\s*:`)
)

func (s *scanner) run() {
	if bytes.HasPrefix(s.src, []byte(mark)) {
		s.pieces = append(s.pieces, Piece{Kind: Mark, Span: Span{0, len(mark)}, Line: 1})
		s.pos, s.begun = len(mark), len(mark)
	}
	for s.pos < len(s.src) {
		end := s.lineEnd(s.pos)
		line := strings.TrimRight(string(s.src[s.pos:end]), "\r\n")
		switch {
		case s.inFence(line):
			s.paragraph, s.pos = false, end
		case s.heading(line, end):
			s.paragraph = false
		default:
			if s.paragraph && underForm.MatchString(line) {
				s.diagnostics.Add("R016", diagnostic.Warning, s.lineAt(s.pos),
					"a line of = does not make a heading here: write # before the title")
			}
			s.paragraph = strings.TrimSpace(line) != "" && !strings.Contains(line, "<!--")
			s.comments(end)
		}
	}
	s.flush(len(s.src))
}

// lineEnd is where the line ends that a position is on, its newline included.
func (s *scanner) lineEnd(from int) int {
	if i := bytes.IndexByte(s.src[from:], '\n'); i >= 0 {
		return from + i + 1
	}
	return len(s.src)
}

// lineAt is the number of the line of a position. Positions are asked for in order.
func (s *scanner) lineAt(pos int) int {
	if pos > s.counted {
		s.line += bytes.Count(s.src[s.counted:pos], []byte("\n"))
		s.counted = pos
	}
	return s.line
}

// flush makes a piece of the text up to a position.
func (s *scanner) flush(to int) {
	if to > s.begun {
		s.pieces = append(s.pieces, Piece{Kind: Text, Span: Span{s.begun, to}, Line: s.lineAt(s.begun)})
		s.begun = to
	}
}

// inFence reports whether a line belongs to fenced code, the fences included.
func (s *scanner) inFence(line string) bool {
	m := fenceForm.FindStringSubmatch(line)
	if s.fence != "" {
		closes := m != nil && m[1][0] == s.fence[0] && len(m[1]) >= len(s.fence) && strings.TrimSpace(m[2]) == ""
		if closes {
			s.fence = ""
		}
		return true
	}
	if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
		return false
	}
	s.fence, s.fenced = m[1], s.lineAt(s.pos)
	return true
}

// heading takes a line that is a heading. A comment may stand behind the title, and begins a piece of its own.
func (s *scanner) heading(line string, end int) bool {
	t, ok := readTitle(line)
	if !ok {
		return false
	}
	s.flush(s.pos)
	at := s.lineAt(s.pos)
	stop := end
	if i := bytes.Index(s.src[s.pos:end], []byte("<!--")); i >= 0 && s.closes(s.pos+i) >= 0 {
		stop = s.pos + i
		t, _ = readTitle(strings.TrimRight(string(s.src[s.pos:stop]), " \t"))
	}
	s.pieces = append(s.pieces, Piece{Kind: Heading, Span: Span{s.pos, stop}, Line: at})
	s.titles = append(s.titles, t)
	s.begun, s.pos = stop, stop
	if stop < end {
		s.comments(end)
	}
	return true
}

// readTitle reads a heading's line: up to three blanks, one to six #, a blank, the title, an id, closing #.
func readTitle(line string) (title, bool) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return title{}, false
	}
	text := strings.TrimLeft(rest, "#")
	t := title{level: len(rest) - len(text)}
	if t.level < 1 || t.level > 6 || text == "" || text[0] != ' ' && text[0] != '\t' {
		return t, false
	}
	text = strings.Trim(text, " \t")
	text = strings.TrimRight(closingForm.ReplaceAllString(text, ""), " \t")
	if m := explicitForm.FindStringSubmatch(text); m != nil {
		t.explicit = m[1]
		text = text[:len(text)-len(m[0])]
	}
	t.text = text
	return t, text != ""
}

// comments takes the comments that begin on the line, and goes on behind the last.
func (s *scanner) comments(end int) {
	for s.pos < end {
		i := bytes.Index(s.src[s.pos:end], []byte("<!--"))
		if i < 0 {
			break
		}
		start := s.pos + i
		stop := s.closes(start)
		if stop < 0 {
			s.diagnostics.Add("R009", diagnostic.Error, s.lineAt(start),
				"this comment is not closed: it is taken as text. Close it with -->")
			s.pos = start + len("<!--")
			continue
		}
		s.flush(start)
		s.pieces = append(s.pieces, Piece{Kind: kindOf(s.src[start:stop]), Span: Span{start, stop}, Line: s.lineAt(start)})
		s.begun, s.pos, end = stop, stop, s.lineEnd(stop)
	}
	s.pos = end
}

// closes is where the comment ends that begins at start, -1 if it has no end: none in the file, or another comment
// begins first. A forgotten --> would otherwise swallow the headings up to the next comment.
func (s *scanner) closes(start int) int {
	from := start + len("<!--")
	if s.closing >= 0 && s.closing < from {
		if i := bytes.Index(s.src[from:], []byte("-->")); i >= 0 {
			s.closing = from + i
		} else {
			s.closing = -1
		}
	}
	if s.closing < 0 || bytes.Contains(s.src[from:s.closing], []byte("<!--")) {
		return -1
	}
	return s.closing + len("-->")
}

func kindOf(comment []byte) Kind {
	switch {
	case instructForm.Match(comment):
		return Instructions
	case reviewForm.Match(comment):
		return ReviewNote
	}
	return Comment
}

// body is what a comment says behind its keyword.
func (d *Document) body(p Piece) string {
	text := strings.ReplaceAll(string(d.source[p.Span.Start:p.Span.End]), "\r\n", "\n")
	_, text, _ = strings.Cut(text, ":")
	return strings.TrimSpace(strings.TrimSuffix(text, "-->"))
}

// bodyLine is the line on which the body of a comment begins.
func (d *Document) bodyLine(p Piece) int {
	text := d.source[p.Span.Start:p.Span.End]
	before, after, _ := bytes.Cut(text, []byte(":"))
	blank := len(after) - len(bytes.TrimLeft(after, " \t\r\n"))
	return p.Line + bytes.Count(before, []byte("\n")) + bytes.Count(after[:blank], []byte("\n"))
}
