package prose

import "github.com/gavelhq/gavel/platform/fact/lexicon"

// Governing finds the mentions of a dimension that a cited fact is said of: those
// of its own clause, else the nearest before it that it can see, else the first
// after it. It returns their nodes, several where they form a list, none where
// nothing governs.
func (s *Sentence) Governing(token int, dim string) []int {
	own := s.Nodes[token].Seg
	runs := s.Runs(dim)
	if near := s.nearest(runs, token, own); near != nil {
		return near
	}
	group := s.Segments[own].Group
	for j := own + 1; j < len(s.Segments) && s.Segments[own].Side && s.Segments[j].Side; j++ {
		if r := s.last(runs, j, true); r != nil {
			return r // both sides of a comparison name their own
		}
	}
	hosted := group != 0 || s.opensWith(own, lexicon.Relative) || s.bare(own)
	first := true
	for j := own - 1; j >= 0; j-- {
		if !s.chain(group, j) {
			continue
		}
		if r := s.last(runs, j, hosted && first); r != nil {
			return r
		}
		if s.Segments[j].Group == 0 && s.Segments[j].To-s.Segments[j].From > 1 {
			first = false
		}
	}
	for j := own + 1; j < len(s.Segments); j++ {
		if !s.chain(group, j) {
			continue
		}
		for _, r := range runs {
			if s.Nodes[r[0]].Seg == j && !s.Nodes[r[0]].Side {
				return r
			}
		}
	}
	return nil
}

// nearest is the run with the mention closest to the token in its own segment.
func (s *Sentence) nearest(runs []Run, token, own int) Run {
	var best Run
	distance := len(s.Nodes)
	for _, r := range runs {
		for _, m := range r {
			if s.Nodes[m].Seg != own || s.Nodes[m].Side && !s.Segments[own].Side {
				continue
			}
			d := m - token
			if d < 0 {
				d = -d
			}
			if d < distance {
				best, distance = r, d
			}
		}
	}
	return best
}

// last is the last run with a mention in segment j. Mentions on the other side of
// a comparison count only for what hangs on them: a bracket or "where".
func (s *Sentence) last(runs []Run, j int, hosted bool) Run {
	for k := len(runs) - 1; k >= 0; k-- {
		r := runs[k]
		m := r[len(r)-1]
		if s.Nodes[m].Seg == j && (!s.Nodes[m].Side || hosted) {
			return r
		}
	}
	return nil
}

// bare reports whether a segment holds nothing but numbers and small words: ", at
// {{F1}},".
func (s *Sentence) bare(seg int) bool {
	for _, n := range s.Nodes[s.Segments[seg].From:s.Segments[seg].To] {
		if n.Kind == Mention || n.Kind == Word && n.Sense != lexicon.Plain && n.Sense != lexicon.Bound {
			return false
		}
	}
	return true
}

// opensWith reports whether the first word of a segment, after its mark, has a
// sense.
func (s *Sentence) opensWith(seg int, sense lexicon.Sense) bool {
	g := s.Segments[seg]
	for i := g.From; i < g.To && i < g.From+2; i++ {
		if s.Nodes[i].Sense == sense {
			return true
		}
	}
	return false
}
