package selector

import (
	"slices"
	"strings"
)

// A family is the members of a JSON value whose excerpt is wanted, as far as an
// excerpt may show them.
type family struct {
	rows  []Row
	nodes []*node // of each row; nil where it is not looked for
	total int
}

// members begins a family, or returns nil where nobody asks for one.
func (s *search) members(n *node) *family {
	if s.around == 0 || !n.shows() {
		return nil
	}
	return &family{}
}

// room reports whether another member may be shown.
func (f *family) room() bool { return len(f.rows) < maxCells }

// add takes a member in if there is room for it, or if it is looked for. A nil
// family takes nothing.
func (f *family) add(number int, name string, t token, n *node) {
	if f == nil {
		return
	}
	f.total++
	wanted := n != nil && len(n.targets) > 0
	if number < 0 {
		number = f.total
		if !f.room() && !wanted {
			return
		}
	}
	value := t.text
	if t.cut {
		value += "…"
	}
	f.rows = append(f.rows, Row{Number: number, Cells: []string{shown(name), shown(value)}})
	f.nodes = append(f.nodes, n)
}

// attach gives every value found among the members its excerpt.
func (s *search) attach(f *family) {
	if f == nil {
		return
	}
	in := pointer(s.path)
	for i, c := range f.nodes {
		if c == nil {
			continue
		}
		e := Excerpt{Header: []string{"name", "value"}, Rows: f.window(i, s.around), Column: 1, Total: 2, In: in}
		for _, target := range c.targets {
			own := e
			s.found[target].Excerpt = &own
		}
	}
}

// window is the rows shown with row i: those within reach of it.
func (f *family) window(i, around int) []Row {
	rows := slices.Clone(f.rows[max(0, i-around):min(len(f.rows), i+around+1)])
	rows[min(i, around)].Here = true
	return rows
}

// pointer writes a path as an RFC 6901 pointer.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1"))
	}
	return b.String()
}
