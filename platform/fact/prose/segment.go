package prose

import (
	"strings"

	"github.com/gavelhq/gavel/platform/fact/lexicon"
)

// segment cuts a sentence into stretches between clause marks and brackets, and
// marks the mentions that stand on the other side of a comparison.
func (s *Sentence) segment() {
	s.Parents = []int{-1}
	group := 0
	cut := func(i int, side, strong bool) {
		if n := len(s.Segments); n > 0 {
			s.Segments[n-1].To = i
		}
		s.Segments = append(s.Segments, Segment{From: i, Group: group, Side: side, Strong: strong})
	}
	cut(0, false, true)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case n.Kind == Punct && (n.Text == "(" || n.Text == "["):
			s.Parents = append(s.Parents, group)
			group = len(s.Parents) - 1
			cut(i, false, false)
		case n.Kind == Punct && (n.Text == ")" || n.Text == "]"):
			if group != 0 {
				group = s.Parents[group]
			}
			cut(i, false, false)
		case n.Kind == Punct && (n.Text == "," || n.Text == "|"):
			cut(i, false, false)
		case n.Kind == Punct && oneOf(n.Text, ";", ":", "—", "–"):
			cut(i, false, true)
		case n.Kind == Punct && n.Text == "-" && i > 0 && i+1 < len(s.Nodes) && s.Nodes[i-1].End < n.Start && n.End < s.Nodes[i+1].Start:
			cut(i, false, true)
		case n.Sense == lexicon.Strong:
			cut(i, false, true)
		case n.Sense == lexicon.Weak:
			cut(i, s.Segments[len(s.Segments)-1].Side, false) // the other side of a comparison goes on
		case n.Sense == lexicon.Side:
			cut(i, true, false)
		}
		n.Seg = len(s.Segments) - 1
	}
	s.Segments[len(s.Segments)-1].To = len(s.Nodes)
	s.sides()
}

// sides marks mentions that are compared with or left out.
func (s *Sentence) sides() {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case n.Kind == Mention && s.Segments[n.Seg].Side:
			n.Side = true
		case n.Sense == lexicon.Except && !s.Hindi:
			for j := i + 1; j < len(s.Nodes) && s.Nodes[j].Seg == n.Seg; j++ {
				if s.Nodes[j].Kind == Mention {
					s.Nodes[j].Side = true
					break
				}
			}
		case n.Sense == lexicon.Except || n.Sense == lexicon.SideAfter:
			if i > 0 && s.Nodes[i-1].Kind == Mention {
				s.Nodes[i-1].Side = true
			}
		case n.Text == "से" && i > 0 && s.Nodes[i-1].Kind == Mention && s.compares(i) && s.another(i-1):
			s.Nodes[i-1].Side = true
		case measures(n.Text) && (n.Sense == lexicon.More || n.Sense == lexicon.Less):
			s.object(i)
		}
	}
}

// measures reports whether a comparing word takes the other side as its object.
func measures(word string) bool {
	for _, w := range []string{"exceed", "surpass", "outstrip", "outpace", "outweigh", "outnumber", "overt", "beat", "trail", "lag",
		"undercut", "above", "below", "behind", "ahead"} {
		if strings.HasPrefix(word, w) {
			return true
		}
	}
	return false
}

// object marks the mention that follows closely, over words like "that in".
func (s *Sentence) object(i int) {
	for j := i + 1; j < len(s.Nodes) && j <= i+4 && s.Nodes[j].Seg == s.Nodes[i].Seg; j++ {
		switch n := &s.Nodes[j]; {
		case n.Kind == Mention:
			n.Side = true
			return
		case n.Sense != lexicon.Plain && n.Sense != lexicon.Of:
			return
		}
	}
}

// another reports whether the sentence names another member of the same kind: only
// then can "से" mean than.
func (s *Sentence) another(i int) bool {
	for j, n := range s.Nodes {
		if j != i && n.Kind == Mention && n.Dim == s.Nodes[i].Dim && n.ID != s.Nodes[i].ID {
			return true
		}
	}
	return false
}

// compares reports whether a comparing word follows in the segment: in Hindi
// "द्वारका से … अधिक" sets Dwarka on the other side.
func (s *Sentence) compares(i int) bool {
	for j := i + 1; j < s.Segments[s.Nodes[i].Seg].To; j++ {
		switch s.Nodes[j].Sense {
		case lexicon.More, lexicon.Less, lexicon.Larger, lexicon.Smaller:
			return true
		}
	}
	return false
}

// chain reports whether segment j can be seen from a bracket: it stands in the
// same one or in one around it.
func (s *Sentence) chain(group, j int) bool {
	for g := group; g >= 0; g = s.Parents[g] {
		if s.Segments[j].Group == g {
			return true
		}
	}
	return false
}

// A Run is a list of mentions of one dimension that are joined by commas and
// "and": their nodes, in order.
type Run []int

// Runs lists the mentions of a dimension, those of a list together.
func (s *Sentence) Runs(dim string) []Run {
	var out []Run
	last := -1
	for i, n := range s.Nodes {
		if n.Kind != Mention || n.Dim != dim {
			continue
		}
		if last >= 0 && s.joined(last, i) && s.Nodes[last].Side == n.Side {
			out[len(out)-1] = append(out[len(out)-1], i)
		} else {
			out = append(out, Run{i})
		}
		last = i
	}
	return out
}

// joined reports whether only what joins the parts of a list stands between two
// nodes, and a comma or "and" among it.
func (s *Sentence) joined(a, b int) bool {
	join := false
	for _, n := range s.Nodes[a+1 : b] {
		switch {
		case n.Kind == Punct && n.Text == ",", n.Sense == lexicon.Weak, n.Text == "nor":
			join = true
		case n.Sense == lexicon.Plain, n.Sense == lexicon.Both, n.Kind == Noun, n.Sense == lexicon.To && n.Text == "to":
		default:
			return false
		}
	}
	return join
}

// TokenRuns lists the cited facts that stand in a list of two or more, with
// nothing between them but what joins a list.
func (s *Sentence) TokenRuns() [][]int {
	var out [][]int
	var run []int
	flush := func() {
		if len(run) > 1 {
			out = append(out, run)
		}
		run = nil
	}
	for i, n := range s.Nodes {
		if n.Kind != Cited {
			continue
		}
		if len(run) > 0 && !s.listed(run[len(run)-1], i) {
			flush()
		}
		run = append(run, i)
	}
	flush()
	return out
}

func (s *Sentence) listed(a, b int) bool {
	end := s.Nodes[a].End
	for _, n := range s.Nodes[a+1 : b] {
		if n.HasUnit {
			end = n.UnitEnd
		}
		switch {
		case n.Start < end:
		case n.Kind == Punct && n.Text == ",", n.Sense == lexicon.Weak, n.Sense == lexicon.Side, n.Sense == lexicon.By,
			n.Sense == lexicon.Bound, n.Sense == lexicon.Of:
		default:
			return false
		}
	}
	return true
}
