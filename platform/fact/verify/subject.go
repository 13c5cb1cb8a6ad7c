package verify

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/lexicon"
	"github.com/gavelhq/gavel/platform/fact/prose"
)

// align pairs lists that run in parallel: "A, B and C fall by x, y and z". Facts
// and mentions are paired in order where there are as many of the one as of the
// other and the list of numbers names nobody itself.
func (j *judge) align() {
	j.aligned = map[int]map[string]string{}
	for _, run := range j.TokenRuns() {
		for k := 1; k < len(run); k++ {
			if a, b := j.fact[run[k-1]], j.fact[run[k]]; a.ID == b.ID && a.ID != "" && j.Segments[j.Nodes[run[k]].Seg].Side {
				j.block(V5, run[k], say("itself", "fact", a.ID))
			}
		}
		for _, d := range j.profile.Dimensions {
			j.alignRun(run, d.Name)
		}
	}
}

func (j *judge) alignRun(run []int, dim string) {
	differ := false
	for _, t := range run {
		f, ok := j.fact[t]
		n := j.ledger.About(f, dim)
		if !ok || n.Kind != ledger.Single {
			return
		}
		differ = differ || n.IDs[0] != j.ledger.About(j.fact[run[0]], dim).IDs[0]
	}
	if !differ {
		return
	}
	var mentions []int
	for _, r := range j.Runs(dim) {
		if len(r) == len(run) {
			mentions = r
			break
		}
		mentions = append(mentions, r...)
	}
	if len(mentions) != len(run) {
		return
	}
	for k, t := range run {
		if j.aligned[t] == nil {
			j.aligned[t] = map[string]string{}
		}
		j.aligned[t][dim] = j.Nodes[mentions[k]].ID
	}
}

// governing lists the members a number is said of in a dimension.
func (j *judge) governing(token int, dim string) []string {
	if id, ok := j.aligned[token][dim]; ok {
		return []string{id}
	}
	var ids []string
	for _, m := range j.Governing(token, dim) {
		if !slices.Contains(ids, j.Nodes[m].ID) {
			ids = append(ids, j.Nodes[m].ID)
		}
	}
	return ids
}

// subjects is V5: the clause names what the fact is about, in its unit.
func (j *judge) subjects() {
	if j.profile.Subjects == Ignores {
		return
	}
	severity := Block
	if j.profile.Subjects == Asks {
		severity = Ask
	}
	for _, t := range j.cited {
		why := j.wrongUnit(t)
		for _, d := range j.profile.Dimensions {
			if !why.found() {
				why = j.wrongSubject(t, d.Name)
			}
		}
		if !why.found() {
			why = j.wrongYear(t)
		}
		if why.found() {
			n := j.Nodes[t]
			j.find(V5, severity, n.Start, n.End, n.Token.ID, why)
		}
	}
}

// wrongSubject says what is wrong with the members named around a token.
func (j *judge) wrongSubject(t int, dim string) remark {
	f := j.fact[t]
	n := j.ledger.About(f, dim)
	said := j.governing(t, dim)
	switch n.Kind {
	case ledger.Single:
		if other := j.ratioTo(f, dim); other != "" && other != n.IDs[0] && !j.mentioned(dim, other) {
			return say("subject_ratio", "fact", f.ID, "one", n.IDs[0], "other", other)
		}
		return j.wrongSingle(t, f, dim, n.IDs[0], said)
	case ledger.Pair:
		for _, id := range n.IDs {
			if !j.mentioned(dim, id) {
				return say("subject_pair", "fact", f.ID, "one", n.IDs[0], "other", n.IDs[1])
			}
		}
	case ledger.Several:
		return j.wrongSeveral(f, dim, n, said)
	}
	return remark{}
}

// ratioTo is the member a ratio measures against.
func (j *judge) ratioTo(f fact.Fact, dim string) string {
	in := j.ledger.Inputs(f)
	if f.Calc == nil || f.Calc.Op != fact.Ratio || len(in) < 2 {
		return ""
	}
	if n := j.ledger.About(in[1], dim); n.Kind == ledger.Single {
		return n.IDs[0]
	}
	return ""
}

