package manual

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// first is before goldmark's own renderers, of which the most eager has 500.
const first = 1

// html is the page's text. Addresses on this site go through href, which keeps a
// language that was chosen by the address.
func (pg *page) html(href func(string) string) (string, error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(
		renderer.WithNodeRenderers(util.Prioritized(&hand{page: pg, href: href}, first))))
	var buf bytes.Buffer
	if err := md.Renderer().Render(&buf, pg.source, pg.tree); err != nil {
		return "", fmt.Errorf("write %s as HTML: %w", pg.file, err)
	}
	return buf.String(), nil
}

// A hand writes the nodes that look otherwise here than goldmark writes them:
// links and pictures lead within the site, code and tables scroll by themselves,
// nothing has a style of its own, and HTML in a document is shown, not obeyed.
type hand struct {
	page *page
	href func(string) string
}

// RegisterFuncs tells goldmark which nodes those are.
func (h *hand) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, h.heading)
	reg.Register(ast.KindLink, h.link)
	reg.Register(ast.KindImage, h.image)
	reg.Register(ast.KindCodeBlock, h.code)
	reg.Register(ast.KindFencedCodeBlock, h.code)
	reg.Register(ast.KindHTMLBlock, h.block)
	reg.Register(ast.KindRawHTML, h.raw)
	reg.Register(tables.KindTable, h.table)
	reg.Register(tables.KindTableCell, h.cell)
	reg.Register(tables.KindTaskCheckBox, h.box)
}

// heading has an anchor, and a link to itself that people can copy.
func (h *hand) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	head := n.(*ast.Heading)
	id := html.EscapeString(attribute(n, "id"))
	switch {
	case entering && id == "":
		fmt.Fprintf(w, "<h%d>", head.Level)
	case entering:
		fmt.Fprintf(w, `<h%d id="%s">`, head.Level, id)
	case id == "":
		fmt.Fprintf(w, "</h%d>\n", head.Level)
	default:
		fmt.Fprintf(w, ` <a class="manual-anchor" href="#%s" aria-label="Link to “%s”">#</a></h%d>`+"\n", id,
			html.EscapeString(h.page.plain(n)), head.Level)
	}
	return ast.WalkContinue, nil
}

// link leads somewhere, or is the name of a file that is not served.
func (h *hand) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(n.(*ast.Link).Destination)
	open, end := `<a href="`+html.EscapeString(h.local(to))+`">`, "</a>"
	if to == "" {
		open, end = "<code>", "</code>"
		if c := n.FirstChild(); c != nil && c.Kind() == ast.KindCodeSpan {
			open, end = "", ""
		}
	}
	if entering {
		_, _ = w.WriteString(open)
	} else {
		_, _ = w.WriteString(end)
	}
	return ast.WalkContinue, nil
}

// local is an address with the language where it is one of ours.
func (h *hand) local(to string) string {
	if strings.HasPrefix(to, Path) {
		return h.href(to)
	}
	return to
}

// image is a picture with its size, or only its words.
func (h *hand) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	words, src := html.EscapeString(h.page.plain(n)), string(n.(*ast.Image).Destination)
	if src == "" {
		_, _ = w.WriteString(words)
		return ast.WalkSkipChildren, nil
	}
	fmt.Fprintf(w, `<img src="%s" alt="%s" loading="lazy"`, html.EscapeString(src), words)
	for _, name := range []string{"width", "height"} {
		if size := attribute(n, name); size != "" {
			fmt.Fprintf(w, ` %s="%s"`, name, size)
		}
	}
	_, _ = w.WriteString(">")
	return ast.WalkSkipChildren, nil
}

// code scrolls in its own region, which keys reach.
func (h *hand) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprintf(w, `<pre class="code" tabindex="0"><code>%s</code></pre>`+"\n", html.EscapeString(string(n.Lines().Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (h *hand) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		text := string(n.Lines().Value(source))
		if b := n.(*ast.HTMLBlock); b.HasClosure() {
			text += string(b.ClosureLine.Value(source))
		}
		fmt.Fprintf(w, "<p>%s</p>\n", html.EscapeString(text))
	}
	return ast.WalkSkipChildren, nil
}

func (h *hand) raw(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(html.EscapeString(string(n.(*ast.RawHTML).Segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

// table scrolls in its own region, named for the heading it stands under.
func (h *hand) table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, _ = w.WriteString("</table></div>\n")
		return ast.WalkContinue, nil
	}
	under := h.page.title
	for at := n.PreviousSibling(); at != nil; at = at.PreviousSibling() {
		if at.Kind() == ast.KindHeading {
			under = h.page.plain(at)
			break
		}
	}
	fmt.Fprintf(w, `<div class="table-wrap" tabindex="0" role="region" aria-label="Table under “%s”"><table>`+"\n",
		html.EscapeString(under))
	return ast.WalkContinue, nil
}

// cell has a class for numbers, where goldmark would write a style, which the
// content security policy refuses. An empty head is no head.
func (h *hand) cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open, end := "<td", "</td>\n"
	if n.Parent().Kind() == tables.KindTableHeader && n.HasChildren() {
		open, end = `<th scope="col"`, "</th>\n"
	}
	if !entering {
		_, _ = w.WriteString(end)
		return ast.WalkContinue, nil
	}
	if n.(*tables.TableCell).Alignment == tables.AlignRight {
		open += ` class="num"`
	}
	_, _ = w.WriteString(open + ">")
	return ast.WalkContinue, nil
}

// box is a task's box as a sign: nobody can tick it here.
func (h *hand) box(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		sign := "☐ "
		if n.(*tables.TaskCheckBox).IsChecked {
			sign = "☑ "
		}
		_, _ = w.WriteString(sign)
	}
	return ast.WalkContinue, nil
}

// attribute is what a node was given when it was read.
func attribute(n ast.Node, name string) string {
	value, _ := n.AttributeString(name)
	text, _ := value.([]byte)
	return string(text)
}
