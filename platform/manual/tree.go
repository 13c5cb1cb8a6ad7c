package manual

import (
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// readme is the name of the page that a repository shows first.
const readme = "readme"

// readPage makes a page of a Markdown file. Its links lead nowhere until they
// are resolved.
func readPage(parse parser.Parser, file string, source []byte) *page {
	pg := &page{file: file, source: source}
	pg.shelf, pg.name = placed(file)
	pg.title = path.Base(file)
	pg.tree = parse.Parse(text.NewReader(source))
	pg.sections = []section{{heading: pg.title, level: 1}}
	pg.divide(anchors{})
	if pg.shelf == project && pg.name == readme {
		pg.title += ": the README" // as people ask for it: its heading is the product's name
		pg.sections[0].heading = pg.title
	}
	for n := pg.tree.FirstChild(); n != nil && pg.lede == ""; n = n.NextSibling() {
		if n.Kind() == ast.KindParagraph {
			pg.lede = firstSentence(pg.plain(n))
		}
	}
	return pg
}

// divide makes sections of what stands between headings and gives the headings
// their anchors. The title leaves the text: the page's head shows it.
func (pg *page) divide(taken anchors) {
	var said []string
	end := func() {
		pg.sections[len(pg.sections)-1].text = strings.Join(said, " ")
		said = nil
	}
	for n := pg.tree.FirstChild(); n != nil; {
		next := n.NextSibling()
		h, ok := n.(*ast.Heading)
		if !ok {
			said = append(said, pg.plain(n))
			n = next
			continue
		}
		end()
		s := section{heading: pg.plain(h), level: h.Level}
		s.anchor = taken.next(s.heading)
		h.SetAttributeString("id", []byte(s.anchor))
		if h.Level == 1 && len(pg.sections) == 1 && pg.sections[0].anchor == "" {
			pg.title, s.text = s.heading, pg.sections[0].text
			said = []string{s.text}
			pg.sections[0] = s
			pg.tree.RemoveChild(pg.tree, h)
		} else {
			pg.sections = append(pg.sections, s)
		}
		n = next
	}
	end()
}

// anchors are those a page has, with how often each was asked for.
type anchors map[string]int

// next is the anchor of a heading, as GitHub makes it: small letters, digits,
// hyphens for spaces, and a number where the same was there before.
func (a anchors) next(heading string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
	n := a[slug]
	a[slug]++
	if n > 0 {
		return slug + "-" + strconv.Itoa(n)
	}
	return slug
}

// plain is what a reader sees of a node, without marks.
func (pg *page) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ') // words of two cells or lines are two words
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(pg.words(n))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(pg.source))
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.Write(n.Lines().Value(pg.source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// words are those of a text, its escapes undone; in code there are none.
func (pg *page) words(n *ast.Text) []byte {
	raw := n.Value(pg.source)
	if n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan {
		return raw
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
}

var sentenceEnd = regexp.MustCompile(`[.?!]\s`)

// firstSentence is what stands before the first full stop that ends one.
func firstSentence(s string) string {
	if at := sentenceEnd.FindStringIndex(s); at != nil {
		return s[:at[0]+1]
	}
	return s
}

// resolve gives every link of a page the address it leads to, and none where the
// server has nothing: a source file is named, not linked.
func (lib *library) resolve(pg *page, files fs.FS) {
	_ = ast.Walk(pg.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = []byte(lib.leads(pg, string(n.Destination)))
			}
		case *ast.Image:
			if entering {
				n.Destination = []byte(pictured(pg, string(n.Destination)))
				measure(n, files)
			}
		}
		return ast.WalkContinue, nil
	})
}

// leads is the address that a link of a page leads to; empty if there is none.
func (lib *library) leads(pg *page, to string) string {
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(to, scheme) {
			return to
		}
	}
	rel, anchor, hasAnchor := strings.Cut(to, "#")
	if hasAnchor {
		anchor = "#" + anchor
	}
	at := path.Join(path.Dir(pg.file), rel)
	switch found := lib.byFile[at]; {
	case rel == "":
		return anchor
	case strings.Contains(rel, ":"):
		return ""
	case found != nil:
		return found.address() + anchor
	case at == "docs":
		return Path
	case path.Dir(at) == "docs" && lib.holds(path.Base(at)):
		return Path + "#" + path.Base(at)
	case path.Dir(at) == pictures:
		return Path + "/pictures/" + path.Base(at)
	}
	return ""
}

// holds reports whether there is a shelf of this name.
func (lib *library) holds(name string) bool {
	for _, s := range lib.shelves {
		if s.name == name {
			return true
		}
	}
	return false
}