func (j *judge) wrongSingle(t int, f fact.Fact, dim, id string, said []string) remark {
	if len(said) == 0 && j.unitNames(f, dim, id) {
		return remark{}
	}
	if whole := j.partAsWhole(t, f, dim); whole != "" {
		return say("subject_part", "fact", f.ID, "part", whole)
	}
	if twice := j.listedTwice(t, dim); twice != "" {
		return say("subject_twice", "one", twice)
	}
	if f.Calc != nil && f.Calc.Op == fact.Share && len(said) == 1 && said[0] != id && j.wholeOf(t, f, dim, id, said[0]) {
		return remark{}
	}
	switch {
	case len(said) == 0 && j.profile.Given[dim] == id:
		return remark{}
	case len(said) == 0 && j.quantified(dim):
		if all := j.everyPeer(f, dim); len(all) > 1 && equalValues(all) {
			return remark{}
		}
		return say("subject_every", "fact", f.ID, "one", id, "dim", dim)
	case len(said) == 0:
		return say("subject_unnamed", "fact", f.ID, "one", id, "dim", dim)
	case len(said) == 1 && said[0] == id:
		return remark{}
	case !slices.Contains(said, id):
		return say("subject_other", "fact", f.ID, "one", id, "said", strings.Join(said, ", "))
	}
	for _, other := range said {
		if p, ok := j.ledger.Peer(f, dim, other); other != id && (!ok || ledger.Number(p).Cmp(ledger.Number(f)) != 0) {
			return say("subject_only", "fact", f.ID, "one", id, "said", strings.Join(said, ", "))
		}
	}
	return remark{}
}

// partAsWhole is the part that a sentence takes for the whole of a share: "of
// diesel" after a share of all fuels.
func (j *judge) partAsWhole(t int, f fact.Fact, dim string) string {
	if f.Calc == nil || f.Calc.Op != fact.Share {
		return ""
	}
	parts := j.ledger.Inputs(f)
	if len(parts) == 0 || !j.varies(parts, dim) {
		return ""
	}
	own := f.Subject.IDs[dim]
	named := false // the part itself, so far
	for i, n := range j.Nodes {
		if n.Kind != prose.Mention || n.Dim != dim || n.Seg != j.Nodes[t].Seg {
			continue
		}
		first := n.ID == own && !named
		named = named || n.ID == own
		if first || i == 0 || j.Nodes[i-1].Sense != lexicon.Of { // "the share of electricity" names the part
			continue
		}
		for _, p := range parts {
			if after := i > t || i >= 2 && strings.HasPrefix(j.Nodes[i-2].Text, "share"); after && p.Subject.IDs[dim] == n.ID {
				return n.ID
			}
		}
	}
	return ""
}

// listedTwice is the member that a list governing a number names twice.
func (j *judge) listedTwice(t int, dim string) string {
	seen := map[string]bool{}
	for _, m := range j.Governing(t, dim) {
		if seen[j.Nodes[m].ID] {
			return j.Nodes[m].ID
		}
		seen[j.Nodes[m].ID] = true
	}
	return ""
}

// unitNames reports whether a unit that the sentence shows names the subject: the
// 36 signals of a district are about signals.
func (j *judge) unitNames(f fact.Fact, dim, id string) bool {
	for _, t := range j.cited {
		if !j.Nodes[t].Token.NoUnit && fact.SameUnit(j.fact[t].Unit, f.Unit) {
			return j.reader.NamesMember(f.Unit, dim, id)
		}
	}
	return false
}

// wholeOf reports whether the nearest mention is the whole a share is taken of
// and the part is named in the same clause: "electricity's share of transport
// energy". The whole is not one of the parts.
func (j *judge) wholeOf(t int, f fact.Fact, dim, id, said string) bool {
	parts := j.ledger.Inputs(f)
	if len(parts) == 0 || !j.varies(parts, dim) {
		return false
	}
	for _, in := range parts {
		if slices.Contains(j.ledger.About(in, dim).IDs, said) {
			return false
		}
	}
	for _, n := range j.Nodes {
		if n.Kind == prose.Mention && n.Dim == dim && n.ID == id && n.Seg <= j.Nodes[t].Seg && !n.Side {
			return true
		}
	}
	return false
}

func (j *judge) wrongSeveral(f fact.Fact, dim string, n ledger.Need, said []string) remark {
	slices.Sort(said)
	switch {
	case slices.Equal(said, n.IDs), len(said) == 1 && said[0] == n.Winner:
		return remark{}
	case len(said) == 0 && (j.quantified(dim) || j.hasNoun(dim) || j.has(lexicon.Together) || len(n.IDs) == j.members(dim) &&
		j.hasUniversal()):
		return remark{}
	case len(said) == 0:
		return say("subject_several", "fact", f.ID, "dim", dim)
	}
	return say("subject_together", "fact", f.ID, "all", strings.Join(n.IDs, ", "), "said", strings.Join(said, ", "))
}

func (j *judge) mentioned(dim, id string) bool {
	if j.profile.Given[dim] == id {
		return true
	}
	for _, n := range j.Nodes {
		if n.Kind == prose.Mention && n.Dim == dim && n.ID == id {
			return true
		}
	}
	return false
}

func (j *judge) has(sense lexicon.Sense) bool {
	for _, n := range j.Nodes {
		if n.Sense == sense {
			return true
		}
	}
	return false
}

func (j *judge) hasNoun(dim string) bool {
	for _, n := range j.Nodes {
		if n.Kind == prose.Noun && n.Dim == dim {
			return true
		}
	}
	return false
}

func (j *judge) hasUniversal() bool { return j.has(lexicon.All) || j.has(lexicon.Always) }
