package selector

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// JSON finds the values at RFC 6901 pointers in one JSON document (RFC 8259). A
// value is a number or a string; what it is the text of is for the caller. An
// object on the way that has the pointer's name twice is refused: readers of
// JSON disagree about which one counts. around is how many neighbours to show,
// 0 for no excerpt. The error is one of the document; what is wrong with a
// single pointer stands in its Found.
func JSON(r io.Reader, around int, pointers ...string) ([]Found, error) {
	b, err := text(r)
	if err != nil {
		return nil, err
	}
	s := &search{scanner: scanner{r: b, line: 1}, around: min(around, MaxAround), found: make([]Found, len(pointers))}
	root := &node{}
	for i, p := range pointers {
		path, err := parsePointer(p)
		if err != nil {
			s.found[i].Err = err
			continue
		}
		s.found[i].Err = fault.New(fault.NotFound, "nothing stands at %.120q in the document", p)
		root.add(path, i)
	}
	if err := s.document(root); err != nil {
		return nil, err
	}
	return s.found, nil
}

// parsePointer splits a pointer into names, with ~1 and ~0 undone.
func parsePointer(p string) ([]string, error) {
	if p == "" {
		return nil, nil
	}
	bad := fault.New(fault.Invalid, "%.120q is not a JSON pointer", p)
	if p[0] != '/' || strings.Count(p, "/") > MaxDepth {
		return nil, bad
	}
	path := strings.Split(p[1:], "/")
	for i, name := range path {
		for at := strings.IndexByte(name, '~'); at >= 0; {
			if at+1 >= len(name) || name[at+1] != '0' && name[at+1] != '1' {
				return nil, bad
			}
			next := strings.IndexByte(name[at+1:], '~')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		path[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	}
	return path, nil
}

// A node is one step of the pointers that are looked for.
type node struct {
	name     string
	children map[string]*node
	targets  []int // pointers that end here
}

func (n *node) add(path []string, target int) {
	if len(path) == 0 {
		n.targets = append(n.targets, target)
		return
	}
	if n.children == nil {
		n.children = map[string]*node{}
	}
	child := n.children[path[0]]
	if child == nil {
		child = &node{name: path[0]}
		n.children[path[0]] = child
	}
	child.add(path[1:], target)
}

// child is the step to a member; a nil node has none.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	return n.children[name]
}

// below calls fn for every pointer that ends here or further down.
func (n *node) below(fn func(target int)) {
	for _, t := range n.targets {
		fn(t)
	}
	for _, c := range n.children {
		c.below(fn)
	}
}

// shows reports whether a member of this value is looked for itself, so that its
// neighbours may have to be shown.
func (n *node) shows() bool {
	if n == nil {
		return false
	}
	for _, c := range n.children {
		if len(c.targets) > 0 {
			return true
		}
	}
	return false
}

// A search walks a document along the nodes.
type search struct {
	scanner
	around int
	found  []Found
	path   []string // to the value at hand, kept only for excerpts
}

func (s *search) document(root *node) error {
	if _, err := s.value(root, false); err != nil {
		return err
	}
	if c, err := s.blank(); err != io.EOF {
		if err != nil {
			return err
		}
		return s.bad("%q after the end of the document", c)
	}
	return nil
}

// value reads one value. Its text is kept if it is looked for or keep is set.
func (s *search) value(n *node, keep bool) (token, error) {
	c, err := s.peek()
	if err != nil {
		return token{}, err
	}
	line := s.line
	wanted := n != nil && len(n.targets) > 0
	var t token
	switch c {
	case '{':
		t, err = token{kind: '{', text: "{…}"}, s.nested(func() error { return s.object(n) })
	case '[':
		t, err = token{kind: '[', text: "[…]"}, s.nested(func() error { return s.array(n) })
	default:
		t, err = s.scalar(c, wanted || keep)
	}
	if err != nil || !wanted {
		return t, err
	}
	for _, i := range n.targets {
		f := &s.found[i]
		f.Raw, f.Line, f.Err, f.Holds = "", line, t.notAValue(), t.kind == '{' || t.kind == '['
		if f.Err == nil {
			f.Raw = t.text
		}
	}
	return t, nil
}

// notAValue is why a token cannot be what a fact was read from.
func (t token) notAValue() error {
	switch {
	case t.cut:
		return fault.New(fault.TooLarge, "the value has more than %d bytes", MaxText)
	case t.kind == '"' || t.kind == '0':
		return nil
	}
	return fault.New(fault.Invalid, "%s stands there, not a number or a text", map[byte]string{
		'{': "an object", '[': "a list", 't': "true", 'f': "false", 'n': "null"}[t.kind])
}

func (s *search) object(n *node) error {
	members := s.members(n)
	seen := map[*node]bool{}
	for first := true; ; first = false {
		name, end, err := s.name(first, members != nil || n != nil && len(n.children) > 0)
		if err != nil || end {
			s.attach(members)
			return err
		}
		child := n.child(name.text)
		if name.cut {
			child = nil // longer than any pointer's name
		}
		again := child != nil && seen[child]
		t, err := s.step(child, name.text, members != nil && (members.room() || child != nil))
		if err != nil {
			return err
		}
		if again {
			child.below(func(i int) {
				s.found[i].Raw, s.found[i].Holds = "", false
				s.found[i].Err = fault.New(fault.Invalid, "the name %.60q stands twice in one object; which counts is not certain",
					name.text)
			})
		}
		if child != nil {
			seen[child] = true
		}
		members.add(-1, name.text, t, child)
	}
}

func (s *search) array(n *node) error {
	members := s.members(n)
	near := s.near(n)
	for i := 0; ; i++ {
		end, err := s.element(i == 0)
		if err != nil || end {
			s.attach(members)
			return err
		}
		index := ""
		if n != nil && len(n.children) > 0 {
			index = strconv.Itoa(i)
		}
		keep := members != nil && near(i)
		t, err := s.step(n.child(index), index, keep)
		if err != nil {
			return err
		}
		if keep {
			members.add(i, index, t, n.child(index))
		}
	}
}

// step is value with the path kept.
func (s *search) step(n *node, name string, keep bool) (token, error) {
	if s.around == 0 || n == nil {
		return s.value(n, keep)
	}
	s.path = append(s.path, name)
	t, err := s.value(n, keep)
	s.path = s.path[:len(s.path)-1]
	return t, err
}

// near reports of a position whether it is within reach of one looked for.
func (s *search) near(n *node) func(int) bool {
	if n == nil || !n.shows() {
		return func(int) bool { return false }
	}
	var at []int
	for name := range n.children {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 {
			at = append(at, i)
		}
	}
	return func(i int) bool {
		return slices.ContainsFunc(at, func(w int) bool { return i >= w-s.around && i <= w+s.around })
	}
}
